"""The benchmark's measures by ir_measures: QRELS RUN..., mean average precision of each run."""

import sys

import ir_measures

NAMES = ["AP", "P@5", "P@10", "P@20", "R@100", "R@1000", "Rprec", "RR", "nDCG", "nDCG@10"]
MEASURES = [
    ir_measures.parse_measure(name)
    for name in [*NAMES, *(f"IPrec@{level / 10}" for level in range(11))]
]

qrels_path, *run_paths = sys.argv[1:]
qrels = list(ir_measures.read_trec_qrels(qrels_path))
evaluator = ir_measures.evaluator(MEASURES, qrels)
for path in run_paths:
    means = evaluator.calc_aggregate(ir_measures.read_trec_run(path))
    sys.stdout.write(f"{means[ir_measures.AP]:.4f}\n")
