"""docs/example-plugin: its measure, format and figure are there once it is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from builds import CHECKOUT, run
from samples import write_qrels

pytestmark = pytest.mark.packaging


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, as `pip install --target` makes it."""
    folder = tmp_path_factory.mktemp("target")
    pip = ("-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--target", folder)
    offline = ("--no-deps", "--no-index", "--no-build-isolation")
    run(sys.executable, *pip, *offline, CHECKOUT / "docs" / "example-plugin", cwd=folder)
    return folder


CALLS = """
import json
import sys

from click.testing import CliRunner

from evalstore.cli import cli

for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(cli, words)
    print(json.dumps([done.exit_code, done.stdout, done.stderr]))
"""


def called(
    folder: Path, target: Path | None, *calls: tuple[str, ...]
) -> list[tuple[int, str, str]]:
    """Status, output and errors of commands in a process with the package, or without it."""
    there = os.environ.get("PYTHONPATH", "")
    path = there if target is None else os.pathsep.join(filter(None, (str(target), there)))
    printed = subprocess.check_output(
        [sys.executable, "-c", CALLS, json.dumps(calls)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        text=True,
    )
    return [tuple(json.loads(line)) for line in printed.splitlines()]


FIGURES = """
import pandas as pd
from dashboard.pages.compare.sections import figures_of_packages

values = pd.DataFrame({"run": ["a", "a", "b"], "qid": ["1", "2", "1"], "value": [0.5, 0.25, 1.0]})
for name, draw in figures_of_packages().items():
    print(name, [(trace.name, trace.y.tolist()) for trace in draw(values).data])
"""


def test_its_figure_is_found_and_draws(tmp_path: Path, target: Path) -> None:
    path = os.pathsep.join(filter(None, (str(target), os.environ.get("PYTHONPATH"))))
    program = [sys.executable, "-c", FIGURES]
    environment = {**os.environ, "PYTHONPATH": path}
    drawn = subprocess.check_output(program, cwd=tmp_path, env=environment, text=True)
    assert drawn == "spread_of_values [('a', [0.25, 0.5]), ('b', [1.0])]\n"


def test_its_measure_and_format_are_used_and_listed(tmp_path: Path, target: Path) -> None:
    write_qrels(tmp_path, {"q1": {"d1": 1}, "q2": {"d2": 1}}, "test.qrels")
    (tmp_path / "bm25.lists").write_text("q1: d1 d2\nq2: d1 d2\n", encoding="utf-8")
    files = ("test.qrels", "bm25.lists")
    evaluated, measures, formats, stored, again = called(
        tmp_path,
        target,
        ("evaluate", *files, "-m", "SuccessAtTop", "-m", "RR"),
        ("measures",),
        ("ingest", "--formats"),
        ("ingest", "--collection", "c", "--qrels", *files),
        ("reevaluate", "-m", "SuccessAtTop"),
    )
    assert evaluated[2] == ""
    assert [line.split()[-1] for line in evaluated[1].splitlines()[1:]] == ["0.5000", "0.7500"]
    assert "Success at the top" in measures[1]
    assert "list-run" in formats[1]
    assert (stored[0], again[0]) == (0, 0)

    shown, unknown = called(
        tmp_path,
        None,
        ("sql", "SELECT value FROM leaderboard WHERE measure = 'SuccessAtTop'"),
        ("evaluate", *files, "-m", "SuccessAtTop"),
    )
    assert "0.5" in shown[1]  # stored values need no package
    assert "no measure is called 'SuccessAtTop'" in unknown[2]
