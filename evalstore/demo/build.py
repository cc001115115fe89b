"""Write the demo experiment as files: run files of every engine, the questions and the qrels."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from evalstore.demo.corpus import Document, documents
from evalstore.demo.engines import ENGINES, Engine, search
from evalstore.demo.index import Index, build_index


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """Where the demo's files are, and the documents that its run files name."""

    qrels: Path
    queries: Path
    runs: tuple[Path, ...]
    """One an engine, in the order of the engines."""
    documents: list[Document]
    """Sorted by docno."""


def write(directory: Path) -> DemoFiles:
    """Build the collection of this Python, ask all engines, and write what they answer.

    Writes ``qrels.txt``, ``questions.tsv`` and ``runs/TAG.run``; the directory is made if need be.
    """
    collection = documents()
    index = build_index(collection)
    queries = questions()
    (directory / "runs").mkdir(parents=True, exist_ok=True)
    return DemoFiles(
        qrels=_write(directory / "qrels.txt", packaged_text("qrels.txt")),
        queries=_write(directory / "questions.tsv", packaged_text("questions.tsv")),
        runs=tuple(
            _write(directory / "runs" / f"{engine.tag}.run", run_text(engine, index, queries))
            for engine in ENGINES
        ),
        documents=collection,
    )


def questions() -> dict[str, str]:
    """Read the questions of the demo: qid -> text."""
    lines = packaged_text("questions.tsv").splitlines()
    return dict(line.split("\t", 1) for line in lines)


def judgments() -> dict[str, dict[str, int]]:
    """Read the judgments of the demo: qid -> docno -> grade 0 to 3."""
    judged: dict[str, dict[str, int]] = {}
    for line in packaged_text("qrels.txt").splitlines():
        qid, _, docno, grade = line.split()
        judged.setdefault(qid, {})[docno] = int(grade)
    return judged


def run_text(engine: Engine, index: Index, queries: dict[str, str]) -> str:
    """Return an engine's answers in TREC format: ``qid Q0 docno rank score tag``."""
    return "".join(
        f"{qid} Q0 {docno} {rank} {score!r} {engine.tag}\n"
        for qid, question in queries.items()
        for rank, (docno, score) in enumerate(search(engine, index, question), start=1)
    )


def packaged_text(name: str) -> str:
    """Read a data file of this package, installed or not, zipped or not."""
    return resources.files("evalstore.demo").joinpath(name).read_text(encoding="utf-8")


def _write(path: Path, text: str) -> Path:
    """Write a text with the same bytes on every platform."""
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
