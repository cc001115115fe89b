"""A store of which some collections can be read: what it gives, and what it refuses."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator

import pytest
import two_collections
from changed_runs import rename_run, tag_run
from databases import both_databases
from reading_calls import AP, CALLS
from samples import Filled
from two_collections import OPEN, PRIVATE, markers_in

from evalstore import (
    catalog,
    comparison,
    evaluation,
    judging,
    leaderboard,
    sql,
    tracking,
    transfer,
)
from evalstore.catalog import collections, links, queries
from evalstore.comparison.choosing import baselines
from evalstore.errors import EvalstoreError, NotFound, StoreError
from evalstore.evaluation import explain
from evalstore.leaderboard import positions as boards
from evalstore.leaderboard import run_list
from evalstore.sql import ask
from evalstore.store import Store, database, models, restriction, views
from evalstore.tracking import experiments, history, run_overview


@pytest.fixture(scope="module")
def whole(
    new_store: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """The store with both collections."""
    with Store.open(new_store()) as opened:
        two_collections.fill(opened, tmp_path_factory.mktemp("two"))
        opened.allow_restriction()
        yield opened


@pytest.fixture
def part(whole: Store) -> Store:
    """The same for somebody who may read the open collection alone."""
    return two_collections.part(whole)


"""Every use case that reads a store; names of runs are given without their collection."""

NOT_FOUND: dict[str, Callable[[Store], object]] = {
    "a run": lambda s: run_overview.run_facts(s, "zanziba"),
    "a run of another collection": lambda s: run_overview.run_facts(s, "zanziba-derived", OPEN),
    "a collection": lambda s: boards.leaderboard_measures(s, "zanziba"),
    "a collection of queries": lambda s: queries.list_queries(s, "zanziba"),
    "a qrels": lambda s: boards.leaderboard_measures(s, OPEN, qrels="zanziba"),
    "an engine": lambda s: history.engine_history(s, "zanziba-engine", ("AP", AP)),
    "an experiment": lambda s: experiments.experiment_runs(s, "zanziba experiment", [AP]),
    "a baseline": lambda s: baselines.runs_to_compare(s, ["bm25"], "zanziba", None),
    "a query": lambda s: explain.explain_stored_query(s, "bm25", "zanziba"),
    "a saved view": lambda s: links.saved_view(s, "aaaa"),
}

READING = (catalog, comparison, evaluation, judging, leaderboard, sql, tracking, transfer)
WRITING = {
    *("annotate", "collection_facts", "copy", "db_check", "measure", "new_values", "saved_ranks"),
    *("export_parquet", "import_parquet"),
}
"""Modules whose functions write, or need the whole store."""


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
@both_databases
def test_a_use_case_gives_nothing_of_another_collection(part: Store, call: str) -> None:
    try:
        given = CALLS[call](part)
    except EvalstoreError as error:  # it may need more runs or qrels than there are
        given = str(error)
        assert "restricted" not in given
    assert markers_in(given) == []


def test_every_use_case_that_reads_a_store_is_called() -> None:
    names = set()
    modules = [
        importlib.import_module(module.name)
        for package in READING
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if module.name.rpartition(".")[2] not in WRITING
    ]
    for module in modules:
        for name, function in vars(module).items():
            is_own = getattr(function, "__module__", "") == module.__name__
            if not (inspect.isfunction(function) and is_own) or name.startswith("_"):
                continue
            source = inspect.getsource(function)
            first = next(iter(inspect.signature(function).parameters), "")
            if first == "store" and "store.transact" not in source:
                names.add(name)
    names |= {"differing_of_several", "load"}  # of a client, and of any source of runs
    kinds = ("collections", "qrels", "runs")
    marking = {f"{what}_{of}" for of in kinds for what in ("remove", "restore")}
    elsewhere = {"saved_view", "save_view", "load_ranked_query"}
    assert names - marking - elsewhere == {call.partition(".")[2] for call in CALLS}


@pytest.mark.parametrize("what", NOT_FOUND)
@both_databases
def test_errors_and_hints_name_nothing_of_another_collection(
    part: Store, whole: Store, what: str
) -> None:
    with pytest.raises(EvalstoreError) as caught:
        NOT_FOUND[what](part)
    assert markers_in(str(caught.value)) == []
    with pytest.raises(NotFound):
        NOT_FOUND[what](whole)


@both_databases
def test_a_name_that_two_collections_have_is_not_ambiguous(part: Store, whole: Store) -> None:
    with pytest.raises(EvalstoreError, match=PRIVATE):
        run_overview.run_facts(whole, "bm25")
    assert run_overview.run_facts(part, "bm25").collection == OPEN


@both_databases
def test_of_an_experiment_that_has_runs_elsewhere_too_its_own_runs_are_shown(part: Store) -> None:
    shared, plain = experiments.experiments(part)
    assert (shared.name, shared.runs) == (two_collections.SHARED, 2)
    assert (shared.question, shared.conclusion) == (None, None)  # they are about the other one too
    own = experiments.experiment_runs(part, shared.name, []).runs
    assert {run.collection for run in own} == {OPEN}
    assert shared.created_at == min(run_overview.run_facts(part, run.run).created_at for run in own)
    assert (plain.name, plain.question) == ("plain experiment", "why plain?")


@both_databases
def test_who_may_read_both_collections_sees_their_common_experiment(whole: Store) -> None:
    ids = [two_collections.id_of(whole, name) for name in (OPEN, PRIVATE)]
    names = {one.name for one in experiments.experiments(whole.restricted_to(ids))}
    runless = "zanzibar without runs"
    assert names == {"plain experiment", "zanzibar experiment", two_collections.SHARED, runless}


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.write(),
        lambda s: s.transact(lambda connection: None),
        lambda s: s.size(),
        lambda s: s.damages(),
        lambda s: s.reclaim_space(),
        lambda s: s.allow_restriction(),
        lambda s: s.url,
        lambda s: links.save_view(s, "/c/open", OPEN),
        lambda s: collections.rename_collection(s, OPEN, "other"),
    ],
)
def test_what_changes_the_store_or_needs_all_of_it_is_refused(
    part: Store, change: Callable[[Store], object]
) -> None:
    with pytest.raises(StoreError, match="can't be done with a part of the store"):
        change(part)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE run SET name = 'mine'",
        "DELETE FROM collection",
        "INSERT INTO engine (name) VALUES ('mine')",
        "CREATE TABLE mine (i INTEGER)",
        "DROP VIEW leaderboard",
    ],
)
@both_databases
def test_its_connections_can_not_write(part: Store, whole: Store, statement: str) -> None:
    for name in ("read", "engine"):
        with pytest.raises(Exception, match="."):  # noqa: SIM117  (of the driver)
            with part.read() if name == "read" else part.engine.begin() as connection:
                connection.exec_driver_sql(statement)
    assert "mine" not in str(ask.ask(whole, "SELECT name FROM run").rows)


@both_databases
def test_a_table_that_has_no_rule_can_not_be_read(whole: Store, part: Store) -> None:
    with whole.write() as connection:
        connection.exec_driver_sql("CREATE TABLE account (secret TEXT)")
        connection.exec_driver_sql("INSERT INTO account VALUES ('zanzibar')")
    try:
        for statement in ("SELECT * FROM account", "SELECT count(*) FROM account"):
            with pytest.raises(EvalstoreError):
                ask.ask(part, statement)
        with pytest.raises(StoreError), part.read() as connection:
            connection.exec_driver_sql("SELECT secret FROM account")
    finally:
        with whole.write() as connection:
            connection.exec_driver_sql("DROP TABLE account")


def test_every_table_has_a_rule_or_is_closed() -> None:
    closed = {table for table in models.Base.metadata.tables if table.startswith("server_")}
    assert set(restriction.ROWS) | closed == set(models.Base.metadata.tables)


@both_databases
def test_no_connection_reads_more_after_another_was_restricted(whole: Store) -> None:
    open_id, private_id = (two_collections.id_of(whole, name) for name in (OPEN, PRIVATE))
    seen = {}
    for ids in ((open_id,), (private_id,), (), (open_id, private_id), (open_id,)):
        names = [one.name for one in collections.collections(whole.restricted_to(ids))]
        assert seen.setdefault(ids, names) == names
    assert list(seen.values()) == [[OPEN], [PRIVATE], [], [OPEN, PRIVATE]]


@both_databases
def test_a_part_of_a_part_is_no_larger(whole: Store, part: Store) -> None:
    private = two_collections.id_of(whole, PRIVATE)
    assert part.restricted_to([private]).collections == frozenset()


@both_databases
def test_its_state_is_another_one_after_a_change(copied: Filled) -> None:
    store = copied(two_collections.fill)
    part = two_collections.restricted(store)
    before = part.state()
    assert part.state() == before
    tag_run(store, "bm25", ["new"], collection=OPEN)
    assert part.state() != before


@both_databases
def test_a_change_is_seen_by_connections_that_were_open(copied: Filled) -> None:
    store = copied(two_collections.fill)
    part = two_collections.restricted(store)
    assert "new" not in str(run_list.list_runs(part, [], run_list.Choice()))
    rename_run(store, "bm25", "new", OPEN)
    assert "new" in str(run_list.list_runs(part, [], run_list.Choice()))


@both_databases
def test_a_store_that_was_restricted_can_be_migrated(copied: Filled) -> None:
    store = copied(two_collections.fill)
    two_collections.restricted(store)
    change = {
        "sqlite": "ALTER TABLE run_parent RENAME COLUMN run_id TO run_id",
        "postgresql": "ALTER TABLE run_parent ALTER COLUMN run_id TYPE bigint",
    }
    # A policy of PostgreSQL names the column.
    with database.migrating(store.engine) as connection:
        connection.exec_driver_sql(change[store.engine.dialect.name])
    part = two_collections.restricted(store)
    assert ask.ask(part, "SELECT name FROM collection").rows == [(OPEN,)]
    assert len(ask.ask(part, "SELECT * FROM run_parent").rows) == 1


def test_the_rules_name_every_public_view() -> None:
    assert {view.name for view in views.VIEWS}.isdisjoint(restriction.ROWS)
