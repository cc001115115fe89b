"""Two qrels compared: the agreement of their judgments, and what a manager may conclude."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evalstore.comparison.qrels.agreement import (
    AgreementSettings,
    JudgmentAgreement,
    judgment_agreement,
)
from evalstore.comparison.qrels.families import FAMILY_COLUMNS
from evalstore.comparison.qrels.leaderboards import (
    Leaderboards,
    compare_leaderboards,
    given_under,
)
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure
from evalstore.tables.table import Value, finite

STRENGTHS = (
    *((0.0, "no better than chance"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate")),
    *((0.8, "substantial"), (1.0, "almost perfect")),
)
"""The names of Landis and Koch (Biometrics 1977) for kappas up to a number."""
FEW = 0.5
"""A qrels that judges less than this share of what the other does is said to."""


@dataclass(frozen=True)
class ComparedQrels:
    """The judgments of two qrels, and the leaderboards under them if runs are given."""

    judgments: JudgmentAgreement
    leaderboards: Leaderboards | None = None
    notes: tuple[str, ...] = ()

    @property
    def every_note(self) -> tuple[str, ...]:
        """The notes, including those on the leaderboards."""
        return (*self.notes, *(() if self.leaderboards is None else self.leaderboards.notes))

    def sentences(self, a: str = "a", b: str = "b", baseline: str | None = None) -> tuple[str, ...]:
        """What may be concluded of the runs, if there are any, and how far the judgments agree.

        `a`, `b` and `baseline` are what the two qrels and the baseline are called.
        """
        of, agree = self.leaderboards, f"{_agreement(self.judgments, a, b)}."
        if of is None:
            return (agree,)
        conclusion = _conclusion(of, a, b, baseline or of.baseline)
        if few := _few(self.judgments, a, b):
            conclusion = f"{few}; {conclusion[0].lower()}{conclusion[1:]}"
        clauses = [conclusion, *_favours(of, b)]
        return (f"{'; '.join(clauses)}.", agree)

    @property
    def sentence(self) -> str:
        """All of `sentences` as one text."""
        return " ".join(self.sentences())

    def figure_rows(self) -> list[tuple[Value, ...]]:
        """The name of each figure, its value, and the ends of its interval if it has one."""
        of = self.judgments
        rows: list[tuple[Value, ...]] = [
            *(("both", of.both, None, None), ("only_a", of.only_a, None, None)),
            ("only_b", of.only_b, None, None),
            *(
                (name, finite(figure), *map(finite, of.intervals[name]))
                for name, figure in of.figures.items()
            ),
        ]
        if self.leaderboards is not None:
            rows += [(name, value, None, None) for name, value in self.leaderboards.figures.items()]
        return rows

    def family_rows(self) -> list[dict[str, Value]]:
        """A row for each family of engines, with the names of `FAMILY_COLUMNS`."""
        families = () if self.leaderboards is None else self.leaderboards.families
        return [dict(zip(FAMILY_COLUMNS, one.row(), strict=True)) for one in families]

    def to_dict(self) -> dict[str, object]:
        """The comparison for JSON."""
        return {
            **self.judgments.to_dict(),
            "leaderboard": None if self.leaderboards is None else self.leaderboards.to_dict(),
            "families": self.family_rows(),
            **{"a": self.judgments.a, "b": self.judgments.b, "sentence": self.sentence},
            "notes": list(self.every_note),
        }


def compare_given_qrels(
    a: Qrels,
    b: Qrels,
    runs: Mapping[str, Run],
    name: str,
    measure: Measure,
    settings: AgreementSettings | None = None,
    *,
    baseline: str | None = None,
    families: Mapping[str, str] | None = None,
) -> ComparedQrels:
    """Compare two qrels and, if there are runs, their leaderboards on a measure; without a store.

    Claims are of the pairs with the run `baseline`, or else of all pairs. `families` are those of
    the runs, by name.

    Raises:
        DataError: the qrels share no judged document, a single run, or an unknown baseline.
        MeasureError: the measure needs more than a run and a qrels, or no difference is tested.
    """
    judgments = judgment_agreement(a, b, settings)
    if not runs:
        return ComparedQrels(judgments)
    under_a, under_b = given_under((a, b), runs, name, measure, baseline)
    boards = compare_leaderboards(under_a, under_b, name, measure, families)
    return ComparedQrels(judgments, boards)


def _few(of: JudgmentAgreement, a: str, b: str) -> str:
    """The share of the judgments of one that the other has, if it is small; empty else."""
    share, less, more = min(
        (of.both / (of.both + of.only_a), b, a), (of.both / (of.both + of.only_b), a, b)
    )
    if share >= FEW:
        return ""
    rounded = f"{100 * share:.0f}" if share >= 0.01 else "less than 1"
    return f"{less} judges {rounded} % of what {more} does"


def _conclusion(of: Leaderboards, a: str, b: str, baseline: str | None) -> str:
    """The differences between runs that both qrels show, and those that only one of them does."""
    measure, counts = of.changes.measure, of.counts
    if counts is None:
        return f"Whether both lead to the same conclusions on {measure} is not known"
    kept, lost, new, turned = counts.values()
    of_baseline = "" if baseline is None else f" from {baseline}"
    every = kept + lost + new + turned
    if not every:
        between = of_baseline or " between these runs"
        return f"Neither {a} nor {b} shows a difference{between} on {measure}"
    if kept == every:
        differences = f"the same {kept:,} difference{'s' * (kept != 1)}{of_baseline}"
        return f"Both lead to the same conclusions on {measure}: each shows {differences}"
    by = {
        "by both": kept,
        f"by {a} alone": lost,
        f"by {b} alone": new,
        "by both in opposite directions": turned,
    }
    words = [(f"{count:,} " if every > 1 else "") + who for who, count in by.items() if count]
    shown = "the one difference" if every == 1 else f"{every:,} differences"
    depend = turned or kept <= lost + new
    holds = "Conclusions depend on the judgments" if depend else "Most conclusions hold"
    are = "is shown" if every == 1 else "are shown,"
    none_turns = "" if turned or every == 1 else "; none turns the other way"
    return f"{holds}: {shown}{of_baseline} on {measure} {are} {', '.join(words)}{none_turns}"


def _favours(of: Leaderboards, b: str) -> list[str]:
    """A clause for each family of engines that `b` is shown to favour, or else to give less.

    If one is favoured, the others have less than it: that is not said again.
    """
    favoured = [
        f"{b} favours the runs of the family {one.family}, by {one.favour.favour:.2f} grades"
        for one in of.families
        if one.favoured
    ]
    return favoured or [
        f"{b} gives the runs of the family {one.family} less, by {-one.favour.favour:.2f} grades"
        for one in of.families
        if one.gets_less
    ]


def _agreement(of: JudgmentAgreement, a: str, b: str) -> str:
    """The agreement of the judgments, which qrels is stricter, and what only one of them judges."""
    kappa, bias = of.figures["kappa"], of.figures["bias"]
    documents = f"{of.both:,} document{'s' * (of.both != 1)} that both judged"
    strength = ""
    # Of judgments of a single grade, all agreement is that of chance: kappa says nothing.
    judged = of.table[:-1, :-1] > 0
    if not np.isnan(kappa) and min(judged.any(axis=0).sum(), judged.any(axis=1).sum()) > 1:
        name = next(name for most, name in STRENGTHS if kappa <= most)
        strength = f" (kappa {kappa:.2f}: {name})"
    only = [(of.only_a, a), (of.only_b, b)]
    alone = " and ".join(f"{name} judges {count:,} more" for count, name in only if count)
    rest = f"; {alone}" if alone else ""
    share = 100 * of.figures["agreement"]
    if share == 100:
        have = f"All {documents} have" if of.both > 1 else "The one document that both judged has"
        return f"{have} the same grade{rest}"
    rounded = f"{share:.0f}"
    if rounded in ("0", "100") and share != 0:
        rounded = f"{min(max(share, 0.1), 99.9):.1f}"
    same = f"{rounded} % of the {documents} have the same grade{strength}"
    if round(bias, 2) == 0:
        return f"{same}, and neither is stricter on average{rest}"
    stricter = "stricter" if bias < 0 else "milder"
    return f"{same}, and {b} is {stricter} by {abs(bias):.2f} grades{rest}"
