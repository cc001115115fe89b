"""The benchmark's measures by pytrec_eval: QRELS RUN..., mean average precision of each run."""

import sys

import pytrec_eval

MEASURES = {
    "map",
    "P.5,10,20",
    "recall.100,1000",
    "Rprec",
    "recip_rank",
    "ndcg",
    "ndcg_cut.10",
    "iprec_at_recall",
}

qrels_path, *run_paths = sys.argv[1:]
with open(qrels_path) as lines:
    qrels = pytrec_eval.parse_qrel(lines)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
for path in run_paths:
    with open(path) as lines:
        run = pytrec_eval.parse_run(lines)
    values = evaluator.evaluate(run)
    measures = next(iter(values.values()))
    means = {m: sum(value[m] for value in values.values()) / len(qrels) for m in measures}
    sys.stdout.write(f"{means['map']:.4f}\n")
