"""The luck of a compared run that is the best of several runs of its engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from sqlalchemy import Connection

from evalstore.comparison.cached import JudgedQueries, kept_values
from evalstore.comparison.comparability import F64, RunValues
from evalstore.measures import Measure
from evalstore.measures.evaluate import is_of_means
from evalstore.stats import luck_of_best
from evalstore.stats.inputs import UNITS_PER_ONE
from evalstore.store import Store
from evalstore.store.queries.runs import Setting, list_settings
from evalstore.tables.table import written_size

LEAST_SETTINGS = 3
"""The fewest runs of an engine of which the best counts as chosen."""

MOST_VALUES = 2_000_000
"""The most values of a measure that are read for a note; above, there is none."""


@dataclass(frozen=True, eq=False)
class OtherSettings:
    """The other settings of a run's engine: its active runs under the same qrels and rules.

    Attributes:
        qids: the judged queries, in byte order.
        values: by measure, float64, queries x runs; NaN if a value is not stored.
    """

    engine: str
    qids: tuple[str, ...]
    values: Mapping[str, F64] = field(repr=False)


LoadSettings = Callable[[Mapping[str, Measure]], Mapping[str, OtherSettings]]
"""Reads the other settings of compared runs, by run name, with their values of some measures."""


def load_settings(
    store: Store,
    connection: Connection,
    qrels_id: int,
    judged: JudgedQueries,
    runs: Mapping[str, int],
    measures: Mapping[str, Measure],
) -> dict[str, OtherSettings]:
    """The other settings of runs, given as ids by name; runs with fewer than two are left out."""
    rows = list_settings(connection, qrels_id, set(runs.values()))
    by_id = {row.run_id: row for row in rows}
    others = {name: _others(by_id[id_], rows) for name, id_ in runs.items() if id_ in by_id}
    others = {name: of for name, of in others.items() if len(of) + 1 >= LEAST_SETTINGS}
    column: dict[int, int] = {}
    for row in (row for of in others.values() for row in of):
        column.setdefault(row.evaluation_id, len(column))
    if len(column) * len(judged.qids) > MOST_VALUES:
        return {}
    replaceable = any(row.values_only for row in rows)
    tables = {
        name: kept_values(
            store, connection, qrels_id, judged.ids, measure, column, replaceable=replaceable
        )
        for name, measure in measures.items()
    }
    found = {}
    for name, of in others.items():
        columns = [column[row.evaluation_id] for row in of]
        values = {measure: table[:, columns] for measure, table in tables.items()}
        found[name] = OtherSettings(of[0].engine, judged.qids, values)
    return found


def _others(run: Setting, rows: Sequence[Setting]) -> list[Setting]:
    """The other runs of the run's engine, by the same rules; none if all parameters are equal."""
    own = [row for row in rows if (row.engine_id, row.compat) == (run.engine_id, run.compat)]
    if run.parameters and all(row.parameters == run.parameters for row in own):
        return []
    return [row for row in own if row.run_id != run.run_id]


def notes_on_choice(
    load: LoadSettings | None, runs: Sequence[RunValues], measures: Mapping[str, Measure]
) -> tuple[str, ...]:
    """Sentences on compared runs that are the best of three settings of their engine or more.

    They are over the queries of `runs`, and on measures whose figure is a mean of all queries.
    """
    means = {name: measure for name, measure in measures.items() if _is_mean(measure)}
    if load is None or not means:
        return ()
    settings = load(means)
    return tuple(
        note
        for run in runs
        if run.name in settings
        for note in _notes_on_run(run, settings[run.name], means)
    )


def _is_mean(measure: Measure) -> bool:
    descriptor = measure.descriptor
    return (
        is_of_means(measure)
        and descriptor.aggregate != "sum"
        and descriptor.weigh is None
        and not descriptor.of_run
        and descriptor.higher_is_better is not None
    )


def _notes_on_run(
    run: RunValues, others: OtherSettings, measures: Mapping[str, Measure]
) -> Iterator[str]:
    """A sentence for each number of settings that have values, with the measures that have it."""
    wanted = frozenset(run.qids)
    rows = np.array([qid in wanted for qid in others.qids], bool)
    luck: dict[int, dict[str, float]] = {}
    for name, measure in measures.items():
        table = np.column_stack([run.values[name], others.values[name][rows]])
        table = table[:, ~np.isnan(table).any(axis=0)]
        is_known = not np.isnan(run.values[name]).any()
        if is_known and table.shape[1] >= LEAST_SETTINGS and _is_first_best(table, measure):
            by_luck = luck_of_best(table)
            if 1 / UNITS_PER_ONE <= by_luck < np.inf:
                luck.setdefault(table.shape[1], {})[name] = by_luck
    for number, of in luck.items():
        yield (
            f"{run.name} is the best of {number:,} runs of engine {others.engine} on "
            f"{' and '.join(of)}: of {number:,} equal settings the best leads their mean by "
            f"{' and '.join(map(written_size, of.values()))} by luck alone; choose on other "
            "queries (a holdout)"
        )


def _is_first_best(table: F64, measure: Measure) -> bool:
    """Whether no column has a better mean than the first, rounded to 1e-9."""
    means = np.rint(table.mean(axis=0) * UNITS_PER_ONE)
    return bool(means[0] == (means.max() if measure.descriptor.higher_is_better else means.min()))
