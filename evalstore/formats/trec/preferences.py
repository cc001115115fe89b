"""Preferences between documents, as trec_eval reads them: `qid group subgroup docno level`.

Within a subgroup every document of a higher level is preferred to every one of a lower level. The
subgroups of a group (a judge at one time) add up: a over b in one and b over c in another make a
over c. Groups are independent of each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from evalstore.errors import DataError
from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64, U64
from evalstore.formats.reading.lines import checked_id, numbered_lines
from evalstore.formats.reading.source import ReadOptions, path_text, quoted, refuse
from evalstore.formats.registry import Format, ends_in_number, recognise_if
from evalstore.formats.trec.columns import F64, MAX_GRADE, NUMBER, counted

COLUMNS = "qid, group, subgroup, docno, level"
BLANKS = re.compile("[ \t]+")
OTHERS = {
    4: ": this looks like a qrels (qid, iteration, docno, grade)",
    6: ": this looks like a run (qid, Q0, docno, rank, score, tag)",
}


@dataclass(frozen=True, eq=False, repr=False)
class Preferences:
    """Preferences as arrays of n rows.

    The rows of a query are sorted by group, subgroup and document, as bytes.

    Attributes:
        qids: the query ids, sorted by bytes.
        lengths: int64, one per query; the queries stand one after the other.
        groups, subgroups, docnos: Arrow binary, n.
        levels: float64, n; higher is preferred, and 0 means not relevant.
        keys: uint64, n: a hash of (query id, docno).
        warnings: what was accepted although it is odd, one sentence each, with file and line.
    """

    path: str
    qids: tuple[str, ...]
    lengths: I64
    groups: pa.Array
    subgroups: pa.Array
    docnos: pa.Array
    levels: F64
    keys: U64
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        queries, lines = counted(len(self.qids), "query"), counted(len(self.levels), "level")
        return f"<Preferences: {queries}, {lines}>"


class Row(NamedTuple):
    """A line of a file of preferences; ids are bytes, so that they sort as bytes."""

    qid: bytes
    group: bytes
    subgroup: bytes
    docno: bytes
    level: float
    line: int | None = None


def read_preferences(path: str, options: ReadOptions | None = None) -> Preferences:
    """Read a file of preferences; the rules are those of docs/formats.md."""
    first: dict[tuple[bytes, ...], Row] = {}
    repeated = 0, 0
    for line, text in numbered_lines(path, options or ReadOptions()):
        words = BLANKS.split(text.strip(" \t"))
        if words[0].startswith("#"):
            continue
        row = _row(path, line, words)
        known = first.setdefault(row[:4], row)
        if known.level != row.level:
            refuse(
                path,
                line,
                f"document {_named(row.docno)} has level {row.level:g} in {_group(row)} and "
                f"subgroup {_named(row.subgroup)}, but {known.level:g} on line {known.line}; keep "
                "one of the two",
            )
        if known is not row:
            repeated = repeated[0] + 1, repeated[1] or line
    if not first:
        refuse(path, None, f"no lines of preferences ({COLUMNS})")
    count, line = repeated
    again = f"{counted(count, 'line')} with a level that stands before; it counts once"
    warnings = (f"{path_text(path)}:{line}: {again}",) if count else ()
    return preferences_of(path, first.values(), warnings=warnings)


def _row(path: str, line: int, words: list[str]) -> Row:
    if len(words) != 5:
        other = OTHERS.get(len(words), "")
        refuse(path, line, f"expected 5 columns ({COLUMNS}), found {len(words)}{other}")
    names = ("query id", "judgment group", "judgment subgroup", "docno")
    qid, group, subgroup, docno = (
        checked_id(path, line, name, word, f"a {name}").encode()
        for name, word in zip(names, words, strict=False)
    )
    word = words[4]
    if not NUMBER.fullmatch(word.encode()):
        refuse(path, line, f"level {quoted(word)} is not a decimal number")
    level = float(word)
    if not 0 <= level <= MAX_GRADE:
        refuse(path, line, f"level {quoted(word)} is out of range: a level is 0 or more")
    return Row(qid, group, subgroup, docno, level + 0.0, line)  # -0 is 0


def preferences_of(
    path: str, rows: Iterable[Row], *, warnings: tuple[str, ...] = ()
) -> Preferences:
    """The preferences of some rows, each (query, group, subgroup, document) once."""
    table = sorted(rows)
    for _, group in groupby(table, key=attrgetter("qid", "group")):
        _check_group(path, list(group))
    qids = sorted({row.qid for row in table})
    number = {qid: i for i, qid in enumerate(qids)}
    lengths = np.bincount([number[row.qid] for row in table], minlength=len(qids))
    docnos = ids.column([row.docno for row in table])
    names = tuple(qid.decode() for qid in qids)
    return Preferences(
        path=path_text(path),
        qids=names,
        lengths=lengths,
        groups=ids.column([row.group for row in table]),
        subgroups=ids.column([row.subgroup for row in table]),
        docnos=docnos,
        levels=np.array([row.level for row in table], np.float64),
        keys=ids.row_keys(names, lengths, docnos),
        warnings=warnings,
    )


def _check_group(path: str, rows: list[Row]) -> None:
    subgroups = [list(part) for _, part in groupby(rows, key=attrgetter("subgroup"))]
    if len(subgroups) == 1:  # the levels are an order
        return
    relevant: dict[bytes, Row] = {}
    for row in rows:
        known = relevant.setdefault(row.docno, row)
        if (known.level > 0) != (row.level > 0):
            raise _error(
                path,
                [known, row],
                f"document {_named(row.docno)} has level 0, which is not relevant, and a level "
                f"above 0 in {_group(row)}",
            )
    try:
        TopologicalSorter(_graph(subgroups)).prepare()
    except CycleError as error:
        # The cycle goes from the less preferred to the more preferred.
        cycle = [node for node in reversed(error.args[1]) if isinstance(node, bytes)]
        if cycle[0] != cycle[-1]:
            cycle.append(cycle[0])
        names = " over ".join(_named(docno) for docno in cycle)
        within = [row for row in rows if row.docno in set(cycle)]
        raise _error(path, within, f"{_group(rows[0])} prefers {names}") from None


def _graph(subgroups: list[list[Row]]) -> Mapping[object, Iterable[object]]:
    """The preferences as a graph of no more nodes and edges than rows.

    Each document leads to the step below its level, and a step to the documents of the next level.
    """
    graph: dict[object, list[object]] = {}
    for number, rows in enumerate(subgroups):
        best_first = sorted(rows, key=lambda row: -row.level)
        levels = [
            [row.docno for row in equal] for _, equal in groupby(best_first, attrgetter("level"))
        ]
        for step, (better, worse) in enumerate(pairwise(levels)):
            graph[number, step] = list(worse)
            for docno in better:
                graph.setdefault(docno, []).append((number, step))
    return graph


def _error(path: str, rows: list[Row], what: str) -> DataError:
    """The error of some rows, at the last of their lines."""
    lines = [row.line for row in rows if row.line is not None]
    if not lines:
        return DataError(f"{path_text(path)}: {what}")
    refuse(path, max(lines), what)


def _group(row: Row) -> str:
    return f"judgment group {_named(row.group)} of query {_named(row.qid)}"


def _named(word: bytes) -> str:
    return quoted(word.decode())


PREFERENCES: Format[Preferences] = Format(
    name="preferences",
    title="preferences between documents",
    content="preferences",
    extensions=(".prefs", ".txt"),
    example="q1 ann 1 d7 2\nq1 ann 1 d9 1\nq1 bob 1 d9 1\nq1 bob 1 d7 0\n",
    recognise=recognise_if(
        lambda head: ends_in_number(head, 5), "five columns, the last a number", certain=False
    ),
    read=read_preferences,
)
