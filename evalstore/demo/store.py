"""Build the demo in a store: its documents, questions, judgments, and the runs of its engines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from evalstore.demo.build import questions, write
from evalstore.errors import DataError
from evalstore.store import Store
from evalstore.usecases.documents import store_documents
from evalstore.usecases.ingest import ingest
from evalstore.usecases.prepare_run import Request
from evalstore.usecases.store_qrels import store_qrels

COLLECTION = "python-docs"
EXPERIMENT = "demo"


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
    replaced then.

    Raises:
        DataError: a run could not be stored.
    """
    queries = questions()
    with TemporaryDirectory(prefix="evalstore-demo-") as folder:
        files = write(Path(folder))
        qrels = store_qrels(
            store, COLLECTION, qrels_path=str(files.qrels), queries=queries, warn=warn
        )
        request = Request(collection=COLLECTION, experiment=EXPERIMENT, replace=True)
        result = ingest(store, request, [str(path) for path in files.runs], qrels=qrels)
        for outcome in result.outcomes:
            if outcome.status == "failed":
                raise DataError(f"the demo could not be built: {outcome.detail}")
    store_documents(
        store, qrels.collection_id, [(d.docno, d.title, d.text) for d in files.documents]
    )
    new = result.counts["stored"] + result.counts["replaced"]
    return Built(len(files.documents), len(queries), len(files.runs), new)
