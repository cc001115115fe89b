"""Time a store as Parquet: the export, again, the import, and questions that DuckDB answers.

    python benchmarks/parquet.py DIRECTORY [--runs 1000] [--depth 1000]

Makes the runs of 50 queries that generate.py makes, and a SQLite store of them, both in DIRECTORY
and both only if they are not there. The section 'Parquet beside the store' of RESULTS.md is written
anew. Times are of one call each.
"""

# ruff: noqa: T201  (a program that tells where it is)

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import duckdb
from generate import TRACK_QUERIES, write_many
from report import put_section

from evalstore.sql.cookbook import for_collection
from evalstore.store import Store
from evalstore.transfer.export_parquet import export_parquet
from evalstore.transfer.import_parquet import check_folder, import_parquet

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
TITLE = "## Parquet beside the store"

MEMORY = "4GB"
"""What DuckDB may use, so that the figures are of a usual machine."""

ALL_ROWS = (
    ("How many rows, and the mean score?", "SELECT count(*), avg(score) FROM rankings"),
    (
        "Which documents are in the first 100 of the most lists?",
        "SELECT docno, count(*) AS lists FROM rankings WHERE rank <= 100 "
        "GROUP BY docno ORDER BY lists DESC, docno LIMIT 20",
    ),
    (
        "One list of one run",
        "SELECT rank, docno, score FROM rankings WHERE run = 'engine007' AND qid = '7' "
        "ORDER BY rank",
    ),
    (
        "How far down are the judged documents, run by run?",
        "SELECT run, avg(rank) FROM rankings WHERE grade IS NOT NULL GROUP BY run ORDER BY 2",
    ),
)
"""Questions on all rows of the rankings."""


def seconds(work: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def make_store(directory: Path, runs: int, depth: int) -> Path:
    """A SQLite store of the runs, made by `evalstore ingest`, complete or not there."""
    file = directory / f"parquet-{runs}-{depth}.db"
    if file.exists():
        return file
    paths, qrels = write_many(directory, runs, depth)
    unfinished = file.with_suffix(".part")
    program = [sys.executable, "-m", "evalstore", "--db", str(unfinished), "ingest"]
    for start in range(0, runs, 100):
        some = map(str, paths[start : start + 100])
        subprocess.run(  # noqa: S603  (our own program)
            [*program, "--collection", "many", "--qrels", str(qrels), *some],
            check=True,
            stdout=sys.stderr,
        )
        print(f"{start + 100} runs are stored", file=sys.stderr)
    with Store.open(str(unfinished)) as store, store.read() as connection:
        connection.exec_driver_sql("SELECT 1")  # opened and closed: the log is in the file
    unfinished.rename(file)
    return file


@contextmanager
def asked(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with the views of the folder."""
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{MEMORY}'; SET temp_directory = '{folder}.spill'")
        connection.execute(f"SET file_search_path = '{folder}'")
        connection.execute((folder / "views.sql").read_text(encoding="utf-8"))
        yield connection


def lines(directory: Path, runs: int, depth: int) -> Iterator[str]:
    """The rows of the section."""
    file, folder = make_store(directory, runs, depth), directory / "parquet"
    shutil.rmtree(folder, ignore_errors=True)
    with Store.open(str(file)) as store:
        start = time.perf_counter()
        done = export_parquet(store, folder)
        first = time.perf_counter() - start
        again = seconds(lambda: export_parquet(store, folder))
        questions = for_collection(store, "many")
    size = sum(f.stat().st_size for f in (folder / "rankings").glob("**/*.parquet"))
    yield "| | |"
    yield "|---|--:|"
    yield f"| the store (SQLite) | {file.stat().st_size / 1e6:,.0f} MB |"
    yield f"| its Parquet files | {done.bytes / 1e6:,.0f} MB in {done.written:,} files |"
    yield f"| of these the rankings | {size / 1e6:,.0f} MB |"
    yield f"| rows of all files | {done.rows:,} |"
    yield f"| export | {first:.1f} s |"
    yield f"| export again, nothing new | {again:.1f} s |"
    copy = directory / "imported.db"
    copy.unlink(missing_ok=True)
    checking = seconds(lambda: check_folder(folder))
    with Store.open(str(copy)) as store:
        importing = seconds(lambda: import_parquet(store, check_folder(folder)))
    yield f"| check of the folder | {checking:.1f} s |"
    yield f"| import into SQLite, with the check | {importing:.1f} s |"
    yield ""
    yield "| question | DuckDB, seconds | rows |"
    yield "|---|--:|--:|"
    with asked(folder) as connection:
        for title, sql in (*ALL_ROWS, *((q.title, q.sql) for q in questions)):
            start = time.perf_counter()
            rows = connection.execute(sql).fetchall()
            print(title, file=sys.stderr)
            yield f"| {title} | {time.perf_counter() - start:.2f} | {len(rows):,} |"


def main() -> None:
    """Measure and write the section."""
    parser = argparse.ArgumentParser(description="Time a store as Parquet.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=1000, help="documents per query")
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    load = os.getloadavg()[0]
    table = "\n".join(lines(given.directory, given.runs, given.depth))
    rows = given.runs * given.depth * TRACK_QUERIES
    put_section(
        RESULTS,
        TITLE,
        f"{TITLE}\n\n{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, DuckDB "
        f"{duckdb.__version__}, {os.cpu_count()} cores that others used too (load average "
        f"{load:.0f} to {os.getloadavg()[0]:.0f}), one call each, DuckDB with {MEMORY}. "
        f"{given.runs:,} runs x {TRACK_QUERIES} queries x {given.depth:,} documents: {rows:,} "
        "rows of rankings. Made by `benchmarks/parquet.py`. The first questions read the rankings "
        "as they are; the others are those of [the cookbook](../evalstore/sql/cookbook.md), over "
        "the store's views.\n\n"
        f"{table}\n",
    )


if __name__ == "__main__":
    main()
