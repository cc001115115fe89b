"""Lines of a query: what `trec_eval -q` prints, known documents, times, explanations."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from evalstore.errors import FileError
from evalstore.formats.reading.lines import (
    BLANKS,
    Lines,
    checked_id,
    id_and_word,
    numbered_lines,
)
from evalstore.formats.reading.source import ReadOptions, quoted, refuse
from evalstore.formats.registry import (
    Format,
    LineFormat,
    Recognised,
    ends_in_number,
    first_columns,
    is_number,
    line_format,
    recognise_if,
)

ALL = "all"
"""In place of a query, for a figure of all queries."""

TEXTS = re.compile(r"runid|relstring(_\d+)?")
"""Measures that are text: the run tag, and grades as letters."""

MEASURES = re.compile(
    r"runid|num_(q|ret|rel|rel_ret)|map(_cut_\d+)?|gm_map|R-?prec|bpref|recip_rank|11pt_avg|infAP"
    r"|iprec_at_recall_[\d.]+|(P|recall|ndcg_cut|success)_\d+|ndcg|set_(P|recall|map|F)"
)
"""The measures of trec_eval that nearly every output has; recognition needs one of them."""

WIDTH = 22
"""trec_eval fills the name of a measure with blanks up to this width."""


@dataclass(frozen=True)
class PrintedValues:
    """The values of a run as trec_eval printed them.

    Attributes:
        tag: None if the file does not have it.
        qids: the queries with values, sorted by bytes; each has a value of each measure.
        values: by trec_eval's name of a measure, the value of every query.
        aggregates: by that name, the figure of all queries, if the file has it.
    """

    path: str
    tag: str | None
    qids: tuple[str, ...]
    values: Mapping[str, Mapping[str, float]]
    aggregates: Mapping[str, float]
    format: str = ""


def read_lines(path: str, lines: Lines) -> PrintedValues:
    """Read the values that `trec_eval -q` printed."""
    values: dict[str, dict[str, float]] = {}
    aggregates: dict[str, float] = {}
    tag = None
    for line, text in lines:
        cells = text.split("\t")
        if len(cells) != 3:
            what = "measure, query id, value, separated by tabs"
            refuse(path, line, f"expected 3 columns ({what}), found {len(cells)}")
        name = checked_id(path, line, "measure", cells[0], "the first column is empty")
        qid = checked_id(path, line, "query id", cells[1], "the second column is empty")
        word = cells[2].strip(BLANKS)
        if TEXTS.fullmatch(name):
            if name == "runid" and word:
                tag = checked_id(path, line, "run tag", word, "the third column is empty")
            continue
        of_query = aggregates if qid == ALL else values.setdefault(name, {})
        key = name if qid == ALL else qid
        if key in of_query:
            whose = "all queries" if qid == ALL else f"query {quoted(qid)}"
            refuse(path, line, f"{name} of {whose} stands twice: keep one run's values in a file")
        of_query[key] = _number(path, line, word)
    qids = tuple(sorted({qid for of_query in values.values() for qid in of_query}, key=str.encode))
    if not qids:
        refuse(path, None, "no values of queries, only of all: print them with `trec_eval -q`")
    for name, of_query in values.items():  # a file that was cut would give wrong means
        if len(of_query) < len(qids):
            lacking = next(qid for qid in qids if qid not in of_query)
            what = f"no {name} of query {quoted(lacking)}, which has other values"
            refuse(path, None, f"{what}: is a part of the file missing?")
    return PrintedValues(path, tag, qids, values, aggregates)


def find_runid(path: str, options: ReadOptions) -> str | None:
    """The run tag in a file of printed values; None if it has none, or can't be read."""
    try:
        for _, text in numbered_lines(path, options):
            cells = [cell.strip(BLANKS) for cell in text.split("\t")]
            if len(cells) == 3 and cells[0] == "runid":
                return cells[2] or None
    except FileError:
        pass
    return None


def _number(path: str, line: int, word: str) -> float:
    value = float(word) if is_number(word) and "_" not in word else math.nan
    if not math.isfinite(value):
        refuse(path, line, f"value {quoted(word)} is not a finite decimal number")
    return value


def _recognise(head: str) -> Recognised | None:
    """Three columns of which the first is a measure of trec_eval, filled with blanks or well known.

    The last of several lines is ignored if it has no end: it may be cut.
    """
    lines = head.split("\n")
    if not head.endswith("\n") and "\n" in head.strip():
        del lines[-1]
    names: set[str] = set()
    for line in filter(str.strip, lines):
        cells = line.split("\t")
        if len(cells) != 3:
            return None
        names.add(cells[0])
    short = [name for name in names if len(name) <= WIDTH]
    if short and all(len(name) == WIDTH and name.endswith(" ") for name in short):
        return Recognised(True, f"three columns, the first filled up to {WIDTH} characters")
    if any(MEASURES.fullmatch(name.strip()) for name in names):
        return Recognised(True, "three columns, the first a measure of trec_eval")
    return None


TREC_EVAL_OUTPUT: LineFormat[PrintedValues] = line_format(
    name="trec-eval-output",
    title="output of trec_eval -q: measure, query id, value",
    content="values",
    extensions=(".txt",),
    example="map                   \tq1\t0.5000\nmap                   \tall\t0.5000\n",
    recognise=_recognise,
    read_lines=read_lines,
)


# Documents that each query's user knew before: `qid docno`

Known = dict[str, set[str]]


def read_known(path: str, options: ReadOptions | None = None) -> Known:
    """Read the docnos that each query's user knew before, by query id."""
    known: Known = {}
    for _, qid, docno in id_and_word(path, options, "qid and docno"):
        known.setdefault(qid, set()).add(docno)
    return known


KNOWN: Format[Known] = Format(
    name="known",
    title="known documents",
    content="known",
    extensions=(".txt",),
    example="q1 d7\nq1 d9\nq2 d7\n",
    recognise=recognise_if(
        lambda head: len(first_columns(head)) == 2 and not ends_in_number(head, 2),
        "two columns",
        certain=False,
    ),
    read=read_known,
)


# Response times: `qid milliseconds`, a line for each query

Times = dict[str, float]


def read_times(path: str, options: ReadOptions | None = None) -> Times:
    """Read the response time of each query, in milliseconds by query id."""
    times: Times = {}
    for line, qid, word in id_and_word(path, options, "qid and milliseconds"):
        try:
            milliseconds = float(word)
        except ValueError:
            milliseconds = math.nan
        if not (0 <= milliseconds < math.inf) or "_" in word:
            refuse(path, line, f"{quoted(word)} is no number of milliseconds")
        if qid in times:
            refuse(path, line, f"query {quoted(qid)} stands twice")
        times[qid] = milliseconds
    return times


TIMES: Format[Times] = Format(
    name="times",
    title="response times",
    content="times",
    extensions=(".txt",),
    example="q1 12\nq2 0.5\n",
    recognise=recognise_if(
        lambda head: ends_in_number(head, 2), "two columns, the second a number", certain=False
    ),
    read=read_times,
)


# Explanations of an engine: `qid docno explanation`, a line for each explained document

Explanations = dict[tuple[str, str], str]
LONGEST_EXPLANATION = 10_000
"""Characters of an explanation: an engine's tree of scores has some thousand."""


def read_explanations(path: str, options: ReadOptions | None = None) -> Explanations:
    """Read an engine's explanations of its scores, by query id and docno."""
    columns = "qid, docno and explanation with tabs between them"
    found: Explanations = {}
    for line, text in numbered_lines(path, options or ReadOptions()):
        words = text.split("\t", 2)
        if len(words) != 3:
            refuse(path, line, f"expected 3 columns ({columns}), found {len(words)}")
        if not words[2].strip():
            refuse(path, line, "the explanation is empty")
        qid = checked_id(path, line, "query id", words[0], "a query id")
        docno = checked_id(path, line, "docno", words[1], "a docno")
        if len(words[2]) > LONGEST_EXPLANATION:
            limit = f"at most {LONGEST_EXPLANATION:,} are stored"
            refuse(path, line, f"the explanation has {len(words[2]):,} characters: {limit}")
        if (qid, docno) in found:
            refuse(path, line, f"document {quoted(docno)} of query {quoted(qid)} stands twice")
        found[qid, docno] = words[2].strip()
    if not found:
        refuse(path, None, f"no lines of {columns}")
    return found


# Families of engines: `engine family`, a line for each engine or run


def read_families(path: str, options: ReadOptions | None = None) -> dict[str, str]:
    """Read the family of each engine or run, as of the model that it is built on, by its name."""
    families: dict[str, str] = {}
    for line, name, family in id_and_word(path, options, "engine and family"):
        if families.setdefault(name, family) != family:
            refuse(path, line, f"{quoted(name)} has another family above: {families[name]}")
    return families
