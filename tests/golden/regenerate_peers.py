"""Make peers.json anew: `python tests/golden/regenerate_peers.py`.

A small run and qrels of our own making (drawn with a fixed seed), and what pytrec_eval (trec_eval
9 in the process) and ir_measures (which asks gdeval, in Perl, for ERR) say of them, query by query.
Recorded, so that the tests tell a change of ours from a change of theirs.
"""

from __future__ import annotations

import json
import random
from importlib.metadata import version
from pathlib import Path

import ir_measures
import pytrec_eval

PEERS = Path(__file__).with_name("peers.json")

PYTREC = sorted(
    pytrec_eval.supported_measures - {"runid", "relstring", "num_q", "gm_map", "gm_bpref"}
)
IR_MEASURES = ["ERR@3", "ERR@20", "nDCG(dcg='exp-log2')@3", "nDCG(dcg='exp-log2')@20"]

Table = dict[str, dict[str, float]]


def material() -> tuple[dict[str, dict[str, int]], Table]:
    """Ten judged queries and eleven answered ones: gaps, ties, negative and missing grades."""
    draw = random.Random(20)
    docnos = [f"doc-{i}" for i in range(60)] + ["Doc", "DOC", "doc", "7", "07"]
    qrels = {}
    run: Table = {}
    for query in range(1, 13):
        qid = str(query)
        judged = draw.sample(docnos, draw.randrange(5, 40))
        grades = [-1, 0, 0, 0, 0, 1, 1, 2, 3] if query != 4 else [0, -1]
        retrieved = draw.sample(docnos, draw.randrange(1, 60))
        if query != 7:
            run[qid] = {d: draw.choice([1.0, 2.0, round(draw.uniform(0, 9), 3)]) for d in retrieved}
        if query <= 10:
            qrels[qid] = {d: draw.choice(grades) for d in judged}
    return qrels, run


def main() -> None:
    """Ask the peers and write down what they say."""
    qrels, run = material()
    queries = sorted(set(qrels) & set(run))
    values: dict[str, list[float]] = {}
    for level in (1, 2):
        by_query = pytrec_eval.RelevanceEvaluator(qrels, PYTREC, relevance_level=level).evaluate(
            run
        )
        for measure in sorted(by_query[queries[0]]):
            name = measure if level == 1 else f"{measure} -l {level}"
            values[name] = [round(by_query[qid][measure], 12) for qid in queries]
    for text in IR_MEASURES:
        asked = [ir_measures.parse_measure(text)]
        value_of = {v.query_id: v.value for v in ir_measures.iter_calc(asked, qrels, run)}
        values[text] = [value_of[qid] for qid in queries]
    peers = ("pytrec_eval-terrier", "ir_measures")
    recorded = {
        "about": "Made by regenerate_peers.py: a run and qrels of ours, and the values of others",
        "versions": {name: version(name) for name in peers},
        "qrels": qrels,
        "run": run,
        "queries": queries,
        "values": values,
    }
    text = json.dumps(recorded, indent=0).replace("\n", " ").replace('}, "', '},\n"')
    PEERS.write_text(text.replace('], "', '],\n"') + "\n", "utf-8")


if __name__ == "__main__":
    main()
