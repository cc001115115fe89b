"""The leaderboard of a collection, exported in any format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evalstore.comparison.collection_values import CollectionValues, load_collection_values
from evalstore.errors import DataError
from evalstore.leaderboard.baseline_tests import BaselineTests, baseline_tests
from evalstore.leaderboard.ranks import LeaderboardRanks, RankSettings, leaderboard_ranks, to_dict
from evalstore.leaderboard.table import Details, leaderboard_table, notes
from evalstore.measures import Measure, parse
from evalstore.store import Store
from evalstore.tables.table import Export, Figure


def leaderboard_export(
    store: Store,
    collection: str,
    measures: Mapping[str, Measure],
    qrels: str | None = None,
    settings: RankSettings | None = None,
    details: Details | None = None,
) -> Export:
    """The leaderboard of a collection for any format; nothing is written to the store.

    Args:
        store: where the runs are.
        collection: its name.
        measures: by the names they are shown by; the first one orders the runs.
        qrels: the name of the judgments; the default ones of the collection where None.
        settings: how runs are tested.
        details: what the table shows beside the figures.

    Raises:
        NotFound: there is no such collection, qrels or baseline.
        MeasureError: facts that a measure needs are stored for none of the runs.
        DataError: the baseline has no figures, or the test takes none.
    """
    settings, details = settings or RankSettings(), details or Details()
    if details.baseline is not None and settings.test != "t":
        raise DataError(
            f"the test {settings.test!r} is of all pairs of runs; against a baseline use 't'"
        )
    no_baseline = details.no_baseline or settings.test != "t"
    ranks = leaderboard_ranks(
        store,
        collection,
        measures,
        qrels,
        settings,
        baseline=details.baseline,
        no_baseline=no_baseline,
    )
    baseline = ranks.baseline
    if details.baseline is not None and baseline is None:
        raise DataError(
            f"the baseline {details.baseline!r} was never evaluated under qrels {ranks.qrels!r}"
        )
    if baseline is not None and details.baseline is None and not _has_values(ranks, baseline.id):
        baseline = None
    values = None
    if baseline is not None or details.per_query:
        values = load_collection_values(store, collection, measures, ranks.qrels)
    tests = None
    if baseline is not None and values is not None:
        tests = baseline_tests(values, ranks, baseline.id, baseline.name)
    document = to_dict(ranks)
    if tests is None:
        document["baseline"] = None
    else:
        document["baseline"] = _baseline_document(ranks, tests)
    figures = _figures(ranks, values if details.per_query else None)
    table = leaderboard_table(ranks, details, tests)
    return Export(table, document, tuple(figures), notes(ranks))


def _has_values(ranks: LeaderboardRanks, run_id: int) -> bool:
    """Whether a run has a figure of every measure."""
    return all(run_id in {run.run_id for run in measure.runs} for measure in ranks.measures)


def _baseline_document(ranks: LeaderboardRanks, tests: BaselineTests) -> dict[str, object]:
    """The tests against the baseline as JSON has them: by measure, then by the name of the run."""
    names = {run.run_id: run.run for measure in ranks.measures for run in measure.runs}
    return {
        "run": tests.name,
        "test": "t",
        "correction": "holm",
        "comparisons": tests.comparisons,
        "p_corrected": {
            measure: {names[run_id]: p for run_id, p in by_run.items()}
            for measure, by_run in tests.p_corrected.items()
        },
    }


def _figures(ranks: LeaderboardRanks, values: CollectionValues | None) -> Iterator[Figure]:
    """The figures of every run and measure; with `values` also those of every query."""
    names = {run.run_id: run.run for measure in ranks.measures for run in measure.runs}
    by_measure = [
        (measure, {run.run_id: run.value for run in measure.runs}, parse(measure.canonical))
        for measure in ranks.measures
    ]
    for run_id, name in names.items():
        for measure, figures, parsed in by_measure:
            if run_id not in figures:
                continue
            counts = parsed.descriptor.counts
            if values is not None:
                of = values.measures[measure.measure]
                column = [run.id for run in of.runs].index(run_id)
                for qid, value in zip(values.qids, of.values[:, column].tolist(), strict=True):
                    yield Figure(name, measure.measure, qid, value, counts)
            yield Figure(name, measure.measure, None, figures[run_id], counts)
