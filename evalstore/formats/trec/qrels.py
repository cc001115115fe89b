"""TREC judgments, by query, subtopic or judgment group: `qid iteration docno grade`.

Those of a stratified sample, as NIST's sample_eval.pl reads them: `qid iteration docno stratum
grade`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from evalstore.errors import FileError
from evalstore.formats.lists import Lists
from evalstore.formats.qrels import Qrels, SubtopicQrels, unparsed_grades
from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64
from evalstore.formats.reading.lines import number_text, numbered_lines, write_lines
from evalstore.formats.reading.source import ReadOptions, beginning, path_text, quoted, refuse
from evalstore.formats.registry import (
    Format,
    Recognise,
    Recognised,
    ends_in_number,
    is_number,
    recognise_if,
)
from evalstore.formats.trec.columns import JUDGMENT_GROUPS as LAYOUT
from evalstore.formats.trec.columns import NUMBER, QRELS, STRATA, SUBTOPICS, Layout, counted
from evalstore.formats.trec.table import Table, read_table, repeated


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read a qrels file; the rules are those of docs/formats.md."""
    if options is not None and options.judged_by is not None:
        return _read_of_model(path, options)
    options = options or ReadOptions()
    table = _read_lines(path, options)
    try:
        return qrels_of(table)
    except FileError as error:
        if table.subtopics is not None or not _is_by_subtopic(path, options):
            raise
        reason = (
            "this looks like judgments by subtopic (qid subtopic docno grade) or by judgment group "
            "(qid group docno grade), not a qrels"
        )
        what = f"{error.what.split(';')[0]}: {reason}"
        raise FileError(error.path, error.line, what, problem="second column") from None


def _read_lines(path: str, options: ReadOptions) -> Table:
    """The lines of a file, which have strata if the first one has: few files do."""
    is_sample = path == "-" and _has_strata(beginning(path, options))  # it can be read once
    try:
        return read_table(path, STRATA if is_sample else QRELS, options)
    except FileError:
        if path == "-" or not _has_strata(beginning(path, options)):
            raise
    return read_table(path, STRATA, options)


def _read_of_model(path: str, options: ReadOptions) -> Qrels:
    """Read lines of a model's judgments; what is no grade is no judgment, True is 1, False 0."""
    try:
        return read_qrels(path, replace(options, judged_by=None))
    except FileError:
        if path == "-":  # standard input can be read once
            raise
    grades: dict[str, dict[str, float]] = {}
    unparsed: list[str] = []
    judgments = 0
    for line, text in numbered_lines(path, options):
        qid, *others = text.split(maxsplit=3)
        if qid.startswith("#"):
            continue
        if len(others) < 2:
            refuse(path, line, f"expected 4 columns, found {1 + len(others)}")
        docno, word = others[1], others[2].strip() if len(others) > 2 else ""
        judgments += 1
        grade = TRUTH.get(word, word)
        if not NUMBER.fullmatch(grade.encode()) or math.isinf(float(grade)):
            unparsed.append(f"line {line}")
            continue
        known = grades.setdefault(qid, {}).setdefault(docno, float(grade))
        if known != float(grade):
            what = f"document {quoted(docno)} graded {grade} for query {quoted(qid)}"
            refuse(path, line, f"{what}, but {known:g} above; keep one of the two")
    if not grades:
        refuse(path, None, f"none of its {judgments:,} judgments is a grade")
    qrels = Qrels.from_dict(grades, name=path_text(path))
    return replace(qrels, warnings=unparsed_grades(path, unparsed, judgments))


TRUTH = {"True": "1", "False": "0"}


def _is_by_subtopic(path: str, options: ReadOptions) -> bool:
    """Whether the second column distinguishes all judgments of a document for a query."""
    if path == "-":  # standard input can be read once
        return False
    try:
        by_query(read_table(path, SUBTOPICS, options))
    except FileError:
        return False
    return True


def qrels_of(table: Table) -> Qrels:
    """The judgments of a table of lines, with strata if it has them, or of rows of a frame."""
    order, lengths = by_query(table, STRATA.second)
    strata = None
    if table.subtopics is not None:
        strata = ids.take(table.subtopics, order)
        _refuse_two_strata(table, order, strata)
    return Qrels(
        path=table.path,
        qids=table.qids,
        lengths=lengths,
        docnos=ids.take(table.docnos, order),
        grades=table.values[order] + 0.0,  # -0 is 0
        warnings=tuple(table.warnings),
        read_keys=table.keys[order] if strata is None else None,  # these would be by stratum
        strata=strata,
    )


def _refuse_two_strata(table: Table, rows: I64, strata: pa.Array) -> None:
    """Refuse a document in two strata of a query; `rows` count, and `strata` are theirs."""
    query = table.query_of(rows)
    by_document = ids.order_ascending(query, table.docnos, rows)
    first, later = by_document[:-1], by_document[1:]
    same = (query[first] == query[later]) & ids.equal(
        table.docnos, rows[first], table.docnos, rows[later]
    )
    if same.any():
        pair = [int(each[np.argmax(same)]) for each in (first, later)]
        one, other = sorted(pair, key=lambda at: table.line(int(rows[at])))
        names = [quoted(strata[at].as_py().decode()) for at in (other, one)]
        row = int(rows[other])
        raise table.error(
            row,
            f"document {table.docno(row)} in stratum {names[0]} of query {table.qid(row)}, but in "
            f"{names[1]} {table.where(int(rows[one]))}; keep one of the two, unless these are "
            "preferences",
        )


def by_query(table: Table, second: str = "subtopic") -> tuple[I64, I64]:
    """(order, lengths): the rows (int64) of a table of judgments by query, each judgment once.

    `lengths` (int64, q) is the number of each query's. `second` names the second column in
    messages, if it counts.
    """
    keep = np.ones(len(table), bool)
    keep[_repetitions(table, second)] = False
    order = table.by_query
    order = order[keep[order]]
    return order, np.bincount(table.query_of(order), minlength=len(table.qids))


def _repetitions(table: Table, second: str) -> I64:
    """The rows that repeat the judgment of an earlier row (int64); warns of them."""
    firsts, later = repeated(table)
    differing = np.flatnonzero(table.values[firsts] != table.values[later])
    if len(differing):
        first, row = int(firsts[differing[0]]), int(later[differing[0]])
        part = ""
        if table.subtopics is not None:
            part = f" and {second} {quoted(table.subtopics[row].as_py().decode())}"
        raise table.error(
            row,
            f"document {table.docno(row)} graded {table.values[row]:g} for query "
            f"{table.qid(row)}{part}, but {table.values[first]:g} {table.where(first)}; "
            "keep one of the two",
        )
    if len(later):
        lines = counted(len(later), table.unit)
        table.warn(
            table.line(later[0]), f"{lines} with a judgment that stands before; it counts once"
        )
    return later


def write_qrels(qrels: Lists, stream: BinaryIO) -> None:
    """Write judgments as TREC lines, grades with the fewest digits that read back the same.

    With strata, a line has the stratum before the grade.
    """
    strata = iter(qrels.strata)

    def lines() -> Iterator[str]:
        for qid, docnos, grades in qrels.lists:
            of = next(strata, None)
            own = docnos if of is None else map(" ".join, zip(docnos, of, strict=True))
            pairs = zip(own, grades, strict=True)
            yield "".join(f"{qid} 0 {d} {number_text(g)}\n" for d, g in pairs)

    write_lines(stream, lines())


def _recognise_qrels(head: str) -> Recognised | None:
    if _has_strata(head):  # preferences have five columns too
        return Recognised(False, "five columns, the last a number")
    return _recognise(certain=True)(head)


def _has_strata(head: str) -> bool:
    """Whether the first line of data has five columns, the last a number."""
    lines = (line.strip(" \t\r") for line in head.split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    columns = [column for column in first.replace("\t", " ").split(" ") if column]
    return len(columns) == STRATA.width and is_number(columns[-1])


def _recognise(*, certain: bool) -> Recognise:
    return recognise_if(
        lambda head: ends_in_number(head, 4), "four columns, the last a number", certain=certain
    )


TREC_QRELS: Format[Qrels] = Format(
    name="trec-qrels",
    title="TREC judgments",
    content="qrels",
    extensions=(".qrels", ".txt"),
    example="q1 0 d7 1\nq1 0 d9 0\nq2 0 d7 2\n",
    recognise=_recognise_qrels,
    read=read_qrels,
    writers=dict.fromkeys((".qrels", ".txt"), write_qrels),
)


# Judgments by subtopic, as diversity measures want them: `qid subtopic docno grade`


def read_subtopic_qrels(path: str, options: ReadOptions | None = None) -> SubtopicQrels:
    """Read a qrels whose second column names the subtopic."""
    return read_second_column(path, options, SUBTOPICS)


def read_second_column(path: str, options: ReadOptions | None, layout: Layout) -> SubtopicQrels:
    """Read a qrels whose second column, which `subtopics` holds, counts as the layout says."""
    table = read_table(path, layout, options or ReadOptions())
    order, lengths = by_query(table, layout.second)
    return SubtopicQrels(
        path=table.path,
        qids=table.qids,
        lengths=lengths,
        docnos=ids.take(table.docnos, order),
        grades=table.values[order] + 0.0,
        warnings=tuple(table.warnings),
        subtopics=ids.take(table.subtopics, order),
    )


SUBTOPIC_QRELS: Format[SubtopicQrels] = Format(
    name="subtopic-qrels",
    title="judgments by subtopic",
    content="subtopic qrels",
    extensions=(".qrels", ".txt"),
    example="q1 s1 d7 1\nq1 s2 d7 0\nq1 s2 d9 1\n",
    recognise=_recognise(certain=False),
    read=read_subtopic_qrels,
)


# Judgments of several judges, each a judgment group: `qid group docno grade`, as trec_eval's
# -R qrels_jg reads them

JUDGMENT_GROUPS: Format[SubtopicQrels] = Format(
    name="judgment-groups",
    title="judgments by judgment group",
    content="judgment groups",
    extensions=(".qrels", ".txt"),
    example="q1 ann d7 1\nq1 bob d7 0\nq1 bob d9 1\n",
    recognise=_recognise(certain=False),
    read=partial(read_second_column, layout=LAYOUT),
)
