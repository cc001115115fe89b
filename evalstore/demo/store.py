"""Build the demo in a store: documents, questions, judgments, and the runs of all its engines."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from evalstore.catalog.collection_facts import RunFacts, store_run_facts
from evalstore.catalog.given_facts import GivenFacts
from evalstore.comparison.baselines import set_baseline
from evalstore.demo.build import DemoFiles, write
from evalstore.demo.versions import MADE_UP, VERSIONS, Version
from evalstore.errors import DataError
from evalstore.evaluation.measure import measure
from evalstore.evaluation.prepare import Request
from evalstore.formats import read_qrels, read_queries
from evalstore.ingest.documents import store_documents
from evalstore.ingest.ingest import ingest
from evalstore.ingest.reevaluate import reevaluate
from evalstore.ingest.store_qrels import CollectionQrels, store_qrels
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.tracking.experiments import edit_experiment

COLLECTION = "python-docs"
EXPERIMENT = "demo"
OLDER_VERSIONS = "demo-versions"
BASELINE = "bm25"
COSTS = ("ResponseTime", "ResponseTime(percentile=95)", "IndexSize")

TEXTS = {
    EXPERIMENT: (
        "Which of six small engines finds the documentation that answers a question in everyday "
        "words?",
        "Query likelihood over stems (`ql-stem`) has the best figures and beats the three simplest "
        "engines. That it is better than `bm25-name` is *not shown*: 53 questions are too few. "
        "(Python 3.11; the documents of other versions differ a little.)",
    ),
    OLDER_VERSIONS: (
        "Did the engines get better from version to version?",
        "`ql-stem` did, but for September: a change that left the question without stemming made "
        "it worse, which `evalstore history ql-stem` shows. The commits and dates are made up.",
    ),
}
"""The question and the conclusion of each experiment."""


@dataclass(frozen=True)
class Built:
    """What the demo holds, and how many of its runs were not in the store before."""

    documents: int
    queries: int
    runs: int
    new: int


def build_store(store: Store, warn: Callable[[str], None] = lambda _: None) -> Built:
    """Compute the demo's runs on this Python and store them; again changes nothing.

    On another Python the documents, and so the rankings, differ a little: runs stored before are
    replaced then. Response times are measured here, and stored with runs that are new.

    Raises:
        DataError: a run could not be stored.
    """
    with TemporaryDirectory(prefix="evalstore-demo-") as folder:
        files = write(Path(folder))
        queries = read_queries(str(files.queries))
        qrels = store_qrels(
            store, COLLECTION, qrels_path=str(files.qrels), queries=queries, warn=warn
        )
        new = [v.name for v in VERSIONS if _is_new(store, v, files, qrels)]
        reevaluate(store, COLLECTION, read_qrels(str(files.draft)))
    store_documents(
        store, qrels.collection_id, [(d.docno, d.title, d.text) for d in files.documents]
    )
    if new:
        measure(store, [parse(name) for name in COSTS], new, COLLECTION)
        set_baseline(store, BASELINE, COLLECTION)
        for name, (question, conclusion) in TEXTS.items():
            edit_experiment(store, name, question, conclusion)
    return Built(len(files.documents), len(queries), len(VERSIONS), len(new))


def _is_new(store: Store, version: Version, files: DemoFiles, qrels: CollectionQrels) -> bool:
    """Store a run with its facts, unless it is stored already; whether it was not.

    Raises:
        DataError: it could not be stored.
    """
    request = Request(
        collection=COLLECTION,
        experiment=EXPERIMENT if version.is_newest else OLDER_VERSIONS,
        replace=True,
        origin=GivenFacts(
            parameters=version.engine.parameters,
            tags=(MADE_UP,),
            note=version.note,
            commit=version.commit,
            commit_dirty=False,
            started_at=version.started_at,
            collection_version=f"Python {platform.python_version()}",
            parent=version.parent,
        ),
    )
    (outcome,) = ingest(store, request, [str(files.versions[version.name])], qrels=qrels).outcomes
    if outcome.status == "failed":
        raise DataError(f"the demo could not be built: {outcome.detail}")
    if outcome.status not in ("stored", "replaced"):
        return False
    costs = RunFacts(files.times[version.name], files.index_bytes[version.name])
    store_run_facts(store, version.name, costs, COLLECTION)
    return True
