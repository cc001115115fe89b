"""How many judgments settle an open pair of runs, in the orders of `evalstore pool`.

A share of the judgments is masked at random. They are given back in the order of the pool until
the bounds of the difference exclude 0. `known` is the order of one who knows all grades: no order
that adds up the largest moves of a bound can be expected to take much less.
Retrieved documents that nobody judged count as judged, with grade 0: their truth is not known.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evalstore.comparison.loading import LoadedRuns, evaluate_given_runs
from evalstore.comparison.unjudged.bounds import (
    DifferenceBounds,
    Judgments,
    bounds_of_pair,
    greatest_of,
    rank_cutoff,
)
from evalstore.comparison.unjudged.holes import find_holes
from evalstore.comparison.unjudged.pool import make_pool
from evalstore.comparison.unjudged.retrieved import F64, I64, Retrieved, retrieved
from evalstore.formats import Qrels, Run, read_qrels, read_run, ties
from evalstore.formats.reading.lines import texts
from evalstore.measures import Measure, parse

MEASURES = ("nDCG@10", "P@10", "nDCG", "RBP(p=0.8)")
HALF = 0.5
SEEDS = 3

Grades = dict[str, dict[str, float]]
Scores = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Masked:
    """Two runs under judgments of which some are masked; documents are numbered as in `table`."""

    table: Retrieved
    truth: F64
    judgments: Judgments
    loaded: LoadedRuns
    name: str
    measure: Measure
    depth: int

    def bounds(self, judged: Sequence[int]) -> DifferenceBounds:
        """The bounds after these documents were judged as well."""
        rows: I64 = np.asarray(judged, np.int64)
        grade = self.table.grade.copy()
        grade[rows] = self.truth[rows]
        known = self.judgments
        context = Judgments(
            known.queries,
            np.append(known.query, self.table.query[rows]),
            np.append(known.grade, self.truth[rows]),
            known.grades,
        )
        pair = self.table.pair(0, 1, rank_cutoff(self.measure))
        greatest = greatest_of(self.measure, context)
        if greatest is None:
            raise SystemExit(f"{self.name} has no bounds")
        return bounds_of_pair(greatest, replace(pair, grade=grade[pair.document]), context)

    def until_settled(self, order: Sequence[int]) -> int | None:
        """The number of judgments in this order that settle the difference; None if none do."""

        def is_settled(judged: int) -> bool:
            bounds = self.bounds(order[:judged])
            return bounds.low > 1e-12 or bounds.high < -1e-12

        low, high = 0, len(order)
        if not is_settled(high):
            return None
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if is_settled(middle) else (middle + 1, high)
        return low

    def orders(self) -> dict[str, list[int]]:
        """The documents to judge in each order."""
        docnos = texts(self.table.docnos)
        qids = [self.table.qids[query] for query in self.table.query.tolist()]
        number = {key: at for at, key in enumerate(zip(qids, docnos, strict=True))}
        measure = (self.name, self.measure)
        orders = {
            order: [
                number[key] for key in make_pool(self.loaded, self.depth, order, measure=measure)
            ]
            for order in ("depth", "settle")
        }
        every = self.bounds(orders["depth"])
        sign = np.sign(every.low + every.high)
        gain = (
            np.minimum(self.truth, 1)
            if self.measure.arguments.get("rel")
            else (self.truth / self.judgments.highest_grade)
        )
        moved = np.zeros(len(docnos))
        for hole in find_holes(self.loaded, *measure).holes:
            at = number[hole.qid, hole.docno]
            towards = gain[at] if hole.change * sign > 0 else 1 - gain[at]
            moved[at] = abs(hole.change) * towards
        orders["known"] = sorted(orders["depth"], key=lambda at: -moved[at])
        return orders


def masked(
    grades: Grades, runs: tuple[Scores, Scores], name: str, depth: int, share: float, seed: int
) -> Masked:
    """Two runs with a share of the judgments masked."""
    draw = np.random.default_rng(seed)
    kept: Grades = {
        qid: {docno: grade for docno, grade in of.items() if draw.random() > share}
        for qid, of in grades.items()
    }
    every = {qid: dict(of) for qid, of in grades.items()}
    for qid, run in itertools.product(grades, runs):
        for docno in run.get(qid, {}).keys() - grades[qid].keys():
            every[qid][docno] = kept[qid][docno] = 0.0
    measure, two = parse(name), [Run.from_dict(run) for run in runs]
    some, whole, qids = Qrels.from_dict(kept), Qrels.from_dict(every), sorted(grades)
    return Masked(
        table=retrieved(two, some, qids, depth),
        truth=retrieved(two, whole, qids, depth).grade,
        judgments=replace(Judgments.of(some, qids), grades=Judgments.of(whole, qids).grades),
        loaded=evaluate_given_runs(
            some, dict(zip("ab", two, strict=True)), {name: measure}, allow_disjoint=True
        ),
        name=name,
        measure=measure,
        depth=depth,
    )


def row(grades: Grades, runs: Sequence[Scores], name: str, depth: int, share: float) -> str:
    """The row of a measure, over all pairs of runs that are open and can be settled."""
    counts = []
    for two, seed in itertools.product(itertools.combinations(runs, 2), range(SEEDS)):
        pair = masked(grades, two, name, depth, share, seed)
        needed = {by: pair.until_settled(order) for by, order in pair.orders().items()}
        if needed["depth"]:  # else settled before, or without a difference
            counts.append([needed[by] or 0 for by in ("depth", "settle", "known")])
    by_depth, settle, known = np.array(counts, float).T
    ratio, best = settle / by_depth, known / by_depth
    return (
        f"| {name} | {len(counts)} | {np.median(by_depth):,.0f} | {np.median(settle):,.0f} "
        f"| {np.median(ratio):.2f} | {settle.sum() / by_depth.sum():.2f} "
        f"| {100 * np.mean(ratio <= HALF):.0f} % | {np.median(best):.2f} "
        f"| {100 * np.mean(best <= HALF):.0f} % |"
    )


def read(path: str, depth: int) -> Scores:
    """The first documents of a run."""
    run = ties.settled(read_run(path))
    docnos = texts(run.docnos)
    return {
        qid: {docnos[start + rank]: float(-rank) for rank in range(min(length, depth))}
        for qid, start, length in zip(
            run.qids, run.starts.tolist(), run.lengths.tolist(), strict=True
        )
    }


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--masked", type=float, default=0.3, metavar="SHARE")
    parser.add_argument("-m", "--measure", action="append")
    given = parser.parse_args()
    qrels = read_qrels(given.qrels)
    grades: Grades = {}
    for query, docno, grade in zip(
        qrels.row_query.tolist(), texts(qrels.docnos), qrels.grades.tolist(), strict=True
    ):
        grades.setdefault(qrels.qids[query], {})[docno] = grade
    runs = [
        read(path, given.depth) for path in sorted(given.runs, key=lambda path: Path(path).name)
    ]

    sys.stdout.write(
        "| measure | open pairs | depth | settle | ratio, median | ratio of sums | at most half "
        "| known: ratio, median | at most half |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    )
    for name in given.measure or MEASURES:
        sys.stdout.write(f"{row(grades, runs, name, given.depth, given.masked)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
