"""Whatever the bytes are: a result, or one FileError that is fit to print. Bounded in memory."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalstore.errors import FileError
from evalstore.formats import (
    ReadOptions,
    read_documents,
    read_judgment_groups,
    read_preferences,
    read_qrels,
    read_queries,
    read_run,
    read_subtopic_qrels,
)

pytestmark = pytest.mark.slow  # many generated files

MANY = 3 * settings().max_examples  # most of what is damaged fails in the same way

SEEDS = [
    b"q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\n\tq2  Q0 d1 1 -1e3 t\r\n# c\n\nq2 Q0 d2 x +.5 t 7\n",
    b"q1 0 d1 1\nq1 0 d2 0\nq1 1 d1 1\r\nq2\t0\td1\t-2\n",
    b"q1 g s d1 2\nq1 g s d2 0\nq1 g t d2 3\r\nq1\tg\tt\td3\t1.5\nq1 h s d2 1\nq1 h s d1 0\n",
    '\ufeffq1\twhat is é\nq2\twhy\n{"query_id": "q3", "text": "w"}\n'.encode(),
    b"<top>\n<num> Number: 301\n<title> A title\n<desc> Description:\nmore\n</top>\n",
    b'<topics><topic number="1"><query>a &amp; b</query></topic></topics>\n',
    b"\x1f\x8b\x08\x00\xff\xfe\x00\x00" + bytes(range(256)),
]
READERS: list[Callable[[str, ReadOptions], object]] = [
    read_run,
    read_qrels,
    read_subtopic_qrels,
    read_judgment_groups,
    read_preferences,
    read_queries,
    lambda path, options: list(read_documents(path, options)),
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A valid file with some bytes replaced, cut out or put in; packed or not, before or after."""
    data = bytearray(draw(st.sampled_from(SEEDS)) * draw(st.integers(1, 3)))
    packed = draw(st.sampled_from(["no", "no", "before", "after", "twice"]))
    if packed in ("after", "twice"):
        data = bytearray(gzip.compress(bytes(data)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 6))
        data[at : at + cut] = draw(
            st.one_of(
                st.binary(max_size=6),
                st.sampled_from(
                    [b"\r", b"\0", b"\t", b" ", b"\n", b"#", b"\x1b", b"nan", b"\xc2\x85"]
                ),
            )
        )
    return gzip.compress(bytes(data)) if packed in ("before", "twice") else bytes(data)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "file"


@given(data=st.one_of(damaged(), st.binary(max_size=200)), block=st.sampled_from([1 << 20, 7, 64]))
@settings(max_examples=MANY)
def test_a_result_or_a_printable_line(path: Path, data: bytes, block: int) -> None:
    path.write_bytes(data)
    options = ReadOptions(block=block, max_bytes=1 << 20)
    for read in READERS:
        outcomes = {_outcome(read, path, way) for way in (options, replace(options, careful=True))}
        assert len(outcomes) == 1


def _outcome(read: Callable[[str, ReadOptions], object], path: Path, options: ReadOptions) -> str:
    try:
        read(str(path), options)
    except FileError as error:
        text = str(error)
        assert text.isprintable()
        assert len(text) < 1000
        assert text.startswith(str(path))
        return text
    return "read"


@pytest.mark.parametrize("content", [b"\0", b"x", b"x ", b"\n", b"a b c 1 1 t\n"])
def test_memory_is_bounded_whatever_is_packed(tmp_path: Path, content: bytes) -> None:
    """512 kB from some bytes: what is held is some blocks, or what the lines really hold."""
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(content * ((512 << 10) // len(content)), 1))
    options = ReadOptions(max_bytes=64 << 10, block=16 << 10)
    for read in READERS:
        tracemalloc.start()
        with pytest.raises(FileError):
            read(str(path), options)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 << 20
