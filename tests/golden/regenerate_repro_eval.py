"""Make repro_eval.json anew: `python tests/golden/regenerate_repro_eval.py`.

Needs repro_eval, which is no dependency of ours. Runs and judgments of our own making (drawn with a
fixed seed): an original run with its baseline, and a reproduction of both, whose lists are of one
length, as repro_eval's tau wants them. One query is not judged, one not answered.
"""

from __future__ import annotations

import json
import random
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from repro_eval.Evaluator import RpdEvaluator, RplEvaluator

RECORDED = Path(__file__).with_name("repro_eval.json")
MEASURES = ("AP", "nDCG@10", "P@10", "RR")
DOCUMENTS = [f"d{number:02}" for number in range(40)]
Run = dict[str, dict[str, float]]


def material() -> tuple[dict[str, dict[str, int]], dict[str, Run]]:
    """Judgments of 8 queries, and the four runs by name, with ties."""
    draw = random.Random(36)
    qids = [f"q{number}" for number in range(1, 9)]
    qrels = {
        qid: {d: draw.choice([0, 0, 1, 2]) for d in draw.sample(DOCUMENTS, 25)} for qid in qids
    }
    runs: dict[str, Run] = {name: {} for name in ("orig_b", "orig_a", "rpd_b", "rpd_a")}
    for qid in [*qids[:-1], "q9"]:
        length = draw.randrange(8, 21)
        for suffix, skill in (("b", 0.5), ("a", 1.5)):
            base = {d: skill * qrels.get(qid, {}).get(d, 0) + draw.random() * 3 for d in DOCUMENTS}
            for name in ("orig", "rpd"):
                scores = {d: round(base[d] + draw.random(), 1) for d in DOCUMENTS}
                # trec_eval's order, which repro_eval takes from the file.
                best = sorted(DOCUMENTS, key=lambda d: (scores[d], d), reverse=True)[:length]
                runs[f"{name}_{suffix}"][qid] = {d: scores[d] for d in best}
    return qrels, runs


def lines(table: dict[str, dict[str, Any]], row: str) -> str:
    """A file of runs or judgments."""
    return "".join(
        row.format(qid=qid, docno=docno, value=value)
        for qid, of in table.items()
        for docno, value in of.items()
    )


def figures(found: Any) -> Any:
    """The answer of repro_eval with the measures of interest alone."""
    if isinstance(found, dict) and "AP" in found:
        return {measure: found[measure] for measure in MEASURES}
    if isinstance(found, dict):
        return {name: figures(value) for name, value in found.items()}
    return found


def main() -> None:
    """Ask repro_eval and write down what it says."""
    qrels, runs = material()
    with tempfile.TemporaryDirectory() as folder:
        paths = {"qrels_orig_path": f"{folder}/qrels"}
        Path(folder, "qrels").write_text(lines(qrels, "{qid} 0 {docno} {value}\n"), "utf-8")
        for name, run in runs.items():
            Path(folder, name).write_text(lines(run, "{qid} Q0 {docno} 1 {value} run\n"), "utf-8")
        for ours in ("b_orig", "a_orig", "b_rep", "a_rep"):
            suffix, kind = ours.split("_")
            paths[f"run_{ours}_path"] = f"{folder}/{kind.replace('rep', 'rpd')}_{suffix}"
        rpd = RpdEvaluator(**paths)
        rpl = RplEvaluator(**paths, qrels_rpl_path=f"{folder}/qrels")
        for evaluator in (rpd, rpl):
            evaluator.trim()
            evaluator.evaluate()
        found = {
            "ktu": rpd.ktu(),
            "rbo": rpd.rbo(),
            "ktu_per_topic": rpd.ktu(per_topic=True),
            "rbo_per_topic": rpd.rbo(per_topic=True),
            "rmse": rpd.rmse(),
            "nrmse": rpd.nrmse(),
            "er": rpd.er(),
            "dri": rpd.dri(),
            "ttest": rpd.ttest(),
            "ttest_unpaired": rpl.ttest(),
        }
    recorded = {
        "about": "Made by regenerate_repro_eval.py: runs and qrels of ours, figures of repro_eval",
        "versions": {name: version(name) for name in ("repro_eval", "pytrec_eval-terrier")},
        "qrels": qrels,
        "runs": runs,
        "figures": {name: figures(value) for name, value in found.items()},
    }
    text = json.dumps(recorded).replace("}, ", "},\n")
    RECORDED.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
