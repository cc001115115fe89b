"""Write the demo experiment as files: runs of every version, the questions and the judgments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from time import perf_counter

from evalstore.demo.corpus import Document, documents
from evalstore.demo.engines import ENGINES, Engine, search
from evalstore.demo.index import Index, build_index
from evalstore.demo.versions import VERSIONS


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """Where the demo's files are, and what is known beside them."""

    qrels: Path
    draft: Path
    """The judgments of a first round, of fewer documents."""
    queries: Path
    runs: tuple[Path, ...]
    """One an engine, in the order of the engines: their newest versions."""
    versions: Mapping[str, Path]
    """Every version of every engine, older ones too, by the name of the run."""
    times: Mapping[str, Mapping[str, float]]
    """By the name of the run, the milliseconds that each answered query took here and now."""
    index_bytes: Mapping[str, int]
    """By the name of the run, the size of what its engine searches."""
    documents: list[Document]
    """Sorted by docno."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What an engine answers to the questions, as a run file, and how long it took."""

    text: str
    """In TREC format: ``qid Q0 docno rank score tag``."""
    times: dict[str, float]
    """Milliseconds by query id, of the questions that it finds something for."""


def write(directory: Path) -> DemoFiles:
    """Build the collection of this Python, ask all engines, and write what they answer.

    Writes ``qrels.txt``, ``qrels-draft.txt``, ``questions.tsv`` and ``runs/NAME.run`` for each
    version of an engine; the directory is made if need be.
    """
    collection = documents()
    index = build_index(collection)
    queries = questions()
    (directory / "runs").mkdir(parents=True, exist_ok=True)
    answers = {version.name: ask(version.engine, index, queries) for version in VERSIONS}
    paths = {
        name: _write(directory / "runs" / f"{name}.run", answer.text)
        for name, answer in answers.items()
    }
    return DemoFiles(
        qrels=_write(directory / "qrels.txt", packaged_text("qrels.txt")),
        draft=_write(directory / "qrels-draft.txt", packaged_text("qrels-draft.txt")),
        queries=_write(directory / "questions.tsv", packaged_text("questions.tsv")),
        runs=tuple(paths[engine.tag] for engine in ENGINES),
        versions=paths,
        times={name: answer.times for name, answer in answers.items()},
        index_bytes={version.name: index.size(version.engine.fields) for version in VERSIONS},
        documents=collection,
    )


def questions() -> dict[str, str]:
    """Read the questions of the demo: qid -> text."""
    _, *lines = packaged_text("questions.tsv").splitlines()
    rows = [line.split("\t") for line in lines]
    return {qid: text for qid, text, *_ in rows}


def judgments() -> dict[str, dict[str, int]]:
    """Read the judgments of the demo: qid -> docno -> grade 0 to 3."""
    judged: dict[str, dict[str, int]] = {}
    for line in packaged_text("qrels.txt").splitlines():
        qid, _, docno, grade = line.split()
        judged.setdefault(qid, {})[docno] = int(grade)
    return judged


def ask(engine: Engine, index: Index, queries: Mapping[str, str]) -> Answers:
    """Ask an engine all questions. All are asked twice, for the first time is not the usual one."""
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
    return Answers("".join(lines), times)


def packaged_text(name: str) -> str:
    """Read a data file of this package, installed or not, zipped or not."""
    return resources.files("evalstore.demo").joinpath(name).read_text(encoding="utf-8")


def _write(path: Path, text: str) -> Path:
    """Write a text with the same bytes on every platform."""
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
