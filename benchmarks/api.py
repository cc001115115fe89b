"""Time `evalstore.evaluate` on dictionaries and frames beside pytrec_eval's own call, in process.

    python benchmarks/api.py [--repeats 7]

Both get the same judgments and the same run of 50, 1,000 and 3,000 queries with 1,000 documents
each. pytrec_eval's evaluator is made beforehand and only its call is timed; evalstore is timed with
judgments as they are (dictionaries, frames) and prepared (`evaluator`). The table is printed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from statistics import median

import pytrec_eval

import evalstore as ev

MEASURES = {
    *("map", "P.5,10,20", "recall.100,1000", "Rprec", "recip_rank", "ndcg", "ndcg_cut.10"),
    "iprec_at_recall",
}
DEPTH, JUDGED = 1000, 100
Numbers = dict[str, dict[str, float]]


def sample(queries: int, ids: str, seed: int = 1) -> tuple[Numbers, dict[str, dict[str, int]]]:
    """A run of random scores, in no order, and judgments of some documents that it retrieves."""
    draw = random.Random(seed)  # noqa: S311  (a sample, no secret)
    run: Numbers = {}
    qrels: dict[str, dict[str, int]] = {}
    for number in range(queries):
        docnos = [ids.format(doc) for doc in draw.sample(range(10_000_000), DEPTH)]
        run[f"q{number}"] = {docno: draw.random() * 30 for docno in docnos}
        judged = draw.sample(docnos, JUDGED)
        qrels[f"q{number}"] = {docno: draw.randrange(4) for docno in judged}
    return run, qrels


def milliseconds(calls: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The median of each call, the calls taken in turns."""
    took: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(repeats + 1):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            if turn:  # the first fills caches
                took[name].append(1000 * (time.perf_counter() - begin))
    return {name: median(times) for name, times in took.items()}


def contenders(queries: int, ids: str) -> dict[str, Callable[[], object]]:
    """The calls on one sample, pytrec_eval's first."""
    run, qrels = sample(queries, ids)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    prepared = ev.evaluator(qrels, MEASURES)
    run_frame, qrels_frame = ev.Run.from_dict(run).to_frame(), ev.Qrels.from_dict(qrels).to_frame()
    shuffled = run_frame.sample(frac=1, random_state=1)
    return {
        "pytrec_eval": lambda: theirs.evaluate(run),
        "dictionaries": lambda: ev.evaluate(qrels, run, MEASURES),
        "and `.to_dict()`": lambda: ev.evaluate(qrels, run, MEASURES).to_dict(),
        "prepared": lambda: prepared.evaluate(run),
        "frames": lambda: ev.evaluate(qrels_frame, run_frame, MEASURES).per_query,
        "frame in no order": lambda: ev.evaluate(qrels_frame, shuffled, MEASURES).per_query,
    }


def main() -> None:
    """Print a table of medians, with the ratio to pytrec_eval's call."""
    parser = argparse.ArgumentParser(description="Time evalstore.evaluate beside pytrec_eval.")
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    lines: list[str] = []
    for queries in (50, 1000, 3000):
        for kind, ids in (("of one length", "doc{:08d}"), ("of several", "d{}")):
            took = milliseconds(contenders(queries, ids), repeats)
            if not lines:
                lines += [
                    f"| documents | ids | {' | '.join(took)} |",
                    f"|---|---|{'--:|' * len(took)}",
                ]
            floor = took["pytrec_eval"]
            cells = (f"{t:,.0f} ms ({t / floor:.2f})" for t in took.values())
            lines.append(f"| {queries * DEPTH:,} | {kind} | {' | '.join(cells)} |")
            sys.stderr.write(lines[-1] + "\n")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
