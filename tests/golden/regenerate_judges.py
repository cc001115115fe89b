"""Recompute `judges.json` with other packages, which are no dependency of evalstore.

In an environment of its own: pip install krippendorff==0.9.0 scikit-learn==1.9.1 irrCAC==0.4.4.
Kappas are of scikit-learn, equal to irrCAC's coefficient of Conger to 1e-9; alphas of krippendorff.
"""

from __future__ import annotations

import json
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from irrCAC.raw import CAC
from sklearn.metrics import cohen_kappa_score

WEIGHTS = {"kappa": None, "kappa_linear": "linear", "kappa_quadratic": "quadratic"}


def main() -> None:
    """Draw 20 pairs of judges, and write their grades and coefficients."""
    random = np.random.default_rng(36)
    cases = []
    for _ in range(20):
        documents, grades = int(random.integers(10, 60)), int(random.integers(2, 6))
        a = random.integers(0, grades, documents)
        b = np.where(random.random(documents) < 0.6, a, random.integers(0, grades, documents))
        case: dict[str, object] = {"a": a.tolist(), "b": b.tolist()}
        for name, weights in WEIGHTS.items():
            case[name] = float(cohen_kappa_score(a, b, weights=weights))
            frame = pd.DataFrame({"a": a.tolist(), "b": b.tolist()})
            conger = CAC(frame, weights=weights or "identity", digits=15).conger()
            assert abs(conger["est"]["coefficient_value"] - case[name]) < 1e-9
        for metric in ("nominal", "ordinal", "interval"):
            alpha = krippendorff.alpha([a, b], level_of_measurement=metric)
            case[f"alpha_{metric}"] = float(alpha)
        cases.append(case)
    path = Path(__file__).with_name("judges.json")
    lines = ",\n".join(json.dumps(case) for case in cases)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
