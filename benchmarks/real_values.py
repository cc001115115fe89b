"""Values and grades of real runs, as counts, and draws from them, for `claims.py`.

The values are those that 34 runs have on 217 queries of ADI, CACM, CISI, TREC Common Core 2017
(OSIRRC 2019) and TREC-COVID round 1. The queries of each measure are put into eight strata by the
mean of their runs, from hard to easy, and the values are counted in each. A query is drawn by its
stratum, then a value for each run from the counts of the stratum. So runs are correlated over
queries as the real ones are: for AP by 0.70 (real 0.70), P@10 0.76 (0.75), nDCG@10 0.70 (0.67),
Success@1 0.50 (0.43). The grades are those that the runs of the last two have at each rank.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
Random = np.random.Generator

# Rows are strata of queries from hard to easy, columns bins of values from low to high: for P@10 0,
# 0.1, ... 1; for Success@1 0 and 1; for AP and nDCG@10 0, twenty bins up to 0.05, ... 1, and 1.
COUNTS: Mapping[str, str] = {
    "P@10": """
        93 73 3 1 0 0 0 0 0 0 0
        28 76 39 8 2 0 1 0 0 0 0
        7 33 82 27 5 0 0 0 0 0 0
        11 21 42 60 26 8 5 2 0 1 0
        5 10 13 42 62 20 16 3 3 2 0
        6 3 7 19 38 49 25 18 6 10 4
        1 1 2 8 12 33 32 50 38 14 9
        0 0 0 2 0 4 11 33 54 57 44""",
    "Success@1": """
        149 0
        166 8
        134 44
        99 79
        76 134
        34 130
        17 167
        0 183""",
    "AP": """
        7 136 41 4 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
        1 58 69 46 9 4 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
        0 24 34 49 35 11 4 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0
        3 25 30 35 38 38 15 8 7 1 0 0 1 0 0 0 0 0 0 0 0 0
        0 6 28 29 27 31 19 19 9 7 3 3 2 1 0 0 0 0 0 0 0 0
        0 4 8 16 16 31 25 25 14 13 6 0 2 2 0 0 0 0 0 0 0 0
        0 0 5 7 8 12 12 18 27 23 25 12 9 2 8 0 0 0 1 0 0 0
        1 2 2 2 0 2 0 0 7 8 13 12 14 12 16 18 12 13 8 4 1 17""",
    "nDCG@10": """
        91 10 42 20 7 5 3 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0
        27 5 29 21 25 29 8 12 5 5 4 0 0 1 0 0 1 0 0 0 0 0
        12 3 9 11 19 29 17 18 20 6 6 7 0 2 0 0 0 1 0 0 0 0
        11 2 5 12 12 8 13 26 31 13 14 11 2 9 3 0 1 1 1 3 0 0
        3 0 1 3 5 6 11 16 22 32 21 24 14 8 9 5 3 1 3 0 0 1
        6 0 0 4 2 7 2 6 9 11 21 18 17 25 18 7 20 8 4 3 2 3
        1 0 0 1 1 0 1 2 1 6 15 11 17 13 26 21 31 12 8 2 0 8
        0 0 0 0 0 0 0 1 0 2 3 0 0 8 9 16 35 25 26 24 7 16""",
}
GRADES: Sequence[tuple[int, Sequence[int]]] = (
    (1, (278, 177, 242)),
    (2, (310, 153, 231)),
    (3, (290, 141, 258)),
    (5, (644, 319, 423)),
    (10, (1409, 701, 954)),
    (20, (2548, 1310, 1383)),
)
"""By the last rank of a group: how many judged documents there have grade 0, 1 and 2."""

MEASURES = tuple(COUNTS)
GRID = 4096  # places in each stratum at which the true figures are computed


@dataclass(frozen=True, eq=False)
class Population:
    """The values of a measure over queries of some strata, which are equally frequent.

    Attributes:
        low, high: float64 (bins), the ends of the bins.
        until: float64 (strata, bins), the share of values up to the end of each bin.
    """

    low: F64
    high: F64
    until: F64

    @classmethod
    def of(cls, measure: str) -> Population:
        """The population of one of `COUNTS`."""
        counts = np.array([line.split() for line in COUNTS[measure].split("\n")[1:]], float)
        bins = counts.shape[1]
        if bins == 22:
            low = np.concatenate([[0.0], np.arange(20) / 20, [1.0]])
            high = np.concatenate([[0.0], np.arange(1, 21) / 20, [1.0]])
        else:
            low = high = np.arange(bins) / (bins - 1)
        return cls(low, high, counts.cumsum(axis=1) / counts.sum(axis=1, keepdims=True))

    def at(self, stratum: npt.NDArray[np.int64], place: F64) -> F64:
        """The values at places from 0 to 1 (queries x runs) of the distribution of each query."""
        until = self.until[stratum]
        bin_ = (place[:, :, None] >= until[:, None, :-1]).sum(axis=2)
        end = np.take_along_axis(until, bin_, axis=1)
        begin = np.where(bin_ > 0, np.take_along_axis(until, np.maximum(bin_ - 1, 0), axis=1), 0)
        within = (place - begin) / np.where(end > begin, end - begin, 1)
        return np.asarray(self.low[bin_] + (self.high - self.low)[bin_] * within)

    def draw(
        self, random: Random, queries: int, strengths: Sequence[float] | F64, copied: float = 0.0
    ) -> F64:
        """Values of runs (queries x runs); `copied` is the share that all have of one run."""
        strength, shape = np.array(strengths, float), (queries, len(strengths))
        place, other = random.random(shape), random.random(shape)
        chosen = np.where(strength > 0, np.maximum(place, other), np.minimum(place, other))
        place = np.where(random.random(shape) < np.abs(strength), chosen, place)
        if copied:
            place = np.where(random.random(shape) < copied, random.random((queries, 1)), place)
        return self.at(random.integers(0, len(self.until), queries), place)

    def all_values(self, strength: float) -> tuple[F64, F64]:
        """The values of a run of some strength on all queries, ascending, and their shares."""
        places = (np.arange(GRID) + 0.5) / GRID
        strata = np.arange(len(self.until))
        values = self.at(strata, np.tile(places, (len(strata), 1)))
        chosen = 2 * places if strength > 0 else 2 * (1 - places)
        share = np.tile(1 - abs(strength) + abs(strength) * chosen, len(strata))
        order = np.argsort(values, axis=None)
        return values.ravel()[order], share[order] / share.sum()

    def mean(self, strength: float) -> float:
        """The true mean of a run of some strength."""
        return float(np.dot(*self.all_values(strength)))

    def median(self, strength: float) -> float:
        """Its true median."""
        values, share = self.all_values(strength)
        return float(values[np.searchsorted(share.cumsum(), 0.5)])

    def geometric_mean(self, strength: float) -> float:
        """Its true GMAP, with the floor that the measure has."""
        values, share = self.all_values(strength)
        return math.exp(float(np.log(np.maximum(values, 1e-5)) @ share))

    def strength(self, gain: float) -> float:
        """The strength that gains so much in the true mean; negative for a loss."""
        of_one = self.mean(math.copysign(1, gain)) - self.mean(0)
        return gain / abs(of_one)


POPULATIONS: Mapping[str, Population] = {measure: Population.of(measure) for measure in MEASURES}


# Rankings with grades

Qrels = dict[str, dict[str, int]]


def judged_rankings(
    random: Random, queries: int, depth: int
) -> tuple[Qrels, dict[str, dict[str, dict[str, float]]]]:
    """Two runs and judgments of all they retrieve and of ten further documents a query."""
    last_ranks = np.array([last for last, _ in GRADES])
    qrels: Qrels = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    for number in range(queries):
        qid, documents = f"q{number:03}", depth + 20
        row = np.minimum(np.searchsorted(last_ranks, np.arange(documents) + 1), len(GRADES) - 1)
        counts = np.array([counts for _, counts in GRADES], float)[row]
        until = counts.cumsum(axis=1) / counts.sum(axis=1, keepdims=True)
        grades = (random.random((documents, 1)) >= until).sum(axis=1)
        place = np.arange(documents) + random.normal(0, depth / 3, documents)
        place[depth + 10 :] = np.inf  # these are retrieved by neither run
        qrels[qid] = {f"d{n}": int(grade) for n, grade in enumerate(grades)}
        runs["a"][qid] = {f"d{n}": float(-n) for n in range(depth)}
        runs["b"][qid] = {f"d{n}": float(-place[n]) for n in np.argsort(place)[:depth].tolist()}
    qrels["q000"][f"d{depth + 19}"] = 2  # the highest grade stays known
    return qrels, runs
