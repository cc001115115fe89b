"""Time the statistics of comparisons, beside SciPy on the same numbers.

    python benchmarks/stats.py [--repeats 5]

Everything runs in this process: ours some times, of which the median is shown, and a peer once.
The table shows the most memory that one call of ours took (by tracemalloc) and what both computed,
so that it can be seen that they did the same. Values are drawn at random with a fixed seed: runs of
50 and of 6,980 queries (MS MARCO's) that differ about as engines do.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.stats
from rich.console import Console
from rich.table import Table

from evalstore import stats

F64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """What is timed: ours, a peer that computes the same (or none), and a figure of the result."""

    name: str
    ours: Callable[[], Any]
    figure: Callable[[Any], float]
    peer_name: str = ""
    peer: Callable[[], Any] | None = None
    figure_of_peer: Callable[[Any], float] | None = None


def values(queries: int, runs: int) -> F64:
    """Queries x runs: easy and hard queries, better and worse runs, four decimals."""
    random = np.random.default_rng(queries)
    easy = random.beta(1, 2, (queries, 1))
    noise = random.normal(0, 0.12, (queries, runs))
    return np.clip(easy + noise + random.normal(0, 0.04, runs), 0, 1).round(4)


def all_tests(table: F64) -> list[F64]:
    """Holm over all pairs, of each test."""
    tests = (stats.paired_t_all, stats.wilcoxon_all, stats.sign_all)
    return [stats.holm(test(table).p) for test in tests]


def all_tests_by_scipy(table: F64) -> list[list[float]]:
    """The same tests pair by pair, uncorrected: SciPy has no Holm."""
    a, b = stats.pairs(table.shape[1])
    differences = list(np.rint((table[:, b] - table[:, a]) * 1e9).T)
    t = [scipy.stats.ttest_1samp(d, 0).pvalue for d in differences]
    w = [scipy.stats.wilcoxon(d, method="asymptotic").pvalue for d in differences]
    counts = [(int((d > 0).sum()), int((d != 0).sum())) for d in differences]
    return [t, w, [scipy.stats.binomtest(wins, n).pvalue for wins, n in counts]]


def flips(table: F64) -> Any:
    """The randomization test of the first two columns by SciPy, in parts that fit into memory."""
    return scipy.stats.permutation_test(
        (table[:, 1] - table[:, 0],),
        np.mean,
        permutation_type="samples",
        n_resamples=100_000,
        batch=max(1, 10_000_000 // len(table)),
        rng=np.random.default_rng(1),
    )


def bootstrap(table: F64) -> Any:
    """The BCa interval of the first two columns by SciPy."""
    difference = table[:, 1] - table[:, 0]
    random = np.random.default_rng(1)
    return scipy.stats.bootstrap((difference,), np.mean, n_resamples=10_000, batch=500, rng=random)


def cases() -> list[Case]:
    """All that is timed."""
    few, many, team = values(50, 2), values(6980, 2), values(50, 100)
    flipping = "permutation_test"
    p_of_pair = stats.paired_t_all(team).p
    return [
        Case(
            "randomization, 50 queries, 100,000 resamples",
            lambda: stats.randomization(*few.T),
            lambda test: test.p,
            flipping,
            lambda: flips(few),
            lambda test: test.pvalue,
        ),
        Case(
            "randomization, 6,980 queries, 100,000 resamples",
            lambda: stats.randomization(*many.T),
            lambda test: test.p,
            flipping,
            lambda: flips(many),
            lambda test: test.pvalue,
        ),
        Case(
            "BCa interval, 50 queries, 10,000 resamples",
            lambda: stats.bca_interval(*few.T),
            lambda ends: ends.low,
            "bootstrap",
            lambda: bootstrap(few),
            lambda result: result.confidence_interval.low,
        ),
        Case(
            "BCa interval, 6,980 queries, 10,000 resamples",
            lambda: stats.bca_interval(*many.T),
            lambda ends: ends.low,
            "bootstrap",
            lambda: bootstrap(many),
            lambda result: result.confidence_interval.low,
        ),
        Case(
            "t, Wilcoxon, sign and Holm, all pairs of 100 runs",
            lambda: all_tests(team),
            lambda corrected: (corrected[0] < 0.05).mean(),
            "ttest_1samp, wilcoxon, binomtest",
            lambda: all_tests_by_scipy(team),
            lambda p: (stats.holm(p[0]) < 0.05).mean(),
        ),
        Case(
            "randomised Tukey, 100 runs, 5,000 permutations",
            lambda: stats.tukey_randomized(team),
            lambda p: (p < 0.05).mean(),
        ),
        Case(
            "Tukey after ANOVA, 100 runs",
            lambda: stats.tukey_anova(team),
            lambda p: (p < 0.05).mean(),
        ),
        Case(
            "rank groups of 100 runs (Holm)",
            lambda: stats.rank_groups(
                team.mean(axis=0), stats.p_matrix(stats.holm(p_of_pair), 100)
            ),
            lambda letters: len(set("".join(letters))),
        ),
        Case(
            "discriminative power, 100 runs, bootstrap 1,000",
            lambda: stats.discriminative_power(team),
            lambda power: power.share,
        ),
    ]


def seconds(call: Callable[[], Any]) -> float:
    """How long a call takes."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def peak_megabytes(call: Callable[[], Any]) -> float:
    """The most memory a call had at any time."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main() -> None:
    """Time every case and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    table = Table(title="Statistics of comparisons")
    for heading in (
        "what",
        "seconds",
        "MB",
        "figure",
        "SciPy",
        "seconds",
        "figure",
        "times faster",
    ):
        table.add_column(heading, justify="left" if heading in ("what", "SciPy") else "right")
    for case in cases():
        case.ours()  # imports shall not be part of the timing
        ours = median(seconds(case.ours) for _ in range(repeats))
        row = [case.name, f"{ours:.3f}", f"{peak_megabytes(case.ours):.0f}"]
        row.append(f"{case.figure(case.ours()):.4g}")
        if case.peer is not None and case.figure_of_peer is not None:
            results: list[Any] = []
            theirs = seconds(lambda peer=case.peer, to=results: to.append(peer()))
            row += [case.peer_name, f"{theirs:.2f}", f"{case.figure_of_peer(results[0]):.4g}"]
            row.append(f"{theirs / ours:.0f}")
        table.add_row(*row)
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
