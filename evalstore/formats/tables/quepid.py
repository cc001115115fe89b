"""Judgments and runs of Quepid, and judgments of OpenSearch, as CSV; the query is its text."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime

import numpy as np

from evalstore.errors import DataError
from evalstore.formats.qrels import Qrels, SubtopicQrels
from evalstore.formats.queries import find_qids
from evalstore.formats.reading import ids
from evalstore.formats.reading.lines import tag_of_file, tag_of_text
from evalstore.formats.reading.rows import (
    check_id,
    check_width,
    csv_rows,
    first_cells,
    number,
    read_rows,
)
from evalstore.formats.reading.source import ReadOptions, path_text, quoted, refuse
from evalstore.formats.registry import Format, recognise_if
from evalstore.formats.run import Run
from evalstore.formats.trec.columns import F64, MAX_GRADE, counted
from evalstore.formats.trec.qrels import qrels_of
from evalstore.formats.trec.run import check_ranks, run_of, score_of_rank

HEADERS = (["query", "docid", "rating"], ["query", "doc_id", "rating"])
FORMULA_SIGNS = tuple(f" {sign}" for sign in "-=+@")
"""Beginnings of cells that Quepid put a space in front of, so that no spreadsheet computes them."""


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments; rows without a rating are left out with a warning."""
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


QUEPID_RATINGS: Format[Qrels] = Format(
    name="quepid-ratings",
    title="judgments by the text of the query, CSV: Quepid, OpenSearch",
    content="qrels",
    extensions=(".csv",),
    example="query,docid,rating\nred dress,d7,1\nred dress,d9,0\nblue jeans,d7,2\n",
    recognise=recognise_if(
        lambda head: is_header(first_cells(head)), "a first line query, docid, rating", certain=True
    ),
    read=read_qrels,
    by_text=True,
)


# Judgments of several judges, each a judgment group: a book of Quepid as CSV, `query,docid` and a
# column for each judge

KEYS = (["query", "docid"], ["query", "doc_id"])
Row = tuple[int, str, list[tuple[str, float]]]
"""The line, the docno, and each judge with the grade."""


def read_judgment_groups(path: str, options: ReadOptions | None = None) -> SubtopicQrels:
    """Read the judgments of a book, judges as `subtopics`; an empty cell is no judgment."""
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
    values: F64 = np.array(grades, np.float64)
    return SubtopicQrels(
        path=path_text(path),
        qids=tuple(lengths),
        lengths=sizes,
        docnos=ids.column(docnos),
        grades=values + 0.0,  # -0 is 0
        subtopics=ids.column(judges),
    )


def _rows_by_text(path: str, options: ReadOptions) -> dict[str, list[Row]]:
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
        check_width(path, line, cells, names)
        docno = without_space(cells[1])
        check_id(path, line, docno, "docno")
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
    lines: dict[str, int] = {}
    for line, docno, _ in rows:
        first = lines.setdefault(docno, line)
        if first != line:
            what = f"document {quoted(docno)} judged twice for query {quoted(qid)}"
            refuse(path, line, f"{what} (first on line {first}); keep one of the two")


def _is_book(cells: list[str]) -> bool:
    names = [cell.strip().lower() for cell in cells]
    return names[:2] in KEYS and len(names) > 2 and not is_header(cells)


QUEPID_BOOK: Format[SubtopicQrels] = Format(
    name="quepid-book",
    title="judgments of several judges, CSV: a book of Quepid",
    content="judgment groups",
    extensions=(".csv",),
    example="query,docid,ann,bob\nred dress,d7,1,0\nred dress,d9,,1\nblue jeans,d7,2,2\n",
    recognise=recognise_if(
        lambda head: _is_book(first_cells(head)),
        "a first line query, docid and a column for each judge",
        certain=True,
    ),
    read=read_judgment_groups,
    by_text=True,
)


# Runs of Quepid: a snapshot of a case as CSV, a row for each document with its position

COLUMNS = ("Query Text", "Doc ID", "Doc Position")
SNAPSHOT = ("Snapshot Name", "Snapshot Time", "Case ID")


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; scores are 1 / position, its tag is the snapshot's name."""
    options = options or ReadOptions()
    rows = csv_rows(path, options)
    line, names = next(rows)
    for name in COLUMNS:
        if names.count(name) != 1:
            refuse(path, line, f"expected a column {name!r} once, named in this line")
    text_at, docno_at, rank_at = map(names.index, COLUMNS)
    described = [names.index(name) if name in names else None for name in SNAPSHOT]
    snapshots: dict[tuple[str, ...], None] = {}
    first_lines: dict[str, int | None] = {}
    retrieved: list[tuple[int, str, str, float]] = []
    for line, cells in rows:
        check_width(path, line, cells, names)
        snapshots[tuple("" if at is None else cells[at].strip() for at in described)] = None
        first_lines.setdefault(cells[text_at], line)
        score = score_of_rank(path, line, cells[rank_at].strip())
        retrieved.append((line, cells[text_at], without_space(cells[docno_at]), score))
    if len(snapshots) > 1:
        named = ", ".join(quoted(" ".join(one)) for one in list(snapshots)[:3])
        what = f"one run is expected, and there are {len(snapshots):,} snapshots ({named})"
        raise DataError(f"{path_text(path)}: {what}: write each to a file of its own")
    qids = find_qids(path, first_lines, options) if retrieved else {}
    by_qid = ((line, qids[text], docno, score) for line, text, docno, score in retrieved)
    table = read_rows(path, by_qid, "run")
    run = run_of(table)
    check_ranks(table)
    name, time, _ = next(iter(snapshots))
    facts = {}
    with suppress(ValueError):
        facts["started_at"] = datetime.fromisoformat(time)
    return replace(run, tag=tag_of_text(name) if name else tag_of_file(path), facts=facts)


QUEPID_SNAPSHOT: Format[Run] = Format(
    name="quepid-snapshot",
    title="snapshot of Quepid, CSV",
    content="run",
    extensions=(".csv",),
    example="Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"
    "first try,2026-03-05T12:00:00Z,8,red dress,d7,1\n"
    "first try,2026-03-05T12:00:00Z,8,red dress,d9,2\n"
    "first try,2026-03-05T12:00:00Z,8,blue jeans,d7,1\n",
    recognise=recognise_if(
        lambda head: set(COLUMNS) <= set(first_cells(head)),
        "a first line with Query Text, Doc ID and Doc Position",
        certain=True,
    ),
    read=read_run,
    by_text=True,
)
