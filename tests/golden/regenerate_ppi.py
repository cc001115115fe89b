"""Make ppi.json anew: `python tests/golden/regenerate_ppi.py`.

Needs ppi-python, which is no dependency of ours. Values of our own making (drawn with fixed seeds),
and the estimate and interval that `ppi_mean_pointestimate` and `ppi_mean_ci` give for them.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

RECORDED = Path(__file__).with_name("ppi.json")
CASES = 20


def case(seed: int) -> dict[str, Any]:
    """A model that is good, weak, useless or opposed; constant in every fifth case."""
    random = np.random.default_rng(seed)
    few, many = int(random.integers(2, 13)), int(random.integers(1, 25))
    truth = random.beta(0.9, 1.6, few + many)
    quality = [1.0, 0.6, 0.0, -0.8][seed % 4]
    model = 0.2 + quality * truth + 0.1 * random.standard_normal(few + many)
    if seed % 5 == 4:
        model[:few] = 0.5
    human, same, rest = (values.round(3) for values in (truth[:few], model[:few], model[few:]))
    level = [0.95, 0.9, 0.99][seed % 3]
    estimate = ppi_mean_pointestimate(human, same, rest)
    low, high = ppi_mean_ci(human, same, rest, alpha=1 - level)
    return {
        "human": human.tolist(),
        "model_on_human": same.tolist(),
        "model_on_rest": rest.tolist(),
        "level": level,
        "result": [np.squeeze(number).item() for number in (estimate, low, high)],
    }


def main() -> None:
    """Ask ppi-python and write down what it says."""
    recorded = {
        "about": "Made by regenerate_ppi.py: values of ours, and what ppi-python estimates of them",
        "versions": {"ppi-python": version("ppi-python")},
        "cases": [case(seed) for seed in range(CASES)],
    }
    text = json.dumps(recorded).replace('{"human"', '\n{"human"')
    RECORDED.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
