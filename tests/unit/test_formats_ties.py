"""Ties: in the order that a plain sort gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evalstore.formats import Run, read_run, ties


@pytest.mark.parametrize("width", [1, 3], ids=["sizes differ", "one size"])
@pytest.mark.parametrize(
    "shape", ["grouped", "interleaved", "backwards", "many short lists", "one tie"]
)
def test_settled_agrees_with_a_sort(tmp_path: Path, shape: str, width: int) -> None:
    random = np.random.default_rng(3)
    queries, depth = {"many short lists": (200, 3), "one tie": (1, 200)}.get(shape, (5, 40))
    scores = 1 if shape == "one tie" else 6
    rows = [
        (f"q{q}", f"d{d:0{width}d}", float(s))
        for q in range(queries)
        for d, s in enumerate(random.integers(0, scores, depth) / 2)
    ]
    if shape == "grouped":
        rows.sort(key=lambda row: (row[0], -row[2]))
    else:
        random.shuffle(rows)
    if shape in ("backwards", "many short lists"):
        rows.sort(key=lambda row: (row[0], row[2]), reverse=shape == "backwards")
        rows.sort(key=lambda row: row[2])
        rows.sort(key=lambda row: row[0], reverse=True)
    path = tmp_path / "a.run"
    path.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    run = read_run(str(path))
    expected = [
        (q, d.encode(), s)
        for q in sorted({row[0] for row in rows})
        for _, d, s in sorted((r for r in rows if r[0] == q), key=lambda r: (r[2], r[1]))[::-1]
    ]

    settled = ties.settled(run)
    ranked = [
        (qid, settled.docnos[row].as_py(), settled.scores[row])
        for qid, start, length in zip(settled.qids, settled.starts, settled.lengths, strict=True)
        for row in range(start, start + length)
    ]
    assert ranked == expected
    key_of = dict(
        zip(zip(run_queries(run), run.docnos.to_pylist(), strict=True), run.keys, strict=True)
    )
    moved = zip(run_queries(settled), settled.docnos.to_pylist(), strict=True)
    assert [key_of[row] for row in moved] == settled.keys.tolist()


def run_queries(run: Run) -> list[int]:
    by_start = np.argsort(run.starts)
    return np.repeat(by_start, run.lengths[by_start]).tolist()


def test_rounded_scores_tie(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("1 Q0 a 1 1.0 t\n1 Q0 b 2 0.999999999 t\n1 Q0 c 3 -1e300 t\n")
    run = read_run(str(path))
    assert ties.settled(run).docnos.to_pylist() == [b"a", b"b", b"c"]
    assert ties.settled(ties.rounded(run)).docnos.to_pylist() == [b"b", b"a", b"c"]
    assert np.isfinite(ties.rounded(run).scores).all()
