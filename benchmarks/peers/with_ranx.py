"""The benchmark's measures by ranx, which has no IPrec: QRELS RUN..., MAP of each run."""

import sys

from ranx import Qrels, Run, evaluate

MEASURES = [
    "map",
    "precision@5",
    "precision@10",
    "precision@20",
    "recall@100",
    "recall@1000",
    "r-precision",
    "mrr",
    "ndcg",
    "ndcg@10",
]

qrels_path, *run_paths = sys.argv[1:]
qrels = Qrels.from_file(qrels_path, kind="trec")
for path in run_paths:
    means = evaluate(qrels, Run.from_file(path, kind="trec"), MEASURES, make_comparable=True)
    sys.stdout.write(f"{means['map']:.4f}\n")
