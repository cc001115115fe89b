"""TREC runs: `qid Q0 docno rank score tag`, a line for each document retrieved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import BinaryIO

import numpy as np

from evalstore.errors import DataError, FileError
from evalstore.formats.facts.ir_metadata import header_facts, header_lines
from evalstore.formats.lists import Lists
from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64, Bool
from evalstore.formats.reading.lines import number_text, numbered_lines, write_lines
from evalstore.formats.reading.rows import FileRows
from evalstore.formats.reading.source import ReadOptions, quoted, refuse
from evalstore.formats.registry import Format, first_columns, is_number, recognise_if
from evalstore.formats.run import NotInParts, Run, RunParts
from evalstore.formats.trec.columns import F64, NO_RANK, RUN, counted
from evalstore.formats.trec.table import (
    NotInOrder,
    OpeningLines,
    Table,
    batches,
    grouped,
    read_table,
    read_tables,
    repeated,
)

FIRST_BYTES = 64 << 10
"""Bytes of a file to read at a time for its first line."""


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run file by the rules of docs/formats.md, with the ir_metadata that heads it."""
    opening = OpeningLines()
    return _headed(run_of(read_table(path, RUN, options or ReadOptions(), opening)), opening)


def read_large_run(path: str, options: ReadOptions) -> Run | RunParts:
    """Read a run file, in parts if it has more than `rows_at_once` lines."""
    opening = OpeningLines()
    tables = read_tables(path, RUN, options, opening, options.rows_at_once)
    table, more = next(tables)
    if not more:
        return _headed(run_of(table), opening)
    facts, warnings = header_facts(table.path, opening.lines())
    tag = next(iter(table.tags))
    if warnings:
        raise NotInParts
    return RunParts(table.path, tag, facts, _parts(tag, [table], tables))


def _headed(run: Run, opening: OpeningLines) -> Run:
    facts, warnings = header_facts(run.path, opening.lines())
    return replace(run, facts=facts, warnings=(*warnings, *run.warnings))


def _parts(tag: str, first: list[Table], others: Iterator[tuple[Table, bool]]) -> Iterator[Run]:
    """The parts of a run. No table is kept here while its part is used: they are large.

    Raises NotInParts if there is something to warn of or to refuse: reading the whole file gives
    the best message.
    """
    try:
        yield _part(tag, first.pop())
        yield from map(partial(_part, tag), map(itemgetter(0), others))
    except (DataError, NotInOrder):
        raise NotInParts from None


def _part(tag: str, table: Table) -> Run:
    run = run_of(table)
    if run.warnings or run.tag != tag:
        raise NotInParts
    return run


def first_tag(path: str, options: ReadOptions | None = None) -> str | None:
    """The run tag in the first line of a run file; None if that line is none of a run."""
    try:
        for _, line in numbered_lines(path, replace(options or ReadOptions(), block=FIRST_BYTES)):
            if not line.lstrip().startswith("#"):
                words = first_columns(line)
                return words[5] if len(words) > 5 and is_number(words[4]) else None
    except FileError:
        pass
    return None


def run_of(table: Table) -> Run:
    """The run of a table of lines, or of rows of a frame."""
    firsts, later = repeated(table)
    if len(later):
        raise table.error(
            int(later[0]),
            f"document {table.docno(later[0])} retrieved twice for query {table.qid(later[0])} "
            f"(first {table.where(firsts[0])}); keep one of the two",
        )
    _warn_of_tags(table)
    order, starts, lengths = grouped(table)
    if order is not None or not table.by_score:
        order = _by_score(table, order, starts, lengths)
    if table.ranked and (order is not None or not table.by_rank):
        _warn_of_ranks(table, order, starts, lengths)
    return Run(
        path=table.path,
        tag=next(iter(table.tags)),
        qids=table.qids,
        starts=starts,
        lengths=lengths,
        docnos=table.docnos if order is None else ids.take(table.docnos, order),
        scores=table.values if order is None else table.values[order],
        warnings=tuple(table.warnings),
        read_keys=table.keys if order is None else table.keys[order],
    )


def _warn_of_tags(table: Table) -> None:
    if len(table.tags) > 1:
        (first, _), (second, row) = list(table.tags.items())[:2]
        more = len(table.tags) - 2
        others = f" and {more:,} more" if more else ""
        table.warn(
            table.line(row),
            f"a second run tag, {quoted(second)}{others}; the run is taken as {quoted(first)}",
        )


def _by_score(table: Table, order: I64 | None, starts: I64, lengths: I64) -> I64 | None:
    """The order of rows (int64, n) that has each query's by score descending, ties in any order.

    None if they are so already. `order` brings the queries together, if that is needed.
    """
    by_start = np.argsort(starts, kind="stable")
    starts, lengths = starts[by_start], lengths[by_start]
    result: I64 | None = None
    for first, stop in batches(lengths):
        rows = slice(first, stop)
        scores = table.values[rows] if order is None else table.values[order[rows]]
        list_of = _lists_of(starts, lengths, first, stop)
        rising = np.flatnonzero((scores[1:] > scores[:-1]) & (list_of[1:] == list_of[:-1]))
        if not len(rising):
            continue
        if result is None:
            result = np.arange(len(table)) if order is None else order.copy()
        lists = list_of[rising]
        wrong = lists[np.append(True, lists[1:] != lists[:-1])]
        if len(wrong) > len(scores) // 16:  # many short lists: one sort of them all is cheaper
            result[rows] = result[rows][np.lexsort((-scores, list_of))]
            continue
        for one in wrong.tolist():
            inside = slice(starts[one], starts[one] + lengths[one])
            by_score = np.argsort(-scores[inside.start - first : inside.stop - first])
            result[inside] = result[inside][by_score]
    return order if result is None else result


def _lists_of(starts: I64, lengths: I64, first: int, stop: int) -> I64:
    """The list of each of some rows, of lists that stand one after the other: int64."""
    lists = slice(*np.searchsorted(starts, [first, stop]))
    return np.repeat(np.arange(lists.start, lists.stop), lengths[lists])


def _warn_of_ranks(table: Table, order: I64 | None, starts: I64, lengths: I64) -> None:
    """Count the lines whose rank is no number, or not after that of every higher score."""
    ranks = table.ranks()
    absurd = np.flatnonzero(ranks == NO_RANK)
    if len(absurd):
        what = f"the rank is no whole number in {counted(len(absurd), 'line')}; it is ignored"
        table.warn(int(table.lines(absurd).min()), what)
    by_start = np.argsort(starts, kind="stable")
    starts, lengths = starts[by_start], lengths[by_start]
    lines = []
    for first, stop in batches(lengths):
        rows = np.arange(first, stop) if order is None else order[first:stop]
        list_of = _lists_of(starts, lengths, first, stop)
        if len(absurd):
            usable = ranks[rows] != NO_RANK
            rows, list_of = rows[usable], list_of[usable]
        wrong = _contradicts(list_of, table.values[rows], ranks[rows])
        lines.append(table.lines(np.sort(rows[wrong])))
    every = np.concatenate(lines)
    if len(every):
        what = f"the rank contradicts the scores in {counted(len(every), 'line')}"
        table.warn(int(every.min()), f"{what}; the order is by score")


def _contradicts(list_of: I64, scores: F64, ranks: I64) -> Bool:
    """The rows with a rank no later than that of a document with a higher score: bool (n).

    The rows are by list (`list_of`, ascending) and score (descending). Within a tie any order of
    the ranks is right.
    """
    n = len(ranks)
    if n == 0:
        return np.zeros(0, bool)
    # With the list as the higher digits, the greatest so far never comes from another list.
    least, most = int(ranks.min()), int(ranks.max())
    list_of = list_of - list_of[0]
    span = most - least + 1
    if span * (int(list_of[-1]) + 1) < 2**62:
        number = list_of * span + (ranks - least)
    else:  # ranks are any 64-bit numbers: these are numbered by size
        number = list_of * n + np.unique(ranks, return_inverse=True)[1]
    greatest = np.maximum.accumulate(number)
    fresh = np.append(True, (list_of[1:] != list_of[:-1]) | (scores[1:] != scores[:-1]))
    tie = np.flatnonzero(fresh)[np.cumsum(fresh) - 1]  # the first row of each row's tie
    higher = np.where(tie > 0, greatest[tie - 1], -1)
    return np.asarray(number <= higher)


def write_run(run: Lists, stream: BinaryIO) -> None:
    """Write a run as TREC lines, ranks from 1, after its ir_metadata; scores read back the same."""

    def lines() -> Iterator[str]:
        for line in header_lines(run.header) if run.header else ():
            yield f"{line}\n"
        for qid, docnos, scores in run.lists:
            ranked = enumerate(zip(docnos, map(number_text, scores), strict=True), 1)
            yield "".join(
                f"{qid} Q0 {docno} {rank} {score} {run.tag}\n" for rank, (docno, score) in ranked
            )

    write_lines(stream, lines())


def _begins_with_line(head: str) -> bool:
    columns = first_columns(head)
    return len(columns) >= 6 and is_number(columns[4])


TREC_RUN: Format[Run] = Format(
    name="trec-run",
    title="TREC run",
    content="run",
    extensions=(".run", ".txt", ".trec", ".res"),
    example="q1 Q0 d7 1 2.5 bm25\nq1 Q0 d9 2 1.5 bm25\nq2 Q0 d7 1 3.25 bm25\n",
    recognise=recognise_if(_begins_with_line, "six columns, the fifth a number", certain=True),
    read=read_run,
    read_large=read_large_run,
    writers=dict.fromkeys((".run", ".txt", ".trec", ".res"), write_run),
)


# Runs that have ranks and no scores: the score of a document is 1 / rank, as in Pyserini

MOST_DIGITS = 9


def score_of_rank(path: str, line: int, word: str) -> float:
    """The score of a document at a rank, which is a whole number from 1 on a line."""
    whole = word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS
    if not whole or int(word) == 0:
        refuse(path, line, f"rank {quoted(word)} is not a whole number from 1 on")
    return 1 / int(word)


def check_ranks(rows: FileRows) -> None:
    """Refuse a query that has a rank twice; scores are 1 / rank here, so equal scores show it."""
    query = np.repeat(rows.queries, rows.lengths())
    lines = rows.lines(np.arange(len(rows)))
    order = np.lexsort((lines, rows.values, query))
    before, after = order[:-1], order[1:]
    same = (query[before] == query[after]) & (rows.values[before] == rows.values[after])
    if same.any():
        first, later = before[same], after[same]
        row = int(np.argmin(lines[later]))
        rank = round(1 / rows.values[later[row]])
        raise rows.error(
            int(later[row]),
            f"rank {rank:,} stands twice for query {rows.qid(later[row])} "
            f"(first {rows.where(int(first[row]))}); keep one of the two",
        )
