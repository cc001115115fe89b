"""Runs of Quepid: a snapshot of a case as CSV, a row for each document with its position."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from evalstore.errors import DataError
from evalstore.formats.csv_rows import csv_rows, first_cells
from evalstore.formats.file_names import tag_of_file, tag_of_text
from evalstore.formats.file_rows import read_rows
from evalstore.formats.lines import refuse
from evalstore.formats.query_texts import find_qids
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions, path_text, quoted
from evalstore.formats.tables.quepid import without_space
from evalstore.formats.trec.ranks_as_scores import check_ranks, score_of_rank
from evalstore.formats.trec.run import run_of

COLUMNS = ("Query Text", "Doc ID", "Doc Position")
SNAPSHOT = ("Snapshot Name", "Snapshot Time", "Case ID")


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; the score of a document is 1 / position.

    The snapshot's name is the run tag, its time is when the run started.

    Raises:
        FileError: the first line that breaks a rule, or texts that are not those of one query each.
        DataError: several snapshots.
    """
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
        if len(cells) != len(names):
            what = f"expected {len(names)} columns as in the first line, found {len(cells)}"
            refuse(path, line, what)
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
    return replace(run, tag=tag_of_text(name) if name else tag_of_file(path), facts=_facts(time))


def _facts(time: str) -> dict[str, Any]:
    try:
        return {"started_at": datetime.fromisoformat(time)}
    except ValueError:
        return {}


def _recognise(head: str) -> Recognised | None:
    if set(COLUMNS) <= set(first_cells(head)):
        return Recognised(True, "a first line with Query Text, Doc ID and Doc Position")
    return None


QUEPID_SNAPSHOT: Format[Run] = Format(
    name="quepid-snapshot",
    title="snapshot of Quepid, CSV",
    content="run",
    extensions=(".csv",),
    example="Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"
    "first try,2026-03-05T12:00:00Z,8,red dress,d7,1\n"
    "first try,2026-03-05T12:00:00Z,8,red dress,d9,2\n"
    "first try,2026-03-05T12:00:00Z,8,blue jeans,d7,1\n",
    recognise=_recognise,
    read=read_run,
    by_text=True,
)
