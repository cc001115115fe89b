"""Build a store of many runs in a database, and time what people wait for; write a section.

    python benchmarks/scale.py DIRECTORY [--runs 10,100,1000] [--queries 250] [--documents 20]
                               [--postgres URL] [--postgres-runs 10000] [--upkeep] [--built]

The SQLite store is made in DIRECTORY; for PostgreSQL give the URL of an empty database. Rows go in
through evalstore's own schema and bulk insert: measurements, aggregates, judgments and the lengths
of the lists of documents. The documents are left out, as none of the questions here reads them,
unless their number is given: pages of the dashboard show them (see dashboard_load.py). Values are
drawn, and with documents computed from them, so that `db check` finds what it should. --upkeep
also times what is done to the whole store: `db check`, a backup, an upgrade with a new column, `rm`
and `purge` of 1,000 runs (upkeep.py). --built times stores that were built before, as building one
of 10,000 runs takes long and loads the machine. The section 'The store at scale' of RESULTS.md is
written anew, with --upkeep 'A large store'; the others are left as they are.
"""

# ruff: noqa: T201  (a program that tells where it is)

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
from questions import LEADERBOARD_SQL, SHOWN, TWO_RUNS_SQL, questions
from report import put_section
from sqlalchemy import Connection, event, insert, text
from upkeep import upkeep_times

from evalstore.evaluation.run_rows import evaluation_rows, ranking_rows
from evalstore.formats import Qrels, Run
from evalstore.formats.lists import qrels_hash, run_hash
from evalstore.measures import parse, registry
from evalstore.measures.join import match
from evalstore.sql.ask import ask
from evalstore.store import Store, models
from evalstore.store.columns import EvaluationRows, RankingRows
from evalstore.store.queries.evaluations import add_evaluation, insert_values
from evalstore.store.queries.queries import ensure_query_ids
from evalstore.store.queries.rankings import add_rankings, add_tops
from evalstore.store.rows import bulk_insert

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
TITLE = "## The store at scale"
LARGE = "## A large store"
REPEATS = 15
JUDGED = 100
RETRIEVED = 1000
KEPT = 10  # of the documents of each list, as rows
ENGINES = 40
START = datetime(2026, 1, 1, tzinfo=UTC)
TARGETS = {
    "leaderboard of the dashboard": 100,
    "two runs, per query": 20,
    "history of an engine": 50,
    "run list with search": 100,
}


def measure_names(count: int) -> list[str]:
    """The standard measures, and cutoffs of nDCG up to the count asked for."""
    names = list(dict.fromkeys([*SHOWN, *(f"IPrec@{i / 10}" for i in range(11))]))
    names += [f"nDCG@{cutoff}" for cutoff in range(11, 11 + count - len(names))]
    return names[:count]


class Builder:
    """Fills a store run by run; a run's values are a quality, a query's difficulty and noise."""

    def __init__(self, store: Store, queries: int, measures: int, documents: int = 0) -> None:
        self._store, self._random = store, np.random.default_rng(13)
        self._documents = documents
        self._queries, self._names = queries, measure_names(measures)
        self._difficulty = self._random.normal(0, 0.15, queries)
        self._runs = 0
        self._qrels = Qrels.from_dict(
            {
                f"q{query:05d}": {f"d{n:04d}": float(n % 10 == 0) for n in range(JUDGED)}
                for query in range(queries)
            },
            name="scale.qrels",
        ).sorted_once()

    def prepare(self) -> None:
        """The collection, its queries, the qrels, engines and measures."""
        families = registry()
        with self._store.write() as connection:
            add = _Adding(connection)
            add.one(models.Collection, name="scale", documents=1_000_000, created_at=START)
            add.many(
                models.Query,
                ({"collection_id": 1, "qid": f"q{n:05d}"} for n in range(self._queries)),
            )
            add.one(
                models.Qrels,
                **{"collection_id": 1, "name": "scale.qrels"},
                content_hash=qrels_hash(self._qrels),
                is_default=True,
                **{"queries": self._queries, "judgments": self._queries * JUDGED},
                **{"relevant": self._queries * JUDGED // 10, "highest_grade": 1.0},
                created_at=START,
            )
            add.many(models.Engine, ({"name": f"engine{n:02d}"} for n in range(ENGINES)))
            add.many(
                models.Measure,
                (
                    {"name": n, "family": families[parse(n).name].family}
                    | {"direction": 1, "aggregate": "mean"}
                    for n in self._names
                ),
            )
            add.rows(
                models.Judgment,
                (
                    (1, query, f"d{document:04d}", float(document % 10 == 0))
                    for query in range(1, self._queries + 1)
                    for document in range(JUDGED)
                ),
            )

    def grow(self, runs: int) -> float:
        """Add runs until there are so many; returns the seconds a run took."""
        start, before = time.perf_counter(), self._runs
        while self._runs < runs:
            with self._store.write() as connection:
                add = _Adding(connection)
                for _ in range(min(50, runs - self._runs)):
                    self._runs += 1
                    self._add_run(add, self._runs)
        return (time.perf_counter() - start) / (runs - before)

    def _add_run(self, add: _Adding, number: int) -> None:
        at = START + timedelta(hours=number)
        if self._documents:
            self._add_evaluated(add, number, at)
            return
        add.one(
            models.Run,
            **{"collection_id": 1, "engine_id": number % ENGINES + 1},
            **{"name": f"run{number:05d}", "tag": "scale", "content_hash": f"{number:064d}"},
            **{"queries": self._queries, "retrieved": self._queries * RETRIEVED, "created_at": at},
        )
        add.one(
            models.Evaluation,
            **{"run_id": number, "qrels_id": 1, "evaluator": "0", "compat": "exact"},
            created_at=at,
        )
        add.rows(
            models.Ranking,
            ((number, query, RETRIEVED, b"") for query in range(1, self._queries + 1)),
        )
        shape = (len(self._names), self._queries)
        quality = self._random.normal(0.4, 0.08)
        values = quality + self._difficulty + self._random.normal(0, 0.1, shape)
        values = np.clip(values, 0, 1)
        add.values(number, values)
        spread = values.std(axis=1, ddof=1).tolist()
        add.rows(
            models.Aggregate,
            (
                (number, measure, mean, spread[measure - 1], self._queries)
                for measure, mean in enumerate(values.mean(axis=1).tolist(), 1)
            ),
        )

    def _add_evaluated(self, add: _Adding, number: int, at: datetime) -> None:
        """A run of lists of documents, half of which are judged, and its values.

        The better the run, the higher the scores of its relevant documents.
        """
        chance, count = np.random.default_rng(number), self._documents
        known = np.array([f"d{document:04d}".encode() for document in range(2 * JUDGED)])
        relevant = (np.arange(len(known)) % 10 == 0) & (np.arange(len(known)) < JUDGED)
        scores = chance.normal(0, 1, (self._queries, len(known)))
        scores += relevant * (chance.normal(1, 0.3) + self._difficulty[:, np.newaxis])
        order = np.argsort(-scores, axis=1)[:, :count]
        run = Run(
            path=f"run{number:05d}",
            tag="scale",
            qids=self._qrels.qids,
            starts=np.arange(self._queries) * count,
            lengths=np.full(self._queries, count),
            docnos=pa.array(known[order].ravel(), pa.binary()),
            scores=np.take_along_axis(scores, order, axis=1).ravel(),
            warnings=(),
        )
        add.one(
            models.Run,
            **{"collection_id": 1, "engine_id": number % ENGINES + 1},
            **{"name": run.path, "tag": "scale", "content_hash": run_hash(run)},
            **{"queries": self._queries, "retrieved": len(run.scores), "created_at": at},
        )
        measures = list(map(parse, self._names))
        add.rankings(number, ranking_rows(run, KEPT))
        add.evaluation(number, evaluation_rows(run, match(run, self._qrels), measures), at)


class _Adding:
    """Inserts into one transaction: by SQLAlchemy where ids are made, by the driver in bulk."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def one(self, model: type[models.Base], **values: object) -> None:
        self._connection.execute(insert(models.table(model)).values(**values))

    def many(self, model: type[models.Base], rows: Iterator[dict[str, object]]) -> None:
        self._connection.execute(insert(models.table(model)), list(rows))

    def rows(self, model: type[models.Base], values: Iterator[tuple[object, ...]]) -> None:
        table = models.table(model)
        bulk_insert(self._connection, table, [c.name for c in table.columns], values)

    def values(self, evaluation: int, values: np.ndarray[tuple[int, int], np.dtype[Any]]) -> None:
        """A row for each measure, a column for each query."""
        query_ids = np.arange(1, values.shape[1] + 1)
        insert_values(self._connection, evaluation, query_ids, dict(enumerate(values, 1)))

    def rankings(self, run: int, rows: RankingRows) -> None:
        (query_ids,) = ensure_query_ids(self._connection, 1, rows.qids)
        add_tops(self._connection, run, rows, query_ids)
        add_rankings(self._connection, run, rows, query_ids)

    def evaluation(self, run: int, rows: EvaluationRows, at: datetime) -> None:
        (query_ids,) = ensure_query_ids(self._connection, 1, rows.qids)
        ids = {"run_id": run, "qrels_id": 1}
        what = {"evaluator": "0", "compat": "exact", "rows": rows, "query_ids": query_ids}
        add_evaluation(self._connection, **ids, **what, now=at)


def settle(store: Store) -> None:
    """Do what the database does automatically some time after many writes."""
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if store.engine.dialect.name == "sqlite":
            connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
        else:
            connection.execute(text("VACUUM ANALYZE"))


def size_of(store: Store) -> int:
    """The bytes of the database."""
    if store.engine.dialect.name == "sqlite":
        return Path(store.engine.url.database or "").stat().st_size
    return int(ask(store, "SELECT pg_database_size(current_database())").rows[0][0])


def milliseconds(question: Callable[[], object]) -> float:
    """The median of several times; the first fills caches and does not count."""
    question()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        question()
        times.append(time.perf_counter() - start)
    return median(times) * 1000


def plans(store: Store, question: Callable[[], object]) -> list[str]:
    """The plan of every statement that a use case sends over SQLAlchemy."""
    sent: list[tuple[str, object]] = []

    def note(_c: object, _u: object, statement: str, parameters: object, *_: object) -> None:
        sent.append((statement, parameters))

    event.listen(store.engine, "before_cursor_execute", note)
    question()
    event.remove(store.engine, "before_cursor_execute", note)
    return [
        _plan(store, statement, parameters)
        for statement, parameters in sent
        if re.search(r"FROM (aggregate|measurement|value_list|measure)\b", statement)
    ]


def _plan(store: Store, statement: str, parameters: object = ()) -> str:
    lite = store.engine.dialect.name == "sqlite"
    with store.engine.connect() as connection:
        explain = "EXPLAIN QUERY PLAN" if lite else "EXPLAIN (COSTS OFF)"
        rows = connection.exec_driver_sql(f"{explain} {statement}", parameters).all()
    return "\n".join(str(row[-1] if lite else row[0]) for row in rows)


def measured(
    store: Store, steps: list[int], builder: Builder | None
) -> tuple[list[tuple[int, float, int, dict[str, float]]], dict[str, list[str]]]:
    """Per number of runs: seconds a run, bytes, milliseconds a question; and the last plans.

    Without a builder the store has its runs, and the seconds are NaN.
    """
    figures = []
    if builder is not None:
        builder.prepare()
    for runs in steps:
        per_run = builder.grow(runs) if builder is not None else float("nan")
        settle(store)
        times = {name: milliseconds(asked) for name, asked in questions(store).items()}
        figures.append((runs, per_run, size_of(store), times))
        print(store.engine.dialect.name, json.dumps(figures[-1]), flush=True)
    asked = questions(store)
    last_plans = {name: plans(store, asked[name]) for name in TARGETS}
    last_plans["SQL: leaderboard of a measure"] = [_plan(store, LEADERBOARD_SQL)]
    last_plans["SQL: two runs, per query"] = [_plan(store, TWO_RUNS_SQL)]
    return figures, last_plans


def section(
    results: dict[str, tuple[list[tuple[int, float, int, dict[str, float]]], dict[str, list[str]]]],
    queries: int,
    measures: int,
    upkeep: dict[str, dict[str, float]],
) -> str:
    """The section of the report."""
    lines = [
        LARGE if upkeep else TITLE,
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, by `benchmarks/scale.py`: runs of {queries} queries with "
        f"{measures} measures each, {JUDGED} judgments a query, {ENGINES} engines; "
        f"{os.cpu_count()} processors, {platform.system()} {platform.release()}, Python "
        f"{platform.python_version()}. Milliseconds are medians of {REPEATS} in one process with "
        "warm caches, from the call to the finished table; the names without SQL are what the "
        "dashboard calls, those with SQL go through `sql.ask.ask`, which on PostgreSQL "
        "makes a connection for each question. Bytes are those of measurements, aggregates and "
        "judgments: ranked lists are left out. Load average at the end: "
        f"{os.getloadavg()[1]:.1f}.",
    ]
    for name, (figures, _) in results.items():
        lines += ["", f"### {name}", ""]
        lines.append("| | " + " | ".join(f"{runs:,} runs" for runs, *_ in figures) + " | target |")
        lines.append("|---|" + "--:|" * (len(figures) + 1))
        rows = [f"{runs * queries * measures / 1e6:.2f}" for runs, *_ in figures]
        lines.append(f"| million measurements | {' | '.join(rows)} | |")
        sizes = [f"{size / 1e6:,.1f}" for _, _, size, _ in figures]
        lines.append(f"| MB | {' | '.join(sizes)} | |")
        each = [f"{size / runs / 1e3:,.0f}" for runs, _, size, _ in figures]
        lines.append(f"| KB a run | {' | '.join(each)} | |")
        if not any(np.isnan(per_run) for _, per_run, *_ in figures):
            writing = [f"{per_run * 1000:,.0f}" for _, per_run, *_ in figures]
            lines.append(f"| ms to insert a run | {' | '.join(writing)} | |")
        for asked in figures[0][3]:
            times = " | ".join(f"{times[asked]:.1f}" for *_, times in figures)
            target = f"< {TARGETS[asked]}" if asked in TARGETS else ""
            lines.append(f"| {asked}, ms | {times} | {target} |")
    for name, seconds in upkeep.items():
        lines += ["", f"### Upkeep on {name}, {results[name][0][-1][0]:,} runs", ""]
        lines += ["| | s |", "|---|--:|"]
        lines += [f"| {step} | {time:,.1f} |" for step, time in seconds.items()]
    for name, (figures, last_plans) in results.items():
        lines += ["", f"### Plans on {name}, {figures[-1][0]:,} runs"]
        for asked, texts in last_plans.items():
            lines += ["", f"{asked}:", "", "```", "\n\n".join(texts), "```"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Build, time, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--postgres", metavar="URL", help="an empty database")
    parser.add_argument("--runs", default="10,100,1000", help="empty for no SQLite store")
    parser.add_argument("--postgres-runs", help="of the PostgreSQL store; as --runs unless given")
    parser.add_argument("--queries", type=int, default=250)
    parser.add_argument("--measures", type=int, default=45)
    parser.add_argument("--documents", type=int, default=0, help="in each list; none unless given")
    parser.add_argument("--built", action="store_true", help="the stores have their runs")
    parser.add_argument("--upkeep", action="store_true", help="also time work on the whole store")
    parser.add_argument("--dry", action="store_true", help="print the section, don't write it")
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    path = given.directory.resolve() / "scale.db"
    for suffix in () if given.built else ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    places = {"SQLite": (f"sqlite:///{path}", given.runs)} if given.runs else {}
    if given.postgres:
        places["PostgreSQL"] = (given.postgres, given.postgres_runs or given.runs)
    results, upkeep = {}, {}
    for name, (url, runs) in places.items():
        steps = [int(number) for number in runs.split(",")]
        if given.built and len(steps) > 1:
            parser.error("a store that was built has one number of runs")
        with Store.open(url) as store:
            builder = Builder(store, given.queries, given.measures, given.documents)
            results[name] = measured(store, steps, None if given.built else builder)
            if given.upkeep:
                upkeep[name] = upkeep_times(store, given.directory, min(1000, steps[-1] // 2))
    report = section(results, given.queries, given.measures, upkeep)
    if given.dry:
        print(report)
    else:
        put_section(RESULTS, LARGE if upkeep else TITLE, report)


if __name__ == "__main__":
    main()
