"""Every page, command and export shows the stored aggregate, of whatever kind it is."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browserless import Browserless, find, text_of
from click.testing import CliRunner
from leaderboard_page import claimed_rows

from dashboard.app import create_app
from dashboard.components import wording
from dashboard.components.wording import measure_info
from evalstore.cli import cli
from evalstore.store import Store

# A measure of each kind of aggregate, and what the page calls it.
MEASURES = {
    "AP": "mean over 3 queries",
    "NumRet": "sum over 3 queries",
    "GMAP": "geometric mean over 3 queries",
    "RMSE": "computed over all 3 queries as the measure defines it",
}
QRELS = "q1 0 d1 1\nq1 0 d2 1\nq2 0 d3 1\nq3 0 d4 2\nq3 0 d5 1\n"
RUNS = {
    "one": "q1 Q0 d1 1 3 one\nq1 Q0 d9 2 2 one\nq2 Q0 d9 1 5 one\nq2 Q0 d3 2 4 one\n"
    "q3 Q0 d5 1 2 one\n",
    "two": "q1 Q0 d9 1 3 two\nq1 Q0 d2 2 2 two\nq2 Q0 d3 1 5 two\nq3 Q0 d4 1 2 two\n"
    "q3 Q0 d5 2 1 two\nq3 Q0 d8 3 0.5 two\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two runs whose measures have four kinds of aggregates, and its files."""
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "qrels.txt").write_text(QRELS)
    files = []
    for name, text in RUNS.items():
        (folder / f"{name}.run").write_text(text)
        files.append(str(folder / f"{name}.run"))
    program(folder, "ingest", "--collection", "c", "--qrels", str(folder / "qrels.txt"), *files)
    program(folder, "reevaluate", *(word for name in MEASURES for word in ("-m", name)))
    return folder


def program(folder: Path, *words: str) -> str:
    result = CliRunner().invoke(cli, ["--db", f"sqlite:///{folder / 'kinds.db'}", *words])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def kinds(folder: Path) -> Iterator[Browserless]:
    with Store.open(f"sqlite:///{folder / 'kinds.db'}") as store:
        yield Browserless(create_app(store).server.test_client())


@pytest.fixture(scope="module")
def stored(folder: Path) -> dict[tuple[str, str], float]:
    """The aggregates by run and measure, as SQL users read them."""
    answer = program(
        folder, "sql", "--format", "json", "SELECT run, measure, value FROM leaderboard"
    )
    return {(row["run"], row["measure"]): row["value"] for row in json.loads(answer)}


@pytest.mark.parametrize("measure", MEASURES)
def test_a_figure_is_the_same_everywhere(
    folder: Path, kinds: Browserless, stored: dict[tuple[str, str], float], measure: str
) -> None:
    expected = {run: stored[run, measure] for run in RUNS}

    cells = {row["run"]: row["v0"] for row in claimed_rows(kinds, f"/c/c?m={measure}")}
    counts = measure_info(measure).counts
    assert cells == {run: wording.value(value, counts=counts) for run, value in expected.items()}

    lines = csv.DictReader(
        io.StringIO(kinds.client.get(f"/export/c/c/leaderboard.csv?m={measure}").text)
    )
    assert {line["run"]: float(line[measure]) for line in lines} == expected

    listed = json.loads(program(folder, "runs", "-m", measure, "--format", "json"))
    assert {run["run"]: run[measure] for run in listed} == expected

    files = [str(folder / f"{run}.run") for run in RUNS]
    qrels = str(folder / "qrels.txt")
    printed = program(folder, "evaluate", qrels, *files, "-m", measure, "--format", "json")
    evaluated = json.loads(printed)
    assert {run: evaluated[run]["aggregate"][measure] for run in RUNS} == expected


@pytest.mark.parametrize("measure", MEASURES)
def test_a_comparison_shows_the_figures_of_the_leaderboard(
    kinds: Browserless, stored: dict[tuple[str, str], float], measure: str
) -> None:
    page = kinds.page(f"/c/c/compare?runs=one,two&m={measure}")["page"]["children"]
    table = text_of(find(page, "run-table")["children"])
    counts = measure_info(measure).counts
    for run in RUNS:
        figure = wording.value(stored[run, measure], counts=counts)
        assert f"{run} {figure}" in table.replace(" show", "")


def test_the_kinds_differ_from_a_plain_mean_where_they_should(
    stored: dict[tuple[str, str], float],
) -> None:
    # AP per query of "one": 1/2, 1/2, 1/2.  Of "two": 1/4, 1, 1.
    assert stored["two", "AP"] == pytest.approx(2.25 / 3)
    assert stored["two", "GMAP"] == pytest.approx(0.25 ** (1 / 3))
    assert stored["two", "NumRet"] == 6
