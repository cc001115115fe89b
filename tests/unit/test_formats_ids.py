"""Columns of ids: hashes, equality, order, and columns that grow; compared with plain Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from evalstore.errors import FileError
from evalstore.formats import ReadOptions, read_qrels, read_run
from evalstore.formats.reading import ids
from evalstore.formats.trec import table
from evalstore.formats.trec.block import stretches
from evalstore.formats.trec.table import Growing, GrowingIds, repeated_keys

WORDS = [b"", b"a", b"ab", b"abcdefg", b"abcdefgh", b"abcdefghi", b"b", b"\xff" * 9, b"x" * 16,
         b"x" * 17, b"y" * 63, b"y" * 64, b"abcdefghj", b"abcdefgh12345678",
         b"abcdefgh12345679"]  # fmt: skip
LONG = [*WORDS, b"y" * 65, b"y" * 1024, b"y" * 1023 + b"z"]


def shuffled(words: list[bytes], times: int = 3) -> list[bytes]:
    repeated = words * times
    random.Random(5).shuffle(repeated)
    return repeated


@pytest.mark.parametrize("words", [WORDS, LONG, [b"1234567", b"7654321"]])
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_against_plain_python(words: list[bytes], kind: pa.DataType) -> None:
    listed = shuffled(words)
    # A slice, so that offsets do not begin at 0.
    column = pa.array([b"before", *listed, b"after"], kind).slice(1, len(listed))
    rows = np.array([7 % len(listed), 0, len(listed) - 1, 0])
    assert ids.lengths(column).tolist() == [len(word) for word in listed]
    assert ids.take(column, rows).to_pylist() == [listed[row] for row in rows]
    assert ids.column(listed).to_pylist() == listed

    hashes = ids.hash_ids(column)
    assert len(set(hashes.tolist())) == len(set(listed))
    alone = [int(ids.hash_ids(ids.column([word]))[0]) for word in listed]
    assert hashes.tolist() == alone  # whatever stands near it
    salted = ids.hash_ids(column, ids.mix(np.arange(1, len(listed) + 1, dtype=np.uint64)))
    assert len(set(salted.tolist())) == len(listed)

    left, right = np.indices((len(listed), len(listed))).reshape(2, -1)
    same = ids.equal(column, left, column, right)
    assert same.tolist() == [a == b for a in listed for b in listed]
    left, right = np.arange(len(listed)), np.arange(len(listed))[::-1].copy()
    same = ids.equal(column, left, column, right)
    assert same.tolist() == [a == b for a, b in zip(listed, listed[::-1], strict=True)]

    groups = np.array([i % 2 for i in range(len(listed))])
    order = ids.order_ascending(groups, column)
    assert order.tolist() == sorted(range(len(listed)), key=lambda i: (groups[i], listed[i], i))
    some = np.arange(0, len(listed), 2)
    order = ids.order_descending(groups[some], column, some)
    ranked = [listed[some[i]] for i in order]
    expected = [
        sorted((listed[i] for i in some if groups[i] == group), reverse=True) for group in (0, 1)
    ]
    assert ranked == expected[0] + expected[1]


@pytest.mark.parametrize("seed", range(20))
def test_ids_with_common_beginnings_are_sorted_stably_within_their_groups(seed: int) -> None:
    chosen = random.Random(seed)
    parts = [b"FT934-", b"abcdefgh", b"a", b"\xff", b"10"]
    listed = [b"".join(chosen.choices(parts, k=chosen.randint(1, 4))) for _ in range(100)]
    groups = np.array(chosen.choices(range(1 + 5 * seed), k=100))
    if seed % 2:
        groups.sort()
    column = ids.column(listed)
    expected = sorted(range(100), key=lambda i: (groups[i], listed[i], i))
    assert ids.order_ascending(groups, column).tolist() == expected
    # From the end, a stable sort in descending order.
    expected = sorted(range(99, -1, -1), key=lambda i: (-groups[i], listed[i], -i))[::-1]
    assert ids.order_descending(groups, column).tolist() == expected


@pytest.mark.parametrize("groups", [300, 70_000])
def test_ids_of_many_groups_are_sorted_by_all_their_bytes(groups: int) -> None:
    listed = ids.column([b"abcdef1", b"abcdef0"] * groups)
    order = ids.order_ascending(np.repeat(np.arange(groups), 2), listed)
    assert order.tolist() == [row ^ 1 for row in range(2 * groups)]


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("size", [1, 3])
def test_ids_are_put_over_others_of_as_many_bytes(size: int, in_place: bool) -> None:
    listed = [b"d" * (1 + i % size) + b"%d" % (i % 10) for i in range(40)]
    column = GrowingIds(pa.array([b"before", *listed], pa.binary()).slice(1)).whole()
    changed = ids.changeable(column, in_place=in_place)
    rows = np.array([32, 30, 31])
    ids.put(changed, 30, ids.take(changed, rows))
    assert changed.to_pylist() == [*listed[:30], *(listed[row] for row in rows), *listed[33:]]
    assert column.to_pylist() == (changed.to_pylist() if in_place else listed)


def test_a_hash_is_the_same_on_every_machine() -> None:
    """Word by word as the docstring says, in Python's whole numbers."""
    state = 0x9E3779B97F4A7C15
    for word in (b"FBIS3-27", b"619"):
        state = mixed((state + int.from_bytes(word, "little")) % 2**64)
    assert ids.hash_ids(ids.column([b"FBIS3-27619"])).tolist() == [state]


def mixed(z: int) -> int:
    """SplitMix64's finalizer."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def test_empty_columns() -> None:
    nothing, none = ids.column([]), np.zeros(0, np.int64)
    assert ids.words(nothing) == []
    assert ids.hash_ids(nothing).tolist() == []
    assert ids.order_ascending(none, nothing).tolist() == []
    assert ids.equal(nothing, none, nothing, none).tolist() == []


@pytest.mark.parametrize("limit", [5, 70_000])
def test_codes_are_sorted_stably(limit: int) -> None:
    codes = np.random.default_rng(1).integers(0, limit, 2000)
    assert ids.stable_order(codes).tolist() == np.argsort(codes, kind="stable").tolist()


STRETCHES = [
    [b"q1"] * 40 + [b"q2"] * 40,  # one size
    [b"q9"] * 30 + [b"q10"] * 30 + [b"q9"] * 30,  # again, and of another size between
    [b""] * 20 + [b"a"] * 20 + [b""] * 20,
    [b"only"] * 50,
    [b"alone"],
    [f"q{i}".encode() for i in range(9, 99)],  # a new one on every line
    [b"a", b"bb"] * 40,
    [b"x" * 300] * 20 + [b"x" * 299 + b"y"] * 20,
]


@pytest.mark.parametrize("words", STRETCHES, ids=lambda words: words[0][:9].decode())
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_stretches_of_one_word(words: list[bytes], kind: pa.DataType) -> None:
    column = pa.array([b"before", *words, b"after"], kind).slice(1, len(words))
    distinct, codes, starts = stretches(column)
    assert distinct == list(dict.fromkeys(words))
    expected = [i for i, word in enumerate(words) if i == 0 or word != words[i - 1]]
    assert starts.tolist() == expected
    assert [distinct[code] for code in codes] == [words[i] for i in expected]


@pytest.mark.parametrize("size", [0, 3, 5000])
@pytest.mark.parametrize("copies", [0, 1, 7])
def test_keys_that_occur_more_than_once(size: int, copies: int) -> None:
    random = np.random.default_rng(3)
    keys = np.unique(random.integers(0, 2**63, size, np.uint64))
    keys = random.permutation(np.concatenate([keys, *[keys[:2]] * copies]))
    again, times = np.unique(keys, return_counts=True)
    assert repeated_keys(keys).tolist() == again[times > 1].tolist()


def test_growing() -> None:
    numbers = Growing(np.arange(3))
    for _ in range(50):
        numbers.add(np.arange(7))
    numbers.add(np.arange(0))
    assert numbers.whole().tolist() == [0, 1, 2, *list(range(7)) * 50]


@pytest.mark.parametrize(("limit", "kind"), [(1 << 31, pa.binary()), (40, pa.large_binary())])
def test_growing_ids(limit: int, kind: pa.DataType) -> None:
    column = GrowingIds(ids.column(WORDS).slice(1), limit=limit)
    for _ in range(3):
        column.add(ids.column(WORDS).slice(2, 5))
        column.add(ids.column([]))
    assert column.whole().to_pylist() == WORDS[1:] + WORDS[2:7] * 3
    assert column.whole().type == kind


@pytest.fixture
def poor_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """All ids of a query have the same hash."""

    def same(column: pa.Array, salts: np.ndarray | None = None) -> np.ndarray:
        return np.zeros(len(column), np.uint64) if salts is None else salts

    monkeypatch.setattr(table.ids, "hash_ids", same)


@pytest.mark.usefixtures("poor_hash")
@pytest.mark.parametrize("options", [ReadOptions(), ReadOptions(block=20)], ids=str)
def test_the_ids_decide_not_their_hashes(tmp_path: object, options: ReadOptions) -> None:
    path = f"{tmp_path}/a"
    with open(path, "w") as lines:
        lines.writelines(f"q{i % 2} Q0 d{i} 1 1 t\n" for i in range(30))
    assert len(read_run(path, options).docnos) == 30
    with open(path, "a") as lines:
        lines.write("q1 Q0 d4 1 1 t\nq0 Q0 d4 1 1 t\nq1 Q0 d3 1 1 t\n")
    with pytest.raises(FileError, match=r":32: document 'd4' retrieved twice .*first on line 5"):
        read_run(path, options)
    with open(path, "w") as lines:
        lines.write("q 0 a 1\nq 0 b 2\nq 0 a 1\nq 0 c 0\nq 0 b 2\n")
    qrels = read_qrels(path, options)
    assert qrels.docnos.to_pylist() == [b"a", b"b", b"c"]
    assert qrels.warnings == (
        f"{path}:3: 2 lines with a judgment that stands before; it counts once",
    )


def test_long_ids_of_as_many_words_are_hashed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    words = ids.words

    def counted(column: pa.Array, *rest: Any) -> Any:
        calls.append(len(column))
        return words(column, *rest)

    listed = [
        b"https://example.org/%d" % number + b"/x" * (number % 3) * 40 for number in range(99)
    ]
    alone = [int(ids.hash_ids(ids.column([word]))[0]) for word in listed]
    monkeypatch.setattr(ids, "words", counted)
    assert ids.hash_ids(ids.column(listed)).tolist() == alone
    assert sorted(calls) == [33, 33, 33]
