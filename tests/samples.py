"""Small runs and qrels that tests write, with values computed by hand, and queries on a store."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import MetaData, inspect, select

from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.ingest.ingest import Outcome, ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store
from evalstore.store.dialects.postgres_reading import LISTS
from evalstore.store.views import View

Grades = Mapping[str, Mapping[str, float]]
Rankings = Mapping[str, Sequence[str]]
Program = Callable[..., Result]
Fill = Callable[[Store, Path], object]
"""Fills an empty store with files that it writes into a folder."""
Filled = Callable[[Fill], Store]
"""Gives a store as such a function fills it."""


def folders_filled_once(factory: pytest.TempPathFactory, name: str) -> Callable[[Fill], Path]:
    """Gives a folder for tests to copy: the SQLite store of this name as filled, and its files."""

    @cache
    def make(fill: Fill) -> Path:
        folder = factory.mktemp("filled")
        with Store.open(str(folder / name)) as store:
            fill(store, folder)
        return folder

    return make


QRELS: Grades = {
    "q1": {"d1": 2, "d2": 1, "d3": 0},
    "q2": {"d4": 1, "d5": 1},
    "q3": {"d6": 3},
}
BM25: Rankings = {"q1": ["d1", "d9", "d2"], "q2": ["d5", "d4"], "q3": ["d8", "d6"]}
TFIDF: Rankings = {"q1": ["d3", "d1"], "q2": ["d5", "d9", "d4"], "q3": ["d6"]}
NOTHING_FOR_Q3: Rankings = {"q1": ["d2"], "q2": ["d9"]}

ESCAPE = "\x1b[31m"
HOSTILE = (
    "'; DROP TABLE run; --",
    '"quoted"',
    "__proto__",
    "<script>alert(1)</script>",
    "=1+1",
    "{{7*7}}%s%(x)s{0}",
    "../../etc/passwd",
    "🦉🇦🇹👩‍🔬",
    "cafe\u0301",
    "caf\u00e9",
    "מנוע",
    "\u202egnp.exe",
    "NULL",
    "all",
    "x" * 1000,
)


def qrels_text(grades: Grades) -> str:
    return "".join(
        f"{qid} 0 {docno} {grade}\n" for qid, g in grades.items() for docno, grade in g.items()
    )


def run_text(rankings: Rankings, tag: str = "bm25") -> str:
    """The documents of each query at ranks from 1, their scores 99, 98, ..."""
    return "".join(
        f"{qid} Q0 {docno} {rank} {100 - rank} {tag}\n"
        for qid, docnos in rankings.items()
        for rank, docno in enumerate(docnos, 1)
    )


def write(path: Path, text: str) -> str:
    """The path of a file with this text; gzip where it is called so."""
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


def write_qrels(folder: Path, grades: Grades = QRELS, name: str = "test.qrels") -> str:
    return write(folder / name, qrels_text(grades))


def write_run(
    folder: Path, rankings: Rankings = BM25, name: str = "bm25.run", tag: str = "bm25"
) -> str:
    return write(folder / name, run_text(rankings, tag))


def add(
    store: Store, folder: Path, *runs: str, qrels: str | None = None, **asked: Any
) -> list[Outcome]:
    """Ingest run files into the collection `test`, under the small qrels unless one is given.

    Their documents need not be judged.
    """
    asked.setdefault("allow_disjoint", True)
    collection = asked.pop("collection", "test")
    path = qrels or write_qrels(folder)
    stored_qrels = store_qrels(store, collection, qrels_path=path)
    return list(
        ingest(store, IngestOptions(collection, **asked), runs, qrels=stored_qrels).outcomes
    )


def statuses(outcomes: Sequence[Outcome]) -> list[str]:
    return [outcome.status for outcome in outcomes]


def dump(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, as the database itself tells them.

    Some are views on PostgreSQL, and show all of the tables of lists below them.
    """
    with store.read() as connection:
        columns = connection.exec_driver_sql(COLUMNS[connection.dialect.name])
        known = frozenset(map(tuple, columns))
        if known not in REFLECTED:
            names = {*inspect(connection).get_table_names(), *LISTS}
            names -= {lists.table for lists in LISTS.values()}
            REFLECTED[known] = MetaData()
            REFLECTED[known].reflect(connection, views=True, only=lambda name, _: name in names)
        return {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for table in REFLECTED[known].sorted_tables
        }


COLUMNS = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view')",
    "postgresql": (
        "SELECT relname, attname, atttypid, attnum FROM pg_attribute "
        "JOIN pg_class ON pg_class.oid = attrelid "
        "WHERE relkind IN ('r', 'p', 'v') AND attnum > 0 "
        "AND relnamespace = quote_ident(current_schema())::regnamespace"
    ),
}
"""What tells one list of tables and columns from another."""

REFLECTED: dict[frozenset[tuple[Any, ...]], MetaData] = {}
"""The tables of each such list: looking them up takes longer than reading their rows."""


def dump_without_files(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """As `dump`, without the files that runs were read from."""
    return {name: rows for name, rows in dump(store).items() if name != "run_file"}


def counts(store: Store) -> dict[str, int]:
    return {name: len(rows) for name, rows in dump(store).items()}


def select_of(view: View, database: str) -> str:
    """The SELECT of a view on `sqlite` or `postgresql`."""
    on_postgres = view.on_postgres if database == "postgresql" else None
    return on_postgres or view.query


def raw_output_dangers(text: str) -> Iterator[str]:
    """The characters of an output that could move a terminal's cursor or change its colours."""
    return (c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in BIDI))


BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
