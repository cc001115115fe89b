"""What a page says about a measure, from the measure's own descriptor."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.components import wording
from evalstore import measures
from evalstore.errors import EvalstoreError

# What the leaderboard shows unless others are chosen: the field's usual ones, where stored.
LEADERBOARD = ("AP", "nDCG@10", "P@10", "Rprec", "RR", "R@100", "R@1000")
# What a comparison starts from: the first of these that is stored.
COMPARISON = ("Rprec", "AP", "nDCG@10")


@dataclass(frozen=True)
class MeasureInfo:
    """The names and texts of a measure on a page."""

    name: str  # canonical: "nDCG@10"
    title: str  # "Normalised discounted cumulative gain"
    summary: str  # one sentence
    higher_is_better: bool | None  # None: a count, no direction
    counts: bool
    aggregate: str = "mean"  # how the values of all queries become one figure

    def aggregate_words(self, queries: int) -> str:
        """What the figure for all queries is: "mean over 53 queries"."""
        number = wording.count(queries, "query", "queries")
        if self.aggregate == "own":
            return f"computed over all {number} as the measure defines it"
        return f"{self.aggregate} over {number}"

    @property
    def label(self) -> str:
        """What an axis calls it."""
        return "R-precision" if self.name == "Rprec" else self.name

    @property
    def help(self) -> str:
        """Title and meaning, for a tooltip."""
        return f"{self.title}. {self.summary}" if self.summary else self.title


def measure_info(name: str) -> MeasureInfo:
    """Return what to say about the measure of this canonical name.

    A store may hold values of a measure that this version does not know (a newer evalstore wrote
    them): it appears under its name, without a direction.
    """
    try:
        descriptor = measures.parse(name).descriptor
    except EvalstoreError:
        return MeasureInfo(name, name, "", None, counts=False)
    return MeasureInfo(
        name,
        descriptor.title,
        descriptor.summary,
        descriptor.higher_is_better,
        counts=descriptor.counts,
        aggregate=descriptor.aggregate,
    )


def canonical(text: str) -> str:
    """Return the canonical name of a measure as someone wrote it; as it is when not understood."""
    try:
        return str(measures.parse(text))
    except EvalstoreError:
        return text


def leaderboard_default(stored: tuple[str, ...]) -> tuple[str, ...]:
    """Return the measures that the leaderboard shows unless others are chosen."""
    usual = [name for name in LEADERBOARD if name in stored]
    # R@1000 says little beside R@100.
    return tuple(usual[:6]) or stored[:6]


def comparison_default(stored: tuple[str, ...]) -> str:
    """Return the measure that a comparison starts from; AP where none is stored."""
    return next((name for name in (*COMPARISON, *stored) if name in stored), "AP")
