"""Lists of stored runs: filtered, sorted, with figures that are computed if not stored."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import inf
from typing import Any, Literal

from evalstore.catalog.chosen_qrels import kept_choice, kept_collection
from evalstore.catalog.given_facts import flat
from evalstore.catalog.names import Condition, as_number, date_span, listed, natural
from evalstore.comparison.cached import kept_qrels
from evalstore.errors import DataError, MeasureError, NotFound, did_you_mean
from evalstore.evaluation.measure import compute_values
from evalstore.formats.reading.source import quoted
from evalstore.leaderboard.positions import run_counts
from evalstore.measures import Measure, parse
from evalstore.store import Store
from evalstore.store.queries.evaluations import list_evaluations
from evalstore.store.queries.facts import list_values
from evalstore.store.queries.leaderboard import (
    count_judged_queries,
    list_figures,
    list_leaderboard_runs,
)

LISTED = (
    *("id", "collection", "engine", "run", "experiment", "date", "queries", "answered"),
    *("tags", "values_only", "date_is", "stored_at", "qrels"),
)
"""The attributes of a `ListedRun` that can be a column."""

FACTS = ("id", "collection", "engine", "run", "experiment", "date", "queries", "answered")
"""The columns, other than measures, that a list can be sorted by."""


@dataclass(frozen=True)
class ListedRun:
    """A run and its figures under one qrels, over all queries of the qrels, answered or not.

    The date (UTC) is when its engine started, or else when the run was stored: `date_is` says
    which. `values` are by canonical name. For a run that was imported as values, measures that are
    not stored are missing. `columns` are the facts that `Choice.columns` names, None for those that
    the run does not have.
    """

    id: int
    collection: str
    engine: str
    run: str
    experiment: str | None
    date: datetime
    date_is: Literal["started", "stored"]
    stored_at: datetime
    queries: int
    answered: int
    tags: tuple[str, ...]
    qrels: str
    values: dict[str, float]
    values_only: bool = False
    columns: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """Conditions on the runs to list; None means no condition.

    `where` has conditions on facts (`fulfil`); `find` has words to look for in names, tags, note,
    parameters or header. Runs have a date from `since` on and before `until`, in UTC; `limit` keeps
    the first runs of the requested order. `columns` are names of facts to list, like `k1` or
    `commit` (`values_by_name`).
    """

    collection: str | None = None
    qrels: str | None = None
    engine: str | None = None
    experiment: str | None = None
    tag: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    where: tuple[Condition, ...] = ()
    find: str | None = None
    limit: int | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Columns:
    """The columns of a list of runs, by the names that a user gave them.

    A name is one of `LISTED`, else a measure, else a fact (`values_by_name`).
    """

    names: tuple[str, ...]
    measures: dict[str, Measure]

    @property
    def facts(self) -> tuple[str, ...]:
        """The names of facts, for `Choice.columns`."""
        return tuple(n for n in self.names if n not in LISTED and n not in self.measures)

    def row(self, run: ListedRun) -> list[Any]:
        """The values of a run; None for what it does not have."""
        return [
            getattr(run, name)
            if name in LISTED
            else run.values.get(str(self.measures[name]))
            if name in self.measures
            else run.columns.get(name)
            for name in self.names
        ]


def read_columns(names: Iterable[str]) -> Columns:
    """The columns with these names; DataError without any."""
    each = tuple(dict.fromkeys(filter(None, map(str.strip, names))))
    if not each:
        raise DataError("name a column, like k1, commit or AP")
    measures = {}
    for name in each:
        if name not in LISTED:
            with suppress(MeasureError):
                measures[name] = parse(name)
    return Columns(each, measures)


def list_runs(
    store: Store, measures: Sequence[Measure], choice: Choice, sort: str | None = None
) -> list[ListedRun]:
    """List the chosen runs with the aggregate of each measure; nothing is written.

    Aggregates that are not stored are computed for the listed runs only; a run without the facts
    that a measure needs has no value of it. Runs are ordered by collection, engine and name in
    natural order (`run2` before `run10`), or by `sort`: one of `FACTS` or of the chosen columns, or
    a measure, the best first; a leading - reverses the order. Runs without a value come last.
    NotFound if the choice names something that no run has, MeasureError for an unknown measure to
    sort by, or if all runs lack facts that a measure needs.
    """
    runs = sorted_runs(store, measures, choice, sort)
    return with_values(store, runs[: choice.limit], measures)


def sorted_runs(
    store: Store, measures: Sequence[Measure], choice: Choice, sort: str | None = None
) -> list[ListedRun]:
    """All the chosen runs in the order of `list_runs`, with the stored aggregates.

    Only aggregates of the measure to sort by are computed; `Choice.limit` is ignored.
    """
    names = [str(measure) for measure in measures]
    runs = sorted(_chosen(store, names, choice), key=_by_name)
    turned = sort is not None and sort.startswith("-")
    by = (sort or "").removeprefix("-")
    if by in FACTS or by in choice.columns:
        return _sorted_by_fact(runs, by, turned)
    if by:
        measure = parse(by)
        runs = with_values(store, runs, [measure])
        best_first = measure.descriptor.higher_is_better is not False
        sign = -1 if best_first != turned else 1
        return sorted(runs, key=lambda run: sign * run.values.get(str(measure), sign * inf))
    return runs


def _chosen(store: Store, measures: Sequence[str], choice: Choice) -> list[ListedRun]:
    runs = _all(store, measures, choice)
    for kind in ("engine", "experiment", "tag"):
        wanted = getattr(choice, kind)
        if wanted is None:
            continue
        names = {name for run in runs for name in _names(run, kind)}
        if wanted not in names:
            raise NotFound(f"no run has the {kind} {wanted!r}{did_you_mean(wanted, names)}")
        runs = [run for run in runs if wanted in _names(run, kind)]
    runs = [
        run
        for run in runs
        if (choice.since is None or run.date >= choice.since)
        and (choice.until is None or run.date < choice.until)
    ]
    return _searched(store, runs, choice) if choice.where or choice.find or choice.columns else runs


def _searched(store: Store, runs: list[ListedRun], choice: Choice) -> list[ListedRun]:
    """The runs that fulfil the conditions and contain the words, with the facts of `columns`."""
    with store.read() as connection:
        recorded = list_values(connection)
    names = ("run", "collection", "engine", "experiment", "date", "stored_at")
    facts = {
        run.id: {**{name: getattr(run, name) for name in names}, **recorded.get(run.id, {})}
        for run in runs
    }
    chosen = set(facts)
    values = {run: values_by_name(own) for run, own in facts.items()}
    if choice.where and facts:
        chosen &= set(fulfil(choice.where, values))
    if choice.find:
        chosen &= set(mention(choice.find, facts))
    for name in choice.columns if facts else ():
        _check_known(name, values)
    return [
        replace(run, columns={name: _one_value(values[run.id], name) for name in choice.columns})
        for run in runs
        if run.id in chosen
    ]


def _one_value(values: Values, name: str) -> Any:
    """The value of a fact: several are joined by commas, and times are texts in ISO 8601."""
    each = values.get(name, ())
    if len(each) > 1:
        return ", ".join(map(as_text, each))
    return next((as_text(one) if isinstance(one, datetime) else one for one in each), None)


def _names(run: ListedRun, kind: str) -> tuple[str, ...]:
    if kind == "tag":
        return run.tags
    name = getattr(run, kind)
    return () if name is None else (name,)


def _all(store: Store, measures: Sequence[str], choice: Choice) -> list[ListedRun]:
    qrels_of = {
        name: [qrels.name for qrels in kept_collection(store, name).qrels]
        for name in run_counts(store)
    }
    if choice.collection is None:
        names = [n for n, q in qrels_of.items() if q and choice.qrels in (None, *q)]
        every = {name for qrels in qrels_of.values() for name in qrels}
        if choice.qrels is not None and not names:
            raise NotFound(
                f"no collection has qrels {choice.qrels!r}{did_you_mean(choice.qrels, every)}"
            )
    elif choice.collection in qrels_of:
        names = [choice.collection]
    else:
        raise NotFound(
            f"there is no collection {choice.collection!r} in the store"
            f"{did_you_mean(choice.collection, qrels_of)}"
        )
    return [run for name in names for run in _of_collection(store, name, measures, choice.qrels)]


def _of_collection(
    store: Store, collection: str, measures: Sequence[str], qrels: str | None
) -> list[ListedRun]:
    """The active runs of a collection with the stored aggregates of some measures."""
    with store.read() as connection:
        collection_id, chosen = kept_choice(store, collection, qrels)
        runs = list_leaderboard_runs(connection, collection_id)
        figures = list_figures(connection, chosen.id, measures)
        queries = count_judged_queries(connection, chosen.id)
    return [
        ListedRun(
            id=run.id,
            collection=collection,
            engine=run.engine,
            run=run.name,
            experiment=run.experiment or None,
            date=run.date,
            date_is=run.date_is,
            stored_at=run.created_at,
            queries=queries,
            answered=run.queries,
            tags=run.tags,
            qrels=chosen.name,
            values={name: of[run.id] for name, of in figures.items() if run.id in of},
            values_only=run.values_only,
        )
        for run in runs
    ]


def with_values(
    store: Store, runs: list[ListedRun], measures: Sequence[Measure]
) -> list[ListedRun]:
    """Compute the missing values of runs; MeasureError if all runs lack the facts for a measure."""
    lacking = [m for m in measures if any(str(m) not in run.values for run in runs)]
    ids = [
        run.id
        for run in runs
        if not run.values_only and any(str(m) not in run.values for m in lacking)
    ]
    if not ids:
        return runs
    figures: dict[int, Mapping[str, float]] = {}
    errors: dict[str, DataError] = {}
    qrels_of = {run.id: run.qrels for run in runs}
    with store.read() as connection:
        for evaluation in list_evaluations(connection, ids, None):
            if evaluation.qrels.name == qrels_of[evaluation.run.id]:
                qrels = kept_qrels(store, evaluation.qrels)
                computed = compute_values(connection, evaluation, qrels, lacking)
                figures[evaluation.run.id] = computed.rows.aggregates
                errors.update(computed.lacking)
    completed = [replace(run, values={**figures.get(run.id, {}), **run.values}) for run in runs]
    for name, error in errors.items():
        if not any(name in run.values for run in completed):
            raise error
    return completed


def _sorted_by_fact(runs: list[ListedRun], fact: str, turned: bool) -> list[ListedRun]:
    """The runs in the order of a fact, numbers before texts; those without it come last."""

    def value_of(run: ListedRun) -> Any:
        return getattr(run, fact) if fact in FACTS else run.columns.get(fact)

    def key(run: ListedRun) -> tuple[object, ...]:
        value = value_of(run)
        is_text = not isinstance(value, int | float | datetime)
        return is_text, natural(as_text(value)) if is_text else value

    having = [run for run in runs if value_of(run) is not None]
    lacking = [run for run in runs if value_of(run) is None]
    return [*sorted(having, key=key, reverse=turned), *lacking]


def _by_name(run: ListedRun) -> tuple[object, ...]:
    return natural(run.collection), natural(run.engine), natural(run.run)


# Conditions on facts, and search for words in them

PARAMETERS = "parameters."
LIST_NUMBER = re.compile(r"\.[0-9]+(?=\.|$)")

READ = (
    *("run", "collection", "engine", "experiment", "tag", "tags", "note", "commit", "command"),
    *("parameters", "header"),
)
"""The facts that are searched for words."""

Facts = Mapping[str, Any]
"""The facts of a run, by the names that `evalstore runs show` prints."""
Values = Mapping[str, Sequence[Any]]
"""The single values that a run has under each name."""


def values_by_name(facts: Facts) -> dict[str, list[Any]]:
    """The single values in the facts of a run; names of nested facts are joined by dots.

    A parameter also has its own name if no fact has it: `k1` as well as `parameters.k1`. The parts
    of a list also have the name of the list: `header.method.retrieval.name` has the names of all
    stages, `header.method.retrieval.1.name` that of the first.
    """
    values: dict[str, list[Any]] = defaultdict(list)
    for fact, value in facts.items():
        for name, leaf in flat(fact, value):
            parts = [part for part in _parts(leaf) if part is not None]
            if parts:
                for each in {name, LIST_NUMBER.sub("", name)}:
                    values[each] += parts
    for name in [name for name in values if name.startswith(PARAMETERS)]:
        values.setdefault(name.removeprefix(PARAMETERS), values[name])
    return dict(values)


def _parts(leaf: Any) -> Iterable[Any]:
    if isinstance(leaf, list | tuple):
        return leaf
    return () if isinstance(leaf, Mapping) else (leaf,)  # an empty mapping has no values


def fulfil(conditions: Sequence[Condition], runs: Mapping[int, Values]) -> list[int]:
    """The runs for which all conditions hold; conditions use the names of `values_by_name`.

    A condition holds for a run if it holds for one of the run's values with that name; `!=` holds
    if `=` does not. Numbers are compared as numbers, so 1 equals 1.0, and times with dates
    (`catalog.names.DATES`); everything else is compared as text. NotFound if no run has the fact,
    or none has the value that `=` or `!=` names.
    """
    for condition in conditions:
        _check(condition, runs)
    return [
        run
        for run, values in runs.items()
        if all(_holds(condition, values.get(condition.name, ())) for condition in conditions)
    ]


def mention(text: str, runs: Mapping[int, Facts]) -> list[int]:
    """The runs that have every word of a text, each somewhere in the facts of `READ`.

    Names of parameters and keys of the header are searched too. A word may be part of a longer one.
    Case and the Unicode composition of characters do not matter.
    """
    words = _folded(text).split()
    texts = {run: _folded("\n".join(_texts(facts))) for run, facts in runs.items()}
    return [run for run, text in texts.items() if all(word in text for word in words)]


def as_text(value: object) -> str:
    """The text of a value in conditions: `true`, `0.9`, a time in ISO 8601, or the text itself."""
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _holds(condition: Condition, values: Sequence[Any]) -> bool:
    times = [value for value in values if isinstance(value, datetime)]
    if times:
        return all(map(condition.holds_at, times))
    if condition.operator == "!=":
        return not any(_equal(value, condition.value) for value in values)
    if condition.operator == "=":
        return any(_equal(value, condition.value) for value in values)
    return any(condition.holds(as_text(value)) for value in values)


def _equal(value: object, text: str) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value == as_number(text)
    return as_text(value) == text


def _check(condition: Condition, runs: Mapping[int, Values]) -> None:
    """Refuse a condition with a name or value that no run has: it is probably mistyped."""
    values = _check_known(condition.name, runs)
    if isinstance(values[0], datetime):
        date_span(condition.name, condition.value)
    elif condition.operator in ("=", "!=") and not any(
        _equal(value, condition.value) for value in values
    ):
        texts = sorted(set(map(as_text, values)), key=natural)
        raise NotFound(
            f"no run has {quoted(f'{condition.name}={condition.value}')}"
            f"{did_you_mean(condition.value, texts)}; "
            f"the values of {quoted(condition.name)} are {listed(texts)}"
        )


def _check_known(name: str, runs: Mapping[int, Values]) -> list[Any]:
    """All values of a fact; NotFound if no run has it."""
    values = [value for run in runs.values() for value in run.get(name, ())]
    if not values:
        names = sorted({name for run in runs.values() for name in run}, key=natural)
        known = f"; known: {listed(names)}" if names else ""
        suggestion = did_you_mean(name, names)
        raise NotFound(f"no run has the fact {quoted(name)}{suggestion or known}")
    return values


def _texts(facts: Facts) -> Iterator[str]:
    for fact in READ:
        for name, leaf in flat("", facts.get(fact)):
            yield name
            yield from (as_text(part) for part in _parts(leaf) if part is not None)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
