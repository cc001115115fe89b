"""`evalstore explain`: the table a lecturer draws."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import Program

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq1 0 d -1\nq1 0 missed 1\n"
RUN = "q1 Q0 a 1 9 t\nq1 Q0 b 2 8 t\nq1 Q0 x 3 7 t\nq1 Q0 c 4 6 t\nq1 Q0 d 5 5 t\n"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "a.qrels").write_text(QRELS)
    (folder / "a.run").write_text(RUN)


def test_every_figure_of_a_query_is_laid_open_rank_by_rank(program: Program) -> None:
    head, columns, *ranks = program("explain", "a.qrels", "a.run", "q1").stdout.splitlines()
    assert head == "query q1: 5 documents retrieved, 4 judged, 3 relevant; relstring 20-1."
    assert columns.split("  ")[0] == "rank"
    assert columns.split()[-2:] == ["to", "AP"]
    assert [line.split()[:4] for line in ranks] == [
        ["1", "a", "2", "1"],
        ["2", "b", "0", "1"],
        ["3", "x", "-", "1"],
        ["4", "c", "1", "2"],
        ["5", "d", "-1", "2"],
    ]
    # Rank 4: P 2/4, R 2/3, gain 1, discount log2(5), 1/2/3 of AP.
    assert ranks[3].split()[4:8] == ["0.5000", "0.6667", "1", "2.3219"]
    assert ranks[3].split()[-1] == "0.1667"


def test_depth_cuts_the_table(program: Program) -> None:
    shown = program("explain", "a.qrels", "a.run", "q1", "--depth", "2").stdout.splitlines()
    assert len(shown) == 4


def test_a_query_outside_the_qrels_is_one_line_and_status_1(program: Program) -> None:
    done = program("explain", "a.qrels", "a.run", "q9", status=1)
    assert done.stderr == "the qrels has no query 'q9'\n"
