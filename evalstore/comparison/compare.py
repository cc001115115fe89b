"""Comparisons from names of runs to figures, also split by an attribute; the same everywhere."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from evalstore.catalog.names import Condition, as_number, attribute_values, natural
from evalstore.comparison.choosing.holdout import hold_out
from evalstore.comparison.choosing.luck import notes_on_choice
from evalstore.comparison.claims import notes_on_tests, turned_by_judgments, with_claims
from evalstore.comparison.comparability import (
    F64,
    RunValues,
    comparability,
    notes_on,
    number_of_queries,
    over_common,
    pairs_of,
)
from evalstore.comparison.loading import LoadedRuns, RunsToCompare, restrict
from evalstore.comparison.qrels.predicted import predicted_differences
from evalstore.comparison.significance import (
    Compared,
    Pair,
    Settings,
    aligned,
    figures_by_pair,
    resamples_for,
)
from evalstore.comparison.unjudged.bounds import bounds_of
from evalstore.comparison.unjudged.retrieved import retrieved
from evalstore.errors import DataError
from evalstore.formats.queries import Queries
from evalstore.formats.reading.source import quoted
from evalstore.measures import Measure
from evalstore.measures.evaluate import follows_from_values
from evalstore.stats import Interval


@dataclass(frozen=True)
class ComparisonOptions(Settings):
    """Options of a comparison: its runs, judgments and queries, and the tests.

    `baseline` is the name or id of the run with which all others are compared; None means the
    collection's baseline. `no_baseline` ignores the collection's baseline, but not a named one.
    `holdout` is the share of the judged queries to hold out; None compares over all of them.
    `predicted_by` is the qrels of a model whose judgments of further queries correct differences.
    """

    baseline: str | None = None
    no_baseline: bool = False
    collection: str | None = None
    qrels: str | None = None
    where: Sequence[Condition] = ()
    holdout: float | None = None
    predicted_by: str | None = None


class RunSource(Protocol):
    """A source of runs to compare: a store, here or behind a server, or files."""

    def runs_to_compare(
        self, runs: Sequence[str], baseline: str | None, collection: str | None
    ) -> RunsToCompare:
        """The runs to compare, with the named baseline or else the collection's."""

    def load_runs(
        self,
        runs: Sequence[str],
        measures: Mapping[str, Measure],
        *,
        collection: str | None = None,
        qrels: str | None = None,
    ) -> LoadedRuns:
        """Runs with their values under the same judgments."""

    def held_out(self, collection: str, qids: Collection[str], share: float) -> frozenset[str]:
        """The held-out queries of a collection; of the judged queries `qids` if none are stored."""


def load(
    source: RunSource,
    runs: Sequence[str],
    measures: Mapping[str, Measure],
    options: ComparisonOptions,
) -> LoadedRuns:
    """Load the runs (names, ids or files) of a comparison; a single run comes with its baseline.

    With a share to hold out, only the held-out queries are loaded, and of several runs with a
    baseline only the one that is best on the other queries (`holdout.hold_out`).
    """
    chosen = RunsToCompare(tuple(runs), None, options.collection)
    if options.baseline is not None and options.baseline in runs:
        chosen = replace(chosen, baseline=runs.index(options.baseline))
    elif options.baseline is not None or not options.no_baseline:
        chosen = source.runs_to_compare(runs, options.baseline, options.collection)
    loaded = source.load_runs(
        chosen.runs, measures, collection=chosen.collection, qrels=options.qrels
    )
    notes = loaded.notes if chosen.note is None else (*loaded.notes, chosen.note)
    restricted = restrict(replace(loaded, baseline=chosen.baseline, notes=notes), options.where)
    if options.predicted_by is not None and loaded.runs:
        if options.holdout is not None:
            raise DataError("a share to hold out and a model's judgments exclude each other")
        model = restrict(
            source.load_runs(
                *(chosen.runs, measures),
                collection=chosen.collection,
                qrels=options.predicted_by,
            ),
            options.where,
        )
        if model.obstacle is not None:
            raise DataError(model.obstacle)
        # Who judged is said of both.
        both = tuple(dict.fromkeys((*restricted.notes, *model.notes)))
        restricted = replace(restricted, model=model.runs, notes=both)
    if options.holdout is None or not loaded.runs:
        return restricted
    first = loaded.runs[0]
    held = source.held_out(first.collection, first.qids, options.holdout)
    return hold_out(restricted, held, measures, common=options.over == "common")


def compare_loaded(
    loaded: LoadedRuns,
    measures: Mapping[str, Measure],
    settings: Settings | None = None,
) -> Compared:
    """Compare loaded runs on some of their measures: check comparability, then test every pair."""
    settings = settings or Settings()
    if loaded.obstacle is not None:
        return Compared("no", (loaded.obstacle,), (), (), measures, (), settings)
    runs = loaded.runs
    if len(runs) < 2:
        raise DataError("a comparison takes two runs or more")
    if not measures:
        raise DataError("no measure is given to compare the runs on")
    chosen = pairs_of(len(runs), loaded.baseline)
    common = settings.over == "common"
    answer = comparability(runs, measures, chosen, common=common)
    compared = Compared(
        comparable=answer.comparable,
        reasons=answer.reasons,
        notes=loaded.notes,
        runs=runs,
        measures=measures,
        pairs=(),
        settings=settings,
        queries=loaded.queries,
        restriction=loaded.restriction,
        baseline=loaded.baseline,
    )
    if answer.comparable == "no":
        return compared
    model = loaded.model
    if common:
        runs = over_common(runs)
        model = None if model is None else over_common(model)
    can_be, notes = _comparable_measures(measures)
    qids, values, pairs = compare_values(runs, can_be, chosen, settings)
    means = {name: of for name, of in can_be.items() if of.descriptor.aggregate == "mean"}
    if model is not None and len(means) < len(can_be):
        others = ", ".join(name for name in can_be if name not in means)
        notes = (*notes, f"a model corrects means over queries alone, and not {others}")
    unit = "pair" if len(can_be) == 1 else "comparison"
    pairs = _with_bounds(pairs, loaded, can_be, chosen, qids)
    pairs = with_claims(pairs, settings, [len(qids)] * len(pairs), unit)
    reasons = (
        *answer.reasons,
        *_other_ratings(loaded, can_be, chosen, qids),
        *turned_by_judgments(runs, pairs),
    )
    return replace(
        compared,
        comparable="partly" if reasons else "yes",
        reasons=reasons,
        runs=runs,
        notes=(
            *loaded.notes,
            *notes_on(runs, min((pair.queries for pair in pairs), default=len(qids))),
            *notes,
            *notes_on_tests(pairs, settings, values, [run.name for run in runs]),
            *notes_on_choice(loaded.settings, runs, can_be),
        ),
        pairs=tuple(pairs),
        qids=qids,
        values=values,
        predicted=predicted_differences(runs, model, means, chosen, settings.alpha),
    )


def compare_values(
    runs: Sequence[RunValues],
    measures: Mapping[str, Measure],
    chosen: Sequence[tuple[int, int]],
    settings: Settings,
) -> tuple[tuple[str, ...], dict[str, F64], list[Pair]]:
    """The queries in byte order, the values of each measure, and the figures without claims.

    The figures are by pair and then by measure. Pairs that share no query with values have none.
    """
    qids = tuple(sorted({qid for run in runs for qid in run.qids}, key=str.encode))
    values = {name: np.column_stack([aligned(r, name, qids) for r in runs]) for name in measures}
    figures = figures_by_pair(runs, qids, values, chosen, measures, settings)
    pairs = [figures[name, pair] for pair in chosen for name in values if (name, pair) in figures]
    return qids, values, pairs


def _with_bounds(
    pairs: Sequence[Pair],
    loaded: LoadedRuns,
    measures: Mapping[str, Measure],
    chosen: Sequence[tuple[int, int]],
    qids: Sequence[str],
) -> list[Pair]:
    """The pairs with what the judgment of unjudged documents could make of their differences."""
    names = [run.name for run in loaded.runs]
    bounds = {
        (names[a], names[b], measure): of
        for (measure, (a, b)), of in bounds_of(loaded, measures, chosen, qids).items()
        if of is not None
    }
    result = []
    for pair in pairs:
        of = bounds.get((pair.a, pair.b, pair.measure))
        ends = None if of is None else Interval(of.low, of.high)
        result.append(replace(pair, bounds=ends, unjudged=0 if of is None else of.unjudged))
    return result


def _other_ratings(
    loaded: LoadedRuns,
    measures: Mapping[str, Measure],
    pairs: Sequence[tuple[int, int]],
    qids: Sequence[str],
) -> tuple[str, ...]:
    """A sentence on the pair whose runs predict the most different ratings, if any do.

    Errors of predicted ratings (MAE, ...) of such runs are over different items.
    """
    of_ratings = [
        name for name, measure in measures.items() if measure.descriptor.family == "ratings"
    ]
    if loaded.rankings is None or not of_ratings:
        return ()
    read, qrels = loaded.rankings(None)
    runs = {number: run for number, run in enumerate(read) if run is not None}
    place = {number: at for at, number in enumerate(runs)}
    table = retrieved(list(runs.values()), qrels, qids)
    worst, least = "", 1.0
    for a, b in pairs:
        if a not in runs or b not in runs:
            continue
        ranks = table.pair(place[a], place[b], None)
        rated = ~np.isnan(ranks.grade)
        either = int(rated.sum())
        both = int((rated & np.isfinite(ranks.rank_a) & np.isfinite(ranks.rank_b)).sum())
        if either and both / either < least:
            least = both / either
            names = " and ".join(loaded.runs[number].name for number in (a, b))
            worst = (
                f"{names} both predict {both:,} of the {either:,} ratings that either predicts "
                f"({100 * least:.0f} %): errors ({', '.join(of_ratings)}) are of different items"
            )
    return (worst,) if worst else ()


def _comparable_measures(
    measures: Mapping[str, Measure],
) -> tuple[dict[str, Measure], tuple[str, ...]]:
    """The measures that runs can be compared on, and a note on each of the others."""
    without = [name for name, measure in measures.items() if not follows_from_values(measure)]
    notes = (
        f"{name} is not compared: its figure is one of all queries together and does not follow "
        "from the values of the queries"
        for name in without
    )
    return {name: of for name, of in measures.items() if name not in without}, tuple(notes)


# A comparison split by an attribute of the queries

SMALL = 10
"""The number of queries below which a slice is called small."""
MOST_NUMBERS = 5
"""The most different numbers that get a slice each; more are grouped into ranges."""
RANGES = 4
MOST_SLICES = 50
NONE = "(none)"
"""The label of the queries without the attribute."""


@dataclass(frozen=True)
class Slice:
    """The queries with the same value of an attribute, in byte order, and the figures over them.

    The value may be a range of numbers (`3 to 5`); it is None for queries without the attribute. p
    is corrected over all slices. Pairs that share no query with values are left out.
    """

    value: str | None
    qids: tuple[str, ...]
    pairs: tuple[Pair, ...]

    @property
    def label(self) -> str:
        """The value of the slice, or `(none)`."""
        return NONE if self.value is None else self.value

    @property
    def is_small(self) -> bool:
        """Whether the slice has fewer than 10 queries."""
        return len(self.qids) < SMALL


@dataclass(frozen=True)
class Slices:
    """A comparison split by an attribute; every query is in exactly one slice.

    Slices are sorted by value in natural order, with the queries without the attribute last.
    `whole` has a correction of its own.
    """

    attribute: str
    slices: tuple[Slice, ...]
    settings: Settings
    whole: Compared = field(repr=False)

    @property
    def comparisons(self) -> int:
        """The number of comparisons (slices x pairs x measures) that p is corrected for."""
        return sum(len(part.pairs) for part in self.slices)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that a reader needs to understand the figures."""
        notes = []
        small = [f"{part.label} ({len(part.qids):,})" for part in self.slices if part.is_small]
        if small:
            notes.append(
                f"slices of fewer than {SMALL} queries are small, and only large differences can "
                f"be shown in them: {', '.join(small)}"
            )
        empty = [part.label for part in self.slices if not part.pairs]
        if empty:
            notes.append(
                f"no figures, because no two runs can be compared on them: {', '.join(empty)}"
            )
        return tuple(notes)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The claims: one sentence per slice, pair and measure, which names the slice."""
        return tuple(
            f"{self.attribute} {part.label} ({_count(part)}): {pair.sentence}"
            for part in self.slices
            for pair in part.pairs
        )

    def rows(self) -> list[dict[str, str | int | float | None]]:
        """The figures by column: `slice`, then those of `Pair.row`."""
        return [{"slice": part.label, **pair.row()} for part in self.slices for pair in part.pairs]

    def to_dict(self) -> dict[str, object]:
        """The slices for JSON; the value of the queries without the attribute is None."""
        return {
            "attribute": self.attribute,
            "slices": [
                {
                    "value": part.value,
                    "queries": len(part.qids),
                    "small": part.is_small,
                    "pairs": [pair.to_dict() for pair in part.pairs],
                }
                for part in self.slices
            ],
        }


def _count(part: Slice) -> str:
    number = number_of_queries(len(part.qids))
    return f"{number}, a small slice" if part.is_small else number


def split_by(compared: Compared, attribute: str) -> Slices:
    """Split a comparison by an attribute of its queries; p is corrected for all slices together.

    An attribute with more than 5 different numbers is split into up to 4 ranges with about the same
    number of queries. DataError if no query has the attribute, or if it has more than 50 values.
    """
    if compared.comparable == "no":
        return Slices(attribute, (), compared.settings, compared)
    by_value = groups(attribute, compared.qids, compared.queries)
    chosen = pairs_of(len(compared.runs), compared.baseline)
    measures = {name: compared.measures[name] for name in compared.values}
    comparisons = len(by_value) * len(chosen) * len(measures)
    settings = replace(
        compared.settings,
        scheduler=None,
        resamples=resamples_for(compared.settings, comparisons),
    )
    groups_with_pairs = []
    for value, qids in by_value.items():
        runs = tuple(run.over(frozenset(qids)) for run in compared.runs)
        _, _, pairs = compare_values(runs, measures, chosen, settings)
        groups_with_pairs.append((value, qids, pairs))
    each = [(pair, len(qids)) for _, qids, of_slice in groups_with_pairs for pair in of_slice]
    queries = [number for _, number in each]
    claimed = iter(with_claims([pair for pair, _ in each], compared.settings, queries))
    slices = tuple(
        Slice(value, qids, tuple(next(claimed) for _ in of_slice))
        for value, qids, of_slice in groups_with_pairs
    )
    return Slices(attribute, slices, compared.settings, compared)


def groups(
    attribute: str, qids: Sequence[str], queries: Queries
) -> dict[str | None, tuple[str, ...]]:
    """The queries by their value of an attribute, in the order of `Slices.slices`."""
    values = attribute_values(attribute, qids, queries)
    label = _ranges(list(values.values())) or {value: value for value in values.values()}
    labels = list(dict.fromkeys(label.values()))
    if len(labels) > MOST_SLICES:
        raise DataError(
            f"the attribute {quoted(attribute)} has {len(labels):,} different values; "
            f"a comparison is split by at most {MOST_SLICES}"
        )
    grouped: dict[str | None, list[str]] = {value: [] for value in sorted(labels, key=_in_order)}
    for qid in qids:
        value = label[values[qid]] if qid in values else None
        grouped.setdefault(value, []).append(qid)
    return {value: tuple(members) for value, members in grouped.items()}


def _ranges(values: Sequence[str]) -> Mapping[str, str] | None:
    """The range (`3 to 5`) of each value; None if there are few values or not all are numbers.

    Ranges begin at the quartiles of the queries' values; equal numbers are never separated.
    """
    numbers = {value: as_number(value) for value in values}
    if len(numbers) <= MOST_NUMBERS:
        return None
    each = [number for value in values if (number := numbers[value]) is not None]
    if len(each) < len(values):
        return None
    each.sort()
    starts = sorted({each[len(each) * part // RANGES] for part in range(RANGES)})
    ends = [*(each[each.index(start) - 1] for start in starts[1:]), each[-1]]
    names = [_range(low, high) for low, high in zip(starts, ends, strict=True)]
    return {
        value: names[bisect_right(starts, number) - 1]
        for value, number in numbers.items()
        if number is not None
    }


def _range(low: float, high: float) -> str:
    return f"{low:.12g}" if low == high else f"{low:.12g} to {high:.12g}"


def _in_order(value: str) -> tuple[float, tuple[tuple[int, int, str], ...]]:
    """A sort key: numbers come first, by value; all other texts follow in natural order."""
    number = as_number(value.partition(" to ")[0])
    return (float("inf") if number is None else number, natural(value))
