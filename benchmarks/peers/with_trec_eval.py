"""The benchmark's measures by trec_eval: PROGRAM QRELS RUN..., one process a run, as people do."""

import subprocess
import sys

MEASURES = [
    "map",
    "P.5,10,20",
    "recall.100,1000",
    "Rprec",
    "recip_rank",
    "ndcg",
    "ndcg_cut.10",
    "iprec_at_recall",
]

program, qrels_path, *run_paths = sys.argv[1:]
options = [word for measure in MEASURES for word in ("-m", measure)]
for path in run_paths:
    subprocess.run([program, "-c", *options, qrels_path, path], check=True)  # noqa: S603
