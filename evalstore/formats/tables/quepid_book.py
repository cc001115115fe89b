"""Judgments of several judges: a book of Quepid as CSV, `query,docid` and a column for each judge.

Each judge is a judgment group.
"""

from __future__ import annotations

import numpy as np

from evalstore.formats import ids
from evalstore.formats.csv_rows import csv_rows, first_cells
from evalstore.formats.file_names import tag_of_text
from evalstore.formats.file_rows import number
from evalstore.formats.lines import refuse
from evalstore.formats.qrels import SubtopicQrels
from evalstore.formats.query_texts import find_qids
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.rows import why_not_an_id
from evalstore.formats.source import ReadOptions, path_text, quoted
from evalstore.formats.tables.quepid import is_header, without_space
from evalstore.formats.trec.columns import F64, MAX_GRADE

KEYS = (["query", "docid"], ["query", "doc_id"])
Row = tuple[int, str, list[tuple[str, float]]]
"""The line, the docno, and each judge with the grade."""


def read_judgment_groups(path: str, options: ReadOptions | None = None) -> SubtopicQrels:
    """Read the judgments of a book; an empty cell is no judgment.

    Returns:
        The judgments; `subtopics` holds the judges, with `_` for blanks in their names.

    Raises:
        FileError: the first line that breaks a rule, a document twice for a query, or texts that
            are not those of one query each.
    """
    options = options or ReadOptions()
    by_text = _rows_by_text(path, options)
    if not any(graded for rows in by_text.values() for _, _, graded in rows):
        refuse(path, None, "no rows with a rating: judgments are expected")
    qids = find_qids(path, {text: rows[0][0] for text, rows in by_text.items()}, options)
    by_qid: dict[str, list[Row]] = {}
    for text, rows in by_text.items():
        by_qid.setdefault(qids[text], []).extend(rows)
    lengths: dict[str, int] = {}
    docnos: list[bytes] = []
    judges: list[bytes] = []
    grades: list[float] = []
    for qid in sorted(by_qid):
        _check_repeated(path, qid, by_qid[qid])
        graded = [(docno, *one) for _, docno, own in by_qid[qid] for one in own]
        docnos += [docno.encode() for docno, _, _ in graded]
        judges += [judge.encode() for _, judge, _ in graded]
        grades += [grade for _, _, grade in graded]
        if graded:
            lengths[qid] = len(graded)
    sizes = np.array(list(lengths.values()), np.int64)
    column = ids.column(docnos)
    values: F64 = np.array(grades, np.float64)
    return SubtopicQrels(
        path=path_text(path),
        qids=tuple(lengths),
        starts=np.cumsum(sizes) - sizes,
        lengths=sizes,
        docnos=column,
        grades=values + 0.0,  # -0 is 0
        keys=ids.row_keys(tuple(lengths), sizes, column),
        warnings=(),
        subtopics=ids.column(judges),
    )


def _rows_by_text(path: str, options: ReadOptions) -> dict[str, list[Row]]:
    """The rows of the book by the text of the query."""
    rows = csv_rows(path, options)
    line, names = next(rows)
    if not _is_book(names):
        refuse(path, line, "expected the columns query, docid and one for each judge, named here")
    judges = [tag_of_text(name.strip()) for name in names[2:]]
    for judge, name in zip(judges, names[2:], strict=True):
        if not name.strip():
            refuse(path, line, "a column without the name of a judge")
        if judges.count(judge) > 1:
            refuse(path, line, f"two columns are named {quoted(judge)}")
    by_text: dict[str, list[Row]] = {}
    for line, cells in rows:
        if not any(cells[1:]):  # a query without documents
            continue
        if len(cells) != len(names):
            what = f"expected {len(names)} columns as in the first line, found {len(cells)}"
            refuse(path, line, what)
        docno = without_space(cells[1])
        why = why_not_an_id(docno, "docno")
        if why is not None:
            refuse(path, line, why)
        graded = [
            (judge, _grade(path, line, cell))
            for judge, cell in zip(judges, cells[2:], strict=True)
            if cell.strip()
        ]
        by_text.setdefault(cells[0], []).append((line, docno, graded))
    return by_text


def _grade(path: str, line: int, cell: str) -> float:
    grade = number(path, line, cell.strip(), "qrels")
    if abs(grade) > MAX_GRADE:
        refuse(path, line, f"grade {grade:g} is out of range")
    return grade


def _check_repeated(path: str, qid: str, rows: list[Row]) -> None:
    """Refuse a document that stands twice for a query."""
    lines: dict[str, int] = {}
    for line, docno, _ in rows:
        first = lines.setdefault(docno, line)
        if first != line:
            what = f"document {quoted(docno)} judged twice for query {quoted(qid)}"
            refuse(path, line, f"{what} (first on line {first}); keep one of the two")


def _is_book(cells: list[str]) -> bool:
    names = [cell.strip().lower() for cell in cells]
    return names[:2] in KEYS and len(names) > 2 and not is_header(cells)


def _recognise(head: str) -> Recognised | None:
    if _is_book(first_cells(head)):
        return Recognised(True, "a first line query, docid and a column for each judge")
    return None


QUEPID_BOOK: Format[SubtopicQrels] = Format(
    name="quepid-book",
    title="judgments of several judges, CSV: a book of Quepid",
    content="judgment groups",
    extensions=(".csv",),
    example="query,docid,ann,bob\nred dress,d7,1,0\nred dress,d9,,1\nblue jeans,d7,2,2\n",
    recognise=_recognise,
    read=read_judgment_groups,
    by_text=True,
)
