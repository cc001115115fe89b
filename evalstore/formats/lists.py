"""A run or judgments as files are written of them: a query at a time, so that few are in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalstore.formats import ties
from evalstore.formats.qrels import Qrels
from evalstore.formats.run import Run
from evalstore.formats.trec.columns import F64
from evalstore.formats.writing import texts

List = tuple[str, list[str], list[float]]
"""A query's id, its docnos, and the score or grade of each."""


@dataclass(frozen=True)
class Lists:
    """A run or judgments, a query at a time.

    Attributes:
        lists: iterated over once: the queries that have documents, each once, in byte order; of a
            run with its documents in order of rank.
        tag: the run tag; empty for judgments.
        parameters: those of the run: its model and revision are among them.
        header: the ir_metadata of the run; empty where it has none.
    """

    lists: Iterable[List]
    tag: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    header: Mapping[str, Any] = field(default_factory=dict)


def lists_of(content: Run | Qrels) -> Lists:
    """A run, its ties in order, or judgments."""
    if isinstance(content, Qrels):
        return Lists(_lists(content, content.grades))
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
