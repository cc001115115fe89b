"""Judgments by subtopic, as diversity measures want them: `qid subtopic docno grade`."""

from __future__ import annotations

from evalstore.formats import ids
from evalstore.formats.qrels import SubtopicQrels
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.source import ReadOptions
from evalstore.formats.trec.columns import SUBTOPICS, Layout
from evalstore.formats.trec.qrels import by_query, looks_like_qrels
from evalstore.formats.trec.reader import read_table


def read_subtopic_qrels(path: str, options: ReadOptions | None = None) -> SubtopicQrels:
    """Read a qrels whose second column names the subtopic.

    Raises:
        FileError: the first line that breaks a rule, or a document with two grades for a subtopic.
    """
    return read_second_column(path, SUBTOPICS, options)


def read_second_column(path: str, layout: Layout, options: ReadOptions | None) -> SubtopicQrels:
    """Read a qrels whose second column counts, as the layout says.

    Raises:
        FileError: as `read_subtopic_qrels`.
    """
    table = read_table(path, layout, options or ReadOptions())
    order, starts, lengths = by_query(table, layout.second)
    docnos = ids.take(table.docnos, order)
    return SubtopicQrels(
        path=table.path,
        qids=table.qids,
        starts=starts,
        lengths=lengths,
        docnos=docnos,
        grades=table.values[order] + 0.0,
        keys=ids.row_keys(table.qids, lengths, docnos),
        warnings=tuple(table.warnings),
        subtopics=ids.take(table.subtopics, order),
    )


def _recognise(head: str) -> Recognised | None:
    if looks_like_qrels(head):
        return Recognised(False, "four columns, the last a number")
    return None


SUBTOPIC_QRELS: Format[SubtopicQrels] = Format(
    name="subtopic-qrels",
    title="judgments by subtopic",
    content="subtopic qrels",
    extensions=(".qrels", ".txt"),
    example="q1 s1 d7 1\nq1 s2 d7 0\nq1 s2 d9 1\n",
    recognise=_recognise,
    read=read_subtopic_qrels,
)
