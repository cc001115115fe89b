"""The data of the History page: the histories of the engines that an address names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.chosen_measure import chosen_measure
from dashboard.components.measure_info import MeasureInfo, comparison_default, measure_info
from dashboard.components.problems import PageProblem
from dashboard.components.store_problems import read
from dashboard.page import View
from dashboard.pages.history import timeline
from evalstore.catalog.linked_runs import engine_slots
from evalstore.catalog.qrels import list_qrels
from evalstore.leaderboard.leaderboard import leaderboard_measures
from evalstore.tracking.history import EngineHistory, active_engines, engine_history


@dataclass(frozen=True)
class Histories:
    """What the page shows: histories of the chosen engines on a measure."""

    address: Address
    histories: tuple[EngineHistory, ...]
    engines: tuple[str, ...]
    measure: MeasureInfo
    measures: tuple[str, ...]
    qrels: tuple[str, ...]
    slots: dict[str, int]
    judgments: tuple[timeline.NewJudgments, ...] = ()


def load(view: View) -> Histories:
    """Load the histories that the address of a view asks for.

    Raises:
        PageProblem: an unknown collection, engine, qrels or measure.
    """
    address, store = view.address, view.store
    collection, qrels = address.collection or "", address.one("qrels") or None
    stored = read(store, lambda: leaderboard_measures(store, collection, qrels))
    engines = read(store, lambda: active_engines(store, collection))
    if not engines:
        raise PageProblem(
            "No runs yet",
            f"The collection “{wording.name(collection)}” has no runs.",
            link=Address("leaderboard", collection).href,
            link_text="Go to the leaderboard",
        )
    several = tuple(engine for engine, runs in engines.items() if runs > 1)
    chosen = address.all("engine") or (several or tuple(engines))[: timeline.MOST_LINES]
    measure = chosen_measure(address, stored, comparison_default)
    way_on = address.changed(m=None, engine=None).href

    def history_of(engine: str) -> EngineHistory:
        return engine_history(store, engine, measure, collection, qrels)

    histories = read(
        store, lambda: tuple(map(history_of, chosen)), way_on, "Show the usual engines"
    )
    slots = read(store, lambda: engine_slots(store, collection))
    sets = read(store, lambda: list_qrels(store, collection))
    return Histories(
        address,
        histories,
        tuple(engines),
        measure_info(measure[0]),
        stored,
        tuple(one.name for one in sets),
        slots,
        new_judgments({one.name: one.created_at for one in sets}),
    )


def new_judgments(stored_at: Mapping[str, datetime]) -> tuple[timeline.NewJudgments, ...]:
    """All judgments of a collection but the first, by the time when they were stored."""
    in_time = sorted(stored_at.items(), key=lambda one: one[1])
    return tuple(timeline.NewJudgments(name, at) for name, at in in_time[1:])
