"""A large run is read and evaluated in parts; nothing but the memory that it takes is different."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstore.errors import DataError
from evalstore.evaluation import prepare as prepare_run
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.prepare import Prepared, prepare
from evalstore.formats import Qrels, ReadOptions, Run, read_qrels
from evalstore.formats.run import NotInParts, RunParts
from evalstore.formats.sources import RunSource
from evalstore.formats.trec.run import read_large_run, read_run
from evalstore.measures.judged import CompatMode
from evalstore.store.packing import unpack

SMALL = ReadOptions(block=300, rows_at_once=40)
"""With these a file of some hundred lines has several blocks and parts."""

WHOLE = ReadOptions(block=300)


def lines_of(queries: int, seed: int = 3) -> list[str]:
    """A run of 20 documents a query, with ties, docnos of several lengths, a query in one place."""
    chance = random.Random(seed)
    lines = []
    for query in chance.sample(range(1, 100), queries):
        docnos = chance.sample([f"d{'x' * (number % 7)}{number}" for number in range(60)], 20)
        scores = sorted((chance.randrange(8) / 4 for _ in docnos), reverse=True)
        lines += [
            f"{query} Q0 {docno} {rank} {score} bm25\n"
            for rank, (docno, score) in enumerate(zip(docnos, scores, strict=True), 1)
        ]
    return lines


@pytest.fixture
def qrels(tmp_path: Path) -> Qrels:
    path = tmp_path / "some.qrels"
    path.write_text(
        "".join(
            f"{query} 0 d{'x' * (number % 7)}{number} {(query + number) % 3 - 1}\n"
            for query in range(1, 100)
            for number in range(query % 4, 60, 4)
        )
    )
    return read_qrels(str(path))


def prepared(path: Path, qrels: Qrels, options: ReadOptions, **given: Any) -> Prepared:
    request = IngestOptions(collection="c", keep_top=10, options=options, **given)
    return prepare(RunSource(str(path)), qrels, request)


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> list[RunParts]:
    """The runs that were prepared in parts."""
    runs: list[RunParts] = []
    prepare_parts = prepare_run._prepare_parts

    def noted(run: RunParts, *rest: Any) -> Prepared:
        result = prepare_parts(run, *rest)
        runs.append(run)
        return result

    monkeypatch.setattr(prepare_run, "_prepare_parts", noted)
    return runs


def assert_same(left: object, right: object) -> None:
    """Equal to the last bit, packed rankings by what they hold."""
    for field in fields(left):  # type: ignore[arg-type]
        one, other = getattr(left, field.name), getattr(right, field.name)
        if field.name in ("content", "evaluation"):
            assert_same(one, other)
        elif field.name == "packed":
            for (docnos, scores), (others, their_scores) in zip(
                map(unpack, one), map(unpack, other), strict=True
            ):
                assert docnos.equals(others)
                assert np.array_equal(scores, their_scores)
        elif isinstance(one, pa.Array):
            assert one.to_pylist() == other.to_pylist(), field.name
        elif isinstance(one, np.ndarray):
            assert np.array_equal(one, other), field.name
        elif field.name == "values":
            assert {name: each.tobytes() for name, each in one.items()} == {
                name: each.tobytes() for name, each in other.items()
            }
        elif field.name == "qids":
            assert list(one) == list(other)
        elif field.name == "file":
            assert one.stamp == other.stamp
        else:
            assert one == other, field.name


@pytest.mark.parametrize("compat", ["exact", "trec_eval-9"])
@pytest.mark.parametrize("head", ["", "# ir_metadata.start\n# tag: x\n# ir_metadata.end\n"])
def test_a_run_in_parts_gives_what_the_whole_gives(
    tmp_path: Path, qrels: Qrels, in_parts: list[RunParts], compat: CompatMode, head: str
) -> None:
    path = tmp_path / "bm25.run"
    path.write_text(head + "".join(lines_of(30)))
    parts = prepared(path, qrels, SMALL, compat=compat)
    assert len(in_parts) == 1
    assert_same(parts, prepared(path, qrels, WHOLE, compat=compat))
    assert len(in_parts) == 1


@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=12),
    rows=st.integers(1, 120),
    block=st.integers(40, 600),
)
def test_the_parts_have_all_queries_of_a_run_each_as_a_whole(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], rows: int, block: int
) -> None:
    path = tmp_path_factory.mktemp("runs") / "some.run"
    path.write_text(
        "".join(
            f"q{query} Q0 d{rank} {rank} {-rank} t\n"
            for query, size in enumerate(sizes)
            for rank in range(1, size + 1)
        )
    )
    options = ReadOptions(block=block, rows_at_once=rows)
    run = read_large_run(str(path), options)
    parts = list(run.parts) if isinstance(run, RunParts) else [run]
    read = {qid: part.to_dict()[qid] for part in parts for qid in part.qids}
    assert sum(len(part.qids) for part in parts) == len(read)
    assert read == read_run(str(path), options).to_dict()


def other(*changes: tuple[int, str]) -> list[str]:
    lines = lines_of(30)
    for number, line in changes:
        lines[number] = line
    return lines


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (other((500, "1 Q0 d1 1\n")), "some.run:501: expected 6 columns, found 4"),
        (other((500, "1 Q0 d1 1\n"), (3, lines_of(30)[2])), "some.run:501: expected 6 columns"),
        (other((3, lines_of(30)[2])), "some.run:4: document"),
        (other((503, lines_of(30)[502])), "some.run:504: document"),
        (other((590, lines_of(30)[2])), "some.run:591: document"),
    ],
    ids=[
        *("bad line", "bad line after a repetition", "repetition in the first part"),
        *("repetition in a later part", "repetition across parts"),
    ],
)
def test_what_is_wrong_is_told_as_of_the_whole(
    tmp_path: Path,
    qrels: Qrels,
    monkeypatch: pytest.MonkeyPatch,
    lines: list[str],
    error: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("some.run")
    path.write_text("".join(lines))
    for options in (SMALL, WHOLE):
        with pytest.raises(DataError) as caught:
            prepared(path, qrels, options)
        assert str(caught.value).startswith(error)


@pytest.mark.parametrize(
    "lines",
    [
        [*lines_of(30)[20:], *lines_of(30)[:20]],
        [*lines_of(30)[10:], *lines_of(30)[:10]],
        sorted(lines_of(30), key=lambda line: line.split()[3]),
        other((30, lines_of(30)[30].replace("bm25", "rm3"))),
        other((590, lines_of(30)[590].replace("bm25", "rm3"))),
        other((590, lines_of(30)[590].replace("\n", " more\n"))),
        other((590, lines_of(30)[590].replace(" Q0 ", "\t\tQ0\t"))),
        [line.replace(" 1 ", " 77 ") for line in lines_of(30)],
    ],
    ids=[
        *("a query first", "a query in two places", "queries interleaved", "tags in a part"),
        *("tags of two parts", "more columns", "other separators", "absurd ranks"),
    ],
)
def test_an_odd_run_gives_what_the_whole_gives_with_its_warnings(
    tmp_path: Path, qrels: Qrels, lines: list[str]
) -> None:
    path = tmp_path / "bm25.run"
    path.write_text("".join(lines))
    assert_same(prepared(path, qrels, SMALL), prepared(path, qrels, WHOLE))


def test_documents_with_the_id_of_their_query_are_counted_over_the_whole(
    tmp_path: Path, qrels: Qrels
) -> None:
    path = tmp_path / "bm25.run"
    path.write_text("".join(lines_of(30)) + "100 Q0 100 1 5 bm25\n100 Q0 d1 2 4 bm25\n")
    parts = prepared(path, qrels, SMALL, ignore_identical_ids=True)
    assert parts.left_out == 1
    assert_same(parts, prepared(path, qrels, WHOLE, ignore_identical_ids=True))


def test_no_part_is_kept_while_the_next_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bm25.run"
    path.write_text("".join(lines_of(60)))
    run = read_large_run(str(path), SMALL)
    assert isinstance(run, RunParts)
    assert kept(run.parts) == 0


def kept(parts: Iterator[Run]) -> int:
    """How many parts' scores are in memory at most when the part after them was read."""
    before: list[Any] = []
    most = 0
    for part in parts:
        most = max([most, *(1 for each in before if each() is not None)])
        before.append(ref(part.scores))
        del part
    assert len(before) > 3
    return most


def test_a_run_that_is_no_file_on_disk_is_read_as_a_whole(
    tmp_path: Path, qrels: Qrels, in_parts: list[RunParts], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bm25.run"
    path.write_text("".join(lines_of(30)))
    whole = prepared(path, qrels, WHOLE)
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("a file of this name is not standard input")
    with path.open("rb") as stream:
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": stream}))
        read = prepared(Path("-"), qrels, SMALL, name="bm25")
    assert not in_parts
    assert read.content_hash == whole.content_hash


def test_parts_of_a_run_with_warnings_have_to_be_read_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "bm25.run"
    path.write_text("".join(line.replace(" 1 ", " 77 ") for line in lines_of(30)))
    run = read_large_run(str(path), SMALL)
    assert isinstance(run, RunParts)
    with pytest.raises(NotInParts):
        list(run.parts)
    assert replace(read_run(str(path), WHOLE)).warnings
