"""One filled store on each database: the demo, and what a team has beside: older runs, two qrels.

Tests here only read it; what is asked of it is known to be the same on both.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest
from changed_runs import annotate
from made_once import made_once
from sqlalchemy import update

from evalstore.catalog.collection_facts import RunCosts, store_run_facts
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.queries import tag_queries
from evalstore.demo.store import questions, write
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.measure import measure
from evalstore.ingest.ingest import ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.leaderboard.ranks import leaderboard_ranks
from evalstore.leaderboard.saved_ranks import save_ranks
from evalstore.measures import named_measures, parse
from evalstore.sql.ask import Answer, ask
from evalstore.store import Store, models
from evalstore.transfer.copy import copy

DATABASES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))
COLLECTION = "python-docs"


@pytest.fixture(scope="session")
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Store]]:
    """Gives the filled store on a database, made when first asked for."""
    stores: dict[str, Store] = {}
    folder = tmp_path_factory.mktemp("filled")

    def give(database: str) -> Store:
        if database not in stores:
            if database == "postgres":
                url = request.getfixturevalue("postgres").new_store()
                stores[database] = Store.open(url)
                copy(give("sqlite"), stores[database])
            else:
                made = made_once(tmp_path_factory, "filled", make_filled)
                shutil.copy(made / "store.db", folder)
                stores[database] = Store.open(f"sqlite:///{folder / 'store.db'}")
        return stores[database]

    yield give
    for store in stores.values():
        store.close()


def make_filled(folder: Path) -> None:
    """Make the file of the store."""
    with Store.open(f"sqlite:///{folder / 'store.db'}") as store:
        fill(store, folder)


@pytest.fixture(scope="session")
def answer(opened: Callable[[str], Store]) -> Callable[[str, str], Answer]:
    """Gives the answer of the filled store on a database; each statement is asked once."""
    return cache(lambda database, sql: ask(opened(database), sql))


@pytest.fixture(params=DATABASES)
def filled(request: pytest.FixtureRequest, opened: Callable[[str], Store]) -> Store:
    """The filled store, on each database in turn."""
    return opened(request.param)


def fill(store: Store, folder: Path) -> None:
    """The demo's engines under its qrels and a stricter one, and later runs of two of them."""
    files = write(folder / "demo")
    usual = folder / "qrels.txt"
    usual.write_bytes(files.qrels.read_bytes())
    strict = folder / "strict.txt"
    lines = [line.split() for line in usual.read_text().splitlines()]
    strict.write_text("".join(f"{q} 0 {d} {max(int(g) - 1, 0)}\n" for q, _, d, g in lines))
    texts = questions()
    runs = [str(path) for path in files.runs]
    later = [_upside_down(files.runs[0], folder / "bm25-later.run")]
    for qrels, names in ((usual, [*runs, *later]), (strict, runs)):
        stored = store_qrels(
            store, COLLECTION, qrels_path=str(qrels), queries=texts if qrels == usual else None
        )
        request = IngestOptions(COLLECTION, experiment="demo")
        for outcome in ingest(store, request, names, qrels=stored).outcomes:
            assert outcome.status in ("stored", "evaluated"), outcome
    categories = {qid: {"category": f"c{number % 3}"} for number, qid in enumerate(texts) if number}
    tag_queries(store, COLLECTION, categories)
    for name, k1 in (("bm25", 1.2), ("bm25-later", 0.9), ("tfidf", 1.2)):
        annotate(store, name, GivenFacts(parameters={"k1": k1, "stem": False}))
    for number, name in enumerate(files.index_bytes):
        if name in {path.stem for path in files.runs}:
            store_run_facts(store, name, RunCosts(dict.fromkeys(texts, 1.5 + number)), COLLECTION)
            measure(store, [parse("ResponseTime")], [name], COLLECTION)
    _date(store)
    save_ranks(store, leaderboard_ranks(store, COLLECTION, named_measures("AP")))


def _upside_down(run: Path, path: Path) -> str:
    """A run whose lists begin with their ends: worse than it was."""
    rows = [line.split() for line in run.read_text().splitlines()]
    path.write_text("".join(f"{q} Q0 {d} 1 {-float(s)!r} {t}\n" for q, _, d, _, s, t in rows))
    return str(path)


def _date(store: Store) -> None:
    """The first runs are of October, but for two; the later one is of November."""
    run = models.table(models.Run)
    start = datetime(2026, 10, 1, 12, tzinfo=UTC)
    recent = {"bm25-later": 40, "name": 41}
    with store.write() as connection:
        names = [row[0] for row in connection.execute(run.select().with_only_columns(run.c.name))]
        for day, name in enumerate(sorted(names)):
            at = start + timedelta(days=recent.get(name, day))
            connection.execute(update(run).where(run.c.name == name).values(created_at=at))
