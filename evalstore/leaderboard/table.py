"""The table of a leaderboard (runs x measures) with claims about its runs, and its export."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from evalstore.catalog.names import listed
from evalstore.comparison.claims import TEST_NAMES
from evalstore.comparison.collection_values import CollectionValues, load_collection_values
from evalstore.errors import DataError
from evalstore.leaderboard.ranks import (
    LeaderboardRanks,
    MeasureRanks,
    RankedRun,
    RankSettings,
    leaderboard_ranks,
    named_test,
    sentences,
    to_dict,
)
from evalstore.measures import Measure, parse
from evalstore.store import Store
from evalstore.tables.renderers import Format, export_text
from evalstore.tables.table import Column, Export, Figure, Table, Value, best

BETTER, WORSE = "†", "‡"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Details:
    """The optional parts of a leaderboard table, beside runs and measures.

    The baseline (a name, or an id as text) is tested against all others. None means the baseline of
    the collection, unless `no_baseline` is set. Without a baseline, all pairs are tested. Intervals
    are of the rank by the first measure.
    """

    baseline: str | None = None
    groups: bool = False
    intervals: bool = False
    judged: bool = False
    per_query: bool = False
    no_baseline: bool = False


@dataclass(frozen=True)
class _Filled:
    """A column with its values, and the rows in which they are bold or marked."""

    column: Column
    values: Sequence[Value]
    best: Collection[int] = ()
    marks: Mapping[int, str] = field(default_factory=dict)


def leaderboard_table(ranks: LeaderboardRanks, details: Details) -> Table:
    """One row per run, in the order of the first measure, and one column per measure.

    The best figures of every measure are bold. Unless there are columns of rank groups,
    superscripts name the runs that a run beats: those below it that share no rank group with it.
    With a baseline, marks say whether the run is better or worse than the baseline.
    """
    runs = list({run.run_id: run for measure in ranks.measures for run in measure.runs}.values())
    letters = _letters(ranks, runs) if ranks.baseline is None and not details.groups else {}
    filled = [
        *(_rank_columns(ranks, runs) if details.intervals else ()),
        *_name_columns(runs, letters),
        *(
            column
            for measure in ranks.measures
            for column in _measure_columns(measure, runs, letters, details)
        ),
        *(_judged_columns(runs) if details.judged else ()),
    ]
    return Table(
        columns=tuple(one.column for one in filled),
        rows=tuple(zip(*(one.values for one in filled), strict=True)),
        title=(
            f"{listed([measure.measure for measure in ranks.measures])} of "
            f"{len(runs):,} run{'s' * (len(runs) != 1)} on {ranks.collection}: judgments "
            f"{ranks.qrels}, {ranks.queries:,} quer{'y' if ranks.queries == 1 else 'ies'}"
        ),
        label=f"leaderboard {ranks.collection}",
        caption=tuple(_caption(ranks, details, letters)),
        notes=tuple(f"Note: {note}" for note in ranks.every_note),
        best=frozenset((row, at) for at, one in enumerate(filled) for row in one.best),
        marks={(row, at): mark for at, one in enumerate(filled) for row, mark in one.marks.items()},
    )


def _rank_columns(ranks: LeaderboardRanks, runs: Sequence[RankedRun]) -> Iterator[_Filled]:
    """The rank by the first measure and its interval: numbers in files, a text in documents."""
    ranked = {run.run_id: run for run in ranks.measures[0].runs}
    first = [ranked.get(run.run_id) for run in runs]
    yield _Filled(Column("rank", "rank"), [None if run is None else run.rank for run in first])
    lows = [None if run is None else run.rank_low for run in first]
    highs = [None if run is None else run.rank_high for run in first]
    yield _Filled(Column("rank_low", None), lows)
    yield _Filled(Column("rank_high", None), highs)
    ends = [
        None if low is None or high is None else f"{low} to {high}"
        for low, high in zip(lows, highs, strict=True)
    ]
    heading = f"{100 * (1 - ranks.settings.alpha):g} % interval"
    yield _Filled(Column(None, heading, "text"), ends)


def _name_columns(runs: Sequence[RankedRun], letters: Mapping[int, str]) -> Iterator[_Filled]:
    """Engine, run and letter; documents leave out engines if all are named as their runs."""
    heading = None if all(run.engine == run.run for run in runs) else "engine"
    yield _Filled(Column("engine", heading, "text"), [run.engine for run in runs])
    yield _Filled(Column("run", "run", "text"), [run.run for run in runs])
    if letters:
        yield _Filled(Column(None, "", "text"), [letters[run.run_id] for run in runs])


def _measure_columns(
    measure: MeasureRanks,
    runs: Sequence[RankedRun],
    letters: Mapping[int, str],
    details: Details,
) -> Iterator[_Filled]:
    """The figures of a measure, and the columns beside them."""
    ranked = {run.run_id: run for run in measure.runs}
    here = [ranked.get(run.run_id) for run in runs]
    counts = parse(measure.canonical).descriptor.counts
    values = [None if run is None else int(run.value) if counts else run.value for run in here]
    higher_is_better = {1: True, -1: False, 0: None}[measure.direction]
    superscripts = _superscripts(measure, letters)
    marks = {row: superscripts.get(run.run_id, "") for row, run in enumerate(runs)}
    column = Column(measure.measure, measure.measure)
    yield _Filled(column, values, best(values, higher_is_better), marks)
    if details.groups:
        groups = [None if run is None else run.rank_group for run in here]
        yield _Filled(
            Column(f"{measure.measure} rank_group", f"{measure.measure} group", "text"), groups
        )
    if measure.family:
        p = [None if run is None else run.p_corrected for run in here]
        yield _Filled(Column(f"{measure.measure} p_corrected", None, "p"), p)
        verdicts = [None if run is None else run.verdict for run in here]
        yield _Filled(Column(f"{measure.measure} verdict", None, "text"), verdicts)


def _judged_columns(runs: Sequence[RankedRun]) -> Iterator[_Filled]:
    """The share of the top 10 that is judged: a number in files, a percentage in documents."""
    shares = [run.judged_top_10 for run in runs]
    yield _Filled(Column("judged_top_10", None), shares)
    percents = [None if share is None else f"{100 * share:.0f} %" for share in shares]
    yield _Filled(Column(None, "judged in the top 10", "text"), percents)


def _letters(ranks: LeaderboardRanks, runs: Sequence[RankedRun]) -> dict[int, str]:
    """A letter for each run, by run id; empty if nothing is tested or there are too many runs."""
    tested = any(measure.not_separated is not None for measure in ranks.measures)
    if not tested or not 2 <= len(runs) <= len(LETTERS):
        return {}
    return {run.run_id: letter for run, letter in zip(runs, LETTERS, strict=False)}


def _superscripts(measure: MeasureRanks, letters: Mapping[int, str]) -> dict[int, str]:
    """The superscripts of every run, by run id."""
    if measure.family:
        marks = {"better": BETTER, "worse": WORSE}
        return {run.run_id: marks[run.verdict] for run in measure.runs if run.verdict in marks}
    if not letters or measure.not_separated is None:
        return {}
    return {
        run.run_id: "".join(
            sorted(
                letters[other.run_id]
                for other in measure.runs[position + 1 :]
                if not set(run.rank_group) & set(other.rank_group)
            )
        )
        for position, run in enumerate(measure.runs)
    }


def _caption(
    ranks: LeaderboardRanks, details: Details, letters: Mapping[int, str]
) -> Iterator[str]:
    lower = [measure.measure for measure in ranks.measures if measure.direction < 0]
    lowest = f" (the lowest: {', '.join(lower)})" if lower else ""
    yield f"Bold: the best of a column{lowest}"
    families = [measure.family for measure in ranks.measures if measure.family]
    if ranks.baseline is not None and families:
        yield (
            f"{BETTER} and {WORSE}: better and worse than {ranks.baseline.name} by the paired "
            f"{TEST_NAMES[ranks.settings.test]} (p < {ranks.settings.alpha:g}, {families[0]})"
        )
    elif letters:
        yield from _superscripts_explained(ranks)
    elif not details.groups and len(ranks.measures[0].runs) > len(LETTERS):
        yield f"There are no superscripts, since there are more than {len(LETTERS)} runs"
    if details.groups:
        explained = (sentences(measure, ranks.settings)[:1] for measure in ranks.measures)
        for sentence in dict.fromkeys(chain.from_iterable(explained)):
            yield f"Groups: {sentence}"
    if details.intervals and ranks.measures[0].not_separated is not None:
        yield (
            f"The rank is that by {ranks.measures[0].measure}, its interval has the ranks that the "
            "tests of all pairs leave open"
        )


def _superscripts_explained(ranks: LeaderboardRanks) -> Iterator[str]:
    """Yield one explanation of superscripts for all measures with the same number of pairs."""
    by_runs: dict[int, list[str]] = {}
    for measure in ranks.measures:
        if measure.not_separated is not None:
            by_runs.setdefault(len(measure.runs), []).append(measure.measure)
    for runs, measures in by_runs.items():
        pairs = runs * (runs - 1) // 2
        count = "one pair" if pairs == 1 else f"all {pairs:,} pairs"
        test = named_test(ranks.settings, count)
        each = "each of " * (len(measures) > 1)
        yield (
            "Superscripts: the letters of the runs that the run beats "
            f"(p < {ranks.settings.alpha:g}, {test} on {each}{', '.join(measures)})"
        )


def leaderboard_export(
    store: Store,
    collection: str,
    measures: Mapping[str, Measure],
    qrels: str | None = None,
    settings: RankSettings | None = None,
    details: Details | None = None,
) -> Export:
    """Export a leaderboard in any format, with the runs in the order of the first measure."""
    settings, details = settings or RankSettings(), details or Details()
    if details.baseline is not None and settings.test == "tukey":
        raise DataError("the test 'tukey' is of all pairs of runs; against a baseline use 't'")
    no_baseline = details.no_baseline or settings.test == "tukey"
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
    if baseline is not None:
        lacking = [one.measure for one in ranks.measures if not _has_values(one, baseline.id)]
        if lacking and details.baseline is not None:
            raise DataError(
                f"the baseline {baseline.name!r} has no values of {lacking[0]} under qrels "
                f"{ranks.qrels!r}"
            )
    values = None
    if details.per_query:
        values = load_collection_values(store, collection, measures, ranks.qrels)
    document = to_dict(ranks)
    if baseline is not None:
        document["baseline"] = _baseline_document(ranks, baseline.name)
    figures = _figures(ranks, values)
    return Export(leaderboard_table(ranks, details), document, tuple(figures), ranks.every_note)


class TextStyle(NamedTuple):
    """Format of a table, its decimals, and whether formulas are guarded."""

    format: Format
    digits: int = 4
    guard_formulas: bool = False


class WrittenTable(NamedTuple):
    """A table as text, and the notes that one needs to read it."""

    text: str
    notes: tuple[str, ...]


def write_leaderboard(
    store: Store,
    collection: str,
    measures: Mapping[str, Measure],
    qrels: str | None,
    settings: RankSettings,
    details: Details,
    style: TextStyle,
) -> WrittenTable:
    """The leaderboard of a collection as text; see `leaderboard_export`."""
    exported = leaderboard_export(store, collection, measures, qrels, settings, details)
    format_, digits, guard = style
    text = export_text(exported, format_, digits=digits, guard_formulas=guard)
    return WrittenTable(text, tuple(exported.notes))


def _has_values(measure: MeasureRanks, run_id: int) -> bool:
    """Whether a run has a figure of a measure."""
    return run_id in {run.run_id for run in measure.runs}


def _baseline_document(ranks: LeaderboardRanks, name: str) -> dict[str, object]:
    """The tests against the baseline for JSON: by measure, then by the name of the run."""
    tested = [measure for measure in ranks.measures if measure.family]
    p_corrected = {
        measure.measure: {run.run: run.p_corrected for run in measure.runs if run.p is not None}
        for measure in tested
    }
    return {
        "run": name,
        "test": ranks.settings.test,
        "correction": ranks.settings.correction,
        "comparisons": sum(map(len, p_corrected.values())),
        "p_corrected": p_corrected,
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
