"""What importing the statistics costs."""

from __future__ import annotations

import subprocess
import sys

COMPARE = """
a, b = [0.1, 0.5, 0.3], [0.2, 0.4, 0.6]
stats.paired_t(a, b), stats.wilcoxon(a, b), stats.sign(a, b), stats.randomization(a, b)
stats.t_interval(a, b), stats.bca_interval(a, b), stats.queries_needed(0.1, 0.2)
stats.mean_interval(a, b), stats.proportion_interval(2, 3), stats.max_t([a, b])
stats.aggregate_differences(lambda values, weights: weights @ values, a, b)
"""


def test_scipy_is_not_needed() -> None:
    program = f"import sys; from evalstore import stats\n{COMPARE}\nprint('scipy' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (answer.stdout, answer.stderr) == ("False\n", "")
