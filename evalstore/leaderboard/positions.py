"""Pages of a leaderboard, runs in an order with their figures; search of runs and queries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.catalog.chosen_qrels import kept_choice, kept_collection
from evalstore.catalog.given_facts import flat
from evalstore.catalog.names import natural, span_of_date
from evalstore.comparison.cached import kept_answers, kept_judged_tops
from evalstore.comparison.choosing.baselines import active_baseline
from evalstore.comparison.collection_values import load_collection_values
from evalstore.errors import MeasureError, NoRankings
from evalstore.leaderboard.ranks import has_ranks
from evalstore.measures import Measure, parse
from evalstore.measures.registry import own_measures
from evalstore.stats.inputs import UNITS_PER_ONE, in_units
from evalstore.stats.ranks import strict_ranks
from evalstore.store import Store
from evalstore.store.cache import bytes_of
from evalstore.store.queries.collections import list_collections
from evalstore.store.queries.leaderboard import (
    LeaderboardRun,
    count_evaluated,
    count_judged_queries,
    list_aggregated_measures,
    list_figures,
    list_leaderboard_runs,
)
from evalstore.store.queries.queries import search_queries
from evalstore.store.queries.runs import StoredRun, find_run

F64 = npt.NDArray[np.float64]
Values = Mapping[int, float]
"""Figures by run id."""

NAMED_ORDERS = {"run": "name", "engine": "engine", "experiment": "experiment", "date": "date"}
"""The `LeaderboardRun` fields for orders other than by a measure, by name of the order."""

SIZE_OF_RUN, SIZE_OF_VALUE = 2048, 128
"""Approximate sizes in memory, in bytes."""

DATE = re.compile(r"\d{4}(-\d{2}){0,2}")


@dataclass(frozen=True)
class Leaderboard:
    """A leaderboard: its collection, judgments (the default first in `all_qrels`), and baseline.

    Figures are over all queries that the qrels judges; `runs` is the number of active runs, and
    `evaluated` the number of those with figures. `measures` are canonical names, in the order of
    the registry.
    """

    collection: str
    collection_id: int
    qrels: str
    qrels_id: int
    all_qrels: tuple[str, ...]
    queries: int
    runs: int
    evaluated: int
    measures: tuple[str, ...]
    baseline: StoredRun | LeaderboardRun | None


@dataclass(frozen=True)
class Sorting:
    """The order of runs: by a measure or one of `NAMED_ORDERS`."""

    by: Measure | str
    descending: bool


@dataclass(frozen=True)
class LeaderboardRow:
    """A run of a leaderboard, with its figures by canonical name of the measure.

    `rank` is 1 + the number of runs that are strictly better on the leading measure; None if the
    run has no value or the measure has no ranks.
    """

    run: LeaderboardRun
    rank: int | None
    values: Mapping[str, float]


def find_leaderboard(
    store: Store, collection: str, qrels: str | None = None, baseline: str | None = None
) -> Leaderboard:
    """The leaderboard of a collection under a qrels, with a baseline by name; None for its own."""
    with store.read() as connection:
        collection_id, chosen = kept_choice(store, collection, qrels)
        base = (
            active_baseline(connection, collection_id)
            if baseline is None
            else find_run(connection, baseline, collection)
        )
        runs, evaluated = count_evaluated(connection, collection_id, chosen.id)
        measures = list_aggregated_measures(connection, chosen.id)
        return Leaderboard(
            collection=collection,
            collection_id=collection_id,
            qrels=chosen.name,
            qrels_id=chosen.id,
            all_qrels=tuple(one.name for one in kept_collection(store, collection).qrels),
            queries=count_judged_queries(connection, chosen.id),
            runs=runs,
            evaluated=evaluated,
            measures=in_order(measures),
            baseline=base,
        )


def kept_collection_runs(store: Store, collection_id: int) -> Mapping[int, LeaderboardRun]:
    """The active runs of a collection, by id."""

    def read() -> dict[int, LeaderboardRun]:
        with store.read() as connection:
            runs = list_leaderboard_runs(connection, collection_id)
        return {run.id: run for run in runs}

    key = ("leaderboard runs", collection_id)
    return store.keep(key, read, lambda runs: SIZE_OF_RUN * len(runs))


def oldest_run(store: Store, leaderboard: Leaderboard, measure: Measure) -> LeaderboardRun | None:
    """The run with the earliest date of those with a stored figure of a measure, if two have."""
    values = stored_values(store, leaderboard, measure)
    runs = [
        run
        for run in kept_collection_runs(store, leaderboard.collection_id).values()
        if run.id in values
    ]
    if len(runs) < 2:
        return None
    return min(runs, key=lambda run: (run.date, natural(run.name)))


def role_of_oldest(run: LeaderboardRun) -> str:
    """The role of the oldest run, in words: without a start only the order of ingest is known."""
    return "oldest run" if run.started_at else "first stored run"


def stored_values(store: Store, leaderboard: Leaderboard, measure: Measure) -> Values:
    """The stored figures of a measure for the runs of a leaderboard."""
    name = str(measure)
    if name not in leaderboard.measures:
        return {}

    def read() -> dict[int, float]:
        with store.read() as connection:
            return list_figures(connection, leaderboard.qrels_id, [name])[name]

    key = ("leaderboard values", leaderboard.qrels_id, name)
    return store.keep(key, read, lambda values: SIZE_OF_VALUE * len(values))


def is_stored(store: Store, leaderboard: Leaderboard, measure: Measure) -> bool:
    """Whether the figures of a measure are stored for every evaluated run."""
    return len(stored_values(store, leaderboard, measure)) == leaderboard.evaluated


def all_values(store: Store, leaderboard: Leaderboard, measure: Measure) -> Values:
    """The figures of a measure for all runs of a leaderboard, computed unless all are stored."""
    if is_stored(store, leaderboard, measure):
        return stored_values(store, leaderboard, measure)
    name = str(measure)
    return store.keep(
        ("computed values", leaderboard.qrels_id, name),
        lambda: computed_values(store, leaderboard, [measure])[name],
        lambda values: SIZE_OF_VALUE * len(values),
    )


def some_values(
    store: Store, leaderboard: Leaderboard, measure: Measure, run_ids: Sequence[int]
) -> Values:
    """The figures of a measure for some runs of a leaderboard, computed only for these runs."""
    if is_stored(store, leaderboard, measure):
        return stored_values(store, leaderboard, measure)

    def compute(ids: list[int]) -> dict[int, float]:
        values = computed_values(store, leaderboard, [measure], ids)[str(measure)]
        return {run_id: values.get(run_id, np.nan) for run_id in ids}

    key = ("computed value", leaderboard.qrels_id, str(measure))
    kept = store.keep_each(key, run_ids, compute, lambda _: SIZE_OF_VALUE)
    return {run_id: value for run_id, value in kept.items() if not np.isnan(value)}


def computed_values(
    store: Store,
    leaderboard: Leaderboard,
    measures: Sequence[Measure],
    run_ids: Sequence[int] | None = None,
) -> dict[str, Values]:
    """The figures of measures for some or all runs, by canonical name, computed if not stored.

    A run is left out if the store lacks facts that the measure needs.
    """
    values: dict[str, Values] = {}
    for measure in measures:
        try:
            loaded = load_collection_values(
                store, leaderboard.collection, {str(measure): measure}, leaderboard.qrels, run_ids
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
    leaderboard: Leaderboard,
    sorting: Sorting,
    find: str = "",
    values: Values | None = None,
) -> list[LeaderboardRun]:
    """Put the runs of a leaderboard in an order, after an optional search.

    Runs without a value, or without an experiment, come last. Equal runs are sorted by name. `find`
    keeps only runs that match all of its words, ignoring case: a word is a part of the name of the
    run, engine or experiment, of a tag or of a parameter (`k1=0.9`), or it is a year, month or day
    (`2026-11-21`, UTC).
    `values` are the figures of the measure to sort by; None means the stored ones.
    """
    words, by = words_of(find), sorting.by
    every = kept_collection_runs(store, leaderboard.collection_id).values()
    runs = sorted((run for run in every if has_words(run, words)), key=lambda run: run.name)
    keys: Mapping[int, object]
    if isinstance(by, Measure):
        figures = stored_values(store, leaderboard, by) if values is None else values
        keys = {run_id: round(value * UNITS_PER_ONE) for run_id, value in figures.items()}
    else:
        facts = {run.id: getattr(run, NAMED_ORDERS[by]) for run in runs}
        keys = {run_id: fact for run_id, fact in facts.items() if fact is not None}
    having = [run for run in runs if run.id in keys]
    having.sort(key=lambda run: keys[run.id], reverse=sorting.descending)  # type: ignore[arg-type,return-value]  # of one kind
    return [*having, *(run for run in runs if run.id not in keys)]


def leaderboard_rows(
    store: Store,
    leaderboard: Leaderboard,
    lead: Measure,
    measures: Sequence[Measure],
    run_ids: Sequence[int],
    computed: Mapping[str, Values] | None = None,
) -> list[LeaderboardRow]:
    """Build rows for runs, with ranks by the measure `lead` and figures, in the order given.

    `computed` has, by canonical name, the figures of measures that are not stored for all runs.
    """
    runs = kept_collection_runs(store, leaderboard.collection_id)
    values = {
        str(measure): {
            **(computed or {}).get(str(measure), {}),
            **stored_values(store, leaderboard, measure),
        }
        for measure in (lead, *measures)
    }
    rank_of = _ranks(lead, values[str(lead)]) if has_ranks(lead) else {}
    return [
        LeaderboardRow(
            runs[run_id],
            rank_of.get(run_id),
            {name: of[run_id] for name, of in values.items() if run_id in of},
        )
        for run_id in run_ids
        if run_id in runs
    ]


def _ranks(lead: Measure, values: Values) -> dict[int, int]:
    """The ranks of all runs by their figures."""
    own = in_units(np.array(list(values.values()), np.float64))
    own = own if lead.descriptor.higher_is_better else -own
    return dict(zip(values, strict_ranks(own).tolist(), strict=True))


class Word(NamedTuple):
    """A search word: a part of a name, tag or parameter, ignoring case, or the span of a date."""

    text: str
    span: tuple[datetime, datetime] | None = None


def searched_texts(run: LeaderboardRun) -> tuple[str, ...]:
    """The texts of a run in which words are searched."""
    parameters = (f"{name[1:]}={value}" for name, value in flat("", run.parameters))
    return (run.name, run.engine, run.experiment or "", *run.tags, *parameters)


def has_words(run: LeaderboardRun, words: Sequence[Word]) -> bool:
    """Whether each word is in a text of a run, or is a span with the run's date."""
    texts = [text.casefold() for text in searched_texts(run)]
    return all(
        any(word.text in text for text in texts)
        or (word.span is not None and word.span[0] <= run.date < word.span[1])
        for word in words
    )


def words_of(find: str) -> tuple[Word, ...]:
    """Split a search text into words."""
    return tuple(
        Word(text.casefold(), span_of_date(text) if DATE.fullmatch(text) else None)
        for text in find.split()
    )


@dataclass(frozen=True)
class Coverage:
    """The share (0 to 1) of a run's top 10 that is judged, and the judged queries it answers.

    The share is over the judged queries; it is None if the run retrieved nothing for them.
    """

    judged: float | None
    answered: int


def coverage(store: Store, leaderboard: Leaderboard, run_ids: Sequence[int]) -> dict[int, Coverage]:
    """The coverage of runs of a leaderboard, by run id."""
    with store.read() as connection:
        judged = kept_judged_tops(store, connection, leaderboard.qrels_id, run_ids)
        answered = kept_answers(store, connection, leaderboard.qrels_id, run_ids)
    return {
        run: Coverage(None if np.isnan(judged[run]) else judged[run], answered[run])
        for run in run_ids
    }


def answered(store: Store, leaderboard: Leaderboard, run_ids: Sequence[int]) -> dict[int, int]:
    """The number of judged queries that each run of a leaderboard answers, by run id."""
    with store.read() as connection:
        return dict(kept_answers(store, connection, leaderboard.qrels_id, run_ids))


# The collections of a store, and the measures of their leaderboards


def run_counts(store: Store) -> Mapping[str, int]:
    """The number of active runs of each collection, by name in natural order."""

    def read() -> dict[str, int]:
        with store.read() as connection:
            rows = sorted(list_collections(connection), key=lambda row: natural(row.name))
        return {row.name: row.runs for row in rows}

    return store.keep(("run counts",), read, bytes_of)


def leaderboard_measures(
    store: Store, collection: str, qrels: str | None = None
) -> tuple[str, ...]:
    """The measures for which runs of a collection have aggregates, in the order of `in_order`."""

    def read() -> tuple[str, ...]:
        with store.read() as connection:
            _, chosen = kept_choice(store, collection, qrels)
            return in_order(list_aggregated_measures(connection, chosen.id))

    key = ("leaderboard measures", collection, qrels)
    return store.keep(key, read, bytes_of)


def in_order(names: set[str]) -> tuple[str, ...]:
    """Sort measures in the order of the registry, then by parameters and cutoff."""
    families = {name: position for position, name in enumerate(own_measures())}

    def key(name: str) -> tuple[int, str, float, str]:
        try:
            measure = parse(name)
        except MeasureError:  # stored by a version with more measures
            return len(families), name, 0.0, name
        family = families.get(measure.name, len(families))
        return family, str(measure.parameters), measure.cutoff or 0, name

    return tuple(sorted(names, key=key))


# Search of a store: runs and queries of all collections whose names or texts match a text

MOST = 8
"""The most results of a kind."""

EXACT, BEGINNING, WORD, INSIDE, ELSEWHERE = range(5)
"""The ways in which a text matches names, the best first: it is one of them, one begins with it,
a word begins with it, one contains it; or its words are in several names or facts."""


class FoundRun(NamedTuple):
    """A run that matches; `about` has its engine, and the facts that contain words of the text."""

    match: int
    collection: str
    name: str
    about: tuple[str, ...]


class FoundQuery(NamedTuple):
    """A query that matches by its id or text; `text` is None if unknown."""

    match: int
    collection: str
    qid: str
    text: str | None


def match_of(text: str, *names: str) -> int | None:
    """The quality of a text's match with names; None if a word of it is in none of them."""
    wanted, texts = text.casefold().strip(), [name.casefold() for name in names]
    if any(name == wanted for name in texts):
        return EXACT
    if any(name.startswith(wanted) for name in texts):
        return BEGINNING
    holding = [name for name in texts if wanted in name]
    if any(re.search(rf"\b{re.escape(wanted)}|_{re.escape(wanted)}", name) for name in holding):
        return WORD
    if holding:
        return INSIDE
    has_all = all(any(word in name for name in texts) for word in wanted.split())
    return ELSEWHERE if has_all else None


def find_runs(store: Store, text: str, first: str | None = None) -> list[FoundRun]:
    """The runs that a text matches, the best first; of equal ones, those of collection `first`.

    The text is searched in the same names, tags, parameters and dates as on a leaderboard.
    """
    words = words_of(text)
    found = []
    for collection in run_counts(store) if words else ():
        runs = kept_collection_runs(store, kept_collection(store, collection).id)
        for run in runs.values():
            if has_words(run, words):
                match = match_of(text, run.name)
                found.append((ELSEWHERE if match is None else match, collection, run))
    found.sort(key=lambda one: (one[0], one[1] != first, natural(one[1]), natural(one[2].name)))
    return [
        FoundRun(match, collection, run.name, (run.engine, *_facts_with(run, words)))
        for match, collection, run in found[:MOST]
    ]


def _facts_with(run: LeaderboardRun, words: Sequence[Word]) -> Iterator[str]:
    """The facts of a run, other than its name and engine, that contain a word."""
    for text in searched_texts(run):
        if text not in (run.name, run.engine) and any(w.text in text.casefold() for w in words):
            yield text


def find_queries(store: Store, text: str, first: str | None = None) -> list[FoundQuery]:
    """The queries that a text matches, the best first; of equal ones, those of collection `first`.

    Each word must be in the id or in the text.
    """
    if not text.strip():
        return []
    with store.read() as connection:
        rows = search_queries(connection, text, first, MOST)
    found = [
        FoundQuery(ELSEWHERE if match is None else match, *row)
        for row in rows
        for match in [match_of(text, row.qid, row.text or "")]
    ]
    return sorted(found, key=lambda one: (one.match, one.collection != first))
