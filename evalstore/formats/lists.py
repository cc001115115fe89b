"""A run or judgments a query at a time, as files are written, and the hash of their content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.formats import ties
from evalstore.formats.facts.judged_by import is_of_model
from evalstore.formats.qrels import Qrels
from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64
from evalstore.formats.reading.lines import texts
from evalstore.formats.run import Run
from evalstore.formats.trec.columns import F64

List = tuple[str, list[str], list[float]]
"""A query's id, its docnos, and the score or grade of each."""


@dataclass(frozen=True)
class Lists:
    """A run or judgments, a query at a time.

    Attributes:
        lists: iterated over once: the queries that have documents, each once, in byte order; of a
            run with its documents in order of rank.
        tag: the run tag; empty for judgments.
        parameters: of the run: its model and revision are among them.
        header: the ir_metadata of the run.
        strata: the stratum of each document of `lists`, for judgments of a sample; else nothing.
    """

    lists: Iterable[List]
    tag: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    header: Mapping[str, Any] = field(default_factory=dict)
    strata: Iterable[list[str]] = ()


def lists_of(content: Run | Qrels) -> Lists:
    """A run, its ties in order, or judgments."""
    if isinstance(content, Qrels):
        return Lists(_lists(content, content.grades), strata=_strata(content))
    run = ties.settled(content)
    facts = run.facts
    lists = _lists(run, run.scores)
    return Lists(lists, run.tag, facts.get("parameters", {}), facts.get("header", {}))


def _lists(content: Run | Qrels, values: F64) -> Iterator[List]:
    stretches = zip(content.qids, content.starts.tolist(), content.lengths.tolist(), strict=True)
    for qid, start, length in stretches:
        if length:
            docnos = texts(content.docnos.slice(start, length))
            yield qid, docnos, values[start : start + length].tolist()


def _strata(qrels: Qrels) -> Iterator[list[str]]:
    if qrels.strata is not None:
        for start, length in zip(qrels.starts.tolist(), qrels.lengths.tolist(), strict=True):
            if length:
                yield texts(qrels.strata.slice(start, length))


# The hash that identifies a run, its values or a qrels: of the content, not of a file's bytes.
#
# Spaces, line ends, the order of lines, the rank column and compression make no difference; a
# document, an order, a score, a grade, a query id or the run tag does.

TOGETHER = 1 << 16
"""Rows hashed at a time."""


def run_hash(run: Run) -> str:
    """The hash of a run whose ties are settled (`formats.run.settled`)."""
    return _hash([run.tag], run, run.docnos, run.scores)


def listed_hash(
    tag: str,
    qids: Sequence[str],
    sizes: Sequence[npt.NDArray[np.integer]],
    read: Callable[[int], tuple[pa.Array, F64]],
) -> str:
    """`run_hash` of a run of which only one list at a time is in memory.

    `sizes` are per query the bytes of each docno by rank; `read`, called twice, gives docnos and
    scores of a query by its number.
    """
    digest = _begun([tag], qids, np.array([len(each) for each in sizes], np.int64))
    for each in sizes:
        digest.update(each.astype("<i4").data)
    for query in range(len(qids)):
        at, data = ids.offsets_and_bytes(read(query)[0])
        digest.update(data[at[0] : at[-1]].data)
    for query in range(len(qids)):
        digest.update((read(query)[1] + 0.0).astype("<f8").data)  # -0 is 0
    return digest.hexdigest()


def qrels_hash(qrels: Qrels, origin: Mapping[str, object] | None = None) -> str:
    """The hash of a qrels; the order of the judgments of a query makes no difference.

    Judgments of models are told apart by the model, prompt and repeat that made them: those of
    `origin`, or else of the qrels.
    """

    def of_judgments() -> str:
        order = ids.order_ascending(qrels.row_query, qrels.docnos)
        return _hash([], qrels, ids.take(qrels.docnos, order), qrels.grades[order])

    content = qrels.memo("hash", of_judgments)
    facts = origin or qrels.origin or {}
    if not is_of_model(facts):
        return content
    lines = [f"{name}={facts[name]}" for name in sorted(facts) if name != "family"]
    return hashlib.sha256("\n".join([content, *lines]).encode()).hexdigest()


def values_hash(tag: str, values: Mapping[str, Mapping[str, float]]) -> str:
    """The hash of a run that came as values: by measure, then by query id, in any order."""
    lines = (
        f"{measure}\t{qid}\t{value + 0.0!r}\n"
        for measure, of_query in sorted(values.items())
        for qid, value in sorted(of_query.items())
    )
    return hashlib.sha256("".join(["values\n", f"{tag}\n", *lines]).encode()).hexdigest()


def _hash(tags: Iterable[str], lists: Run | Qrels, docnos: pa.Array, values: F64) -> str:
    """SHA-256 over lines of text, then the lengths, the docnos with theirs, and the values."""
    at, data = ids.offsets_and_bytes(docnos)
    parts = _parts(lists.starts, lists.lengths)
    digest = _begun(tags, lists.qids, lists.lengths)
    for start, stop in _pieces(parts):
        digest.update(np.diff(at[start : stop + 1]).astype("<i4").data)
    for start, stop in parts:
        digest.update(data[at[start] : at[stop]].data)
    for start, stop in _pieces(parts):
        digest.update((values[start:stop] + 0.0).astype("<f8").data)  # -0 is 0
    return digest.hexdigest()


def _begun(tags: Iterable[str], qids: Sequence[str], lengths: I64) -> hashlib._Hash:
    digest = hashlib.sha256("\n".join([*tags, "", *qids, ""]).encode())
    digest.update(lengths.astype("<i8").tobytes())
    return digest


def _pieces(parts: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same rows in pieces, so that intermediate arrays stay in the cache."""
    for start, stop in parts:
        for at in range(start, stop, TOGETHER):
            yield at, min(at + TOGETHER, stop)


def _parts(starts: I64, lengths: I64) -> list[tuple[int, int]]:
    """The rows of each list, first and after the last; one part if they are in order."""
    stops = starts + lengths
    if np.array_equal(starts[1:], stops[:-1]):
        return [(int(starts[0]), int(stops[-1]))] if len(starts) else []
    return list(zip(starts.tolist(), stops.tolist(), strict=True))
