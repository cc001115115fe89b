"""Build the demo in a store: documents, questions, judgments, and the runs of all its engines."""

from __future__ import annotations

import platform
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from urllib.parse import quote

from evalstore.catalog.collection_facts import RunCosts, store_run_facts
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.links import TOUR, name_view, named_views
from evalstore.comparison.choosing.baselines import baselines, set_baseline
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.gate.check import check_loaded, headline, measures_of
from evalstore.comparison.gate.rules import parse_rule
from evalstore.comparison.loading import load_stored_runs
from evalstore.demo.corpus import Document, documents, known_items
from evalstore.demo.engines import (
    BY_TAG,
    ENGINES,
    MADE_UP,
    VERSIONS,
    Engine,
    Index,
    Version,
    build_index,
    search,
)
from evalstore.errors import DataError
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.measure import measure
from evalstore.formats import read_qrels, read_queries
from evalstore.ingest.documents import store_documents
from evalstore.ingest.ingest import ingest
from evalstore.ingest.reevaluate import reevaluate
from evalstore.ingest.store_qrels import CollectionQrels, store_qrels
from evalstore.measures import parse
from evalstore.sql import cookbook
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.tracking.experiments import edit_experiment

COLLECTION = "python-docs"
EXPERIMENT = "demo"
OLDER_VERSIONS = "demo-versions"
BASELINE = "bm25"
KNOWN_ITEMS = "python-summaries"
"""A second collection, with questions and judgments made by a program: see `known_items`."""
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

BEFORE_FIVE = "qrels-but-five"
FIVE: frozenset[tuple[str, str]] = frozenset(
    {
        ("q05", "sorted"),
        ("q13", "topic:with"),
        ("q30", "topic:formatstrings"),
        ("q42", "str.casefold"),
        ("q50", "topic:comparisons"),
    }
)
"""The judgments that `qrels-but-five` is without: (qid, docno). With them `ql-stem` is shown to be
better than `bm25` on nDCG@10, without them it is not.
"""
MODEL_JUDGE = "model-judge-made-up"
FAVOURED = "ql-stem"
MOST_FAVOURED = 3
"""The last rank at which the made-up judge favours a document of its family."""

CHECKED, CHECKED_WITH = "ql-stem-2026-09", "ql-stem-2026-07"
RULE = "AP drop > 0.02"

PAGES = f"/c/{COLLECTION}"
STOPS: tuple[tuple[str, str], ...] = (
    ("The leaderboard: which engines lead, and which can't be told apart", PAGES),
    (
        "A regression, and why",
        f"{PAGES}/compare?runs={CHECKED_WITH},{CHECKED}&base={CHECKED_WITH}&m=AP&open=why",
    ),
    (
        "An undecided pair",
        f"{PAGES}/compare?qrels={BEFORE_FIVE}&runs=bm25,ql-stem&base=bm25&m=nDCG%4010",
    ),
    (
        "The same pair, decided as a pair by five more judgments",
        f"{PAGES}/compare?runs=bm25,ql-stem&m=nDCG%4010",
    ),
    ("A gate that fails: the event of this run", f"{PAGES}/run/{CHECKED}"),
    (
        "A model judge that favours its family (made up)",
        f"{PAGES}/judgments?other={MODEL_JUDGE}",
    ),
    (
        "Two collections: which engines have a higher nDCG@10 than bm25 on both",
        "/sql?chart=bar&x=engine&y=difference&colour=collection&s=SQL",
    ),
)
"""The stops of the tour: a text, and an address, in which SQL stands for that of `ON_BOTH`."""
ON_BOTH = "Is an engine better than another on every collection?"
OF_FIVE = STOPS[2:4]


@dataclass(frozen=True)
class Built:
    """The size of the demo, and the number of its runs that were not in the store before."""

    documents: int
    queries: int
    runs: int
    new: int


def build_store(store: Store, warn: Callable[[str], None] = lambda _: None) -> Built:
    """Compute the demo's runs on this Python and store them; again changes nothing.

    On another Python the documents, and so the rankings, differ a little: runs stored before are
    replaced then. Response times are measured here, and stored with runs that are new. A run that
    can't be stored is a DataError.
    """
    with TemporaryDirectory(prefix="evalstore-demo-") as folder:
        files = write(Path(folder))
        _store_known_items(store, Path(folder), files.documents)
        queries = read_queries(str(files.queries))
        qrels = store_qrels(
            store, COLLECTION, qrels_path=str(files.qrels), queries=queries, warn=warn
        )
        new = [v.name for v in VERSIONS if _is_new(store, v, files, qrels)]
        for judged in (files.draft, *_of_tour(Path(folder), files)):
            reevaluate(store, COLLECTION, read_qrels(str(judged)))
    store_documents(store, qrels.collection_id, files.documents)
    if new:
        measure(store, [parse(name) for name in COSTS], new, COLLECTION)
        set_baseline(store, BASELINE, COLLECTION)
        for name, (question, conclusion) in TEXTS.items():
            edit_experiment(store, name, question, conclusion)
        _check(store)
    _save_tour(store)
    return Built(len(files.documents), len(queries), len(VERSIONS), len(new))


def _store_known_items(store: Store, folder: Path, collection: Sequence[Document]) -> None:
    """Store the second collection with the newest version of each engine, once."""
    if any(each.collection == KNOWN_ITEMS for each in baselines(store)):
        return
    left, answered_by = known_items(collection)
    index = build_index(left)
    docnos = {f"k{number:03}": docno for number, docno in enumerate(answered_by, start=1)}
    texts = {qid: answered_by[docno] for qid, docno in docnos.items()}
    judged = "".join(f"{qid} 0 {docno} 1\n" for qid, docno in docnos.items())
    folder = folder / "known"
    folder.mkdir()
    qrels = store_qrels(
        store, KNOWN_ITEMS, qrels_path=str(_write(folder / "qrels.txt", judged)), queries=texts
    )
    store_documents(store, qrels.collection_id, left)
    paths = [  # in this order an engine has the colour that it has in the first collection
        _write(folder / f"{tag}-summaries.run", ask(BY_TAG[tag], index, texts)[0])
        for tag in dict.fromkeys(version.engine.tag for version in VERSIONS)
    ]
    _ingest(store, IngestOptions(KNOWN_ITEMS, experiment=EXPERIMENT), paths, qrels)
    set_baseline(store, f"{BASELINE}-summaries", KNOWN_ITEMS)


def _ingest(
    store: Store, request: IngestOptions, paths: Sequence[Path], qrels: CollectionQrels
) -> bool:
    """Store runs; False if all were stored already."""
    outcomes = ingest(store, request, [str(path) for path in paths], qrels=qrels).outcomes
    for outcome in outcomes:
        if outcome.status == "failed":
            raise DataError(f"the demo could not be built: {outcome.detail}")
    return any(outcome.status in ("stored", "replaced") for outcome in outcomes)


def _is_new(store: Store, version: Version, files: DemoFiles, qrels: CollectionQrels) -> bool:
    """Store a run with its facts; False if it was stored already."""
    request = IngestOptions(
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
    if not _ingest(store, request, [files.versions[version.name]], qrels):
        return False
    costs = RunCosts(files.times[version.name], files.index_bytes[version.name])
    store_run_facts(store, version.name, costs, COLLECTION)
    return True


# The tour: further judgments, a gate, and saved views of the stops


def _of_tour(folder: Path, files: DemoFiles) -> list[Path]:
    """Write the judgments without five, and those of the made-up judge."""
    rows = [line.split() for line in packaged_text("qrels.txt").splitlines()]
    ranked = [line.split() for line in files.versions[FAVOURED].read_text("utf-8").splitlines()]
    favoured = {(qid, docno) for qid, _, docno, rank, *_ in ranked if int(rank) <= MOST_FAVOURED}
    return [
        _write(folder / f"{name}.txt", "".join(lines))
        for name, lines in {
            BEFORE_FIVE: [
                f"{qid} 0 {docno} {grade}\n"
                for qid, _, docno, grade in rows
                if (qid, docno) not in FIVE
            ],
            MODEL_JUDGE: [
                f"{qid} 0 {docno} {made_up_grade(qid, docno, int(grade), favoured)}\n"
                for qid, _, docno, grade in rows
            ],
        }.items()
    ]


def made_up_grade(qid: str, docno: str, grade: int, favoured: Collection[tuple[str, str]]) -> int:
    """The grade of the made-up judge: a document is one better if it is favoured.

    Of the others every eighth, chosen by a checksum, is one worse. Grades stay from 0 to 3.
    """
    if (qid, docno) in favoured:
        return min(grade + 1, 3)
    return max(grade - (zlib.crc32(f"{qid} {docno}".encode()) % 8 == 0), 0)


def _check(store: Store) -> None:
    """Check the version of September as `evalstore check` does, and record the result."""
    rule = parse_rule(RULE)
    measures = measures_of([rule])
    loaded = load_stored_runs(store, (CHECKED_WITH, CHECKED), measures, collection=COLLECTION)
    checked = check_loaded(loaded, [rule])
    store.transact(
        lambda connection: events.log(
            connection,
            "gate",
            COLLECTION,
            CHECKED,
            outcome=checked.outcome,
            baseline=CHECKED_WITH,
            summary=headline(checked),
            rules=[{"rule": one.rule.text, "fails": one.fails} for one in checked.results],
        )
    )


def _save_tour(store: Store) -> None:
    """Save the stops as views with names, unless the store has a tour."""
    if any((view.name or "").startswith(TOUR) for view in named_views(store, COLLECTION)):
        return
    measures = {"nDCG@10": parse("nDCG@10")}
    pair = ("bm25", "ql-stem")
    loaded = load_stored_runs(store, pair, measures, collection=COLLECTION, qrels=BEFORE_FIVE)
    # With the documents of another Python the five judgments may decide nothing.
    is_undecided = compare_loaded(loaded, measures).pairs[0].verdict == "undecided"
    stops = [stop for stop in STOPS if is_undecided or stop not in OF_FIVE]
    asked = next(each.sql for each in cookbook.questions() if each.title == ON_BOTH)
    sql = quote(f"-- nDCG@10 less bm25's; nothing is tested here: the leaderboard does\n{asked}")
    for number, (text, address) in enumerate(stops, start=1):
        name_view(store, address.replace("SQL", sql), f"{TOUR}{number}: {text}", COLLECTION)


# The demo as files: runs of every version, the questions and the judgments


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """The paths of the demo's files, and facts beside them.

    Attributes:
        draft: the judgments of a first round, of fewer documents.
        runs: the newest version of each engine, in the order of the engines.
        versions: every version of every engine, by the name of the run.
        times: by the name of the run, the milliseconds that each answered query took here and now.
        index_bytes: by the name of the run, the size of the fields that its engine searches.
        documents: sorted by docno.
    """

    qrels: Path
    draft: Path
    queries: Path
    runs: tuple[Path, ...]
    versions: Mapping[str, Path]
    times: Mapping[str, Mapping[str, float]]
    index_bytes: Mapping[str, int]
    documents: list[Document]


def write(directory: Path) -> DemoFiles:
    """Build the collection of this Python, ask all engines, and write their answers.

    Writes ``qrels.txt``, ``qrels-draft.txt``, ``questions.tsv`` and ``runs/NAME.run`` for each
    version of an engine; the directory is made if need be.
    """
    collection = documents()
    index = build_index(collection)
    queries = questions()
    (directory / "runs").mkdir(parents=True, exist_ok=True)
    answers = {version.name: ask(version.engine, index, queries) for version in VERSIONS}
    paths = {
        name: _write(directory / "runs" / f"{name}.run", text)
        for name, (text, _) in answers.items()
    }
    return DemoFiles(
        qrels=_write(directory / "qrels.txt", packaged_text("qrels.txt")),
        draft=_write(directory / "qrels-draft.txt", packaged_text("qrels-draft.txt")),
        queries=_write(directory / "questions.tsv", packaged_text("questions.tsv")),
        runs=tuple(paths[engine.tag] for engine in ENGINES),
        versions=paths,
        times={name: times for name, (_, times) in answers.items()},
        index_bytes={version.name: index.size(version.engine.fields) for version in VERSIONS},
        documents=collection,
    )


def questions() -> dict[str, str]:
    """The questions of the demo: qid -> text."""
    _, *lines = packaged_text("questions.tsv").splitlines()
    rows = [line.split("\t") for line in lines]
    return {qid: text for qid, text, *_ in rows}


def ask(engine: Engine, index: Index, queries: Mapping[str, str]) -> tuple[str, dict[str, float]]:
    """Ask an engine all questions: its TREC run file, and milliseconds by answered query id.

    It is asked twice: the first time is not the usual one.
    """
    for question in queries.values():
        search(engine, index, question)
    lines: list[str] = []
    times: dict[str, float] = {}
    for qid, question in queries.items():
        start = perf_counter()
        ranking = search(engine, index, question)
        milliseconds = 1000 * (perf_counter() - start)
        if ranking:
            times[qid] = milliseconds
        lines += [
            f"{qid} Q0 {docno} {rank} {score!r} {engine.tag}\n"
            for rank, (docno, score) in enumerate(ranking, start=1)
        ]
    return "".join(lines), times


def packaged_text(name: str) -> str:
    """A data file of this package, installed or not, zipped or not."""
    return resources.files("evalstore.demo").joinpath(name).read_text(encoding="utf-8")


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
