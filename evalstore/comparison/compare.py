"""Compare stored runs, from their names to the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalstore.catalog.conditions import Condition
from evalstore.comparison.baselines import with_named_baseline, with_stored_baseline
from evalstore.comparison.comparability import pairs_of
from evalstore.comparison.loading import (
    LoadedRuns,
    RunsToCompare,
    compare_loaded,
    restrict,
    with_note,
)
from evalstore.comparison.significance import Compared, Settings
from evalstore.comparison.stored_runs import load_stored_runs
from evalstore.errors import DataError
from evalstore.measures import Measure
from evalstore.store import Store


def compare_stored(
    store: Store,
    runs: Sequence[str],
    measures: Mapping[str, Measure],
    *,
    collection: str | None = None,
    qrels: str | None = None,
    baseline: str | None = None,
    no_baseline: bool = False,
    where: Sequence[Condition] = (),
    settings: Settings | None = None,
    most_differences: int | None = None,
) -> Compared:
    """Compare stored runs; nothing is written.

    Args:
        store: where the runs are.
        runs: names or ids; one is compared with the baseline of its collection.
        measures: by the names they are shown by; those that are not stored are computed.
        collection: the name of their collection, where several have runs of these names.
        qrels: the judgments, as in `load_stored_runs`.
        baseline: the run that all others are compared with; where None that of the collection, as
            in `with_stored_baseline`.
        no_baseline: whether the collection's baseline is not to be used.
        where: conditions on attributes of the queries that are compared.
        settings: how.
        most_differences: a limit of pairs x measures x queries; None for no limit.

    Raises:
        NotFound: a run or qrels that the store does not hold.
        DataError: less than two runs, no measure, no query for which the conditions hold, or more
            differences than the limit.
    """
    if baseline is not None:
        chosen = with_named_baseline(store, runs, baseline, collection)
    elif no_baseline:
        chosen = RunsToCompare(tuple(runs), None, collection)
    else:
        chosen = with_stored_baseline(store, runs, collection)
    loaded = load_stored_runs(
        store, chosen.runs, measures, collection=chosen.collection, qrels=qrels
    )
    loaded = restrict(with_note(loaded, chosen.note), where)
    if most_differences is not None and loaded.runs:
        _check_size(loaded, measures, chosen.baseline, most_differences)
    return compare_loaded(loaded, measures, chosen.baseline, settings)


def _check_size(
    loaded: LoadedRuns, measures: Mapping[str, Measure], baseline: int | None, most: int
) -> None:
    pairs, queries = len(pairs_of(len(loaded.runs), baseline)), len(loaded.runs[0].qids)
    if pairs * len(measures) * queries > most:
        raise DataError(
            f"this comparison has {pairs:,} pairs x {len(measures):,} measures x {queries:,} "
            f"queries, of {most:,} at most: name fewer runs, or a baseline for all others"
        )
