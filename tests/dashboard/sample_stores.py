"""Small stores made by the real ingest from files written on the spot: by hand, so known by heart.

`main` holds two collections that can't be compared with each other. `NAMES` and `QIDS` are what a
hostile colleague would call things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.ingest.ingest import ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store

NAMES = (
    "__proto__",
    "<script>window.pwned=1</script>",
    "=1+1",
    "x" * 1000,
    "מנוע חיפוש",
    "\"quoted\" 'n' <b>bold</b> & %{x}",
)
QIDS = (
    "constructor",
    "__proto__",
    "<img/src=x/onerror=window.pwned=2>",
    "=2+2",
    "1.0",
    "01",
    "1",
    "2020-01-01",
    "שאלה",
    "q" * 300,
)
TEXTS = {
    "q1": "how do I split a string",
    "q2": "<i>is</i> this %{x} & that?",
    "q3": "=cmd|' /C'!A0",
}

# Relevant documents of every query, then what each engine returns, best first.
QRELS = {
    "q1": {"d1": 2, "d2": 1, "d3": 0},
    "q2": {"d4": 1, "d5": 1},
    "q3": {"d6": 3},
    "q4": {"d7": 1, "d8": 2},
    "q5": {"d9": 1},
}
RUNS: Mapping[str, Mapping[str, Sequence[str]]] = {
    # R-precision:  q1 1, q2 1, q3 1, q4 0.5, q5 1
    "bm25": {
        "q1": ["d1", "d2", "d3"],
        "q2": ["d5", "d4"],
        "q3": ["d6", "d1"],
        "q4": ["d8", "d1", "d7"],
        "q5": ["d9"],
    },
    # R-precision:  q1 0.5, q2 0.5, q3 0, q4 1, q5 1
    "tfidf": {
        "q1": ["d3", "d1", "d2"],
        "q2": ["d4", "d1", "d5"],
        "q3": ["d1", "d6"],
        "q4": ["d7", "d8"],
        "q5": ["d9", "d1"],
    },
    # R-precision:  q1 0, q2 0, q3 0, q4 0; no answer to q5
    "boolean": {"q1": ["d3"], "q2": ["d1"], "q3": ["d2"], "q4": ["d1"]},
}
RPREC = {
    "bm25": [1.0, 1.0, 1.0, 0.5, 1.0],
    "tfidf": [0.5, 0.5, 0.0, 1.0, 1.0],
    "boolean": [0.0, 0.0, 0.0, 0.0, 0.0],
}


def main(folder: Path) -> Store:
    """A store with the collections `small` (3 runs, 5 queries) and `other` (1 run, no texts)."""
    store = Store.open(f"sqlite:///{folder / 'main.db'}")
    add_main(store, folder)
    return store


def add_main(store: Store, folder: Path) -> None:
    """Ingest the two collections of `main`."""
    add(store, folder, "small", QRELS, RUNS, texts=TEXTS)
    add(store, folder, "other", {"q1": {"d1": 1}}, {"solo": {"q1": ["d1"]}})


def hostile(folder: Path) -> Store:
    """A store whose names are all hostile."""
    store = Store.open(f"sqlite:///{folder / 'hostile.db'}")
    qrels = {qid: {"d1": 1, "d2": 1} for qid in QIDS}
    rankings = (["d1", "d2"], ["d3", "d1"], ["d3"], ["d2"], ["d3", "d4", "d2"], ["d1"])
    runs = {
        name: {qid: rankings[(i + j) % len(rankings)] for j, qid in enumerate(QIDS)}
        for i, name in enumerate(NAMES)
    }
    texts = dict.fromkeys(QIDS, "<img src=x onerror=window.pwned=3> %{customdata[0]} {{7*7}}")
    add(store, folder, "<b>collection</b>", qrels, runs, texts=texts)
    return store


def add(
    store: Store,
    folder: Path,
    collection: str,
    qrels: Mapping[str, Mapping[str, int]],
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    texts: Mapping[str, str] | None = None,
    engine: str | None = None,
) -> None:
    """Ingest these judgments and runs (query -> documents, best first) into a collection.

    Each run is of an engine of its name, or all are of `engine`.
    """
    judgments = folder / "judgments.qrels"
    judgments.write_text(
        "".join(
            f"{qid} 0 {docno} {grade}\n"
            for qid, graded in qrels.items()
            for docno, grade in graded.items()
        ),
        encoding="utf-8",
    )
    stored = store_qrels(store, collection, qrels_path=str(judgments), queries=texts)
    for number, (name, answers) in enumerate(runs.items()):
        path = folder / f"{collection[:5].strip('<>/')}-{number}.run"
        path.write_text(
            "".join(
                f"{qid} Q0 {docno} {rank} {100 - rank} tag\n"
                for qid, ranking in answers.items()
                for rank, docno in enumerate(ranking, start=1)
            ),
            encoding="utf-8",
        )
        asked = IngestOptions(
            collection,
            engine=engine or name,
            name=name,
            experiment="first" if number else None,
            allow_disjoint=True,  # some runs retrieve nothing that is judged
        )
        (outcome,) = ingest(store, asked, [str(path)], qrels=stored).outcomes
        assert outcome.status == "stored", outcome
