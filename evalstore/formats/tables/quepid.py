"""Judgments of Quepid and OpenSearch as CSV: `query,docid,rating`; the query is its text."""

from __future__ import annotations

from dataclasses import replace

from evalstore.formats.csv_rows import csv_rows, first_cells
from evalstore.formats.file_rows import number, read_rows
from evalstore.formats.lines import refuse
from evalstore.formats.qrels import Qrels
from evalstore.formats.query_texts import find_qids
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.source import ReadOptions, path_text
from evalstore.formats.trec.messages import counted
from evalstore.formats.trec.qrels import qrels_of

HEADERS = (["query", "docid", "rating"], ["query", "doc_id", "rating"])
FORMULA_SIGNS = tuple(f" {sign}" for sign in "-=+@")
"""How a cell begins that Quepid put a space in front of, so that no spreadsheet computes it."""


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments; rows without a rating are left out with a warning.

    Raises:
        FileError: the first line that breaks a rule, a document with two grades for a query, or
            texts that are not those of one query each.
    """
    options = options or ReadOptions()
    rated: list[tuple[int, str, str, float]] = []
    unrated: list[int] = []
    first_lines: dict[str, int | None] = {}
    for line, cells in csv_rows(path, options):
        if is_header(cells) and not rated and not unrated:
            continue
        if not any(cells[1:]) or (len(cells) == 3 and not cells[2]):
            unrated.append(line)
            continue
        if len(cells) != 3:
            refuse(path, line, f"expected 3 columns (query, docid, rating), found {len(cells)}")
        grade = number(path, line, cells[2], "qrels")
        rated.append((line, cells[0], without_space(cells[1]), grade))
        first_lines.setdefault(cells[0], line)
    qids = find_qids(path, first_lines, options) if rated else {}
    rows = ((line, qids[text], docno, grade) for line, text, docno, grade in rated)
    qrels = qrels_of(read_rows(path, rows, "qrels"))
    if not unrated:
        return qrels
    what = f"{counted(len(unrated), 'row')} without a rating; left out"
    return replace(qrels, warnings=(*qrels.warnings, f"{path_text(path)}:{unrated[0]}: {what}"))


def is_header(cells: list[str]) -> bool:
    """Whether the cells are the names of the columns."""
    return [cell.strip().lower() for cell in cells] in HEADERS


def without_space(cell: str) -> str:
    """A cell without the space that Quepid puts before -, =, + and @."""
    return cell[1:] if cell.startswith(FORMULA_SIGNS) else cell


def _recognise(head: str) -> Recognised | None:
    if is_header(first_cells(head)):
        return Recognised(True, "a first line query, docid, rating")
    return None


QUEPID_RATINGS: Format[Qrels] = Format(
    name="quepid-ratings",
    title="judgments by the text of the query, CSV: Quepid, OpenSearch",
    content="qrels",
    extensions=(".csv",),
    example="query,docid,rating\nred dress,d7,1\nred dress,d9,0\nblue jeans,d7,2\n",
    recognise=_recognise,
    read=read_qrels,
    by_text=True,
)
