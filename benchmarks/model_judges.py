"""Measure what the statistics of judges that are models find, and what they find wrongly.

    python benchmarks/model_judges.py [--draws 2000] [--seed 1]

Prints two Markdown tables, shares in %. Favour: 50 queries of 60 documents with grades 0 to 3, and
9 runs, 3 of them of the model's family. A run ranks by the grade times its strength, a noise that
the runs of its family share, and one of its own; the documents of its first 10 ranks count. The
model grades like people with an error, and with a favour it adds a part of the noise that its
family shares. Where people err too, both err about one true relevance.

Prediction-powered differences: AP of two runs from counts of real values (`real_values.py`), on 30
queries that people judged and 200 others; a useful model has the values of people on a share of the
queries, and those of some other query on the rest, as a useless one on all. Coverage is of the true
difference; widths are those over the mean width of Student's interval of people alone.
"""

# ruff: noqa: T201  (a program that prints its tables)

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from real_values import POPULATIONS

from evalstore.stats import group_favour, ppi_difference, t_interval
from evalstore.stats.prediction_powered import Quantile

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
QUERIES, DOCUMENTS, DEPTH, RUNS, OWN = 50, 60, 10, 9, 3
HUMAN, REST = 30, 200
GRADES = (0.6, 0.2, 0.12, 0.08)


@dataclass(frozen=True)
class Judges:
    """A world: strengths of the runs of the family and of the others, favour, errors, shift."""

    name: str
    own: float = 1.0
    others: float = 1.0
    favour: float = 0.0
    error: float = 0.8
    shift: float = 0.0
    people: float = 0.0


WORLDS = (
    Judges("no favour"),
    Judges("no favour, the family better", own=1.5),
    Judges("no favour, the family worse", own=0.6),
    Judges("no favour, a poor and strict model", own=1.5, error=2.0, shift=-0.7),
    Judges("no favour, people err too", own=1.5, people=0.5),
    Judges("favour", favour=0.1),
    Judges("favour, larger", favour=0.2),
    Judges("favour, the family worse", own=0.6, favour=0.2),
    Judges("favour, a poor model", error=2.0, favour=0.4),
)


def draw(world: Judges, random: np.random.Generator) -> tuple[F64, F64, I64, I64]:
    """The grades of people and of the model, and the query and run of each retrieved document."""
    grade = random.choice(4, (QUERIES, DOCUMENTS), p=GRADES).astype(np.float64)
    shared = random.normal(size=(2, QUERIES, DOCUMENTS))
    strength = np.where(np.arange(RUNS) < OWN, world.own, world.others)
    family = (np.arange(RUNS) >= OWN).astype(int)
    own_noise = random.normal(size=(RUNS, QUERIES, DOCUMENTS))
    scores = strength[:, None, None] * grade + shared[family] + own_noise
    top = np.argsort(-scores, axis=2)[:, :, :DEPTH]
    error = world.error * random.normal(size=grade.shape)
    model = np.clip(np.rint(grade + world.shift + error + world.favour * shared[0]), 0, 3)
    people = np.clip(np.rint(grade + world.people * random.normal(size=grade.shape)), 0, 3)
    run, query, _ = np.indices(top.shape)
    at = (query.ravel(), top.ravel())
    return people[at], np.asarray(model[at], np.float64), query.ravel(), run.ravel()


def favours(world: Judges, draws: int, random: np.random.Generator) -> tuple[float, float, float]:
    """The mean favour, and the shares of draws with a favour of the family, and of the others."""
    own = np.arange(RUNS) < OWN
    found = [group_favour(*draw(world, random), own) for _ in range(draws)]
    shown = np.array([np.sign(one.favour) * (one.p < 0.05) for one in found])
    return (
        float(np.mean([one.favour for one in found])),
        float(np.mean(shown > 0)),
        float(np.mean(shown < 0)),
    )


def coverage(draws: int, useful: float, random: np.random.Generator) -> dict[str, float]:
    """Coverage of the two intervals in %, and their mean widths over that of people alone."""
    population, gain = POPULATIONS["AP"], 0.3
    truth = population.mean(gain) - population.mean(0)
    inside: dict[Quantile, list[bool]] = {"normal": [], "t": []}
    widths: dict[Quantile, list[float]] = {"normal": [], "t": []}
    alone = []
    for _ in range(draws):
        people, other = (population.draw(random, HUMAN + REST, (0, gain)) for _ in range(2))
        model = np.where(random.random((HUMAN + REST, 1)) < useful, people, other)
        low, high = t_interval(*people[:HUMAN].T)
        alone.append(high - low)
        for interval, within in inside.items():
            parts = (*people[:HUMAN].T, *model[:HUMAN].T, *model[HUMAN:].T)
            found = ppi_difference(*parts, interval=interval)
            within.append(found.low <= truth <= found.high)
            widths[interval].append(found.high - found.low)
    return {
        **{f"coverage, {name}": 100 * float(np.mean(of)) for name, of in inside.items()},
        **{f"width, {name}": float(np.mean(of) / np.mean(alone)) for name, of in widths.items()},
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    random = np.random.default_rng(given.seed)
    print("| family bias, p < 0.05 | favour, grades | found | the others |\n|---|--:|--:|--:|")
    for world in WORLDS:
        mean, ours, others = favours(world, given.draws, random)
        print(f"| {world.name} | {mean:+.3f} | {100 * ours:.1f} | {100 * others:.1f} |")
    print()
    models = {"equal to people": 1.0, "useful, 0.8": 0.8, "useful, 0.5": 0.5, "useless": 0.0}
    for number, (name, useful) in enumerate(models.items()):
        found = coverage(given.draws, useful, random)
        if not number:
            print(f"| model | {' | '.join(found)} |\n|---|{'--:|' * len(found)}")
        print(f"| {name} | {' | '.join(f'{of:.2f}' for of in found.values())} |")


if __name__ == "__main__":
    main()
