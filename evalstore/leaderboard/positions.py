"""A leaderboard by pages: its runs in an order, with figures that are stored or computed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from evalstore.catalog.chosen_qrels import kept_choice, kept_collection
from evalstore.comparison.baselines import active_baseline
from evalstore.comparison.collection_values import load_collection_values
from evalstore.errors import MeasureError, NoRankings
from evalstore.leaderboard.leaderboard import in_order
from evalstore.measures import Measure
from evalstore.stats.inputs import in_units
from evalstore.store import Store
from evalstore.store.queries.leaderboard import (
    NAMES,
    BoardRun,
    Order,
    Period,
    PlacedRun,
    Word,
    count_evaluated,
    count_found,
    count_judged_queries,
    list_aggregated_measures,
    list_board_runs,
    list_placed,
    list_run_aggregates,
    load_all_aggregates,
    load_state,
)
from evalstore.store.queries.runs import StoredRun, find_run, list_values_only

F64 = npt.NDArray[np.float64]
Values = Mapping[int, float]
"""Figures by the id of the run."""

NAMED_ORDERS = tuple(NAMES)
"""What a board can be sorted by beside measures."""

DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


@dataclass(frozen=True)
class Board:
    """What a leaderboard is about.

    Attributes:
        collection, collection_id: the collection.
        qrels, qrels_id: the judgments that figures are under.
        all_qrels: the names of all qrels of the collection, the default first.
        queries: how many queries the qrels judges; figures are over all of them.
        runs: how many active runs the collection has.
        evaluated: how many of them have figures under the qrels.
        measures: the measures of which figures are stored: ids by canonical name, in the order of
            the registry.
        baseline: the run that differences are to; None where there is none.
        state: a text that changes whenever figures may have changed.
    """

    collection: str
    collection_id: int
    qrels: str
    qrels_id: int
    all_qrels: tuple[str, ...]
    queries: int
    runs: int
    evaluated: int
    measures: Mapping[str, int]
    baseline: StoredRun | None
    state: str


@dataclass(frozen=True)
class Sorting:
    """By what the runs of a board are sorted: a measure or one of `NAMED_ORDERS`."""

    by: Measure | str
    descending: bool


@dataclass(frozen=True)
class BoardRow:
    """A run of a leaderboard.

    Attributes:
        run: its names, tags, parameters and date.
        rank: 1 + how many runs are strictly better on the leading measure; None where it has no
            value or the measure has no ranks.
        values: by canonical name, the figures that it has.
        values_only: whether it came as values of measures, without rankings.
    """

    run: BoardRun
    rank: int | None
    values: Mapping[str, float]
    values_only: bool = False


def find_board(
    store: Store, collection: str, qrels: str | None = None, baseline: str | None = None
) -> Board:
    """The leaderboard of a collection under a qrels; the default ones where None.

    `baseline` is the name of a run, or None for the baseline of the collection.

    Raises:
        NotFound: there is no such collection, qrels or run.
    """
    with store.read() as connection:
        collection_id, chosen = kept_choice(store, collection, qrels)
        base = (
            active_baseline(connection, collection_id)
            if baseline is None
            else find_run(connection, baseline, collection)
        )
        runs, evaluated = count_evaluated(connection, collection_id, chosen.id)
        ids = list_aggregated_measures(connection, chosen.id)
        return Board(
            collection=collection,
            collection_id=collection_id,
            qrels=chosen.name,
            qrels_id=chosen.id,
            all_qrels=tuple(one.name for one in kept_collection(store, collection).qrels),
            queries=count_judged_queries(connection, chosen.id),
            runs=runs,
            evaluated=evaluated,
            measures={name: ids[name] for name in in_order(set(ids))},
            baseline=base,
            state=load_state(connection, chosen.id, collection),
        )


def has_ranks(measure: Measure) -> bool:
    """Whether runs have ranks on a measure: one value is better, and the figure is over queries."""
    descriptor = measure.descriptor
    return descriptor.higher_is_better is not None and descriptor.aggregate in ("mean", "sum")


def is_stored(store: Store, board: Board, measure: Measure) -> bool:
    """Whether the figures of a measure are stored for every run of a board that has figures."""
    measure_id = board.measures.get(str(measure))
    if measure_id is None:
        return False
    with store.read() as connection:
        values = load_all_aggregates(connection, board.qrels_id, measure_id)
    return len(values) == board.evaluated


def computed_values(
    store: Store, board: Board, measures: Sequence[Measure], run_ids: Sequence[int] | None = None
) -> dict[str, Values]:
    """The figures of measures for some runs of a board, or all; those not stored are computed.

    By canonical name; a run is left out where facts that the measure needs are not stored.
    """
    values: dict[str, Values] = {}
    for measure in measures:
        try:
            loaded = load_collection_values(
                store, board.collection, {str(measure): measure}, board.qrels, run_ids
            )
        except (MeasureError, NoRankings):  # none of the runs has what it needs
            values[str(measure)] = {}
            continue
        of = loaded.measures[str(measure)]
        ids = [run.id for run in of.runs]
        values[str(measure)] = dict(zip(ids, of.aggregates.tolist(), strict=True))
    return values


def place_runs(
    store: Store,
    board: Board,
    sorting: Sorting,
    find: str = "",
    *,
    limit: int | None = None,
    offset: int = 0,
    values: Values | None = None,
) -> list[PlacedRun]:
    """The runs of a board at some positions, with their value of the measure they are sorted by.

    Runs without a value come last. Runs that are equal stand by name.

    Args:
        store: where the runs are.
        board: their leaderboard.
        sorting: their order.
        find: only runs that have all of these words, in any case: parts of the names of run,
            engine and experiment, or of a tag; or a year, month or day (`2026-11-21`, UTC).
        limit: at most so many runs; all where None.
        offset: how many runs to leave out at first.
        values: the figures of the measure, where they are not all stored.
    """
    by = sorting.by
    words = words_of(find)
    with store.read() as connection:
        if values is not None:
            by_name = Order(None, "run", descending=False)
            runs = list_placed(connection, board.collection_id, board.qrels_id, by_name, words)
        else:
            order = Order(
                board.measures.get(str(by)) if isinstance(by, Measure) else None,
                by if isinstance(by, str) else None,
                sorting.descending,
            )
            return list_placed(
                connection,
                board.collection_id,
                board.qrels_id,
                order,
                words,
                limit=limit,
                offset=offset,
            )
    sign = -1 if sorting.descending else 1
    placed = [PlacedRun(run.id, values.get(run.id)) for run in runs]
    placed.sort(key=lambda run: (run.value is None, sign * (run.value or 0)))
    return placed[offset:][:limit]


def number_found(store: Store, board: Board, find: str) -> int:
    """How many runs of a board have all the words of `find`."""
    if not find.strip():
        return board.runs
    with store.read() as connection:
        return count_found(connection, board.collection_id, words_of(find))


def board_rows(
    store: Store,
    board: Board,
    lead: Measure,
    measures: Sequence[Measure],
    run_ids: Sequence[int],
    computed: Mapping[str, Values] | None = None,
) -> list[BoardRow]:
    """Runs of a board with their ranks and figures, in the order given.

    Args:
        store: where the runs are.
        board: their leaderboard.
        lead: the measure that ranks are by.
        measures: whose figures are shown.
        run_ids: the runs.
        computed: by canonical name, the figures of measures that are not stored for all runs.
    """
    computed = computed or {}
    names = {str(measure) for measure in (lead, *measures)}
    with store.read() as connection:
        runs = list_board_runs(connection, run_ids)
        values_only = list_values_only(connection, run_ids)
        stored = list_run_aggregates(connection, board.qrels_id, run_ids, names)
        every = np.zeros(0)
        if has_ranks(lead) and str(lead) in computed:
            every = np.sort(np.array(list(computed[str(lead)].values()), np.float64))
        elif has_ranks(lead) and str(lead) in board.measures:
            every = load_all_aggregates(connection, board.qrels_id, board.measures[str(lead)])
    values = {name: {**computed.get(name, {}), **stored[name]} for name in names}
    rank_of = _ranks(every, lead, values[str(lead)])
    return [
        BoardRow(
            run,
            rank_of.get(run.id),
            {name: of[run.id] for name, of in values.items() if run.id in of},
            run.id in values_only,
        )
        for run in runs
    ]


def _ranks(every: F64, lead: Measure, values: Values) -> dict[int, int]:
    """The ranks of some runs among the figures of all, in ascending order."""
    if not len(every):
        return {}
    ascending = in_units(every)
    ids, own = list(values), in_units(np.array(list(values.values()), np.float64))
    if lead.descriptor.higher_is_better:
        better = len(ascending) - np.searchsorted(ascending, own, side="right")
    else:
        better = np.searchsorted(ascending, own, side="left")
    return dict(zip(ids, (1 + better).tolist(), strict=True))


def words_of(find: str) -> tuple[Word, ...]:
    """The words of a text that runs are searched for."""
    return tuple(Word(text, _period(text)) for text in find.split())


def _period(text: str) -> Period | None:
    """The year, month or day that a word names: `2026`, `2026-11` or `2026-11-21`."""
    match = DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day = (None if part is None else int(part) for part in match.groups())
    try:
        start = datetime(year or 0, month or 1, day or 1, tzinfo=UTC)
        if day is not None:
            return Period(start, start + timedelta(days=1))
        if month is not None:
            return Period(start, datetime(start.year + month // 12, month % 12 + 1, 1, tzinfo=UTC))
        return Period(start, datetime(start.year + 1, 1, 1, tzinfo=UTC))
    except (ValueError, OverflowError):
        return None
