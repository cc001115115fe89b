"""What makes two runs, or two qrels, the same, and what does not."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from evalstore.formats import read_qrels, read_run, ties
from evalstore.formats.lists import qrels_hash, run_hash

RUN = "q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 7 bm25\nq1 Q0 d3 3 7 bm25\nq2 Q0 d1 1 -0.5 bm25\n"
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"


def run(folder: Path, content: str | bytes) -> str:
    path = folder / "some.run"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return run_hash(ties.settled(read_run(str(path))))


def qrels(folder: Path, content: str) -> str:
    path = folder / "some.qrels"
    path.write_text(content, encoding="utf-8", newline="")
    return qrels_hash(read_qrels(str(path)))


def lines(text: str, *order: int) -> str:
    return "".join(text.splitlines(keepends=True)[i] for i in order)


@pytest.mark.parametrize(
    "content",
    [
        RUN.replace("\n", "\r\n"),
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "   "),
        RUN.rstrip("\n"),
        "# comment\n\n" + RUN + "\n",
        "\ufeff" + RUN,
        gzip.compress(RUN.encode()),
        lines(RUN, 3, 2, 1, 0),
        lines(RUN, 0, 3, 2, 1),
        RUN.replace("Q0", "0"),
        RUN.replace(" 1 9.5", " 77 9.5"),
        RUN.replace(" 7 ", " 7.000 ").replace("9.5", "95e-1").replace("-0.5", "-.5"),
    ],
    ids=[
        *("crlf", "tabs", "spaces", "no final newline", "comment", "bom", "gzip", "reversed"),
        *("interleaved", "iteration", "rank", "numbers written otherwise"),
    ],
)
def test_how_a_run_is_written_makes_no_difference(tmp_path: Path, content: str | bytes) -> None:
    assert run(tmp_path, content) == run(tmp_path, RUN)


@pytest.mark.parametrize(
    "content",
    [
        RUN.replace("d3", "d4"),
        RUN.replace("d3", "D3"),
        RUN.replace("9.5", "9.6"),
        RUN.replace("9.5", "9.500000000000002"),
        RUN.replace("q2", "q3"),
        RUN.replace("q2", "q02"),
        RUN.replace("bm25", "bm25b"),
        lines(RUN, 0, 1, 2),
        RUN + "q2 Q0 d2 2 -1 bm25\n",
        RUN.replace("d2 2 7", "d2 2 6"),
        RUN.replace("q1 Q0 d3", "q2 Q0 d3"),
    ],
)
def test_what_a_run_says_makes_a_difference(tmp_path: Path, content: str) -> None:
    assert run(tmp_path, content) != run(tmp_path, RUN)


def test_minus_zero_is_zero(tmp_path: Path) -> None:
    assert run(tmp_path, "q Q0 d 1 -0.0 t\n") == run(tmp_path, "q Q0 d 1 0 t\n")
    assert qrels(tmp_path, "q 0 d -0\n") == qrels(tmp_path, "q 0 d 0\n")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("q Q0 ab 1 2 t\nq Q0 c 2 1 t\n", "q Q0 a 1 2 t\nq Q0 bc 2 1 t\n"),
        ("q Q0 a 1 2 t\nq Q0 b 2 1 t\n", "q Q0 a 1 2 t\nr Q0 b 2 1 t\n"),
        ("ab Q0 d 1 2 c\n", "b Q0 d 1 2 ac\n"),
        ("a Q0 d 1 2 t\n", "a Q0 dt 1 2 t\n"),
    ],
)
def test_nothing_flows_from_one_field_into_the_next(tmp_path: Path, one: str, other: str) -> None:
    assert run(tmp_path, one) != run(tmp_path, other)


@pytest.mark.parametrize(
    "content",
    [
        lines(QRELS, 2, 1, 0),
        lines(QRELS, 1, 2, 0),
        QRELS.replace("\n", "\r\n").replace(" ", "\t"),
        QRELS.replace(" 0 d", " Q0 d"),
        QRELS.replace("d1 1", "d1 1.0"),
        QRELS + lines(QRELS, 0),
    ],
    ids=["reversed", "interleaved", "crlf and tabs", "iteration", "1.0", "a judgment twice"],
)
def test_how_a_qrels_is_written_makes_no_difference(tmp_path: Path, content: str) -> None:
    assert qrels(tmp_path, content) == qrels(tmp_path, QRELS)


@pytest.mark.parametrize(
    "content",
    [
        QRELS.replace("d1 1", "d1 2"),
        QRELS.replace("d2 0", "d2 -1"),
        QRELS.replace("d1 1", "d1 1.5"),
        lines(QRELS, 0, 2),
        QRELS + "q3 0 d1 0\n",
        QRELS.replace("q2", "Q2"),
        QRELS.replace("d2", "d02"),
        lines(QRELS, 0, 1) + "q1 0 d3 2\n",
    ],
)
def test_what_a_qrels_says_makes_a_difference(tmp_path: Path, content: str) -> None:
    assert qrels(tmp_path, content) != qrels(tmp_path, QRELS)


def test_a_hash_is_the_same_in_every_release(tmp_path: Path) -> None:
    """Stores hold these: with other hashes the same file would be stored twice."""
    assert run(tmp_path, RUN) == RUN_HASH
    assert qrels(tmp_path, QRELS) == QRELS_HASH


RUN_HASH = "b6e7e1b0124972af3f9e5b809c2d9cd657fc2aa301b0f963fa39ad226da8e68f"
QRELS_HASH = "102d82c5ee342ab7d446be7d99e29ee975cbb6a938dde63c20cf4e2b61ae4fc2"
