"""Every use case that reads a store, called on the collections of `two_collections`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from sqlalchemy import Connection
from two_collections import OPEN

from evalstore.catalog import chosen_qrels, collections, links, qrels, queries, runs, unexpected
from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.client import differences
from evalstore.client.any_store import LocalStore
from evalstore.comparison import (
    cached,
    collection_values,
    compare,
    loading,
    ranked_query,
)
from evalstore.comparison.choosing import baselines, luck
from evalstore.comparison.qrels import changes
from evalstore.evaluation import explain
from evalstore.judging import assessors, drafts, reading
from evalstore.leaderboard import agreement, positions, power, ranks, run_list, table
from evalstore.measures import named_measures, parse
from evalstore.sql import ask, cookbook
from evalstore.store import Store
from evalstore.store.queries.evaluations import list_evaluations
from evalstore.store.queries.qrels import StoredQrels
from evalstore.store.queries.runs import find_runs
from evalstore.tracking import comments, experiments, history, overview, run_overview
from evalstore.transfer import export

T = TypeVar("T")

AP = parse("AP")
MEASURES = named_measures(["AP", "P@5"])
RUNS = ("bm25", "plain")
PLAIN_QRELS = "plain"


def _board(store: Store) -> positions.Leaderboard:
    return positions.find_leaderboard(store, OPEN)


def _placed(store: Store) -> list[positions.LeaderboardRun]:
    return positions.place_runs(store, _board(store), positions.Sorting(AP, descending=True))


def _run_ids(store: Store) -> list[int]:
    return [run.id for run in _placed(store)]


def _loaded(store: Store) -> loading.LoadedRuns:
    return loading.load_stored_runs(store, RUNS, MEASURES)


def _qrels(store: Store) -> tuple[int, StoredQrels]:
    with store.read() as connection:
        return choose_qrels(connection, OPEN, None)


def _read(store: Store, read: Callable[[Connection], T]) -> T:
    with store.read() as connection:
        return read(connection)


def _kept_values(store: Store, connection: Connection) -> object:
    chosen = _qrels(store)[1]
    ids = cached.kept_judged_ids(store, connection, chosen.id).ids
    stored = list_evaluations(connection, None, OPEN)
    evaluations = [each.id for each in stored if each.qrels.id == chosen.id]
    return cached.kept_values(store, connection, chosen.id, ids, AP, evaluations).tolist()


def _settings(store: Store) -> object:
    collection_id, chosen = _qrels(store)
    judged = cached.kept_judged_queries(store, collection_id, chosen.id)
    named = {str(run): run for run in _run_ids(store)}
    others = _read(
        store, lambda c: luck.load_settings(store, c, chosen.id, judged, named, {"AP": AP})
    )
    return {name: len(of.engine) for name, of in others.items()}


def _run_lists(store: Store) -> object:
    with export.run_lists(store, "plain") as run:
        return list(run.lists), run.tag, run.parameters, run.header


CALLS: dict[str, Callable[[Store], object]] = {
    "agreement.measure_agreement": lambda s: agreement.measure_agreement(s, OPEN, MEASURES),
    "agreement.run_agreement": lambda s: agreement.run_agreement(s, OPEN),
    "baselines.baseline": lambda s: baselines.baseline(s, OPEN),
    "baselines.baselines": baselines.baselines,
    "baselines.runs_to_compare": lambda s: baselines.runs_to_compare(s, ["plain"], None, None),
    "luck.load_settings": _settings,
    "named.runs_to_compare": lambda s: baselines.runs_to_compare(s, ["plain"], "bm25", None),
    "positions.all_values": lambda s: positions.all_values(s, _board(s), AP),
    "positions.leaderboard_rows": lambda s: positions.leaderboard_rows(
        s, _board(s), AP, [AP], _run_ids(s)
    ),
    "positions.computed_values": lambda s: positions.computed_values(s, _board(s), [parse("P@3")]),
    "positions.answered": lambda s: positions.answered(s, _board(s), _run_ids(s)),
    "positions.coverage": lambda s: positions.coverage(s, _board(s), _run_ids(s)),
    "positions.find_leaderboard": _board,
    "positions.is_stored": lambda s: positions.is_stored(s, _board(s), AP),
    "positions.kept_collection_runs": lambda s: positions.kept_collection_runs(
        s, _board(s).collection_id
    ),
    "positions.oldest_run": lambda s: positions.oldest_run(s, _board(s), AP),
    "positions.place_runs": _run_ids,
    "positions.some_values": lambda s: positions.some_values(
        s, _board(s), parse("P@3"), _run_ids(s)
    ),
    "positions.stored_values": lambda s: positions.stored_values(s, _board(s), AP),
    "positions.find_queries": lambda s: positions.find_queries(s, "query"),
    "positions.find_runs": lambda s: positions.find_runs(s, "bm25"),
    "change_runs.history": runs.history,
    "change_runs.removed_runs": runs.removed_runs,
    "chosen_qrels.kept_choice": lambda s: chosen_qrels.kept_choice(s, OPEN, None),
    "chosen_qrels.kept_collection": lambda s: chosen_qrels.kept_collection(s, OPEN),
    "collection_values.load_collection_values": lambda s: collection_values.load_collection_values(
        s, OPEN, MEASURES
    ),
    "collections.collections": collections.collections,
    "cookbook.for_collection": lambda s: cookbook.for_collection(s, OPEN),
    "diff_runs.differing_of_several": lambda s: differences.differing_of_several(s, RUNS),
    "assessors.assessors": lambda s: assessors.assessors(s, OPEN, "draft"),
    "assessors.disagreements": lambda s: assessors.disagreements(s, OPEN, "draft"),
    "assessors.judged_by": lambda s: assessors.judged_by(s, OPEN, "draft", "plain"),
    "assessors.own_grades": lambda s: assessors.own_grades(s, OPEN, "draft", "ann"),
    "links.tour": links.tour,
    "reading.grade_choices": lambda s: reading.grade_choices(s, OPEN),
    "reading.judging_settings": lambda s: reading.judging_settings(s, OPEN),
    "unexpected.expected": lambda s: unexpected.expected(s, OPEN, ["no document"]),
    "unexpected.unexpected_judgments": lambda s: unexpected.unexpected_judgments(
        s, OPEN, [("q1", "no document", 9.0)]
    ),
    "reading.queries_to_read": lambda s: reading.queries_to_read(s, OPEN, ["q1"]),
    "drafts.documents_in_drafts": lambda s: drafts.documents_in_drafts(s, OPEN),
    "drafts.graded_by_assessor": lambda s: drafts.graded_by_assessor(s, OPEN),
    "drafts.list_drafts": lambda s: drafts.list_drafts(s, OPEN),
    "drafts.next_documents": lambda s: drafts.next_documents(s, OPEN, "draft", "ann"),
    "experiments.experiment_runs": lambda s: experiments.experiment_runs(
        s, "plain experiment", [AP]
    ),
    "experiments.experiments": experiments.experiments,
    "explain.explain_stored_query": lambda s: explain.explain_stored_query(s, "bm25", "q1"),
    "export.qrels_lists": lambda s: list(export.qrels_lists(s, OPEN).lists),
    "export.run_file": lambda s: export.run_file(s, "bm25"),
    "export.run_lists": _run_lists,
    "export_leaderboard.leaderboard_export": lambda s: table.leaderboard_export(s, OPEN, MEASURES),
    "export_leaderboard.write_leaderboard": lambda s: table.write_leaderboard(
        s, OPEN, MEASURES, None, ranks.RankSettings(), table.Details(), table.TextStyle("csv")
    ),
    "collections.check_readable": collections.check_readable,
    "collections.mappings_of": lambda s: collections.mappings_of(s, OPEN),
    "history.active_engines": lambda s: history.active_engines(s, OPEN),
    "history.changed_facts": lambda s: history.changed_facts(s, [[1, 2]]),
    "history.engine_history": lambda s: history.engine_history(s, "bm25", ("AP", AP)),
    "kept_qrels.kept_judged_ids": lambda s: _read(
        s, lambda connection: cached.kept_judged_ids(s, connection, _qrels(s)[1].id)
    ),
    "kept_qrels.kept_judged_queries": lambda s: [
        cached.kept_judged_queries(s, id_, qrels.id) for id_, qrels in [_qrels(s)]
    ],
    "kept_qrels.kept_relevant": lambda s: _read(
        s, lambda connection: cached.kept_relevant(s, connection, _qrels(s)[1].id)
    ),
    "kept_qrels.kept_single_relevant": lambda s: cached.kept_single_relevant(s, OPEN, None),
    "kept_qrels.kept_qrels": lambda s: cached.kept_qrels(s, _qrels(s)[1]).qids,
    "kept_runs.kept_aggregates": lambda s: cached.kept_aggregates(
        s, _qrels(s)[1].id, _run_ids(s), ["AP"]
    ).tolist(),
    "kept_runs.kept_answers": lambda s: _read(
        s, lambda connection: cached.kept_answers(s, connection, _qrels(s)[1].id, _run_ids(s))
    ),
    "kept_runs.kept_judged_tops": lambda s: _read(
        s,
        lambda connection: cached.kept_judged_tops(s, connection, _qrels(s)[1].id, _run_ids(s)),
    ),
    "kept_runs.kept_tops": lambda s: _read(
        s,
        lambda connection: [
            cached.kept_tops(s, connection, run, 10) for run in find_runs(connection, RUNS, OPEN)
        ],
    ),
    "comments.comments_page": lambda s: comments.comments_page(s, "query", "q1", OPEN),
    "comments.run_comments": lambda s: comments.run_comments(s, "bm25", OPEN),
    "kept_runs.kept_values": lambda s: _read(s, lambda connection: _kept_values(s, connection)),
    "leaderboard.run_counts": positions.run_counts,
    "leaderboard.leaderboard_measures": lambda s: positions.leaderboard_measures(s, OPEN),
    "linked_runs.engine_slots": lambda s: links.engine_slots(s, OPEN),
    "linked_runs.find_linked_runs": lambda s: links.find_linked_runs(s, OPEN, RUNS),
    "linked_runs.have_rankings": lambda s: links.have_rankings(s, _run_ids(s)),
    "linked_runs.named_views": lambda s: links.named_views(s, OPEN),
    "linked_runs.run_names": lambda s: links.run_names(s, OPEN),
    "medians.medians_of_collection": lambda s: collection_values.medians_of_collection(
        s, _loaded(s).runs[0], MEASURES
    ),
    "overview.news_since": lambda s: overview.news_since(s, datetime(2000, 1, 1, tzinfo=UTC)),
    "overview.overview": lambda s: overview.overview(s, last=1000),
    "power.collection_power": lambda s: power.collection_power(s, OPEN, MEASURES),
    "qrels.list_qrels": qrels.list_qrels,
    "qrels_changes.qrels_changes": lambda s: changes.qrels_changes(
        s, OPEN, MEASURES, PLAIN_QRELS, PLAIN_QRELS
    ),
    "queries.list_queries": lambda s: queries.list_queries(s, OPEN),
    "ranked_query.leading_runs": lambda s: ranked_query.leading_runs(s, OPEN, AP, None, 9),
    "ranked_query.query_difficulty": lambda s: ranked_query.query_difficulty(
        s, OPEN, AP, None, _run_ids(s)
    ),
    "query_ids.with_query_ids": lambda s: queries.with_query_ids(s, OPEN, [], "run"),
    "query_order.query_order": lambda s: ranked_query.query_order(
        s, OPEN, AP, *(links.LinkedRun(one.id, one.name, "", "", 0) for one in _placed(s)[:2])
    ),
    "ranked_query.load_document_texts": lambda s: ranked_query.load_document_texts(
        s, OPEN, ["d1", "zanzibar-docno"], 1000
    ),
    "ranked_query.load_document_explanations": lambda s: ranked_query.load_document_explanations(
        s, OPEN, "q1", "d1", [1, 2, 3, 4]
    ),
    "ranks.leaderboard_ranks": lambda s: ranks.leaderboard_ranks(s, OPEN, MEASURES),
    "run_costs.run_costs": lambda s: power.run_costs(s, _board(s)),
    "compare.load": lambda s: compare.load(
        LocalStore(s), RUNS, MEASURES, compare.ComparisonOptions()
    ),
    "run_list.list_runs": lambda s: run_list.list_runs(s, [AP], run_list.Choice()),
    "run_list.sorted_runs": lambda s: run_list.sorted_runs(s, [AP], run_list.Choice(), "AP"),
    "run_list.with_values": lambda s: run_list.with_values(
        s, run_list.sorted_runs(s, [], run_list.Choice()), [AP]
    ),
    "run_overview.run_overview": lambda s: run_overview.run_overview(s, "bm25", OPEN),
    "run_overview.run_positions": lambda s: run_overview.run_positions(
        s, "bm25", OPEN, PLAIN_QRELS
    ),
    "run_overview.ancestor_ids": lambda s: run_overview.ancestor_ids(
        s, run_overview.run_facts(s, "plain-derived").id
    ),
    "run_overview.run_facts": lambda s: run_overview.as_dict(
        run_overview.run_facts(s, "plain-derived")
    ),
    "sql.ask": lambda s: ask.ask(s, "SELECT * FROM runs_overview"),
    "stored_runs.load_stored_runs": _loaded,
}
