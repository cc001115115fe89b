"""Whatever a file looks like, both paths read what a plain reader, written for clarity, reads."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstore.errors import FileError
from evalstore.formats import ReadOptions, Run, read_qrels, read_run, read_subtopic_qrels, ties
from evalstore.formats.trec.columns import F64

pytestmark = pytest.mark.slow  # many generated files

# One character of every kind that an id may have, and some that readers trip over.
LETTERS = "aB19.-_#'\",;|\\%=+{}é\u0301文\u00a0\u200b\u2028\U0001f600"
ids = st.one_of(
    st.text(LETTERS, min_size=1, max_size=12),
    st.sampled_from(["1", "01", "1.0", "NA", "null", "nan", "all", "9007199254740993", "x" * 70]),
)
scores = st.one_of(
    st.sampled_from(["0", "-0.0", "1", "1.0", "+3.", ".5", "1e3", "-2E-2", "2", "1e-400", "007"]),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(str),
)
ranks = st.one_of(st.integers(0, 5).map(str), st.sampled_from(["x", "1.5", "-1", "0x1f", "9" * 30]))
gaps = st.sampled_from([" ", "\t", "  ", " \t "])
ends = st.sampled_from(["\n", "\r\n"])
nothing = st.sampled_from(["", " ", "\t", "# a comment", "  # 1 2 3 4 5 6", "#q Q0 d 1 2 t"])


def reference_run(text: str) -> dict[str, list[tuple[float, bytes]]]:
    """(score, docno) by query, best first: the rules of a run in as few lines as they take."""
    rankings: dict[str, list[tuple[float, bytes]]] = {}
    for line in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"):
        words = line.replace("\t", " ").strip(" ").split(" ")
        words = [word for word in words if word]
        if not words or words[0].startswith("#"):
            continue
        qid, _, docno, _, score, _, *_ = words
        rankings.setdefault(qid, []).append((float(score), docno.encode()))
    return {qid: sorted(docs, reverse=True) for qid, docs in rankings.items()}


@st.composite
def runs(draw: st.DrawFn, *, regular: bool) -> str:
    """The text of a run: regular, or with everything that is accepted."""
    pairs = st.tuples(st.sampled_from(draw(st.lists(ids, min_size=1, max_size=3))), ids)
    keep = draw(st.lists(pairs, min_size=1, max_size=25, unique=True))
    keep = [(qid, docno) for qid, docno in keep if not qid.startswith("#")] or [("q", "d")]
    gap, end = draw(gaps), draw(ends)
    if draw(st.booleans()):
        keep.sort()
    lines = []
    for qid, docno in keep:
        words = [qid, "Q0", docno, draw(ranks), draw(scores), "tag"]
        if regular:
            lines.append("\t".join(words))
            continue
        lines += draw(st.lists(nothing, max_size=1))
        mixed = draw(st.booleans())
        line = "".join(word + (draw(gaps) if mixed else gap) for word in words)
        lines.append(
            draw(st.sampled_from(["", " ", "\t"]))
            + line
            + draw(st.sampled_from(["", "", "extra", "7 # more"]))
        )
    text = end.join(lines) + draw(st.sampled_from(["", end]))
    return draw(st.sampled_from(["", "\ufeff"])) + text


blocks = st.sampled_from([1, 13, 40, 200])
"""The boundaries of blocks are everywhere."""


def ways(block: int) -> list[ReadOptions]:
    """Both paths, with the file as one block and in blocks of this size."""
    sizes = [ReadOptions(), ReadOptions(block=block)]
    return sizes + [replace(options, careful=True) for options in sizes]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random") / "file"


@pytest.mark.slow
@given(text=st.one_of(runs(regular=True), runs(regular=False)), packed=st.booleans(), block=blocks)
def test_both_paths_read_what_the_reference_reads(
    path: Path, text: str, packed: bool, block: int
) -> None:
    data = text.encode()
    path.write_bytes(gzip.compress(data, 1) if packed else data)
    expected = reference_run(text)
    warnings = set()
    for options in ways(block):
        run = read_run(str(path), options)
        warnings.add(run.warnings)
        assert list(run.qids) == sorted(expected, key=str.encode)
        assert (run.lengths == [len(expected[qid]) for qid in run.qids]).all()
        for qid, start, length in zip(run.qids, run.starts, run.lengths, strict=True):
            rows = slice(start, start + length)
            assert run.scores[rows].tolist() == [score for score, _ in expected[qid]]
        assert covered_without_a_gap(run)
        settled = ties.settled(run)
        docnos = settled.docnos.to_pylist()
        for qid, start, length in zip(run.qids, settled.starts, settled.lengths, strict=True):
            assert docnos[start : start + length] == [docno for _, docno in expected[qid]]
    assert len(warnings) == 1


def covered_without_a_gap(run: Run) -> bool:
    """Whether every query has one stretch of rows, and the stretches are all rows."""
    order = np.argsort(run.starts)
    ends = np.cumsum(run.lengths[order])
    starts_follow_on = np.array_equal(run.starts[order], ends - run.lengths[order])
    return starts_follow_on and ends[-1] == len(run.docnos) == len(run.scores) == len(run.keys)


def reference_warnings(text: str) -> tuple[int, int, int]:
    """Lines with too many columns, with a rank that is no number, with one against the scores."""
    rows = [line.split() for line in text.split("\n") if line]
    numbered = [(r[0], float(r[4]), int(r[3])) for r in rows if r[3] != "x"]
    against = sum(
        any(q == qid and s > score and k >= rank for q, s, k in numbered)
        for qid, score, rank in numbered
    )
    return sum(len(r) > 6 for r in rows), sum(r[3] == "x" for r in rows), against


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"),
            st.sampled_from(["0", "1", "2", "3", "4", "5", "-7", "12", "x"]),
            st.integers(1, 4),
            st.sampled_from(["", "", "", " more"]),
        ),
        min_size=1,
        max_size=12,
    ),
    blocks,
)
def test_warnings_count_the_lines(
    path: Path, rows: list[tuple[str, str, int, str]], block: int
) -> None:
    lines = [f"{q} Q0 d{i} {rank} {score} t{more}" for i, (q, rank, score, more) in enumerate(rows)]
    path.write_text("\n".join(lines))
    extra, absurd, against = reference_warnings("\n".join(lines))
    for options in ways(block):
        warnings = " / ".join(read_run(str(path), options).warnings)
        assert _count(warnings, "more than 6 columns in") == extra
        assert _count(warnings, "the rank is no whole number in") == absurd
        assert _count(warnings, "the rank contradicts the scores in") == against


def _count(warnings: str, before: str) -> int:
    return int(warnings.partition(before)[2].split(maxsplit=1)[0]) if before in warnings else 0


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            ids.filter(lambda i: i[0] != "#"), st.sampled_from("012"), ids, st.integers(-2, 3)
        ),
        min_size=1,
        max_size=20,
    ),
    blocks,
)
def test_qrels_with_and_without_subtopics(
    path: Path, rows: list[tuple[str, str, str, int]], block: int
) -> None:
    path.write_text("".join(f"{q} {s} {d} {g}\n" for q, s, d, g in rows), encoding="utf-8")
    plain = _grades({(q, d): set() for q, _, d, _ in rows}, [((q, d), g) for q, _, d, g in rows])
    fine = _grades({r[:3]: set() for r in rows}, [(r[:3], r[3]) for r in rows])
    for options in ways(block):
        if plain is None:
            with pytest.raises(FileError, match="graded"):
                read_qrels(str(path), options)
        else:
            qrels = read_qrels(str(path), options)
            owner = [q for q, n in zip(qrels.qids, qrels.lengths, strict=True) for _ in range(n)]
            docnos = [d.decode() for d in qrels.docnos.to_pylist()]
            assert _by_name(qrels.grades, owner, docnos) == plain
            assert bool(qrels.warnings) == (len(plain) < len(rows))
        if fine is None:
            with pytest.raises(FileError, match="graded"):
                read_subtopic_qrels(str(path), options)
        else:
            by = read_subtopic_qrels(str(path), options)
            owner = [q for q, n in zip(by.qids, by.lengths, strict=True) for _ in range(n)]
            topics = [s.decode() for s in by.subtopics.to_pylist()]
            docnos = [d.decode() for d in by.docnos.to_pylist()]
            assert _by_name(by.grades, owner, topics, docnos) == fine


def _by_name(grades: F64, *names: list[str]) -> dict[tuple[str, ...], float]:
    return dict(zip(zip(*names, strict=True), grades.tolist(), strict=True))


def _grades(
    seen: dict[tuple[str, ...], set[int]], rows: list[tuple[tuple[str, ...], int]]
) -> dict[tuple[str, ...], float] | None:
    for key, grade in rows:
        seen[key].add(grade)
    if any(len(grades) > 1 for grades in seen.values()):
        return None
    return {key: float(next(iter(grades))) for key, grades in seen.items()}
