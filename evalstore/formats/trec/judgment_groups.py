"""Judgments of several judges, each a judgment group: `qid group docno grade`."""

from __future__ import annotations

from evalstore.formats.qrels import SubtopicQrels
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.source import ReadOptions
from evalstore.formats.trec.columns import JUDGMENT_GROUPS as LAYOUT
from evalstore.formats.trec.qrels import looks_like_qrels
from evalstore.formats.trec.subtopic_qrels import read_second_column


def read_judgment_groups(path: str, options: ReadOptions | None = None) -> SubtopicQrels:
    """Read a qrels whose second column names the judgment group, as trec_eval's -R qrels_jg does.

    Returns:
        The judgments; `subtopics` holds the judgment groups.

    Raises:
        FileError: the first line that breaks a rule, or a document with two grades in a group.
    """
    return read_second_column(path, LAYOUT, options)


def _recognise(head: str) -> Recognised | None:
    if looks_like_qrels(head):
        return Recognised(False, "four columns, the last a number")
    return None


JUDGMENT_GROUPS: Format[SubtopicQrels] = Format(
    name="judgment-groups",
    title="judgments by judgment group",
    content="judgment groups",
    extensions=(".qrels", ".txt"),
    example="q1 ann d7 1\nq1 bob d7 0\nq1 bob d9 1\n",
    recognise=_recognise,
    read=read_judgment_groups,
)
