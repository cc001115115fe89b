"""Make the store on which pages are looked at: 60 runs with long names over 200 queries.

    python benchmarks/long_names.py /tmp/sixty.db

Six engines have ten settings each, a run a setting, months apart. All is made up, and the same
each time.
"""

from __future__ import annotations

import argparse
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import evalstore as ev

ENGINES = {
    "anserini.bm25": 0.55,
    "anserini.bm25-rm3": 0.67,
    "dense.e5-base": 0.61,
    "splade.v3": 0.55,
    "colbert.plaid": 0.58,
    "hybrid.rrf": 0.6,
}
"""How far the scores of relevant documents lie above those of others, by engine."""
QUERIES, DOCUMENTS, DEPTH = 200, 400, 100


def judgments(chance: random.Random) -> dict[str, dict[str, int]]:
    """Grades by query: 3 to 30 relevant documents, and some 60 that are not."""
    grades = {}
    for number in range(1, QUERIES + 1):
        of_query = dict.fromkeys(chance.sample(range(DOCUMENTS), 60), 0)
        relevant = chance.sample(range(DOCUMENTS), chance.randint(3, 30))
        of_query |= {document: chance.choice((1, 1, 2)) for document in relevant}
        grades[f"{number}"] = {f"D{document}": grade for document, grade in of_query.items()}
    return grades


def run(
    grades: dict[str, dict[str, int]], lead: float, chance: random.Random
) -> dict[str, dict[str, float]]:
    """Scores by query, of the first documents."""
    scores = {}
    for qid, of_query in grades.items():
        relevant = [docno for docno, grade in of_query.items() if grade]
        found = {f"D{number}" for number in chance.sample(range(DOCUMENTS), 150)} | {*relevant}
        of_run = {
            docno: chance.gauss(lead if of_query.get(docno) else 0.0, 0.45)
            for docno in sorted(found)
        }
        first = sorted(of_run, key=of_run.__getitem__, reverse=True)[:DEPTH]
        scores[qid] = {docno: of_run[docno] for docno in first}
    return scores


def main() -> None:
    """Make the store."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("store", type=Path, help="a SQLite file that is not there")
    chance, number = random.Random(7), 0  # noqa: S311  (made-up data)
    grades, began = judgments(chance), datetime(2026, 1, 1, tzinfo=UTC)
    with ev.open(str(parser.parse_args().store)) as store:
        for k1 in (0.6, 0.9, 1.2, 1.6, 2.0):
            for b in (0.4, 0.75):
                for engine, lead in ENGINES.items():
                    name = f"{engine}-index_msmarco-passage-v2-k1_{k1}-b_{b}"
                    store.ingest(
                        collection="msmarco",
                        qrels=grades,
                        runs={name: run(grades, lead + 0.02 * k1, chance)},
                        engine=engine,
                        experiment=engine.split(".")[0],
                        params={"k1": k1, "b": b},
                        started_at=began + timedelta(days=5 * number),
                    )
                    number += 1


if __name__ == "__main__":
    main()
