"""A ranking packed and unpacked is the same (-0 is 0), in the layout that packing.py documents."""

from __future__ import annotations

import struct

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalstore.errors import StoreError
from evalstore.store import packing
from evalstore.store.packing import pack, unpack

List = list[tuple[bytes, float]]

docnos = st.one_of(
    st.binary(min_size=1, max_size=40),
    st.integers(0, 999_999).map(lambda i: f"FT{i:06}".encode()),
    st.text(min_size=1, max_size=10).map(lambda t: t.encode(errors="replace")),
    st.just(b"x" * 1024),
)
scores = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(10**6), 10**6).map(float),
    st.decimals(-1000, 1000, places=4).map(float),
    st.sampled_from([0.0, -0.0, 1.0, 1e300, -1e300, 5e-324, 1e15, 0.1, 2**53 + 2.0, 1e-9]),
)


def descending(rows: List) -> List:
    return sorted(rows, key=lambda row: -row[1])


rankings = st.lists(st.tuples(docnos, scores), max_size=30).map(descending)
plain = st.lists(
    st.tuples(docnos, st.decimals(0, 50, places=3).map(float)), min_size=1, max_size=30
).map(descending)


def packed(*lists: List) -> list[bytes]:
    lengths = np.array([len(rows) for rows in lists], np.int64)
    return pack(
        pa.array([docno for rows in lists for docno, _ in rows], pa.binary()),
        np.array([score for rows in lists for _, score in rows], np.float64),
        np.cumsum(lengths) - lengths,
        lengths,
    )


def unpacked(data: bytes) -> List:
    docno_array, values = unpack(data)
    assert docno_array.type == pa.binary()
    assert values.dtype == np.float64
    return list(zip(docno_array.to_pylist(), values.tolist(), strict=True))


@given(st.lists(rankings | plain, max_size=4))
@example([[]])
@example([[(b"one", 1.5)]])
@example([[(b"a", 7.0), (b"b", 7.0), (b"c", 7.0)]])
@example([[(b"a", 1e300), (b"b", 0.0), (b"c", -1e300)]])
@example([[(b"a", 999999999999999.0), (b"b", -999999999999999.0)]])
@example([[], [(b"d", 1.0)], []])
def test_documents_order_and_scores_come_back_exactly(lists: list[List]) -> None:
    assert [unpacked(data) for data in packed(*lists)] == lists


@pytest.mark.parametrize("window", [1, 2, 7, 1 << 16])
def test_lists_may_stand_in_any_order_and_are_packed_window_by_window(
    monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr(packing, "TOGETHER", window)
    lists = [[(f"d{i}-{k}".encode(), float(-k)) for k in range(i % 5)] for i in range(20)]
    rows = [row for listed in lists for row in listed]
    lengths = np.array([len(listed) for listed in lists])
    starts = np.cumsum(lengths) - lengths
    mixed = np.random.default_rng(1).permutation(20)
    data = pack(
        pa.array([docno for docno, _ in rows], pa.binary()),
        np.array([score for _, score in rows]),
        starts[mixed],
        lengths[mixed],
    )
    assert [unpacked(one) for one in data] == [lists[i] for i in mixed]


def test_a_slice_of_a_column_is_packed_as_that_slice() -> None:
    column = pa.array([b"before", b"d1", b"d22", b"after"], pa.binary()).slice(1, 2)
    data = pack(column, np.array([2.0, 1.0]), np.array([0]), np.array([2]))
    assert unpacked(data[0]) == [(b"d1", 2.0), (b"d22", 1.0)]


def test_columns_with_64_bit_offsets_are_packed_alike() -> None:
    rows = [b"d1", b"d22"]
    narrow, wide = pa.array(rows, pa.binary()), pa.array(rows, pa.large_binary())
    others = (np.array([2.0, 1.0]), np.array([0]), np.array([2]))
    assert pack(wide, *others) == pack(narrow, *others)


def test_a_usual_run_takes_a_fraction_of_its_text() -> None:
    rng = np.random.default_rng(1)
    values = np.sort(rng.gamma(2, 5, 1000).round(4))[::-1]
    rows = [(f"LA{d:06}-{d % 97:04}".encode(), s) for d, s in enumerate(values.tolist())]
    (data,) = packed(rows)
    assert len(data) < 0.3 * sum(len(docno) + 30 for docno, _ in rows)


# --- the documented layout, by a decoder of its own -------------------------------------------


def decoded(data: bytes) -> List:
    """What packing.py's docstring says, in plain Python."""
    version, coding, size = struct.unpack("<BBI", data[:6])
    assert version == 1
    payload = pa.Codec("zstd").decompress(data[6:], size, asbytes=True)
    n, length = struct.unpack("<IH", payload[:6])
    rest = payload[6:]
    lengths = [length] * n
    if length == 65535:
        lengths = list(struct.unpack(f"<{n}H", rest[: 2 * n]))
        rest = rest[2 * n :]
    names = []
    for size in lengths:
        names.append(rest[:size])
        rest = rest[size:]
    if coding == 255:
        return list(zip(names, struct.unpack(f"<{n}d", rest), strict=True))
    assert coding <= 9
    if not n:
        assert rest == b""
        return []
    first, width = struct.unpack("<qB", rest[:9])
    planes = rest[9:]
    assert len(planes) == width * (n - 1)
    values = [first]
    for i in range(n - 1):
        steps = [planes[place * (n - 1) + i] << (8 * place) for place in range(width)]
        values.append(values[-1] - sum(steps))
    return list(zip(names, (value / 10**coding for value in values), strict=True))


@given(st.lists(rankings | plain, max_size=3))
def test_the_bytes_have_the_documented_layout(lists: list[List]) -> None:
    assert [decoded(data) for data in packed(*lists)] == lists


def test_decimal_scores_are_whole_numbers_and_others_doubles() -> None:
    decimals, doubles = packed([(b"a", 12.25), (b"b", 12.24)]), packed([(b"a", 1 / 3)])
    assert [decimals[0][1], doubles[0][1]] == [2, 255]


def test_a_list_packed_by_version_1_can_be_read_for_ever() -> None:
    """Stores hold these bytes: a change of this test needs a new version number in the code."""
    frame = pa.Codec("zstd").compress(
        struct.pack("<IH3H", 3, 65535, 2, 3, 2)
        + b"d1d22d3"
        + struct.pack("<qB", 1225, 2)
        + bytes([1, 0xC8, 0, 4]),
        asbytes=True,
    )
    data = struct.pack("<BBI", 1, 2, 32) + frame
    assert unpacked(data) == [(b"d1", 12.25), (b"d22", 12.24), (b"d3", 0.0)]


# --- damage ------------------------------------------------------------------------------------

GOOD = packed([(f"doc{i}".encode(), 100 - i / 4) for i in range(50)])[0]


@pytest.mark.parametrize("data", [b"", b"\1", GOOD[:5], b"\2" + GOOD[1:], b"\0" + GOOD[1:]])
def test_another_version_is_refused(data: bytes) -> None:
    with pytest.raises(StoreError, match="another version"):
        unpack(data)


@pytest.mark.parametrize("size", range(6, len(GOOD), 7))
def test_truncated_bytes_are_refused(size: int) -> None:
    with pytest.raises(StoreError, match="damaged"):
        unpack(GOOD[:size])


@given(st.integers(1, len(GOOD) - 1), st.integers(1, 255))
def test_a_damaged_byte_is_refused_or_changes_what_it_says_but_breaks_nothing(
    place: int, change: int
) -> None:
    damaged = bytearray(GOOD)
    damaged[place] ^= change
    try:
        docno_array, values = unpack(bytes(damaged))
    except StoreError:
        return
    docno_array.validate(full=True)
    assert len(docno_array) == len(values)


@given(st.binary(max_size=60), st.integers(0, 255))
def test_any_bytes_in_a_frame_are_refused_or_read(payload: bytes, coding: int) -> None:
    frame = pa.Codec("zstd").compress(payload, asbytes=True)
    try:
        docno_array, values = unpack(struct.pack("<BBI", 1, coding, len(payload)) + frame)
    except StoreError:
        return
    docno_array.validate(full=True)
    assert len(docno_array) == len(values)


def framed(payload: bytes, size: int, *, tells_size: bool = True, more: bytes = b"") -> bytes:
    options = {packing.zstd.CompressionParameter.content_size_flag: int(tells_size)}
    frame = packing.zstd.compress(payload, options=options)
    return struct.pack("<BBI", 1, 0, size) + frame + more


def test_a_frame_of_another_size_than_is_told_is_refused_and_so_are_bytes_after_it() -> None:
    payload = struct.pack("<IH", 1, 2) + b"d1" + struct.pack("<qB", 3, 0)
    size = len(payload)
    assert unpacked(framed(payload, size)) == [(b"d1", 3.0)]
    for damaged in (
        framed(payload, size - 1),
        framed(payload, size + 1),
        framed(payload, size, tells_size=False),
        framed(payload, size, more=b"\0"),
    ):
        with pytest.raises(StoreError, match="damaged"):
            unpack(damaged)


@pytest.mark.parametrize("documents", [2**32 - 1, 2**31, 10**6])
@pytest.mark.parametrize("length", [0, 1, 65534, 65535])
def test_a_count_that_can_not_be_true_is_refused_at_once(documents: int, length: int) -> None:
    payload = struct.pack("<IH", documents, length) + b"d" * 100
    frame = pa.Codec("zstd").compress(payload, asbytes=True)
    for coding in (0, 255):
        with pytest.raises(StoreError, match="damaged"):
            unpack(struct.pack("<BBI", 1, coding, len(payload)) + frame)
