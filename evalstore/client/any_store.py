"""The operations on a store, whether it is local or behind a server."""

# ruff: noqa: D102  (`RemoteStore` has the docstrings of the methods)

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from operator import methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from evalstore.client.remote_store import RemoteStore
    from evalstore.formats import Qrels, Run
    from evalstore.store import Store
    from evalstore.store.queries.facts import RunFacts

AnyStore: TypeAlias = "LocalStore | RemoteStore"
"""A store, here or behind a server; `RemoteStore` declares each operation, with its errors."""


class DefaultQrels(NamedTuple):
    """A qrels that is the default of its collection, and whether it was the default before."""

    collection: str
    name: str
    was_default: bool


class _UseCase:
    """A method that calls a use case with the store; its module is imported by the first call.

    With `then` it returns what that makes of the result.
    """

    def __init__(self, path: str, then: Callable[[Any], Any] | None) -> None:
        self.path = path
        self.then = then

    def __get__(self, store: LocalStore, _: type) -> Callable[..., Any]:
        call, then = partial(use_case(self.path), store.store), self.then
        return call if then is None else lambda *args, **named: then(call(*args, **named))


@cache
def use_case(path: str) -> Callable[..., Any]:
    """The function at a path below `evalstore`, like `tracking.history.engine_history`."""
    module, _, name = path.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(f"evalstore.{module}"), name)
    return function


# `tests/unit/test_any_store.py` checks what mypy can't see here: the parameters of each use case.
def _calls(path: str, then: Callable[[Any], Any] | None = None) -> Any:
    return _UseCase(path, then)


class LocalStore:
    """A local store."""

    def __init__(self, store: Store) -> None:
        """Ask this store."""
        self.store = store

    ask = _calls("sql.ask.ask")
    assess = _calls("judging.drafts.assess")
    baseline = _calls(
        "comparison.choosing.baselines.baseline", lambda run: None if run is None else run.name
    )
    baselines = _calls("comparison.choosing.baselines.baselines")
    change_run = _calls("catalog.annotate.apply_change")
    collections = _calls("catalog.collections.collections")
    comment_on_run = _calls("tracking.comments.comment_on_run")
    edit_judgment = _calls("judging.publish.edit_judgment", methodcaller("to_dict"))
    engine_slots = _calls("catalog.links.engine_slots")
    events = _calls("catalog.runs.history")
    experiment_runs = _calls("tracking.experiments.experiment_runs")
    experiments = _calls("tracking.experiments.experiments")
    explain = _calls("evaluation.explain.explain_stored_query")
    graded_by_assessor = _calls("judging.drafts.graded_by_assessor")
    held_out = _calls("comparison.choosing.holdout.held_out_of_store")
    history = _calls("tracking.history.engine_history")
    leaderboard = _calls("leaderboard.ranks.leaderboard_ranks")
    list_drafts = _calls("judging.drafts.list_drafts")
    list_qrels = _calls("catalog.qrels.list_qrels")
    list_queries = _calls("catalog.queries.list_queries")
    list_runs = _calls("leaderboard.run_list.list_runs")
    load_runs = _calls("comparison.loading.load_stored_runs")
    measure_agreement = _calls("leaderboard.agreement.measure_agreement")
    medians = _calls("comparison.collection_values.medians_of_collection")
    new_draft = _calls("judging.drafts.new_draft")
    power = _calls("leaderboard.power.collection_power")
    publish_draft = _calls("judging.publish.publish", methodcaller("to_dict"))
    remove_draft = _calls("judging.drafts.remove_draft")
    remove_runs = _calls("catalog.runs.remove_runs")
    removed_runs = _calls("catalog.runs.removed_runs")
    restore_runs = _calls("catalog.runs.restore_runs")
    run_agreement = _calls("leaderboard.agreement.run_agreement")
    run_comments = _calls("tracking.comments.run_comments")
    run_facts = _calls("tracking.run_overview.run_facts")
    run_lists = _calls("transfer.export.run_lists")
    runs_to_compare = _calls("comparison.choosing.baselines.runs_to_compare")
    set_baseline = _calls("comparison.choosing.baselines.set_baseline")
    set_default_qrels = _calls(
        "catalog.qrels.set_default",
        lambda before: DefaultQrels(before.collection, before.name, before.is_default),
    )
    unset_baseline = _calls("comparison.choosing.baselines.unset_baseline")
    unexpected_judgments = _calls("catalog.unexpected.unexpected_judgments")
    write_leaderboard = _calls("leaderboard.table.write_leaderboard")

    def ancestors(self, run: RunFacts) -> list[int]:
        found: list[int] = use_case("tracking.run_overview.ancestor_ids")(self.store, run.id)
        return found

    def load_run(self, facts: RunFacts) -> Run:
        from evalstore.store.queries.rankings import load_run  # noqa: PLC0415  (few commands need it)
        from evalstore.store.queries.runs import find_run  # noqa: PLC0415  (as above)

        with self.store.read() as connection:
            return load_run(connection, find_run(connection, facts.name, facts.collection))

    def load_qrels(self, collection: str, name: str | None = None) -> Qrels:
        from evalstore.catalog.chosen_qrels import choose_qrels  # noqa: PLC0415  (as above)
        from evalstore.store.queries.qrels import load_qrels  # noqa: PLC0415  (few commands need it)

        with self.store.read() as connection:
            return load_qrels(connection, choose_qrels(connection, collection, name)[1])
