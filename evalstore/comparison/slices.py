"""A comparison split by an attribute of the queries."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from evalstore.catalog.names import as_number, attribute_values, natural
from evalstore.comparison.claims import with_claims
from evalstore.comparison.comparability import number_of_queries, pairs_of
from evalstore.comparison.compare import compare_values
from evalstore.comparison.significance import Compared, Pair, Settings, resamples_for
from evalstore.errors import DataError
from evalstore.formats.queries import Queries
from evalstore.formats.reading.source import quoted

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
