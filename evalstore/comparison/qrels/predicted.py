"""Differences that a model's judgments of further queries make more precise: prediction-powered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from evalstore.comparison.comparability import RunValues, number_of_queries
from evalstore.comparison.significance import aligned
from evalstore.errors import DataError
from evalstore.measures import Measure
from evalstore.stats import ppi_difference, t_interval


@dataclass(frozen=True)
class Predicted:
    """A corrected difference b - a of the means of two runs, and people's alone.

    Attributes:
        difference, low, high: by `stats.ppi_difference` with Student's t.
        queries: the queries that people judged, with values of both runs under both qrels.
        difference_alone, low_alone, high_alone: of these queries by people's judgments alone.
        predicted_queries: the further queries that the model judged, with values of both runs.
        predicted_by: the name of the model's qrels.
        level: of the intervals.
    """

    a: str
    b: str
    measure: str
    difference: float
    low: float
    high: float
    queries: int
    difference_alone: float
    low_alone: float
    high_alone: float
    predicted_queries: int
    predicted_by: str
    level: float

    @property
    def sentence(self) -> str:
        """The corrected difference, and that of people alone."""
        level = f"{100 * self.level:g} % interval"
        return (
            f"{self.b} less {self.a} on {self.measure}, corrected by the judgments of "
            f"{self.predicted_by} on {self.predicted_queries:,} further queries: "
            f"{self.difference:+.4f} ({level} {self.low:+.4f} to {self.high:+.4f}); people's "
            f"{number_of_queries(self.queries)} alone: {self.difference_alone:+.4f} "
            f"({self.low_alone:+.4f} to {self.high_alone:+.4f})"
        )

    def to_dict(self) -> dict[str, object]:
        """The figures for JSON."""
        return asdict(self)


def predicted_differences(
    runs: Sequence[RunValues],
    model: Sequence[RunValues] | None,
    measures: Mapping[str, Measure],
    pairs: Sequence[tuple[int, int]],
    alpha: float = 0.05,
) -> tuple[Predicted, ...]:
    """The corrected differences of pairs of runs, by pair and then by measure.

    Args:
        runs: the runs under people's judgments.
        model: the same runs, in the same order, under the model's; without, nothing is given.
        measures: on which they are compared.
        pairs: the numbers of the runs a and b.
        alpha: intervals are of level 1 - alpha.

    Raises:
        DataError: the model judged no query that people did not, or fewer than 2 that they did.
    """
    if model is None:
        return ()
    name, own = model[0].qrels, set(runs[0].qids)
    same = sorted(own & set(model[0].qids), key=str.encode)
    rest = sorted(set(model[0].qids) - own, key=str.encode)
    if not rest:
        raise DataError(
            f"qrels {name!r} judges no query that {runs[0].qrels!r} does not: its judgments add "
            "nothing to the comparison"
        )
    if len(same) < 2:
        raise DataError(
            f"{number_of_queries(len(same))} of qrels {runs[0].qrels!r} judged in {name!r} too: to "
            "correct a model takes 2 or more"
        )
    found = []
    for a, b in pairs:
        for measure in measures:
            people, on_same, on_rest = (
                [aligned(side[run], measure, qids) for run in (a, b)]
                for side, qids in ((runs, same), (model, same), (model, rest))
            )
            known = ~np.isnan([*people, *on_same]).any(axis=0)
            others = ~np.isnan(on_rest).any(axis=0)
            if known.sum() < 2 or not others.any():
                continue
            human_a, human_b = (of[known] for of in people)
            same_a, same_b = (of[known] for of in on_same)
            rest_a, rest_b = (of[others] for of in on_rest)
            level = 1 - alpha
            corrected = ppi_difference(
                human_a, human_b, same_a, same_b, rest_a, rest_b, level, interval="t"
            )
            alone = t_interval(human_a, human_b, level)
            found.append(
                Predicted(
                    a=runs[a].name,
                    b=runs[b].name,
                    measure=measure,
                    difference=corrected.estimate,
                    low=corrected.low,
                    high=corrected.high,
                    queries=len(human_a),
                    difference_alone=float((human_b - human_a).mean()),
                    low_alone=alone.low,
                    high_alone=alone.high,
                    predicted_queries=len(rest_a),
                    predicted_by=name,
                    level=level,
                )
            )
    return tuple(found)
