"""A store of which some collections can be read: what it gives, and what it refuses."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
import two_collections
from samples import Filled
from two_collections import OPEN, PRIVATE, markers_in

from evalstore import usecases
from evalstore.errors import EvalstoreError, NotFound, StoreError
from evalstore.measures import named_measures, parse
from evalstore.store import Store, database, models, restriction, views
from evalstore.store.qrels import StoredQrels
from evalstore.usecases import (
    agreement,
    baselines,
    board,
    board_claims,
    change_runs,
    collection_values,
    collections,
    compare_stored,
    cookbook,
    diff_runs,
    experiments,
    explain,
    export,
    export_leaderboard,
    history,
    kept_qrels,
    leaderboard,
    linked_runs,
    medians,
    overview,
    power,
    qrels,
    qrels_changes,
    queries,
    query_difficulty,
    query_ids,
    query_order,
    ranked_query,
    ranks,
    recall_points,
    run_costs,
    run_list,
    run_overview,
    saved_views,
    show_run,
    sql,
    stored_runs,
    trace_run,
)
from evalstore.usecases.chosen_qrels import choose_qrels

AP = parse("AP")
MEASURES = named_measures(["AP", "P@5"])
PLAIN_QRELS = "plain"
RUNS = ("bm25", "plain")


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


def _board(store: Store) -> board.Board:
    return board.find_board(store, OPEN)


def _run_ids(store: Store) -> list[int]:
    placed = board.place_runs(store, _board(store), board.Sorting(AP, descending=True))
    return [run.id for run in placed]


def _loaded(store: Store) -> stored_runs.LoadedRuns:
    return stored_runs.load_stored_runs(store, RUNS, MEASURES)


def _qrels(store: Store) -> tuple[int, StoredQrels]:
    with store.read() as connection:
        return choose_qrels(connection, OPEN, None)


def _run_lists(store: Store) -> object:
    with export.run_lists(store, "plain") as run:
        return list(run.lists), run.tag, run.parameters, run.header


CALLS: dict[str, Callable[[Store], object]] = {
    "agreement.measure_agreement": lambda s: agreement.measure_agreement(s, OPEN, MEASURES),
    "agreement.run_agreement": lambda s: agreement.run_agreement(s, OPEN),
    "baselines.baseline": lambda s: baselines.baseline(s, OPEN),
    "baselines.baselines": baselines.baselines,
    "baselines.with_named_baseline": lambda s: baselines.with_named_baseline(
        s, ["plain"], "bm25", None
    ),
    "baselines.with_stored_baseline": lambda s: baselines.with_stored_baseline(s, ["plain"], None),
    "board.board_rows": lambda s: board.board_rows(s, _board(s), AP, [AP], _run_ids(s)),
    "board.computed_values": lambda s: board.computed_values(s, _board(s), [parse("P@3")]),
    "board.find_board": _board,
    "board.is_stored": lambda s: board.is_stored(s, _board(s), AP),
    "board.number_found": lambda s: board.number_found(s, _board(s), "zanzibar"),
    "board.place_runs": _run_ids,
    "board_claims.board_claims": lambda s: board_claims.board_claims(s, _board(s), AP),
    "board_claims.coverage": lambda s: board_claims.coverage(s, _board(s), _run_ids(s)),
    "change_runs.history": change_runs.history,
    "change_runs.removed_runs": change_runs.removed_runs,
    "collection_values.load_collection_values": lambda s: collection_values.load_collection_values(
        s, OPEN, MEASURES
    ),
    "collections.collections": collections.collections,
    "cookbook.for_collection": lambda s: cookbook.for_collection(s, OPEN),
    "diff_runs.differing_of_several": lambda s: diff_runs.differing_of_several(s, RUNS),
    "experiments.experiment_runs": lambda s: experiments.experiment_runs(
        s, "plain experiment", [AP]
    ),
    "experiments.experiments": experiments.experiments,
    "explain.explain_stored_query": lambda s: explain.explain_stored_query(s, "bm25", "q1"),
    "export.qrels_lists": lambda s: list(export.qrels_lists(s, OPEN).lists),
    "export.run_file": lambda s: export.run_file(s, "bm25"),
    "export.run_lists": _run_lists,
    "export_leaderboard.leaderboard_export": lambda s: export_leaderboard.leaderboard_export(
        s, OPEN, MEASURES
    ),
    "history.active_engines": lambda s: history.active_engines(s, OPEN),
    "history.engine_history": lambda s: history.engine_history(s, "bm25", ("AP", AP)),
    "kept_qrels.kept_judged_queries": lambda s: [
        kept_qrels.kept_judged_queries(s, id_, qrels.id) for id_, qrels in [_qrels(s)]
    ],
    "kept_qrels.kept_single_relevant": lambda s: kept_qrels.kept_single_relevant(s, OPEN, None),
    "kept_qrels.kept_qrels": lambda s: kept_qrels.kept_qrels(s, _qrels(s)[1]).qids,
    "leaderboard.collections": lambda s: leaderboard.collections(s).to_string(),
    "leaderboard.leaderboard": lambda s: leaderboard.leaderboard(s, OPEN).runs.to_string(),
    "leaderboard.run_counts": leaderboard.run_counts,
    "leaderboard.leaderboard_measures": lambda s: leaderboard.leaderboard_measures(s, OPEN),
    "linked_runs.engine_slots": lambda s: linked_runs.engine_slots(s, OPEN),
    "linked_runs.find_linked_runs": lambda s: linked_runs.find_linked_runs(s, OPEN, RUNS),
    "linked_runs.have_rankings": lambda s: linked_runs.have_rankings(s, _run_ids(s)),
    "linked_runs.run_names": lambda s: linked_runs.run_names(s, OPEN),
    "medians.medians_of_collection": lambda s: medians.medians_of_collection(
        s, _loaded(s).runs[0], MEASURES
    ),
    "overview.overview": lambda s: overview.overview(s, last=1000),
    "overview.runs_since": lambda s: overview.runs_since(s, datetime(2000, 1, 1, tzinfo=UTC)),
    "power.collection_power": lambda s: power.collection_power(s, OPEN, MEASURES),
    "qrels.list_qrels": qrels.list_qrels,
    "qrels_changes.qrels_changes": lambda s: qrels_changes.qrels_changes(
        s, OPEN, MEASURES, PLAIN_QRELS, PLAIN_QRELS
    ),
    "queries.list_queries": lambda s: queries.list_queries(s, OPEN),
    "query_difficulty.leading_runs": lambda s: query_difficulty.leading_runs(s, OPEN, AP, None, 9),
    "query_difficulty.query_difficulty": lambda s: query_difficulty.query_difficulty(
        s, OPEN, AP, None, _run_ids(s)
    ),
    "query_ids.with_query_ids": lambda s: query_ids.with_query_ids(s, OPEN, [], "run"),
    "query_order.query_order": lambda s: query_order.query_order(
        s, OPEN, AP, _run_ids(s)[0], _run_ids(s)[1]
    ),
    "query_order.usual_runs": lambda s: query_order.usual_runs(s, OPEN, AP),
    "ranked_query.load_document_texts": lambda s: ranked_query.load_document_texts(
        s, OPEN, ["d1", "zanzibar-docno"], 1000
    ),
    "ranks.leaderboard_ranks": lambda s: ranks.leaderboard_ranks(s, OPEN, MEASURES),
    "recall_points.recall_points": lambda s: recall_points.recall_points(
        s, OPEN, RUNS, PLAIN_QRELS, "q1"
    ),
    "run_costs.run_costs": lambda s: run_costs.run_costs(s, _board(s)),
    "compare_stored.compare_stored": lambda s: compare_stored.compare_stored(s, RUNS, MEASURES),
    "run_list.list_runs": lambda s: run_list.list_runs(s, [AP], run_list.Choice()),
    "run_list.sorted_runs": lambda s: run_list.sorted_runs(s, [AP], run_list.Choice(), "AP"),
    "run_list.with_values": lambda s: run_list.with_values(
        s, run_list.sorted_runs(s, [], run_list.Choice()), [AP]
    ),
    "run_overview.run_overview": lambda s: run_overview.run_overview(s, "bm25", OPEN),
    "run_overview.run_standings": lambda s: run_overview.run_standings(
        s, "bm25", OPEN, PLAIN_QRELS
    ),
    "show_run.ancestor_ids": lambda s: show_run.ancestor_ids(
        s, show_run.run_facts(s, "plain-derived").id
    ),
    "show_run.run_facts": lambda s: show_run.as_dict(show_run.run_facts(s, "plain-derived")),
    "sql.ask": lambda s: sql.ask(s, "SELECT * FROM runs_overview"),
    "stored_runs.load_stored_runs": _loaded,
    "trace_run.trace_named_run": lambda s: trace_run.trace_named_run(s, OPEN, "bm25"),
    "trace_run.trace_run": lambda s: [trace_run.trace_run(s, number) for number in range(12)],
}
"""Every use case that reads a store; names of runs are given without their collection."""

NOT_FOUND: dict[str, Callable[[Store], object]] = {
    "a run": lambda s: show_run.run_facts(s, "zanziba"),
    "a run of another collection": lambda s: show_run.run_facts(s, "zanziba-derived", OPEN),
    "a collection": lambda s: leaderboard.leaderboard(s, "zanziba"),
    "a collection of queries": lambda s: queries.list_queries(s, "zanziba"),
    "a qrels": lambda s: leaderboard.leaderboard(s, OPEN, qrels="zanziba"),
    "an engine": lambda s: history.engine_history(s, "zanziba-engine", ("AP", AP)),
    "an experiment": lambda s: experiments.experiment_runs(s, "zanziba experiment", [AP]),
    "a baseline": lambda s: baselines.with_named_baseline(s, ["bm25"], "zanziba", None),
    "a query": lambda s: explain.explain_stored_query(s, "bm25", "zanziba"),
    "a saved view": lambda s: saved_views.saved_view(s, "aaaa"),
}

WRITING = {
    *("annotate", "copy", "db_check", "ingest", "log_run", "measure", "reevaluate", "save_ranks"),
    *("store_qrels", "store_run", "facts", "documents", "known_files", "stored_measures"),
    *("export_parquet", "import_parquet", "new_values", "reevaluate_run"),
}
"""Modules whose functions write, or need the whole store."""


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_a_use_case_gives_nothing_of_another_collection(part: Store, call: str) -> None:
    try:
        given = CALLS[call](part)
    except EvalstoreError as error:  # it may need more runs or qrels than there are
        given = str(error)
        assert "restricted" not in given
    assert markers_in(given) == []


def test_every_use_case_that_reads_a_store_is_called() -> None:
    names = set()
    for module in pkgutil.iter_modules(usecases.__path__):
        if module.name in WRITING:
            continue
        functions = vars(importlib.import_module(f"evalstore.usecases.{module.name}"))
        for name, function in functions.items():
            is_own = getattr(function, "__module__", "") == f"evalstore.usecases.{module.name}"
            if not (inspect.isfunction(function) and is_own) or name.startswith("_"):
                continue
            source = inspect.getsource(function)
            first = next(iter(inspect.signature(function).parameters), "")
            if first == "store" and "store.transact" not in source:
                names.add(f"{module.name}.{name}")
    marking = {"collections.remove_collections", "collections.restore_collections"}
    elsewhere = {"saved_views.saved_view", "saved_views.save_view"}
    elsewhere.add("ranked_query.load_ranked_query")
    assert names - marking - elsewhere == set(CALLS)


@pytest.mark.parametrize("what", NOT_FOUND)
def test_errors_and_hints_name_nothing_of_another_collection(
    part: Store, whole: Store, what: str
) -> None:
    with pytest.raises(EvalstoreError) as caught:
        NOT_FOUND[what](part)
    assert markers_in(str(caught.value)) == []
    with pytest.raises(NotFound):
        NOT_FOUND[what](whole)


def test_a_name_that_two_collections_have_is_not_ambiguous(part: Store, whole: Store) -> None:
    with pytest.raises(EvalstoreError, match=PRIVATE):
        show_run.run_facts(whole, "bm25")
    assert show_run.run_facts(part, "bm25").collection == OPEN


def test_an_experiment_that_has_runs_elsewhere_too_is_not_shown(part: Store) -> None:
    assert [one.name for one in experiments.experiments(part)] == ["plain experiment"]


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
        lambda s: saved_views.save_view(s, "/c/open", OPEN),
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
def test_its_connections_can_not_write(part: Store, whole: Store, statement: str) -> None:
    for name in ("read", "engine"):
        with pytest.raises(Exception, match="."):  # noqa: SIM117  (of the driver)
            with part.read() if name == "read" else part.engine.begin() as connection:
                connection.exec_driver_sql(statement)
    assert "mine" not in str(sql.ask(whole, "SELECT name FROM run").rows)


def test_a_table_that_has_no_rule_can_not_be_read(whole: Store, part: Store) -> None:
    with whole.write() as connection:
        connection.exec_driver_sql("CREATE TABLE account (secret TEXT)")
        connection.exec_driver_sql("INSERT INTO account VALUES ('zanzibar')")
    try:
        for statement in ("SELECT * FROM account", "SELECT count(*) FROM account"):
            with pytest.raises(EvalstoreError):
                sql.ask(part, statement)
        with pytest.raises(StoreError), part.read() as connection:
            connection.exec_driver_sql("SELECT secret FROM account")
    finally:
        with whole.write() as connection:
            connection.exec_driver_sql("DROP TABLE account")


def test_every_table_has_a_rule_or_is_closed() -> None:
    closed = {table for table in models.Base.metadata.tables if table.startswith("server_")}
    assert set(restriction.ROWS) | closed == set(models.Base.metadata.tables)


def test_no_connection_reads_more_after_another_was_restricted(whole: Store) -> None:
    open_id, private_id = (two_collections.id_of(whole, name) for name in (OPEN, PRIVATE))
    seen = {}
    for ids in ((open_id,), (private_id,), (), (open_id, private_id), (open_id,)):
        names = [one.name for one in collections.collections(whole.restricted_to(ids))]
        assert seen.setdefault(ids, names) == names
    assert list(seen.values()) == [[OPEN], [PRIVATE], [], [OPEN, PRIVATE]]


def test_a_part_of_a_part_is_no_larger(whole: Store, part: Store) -> None:
    private = two_collections.id_of(whole, PRIVATE)
    assert part.restricted_to([private]).collections == frozenset()


def test_its_state_is_another_one_after_a_change(copied: Filled) -> None:
    store = copied(two_collections.fill)
    part = two_collections.restricted(store)
    before = part.state()
    assert part.state() == before
    change_runs.tag_run(store, "bm25", ["new"], collection=OPEN)
    assert part.state() != before


def test_a_change_is_seen_by_connections_that_were_open(copied: Filled) -> None:
    store = copied(two_collections.fill)
    part = two_collections.restricted(store)
    assert "new" not in str(run_list.list_runs(part, [], run_list.Choice()))
    change_runs.rename_run(store, "bm25", "new", OPEN)
    assert "new" in str(run_list.list_runs(part, [], run_list.Choice()))


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
    assert sql.ask(part, "SELECT name FROM collection").rows == [(OPEN,)]
    assert len(sql.ask(part, "SELECT * FROM run_parent").rows) == 1


def test_the_rules_name_every_public_view() -> None:
    assert {view.name for view in views.VIEWS}.isdisjoint(restriction.ROWS)
