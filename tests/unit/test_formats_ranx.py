"""What ranx packs: `Run.save("x.lz4")` is a dictionary in CBOR, in lz4 twice; and lz4 by itself."""

from __future__ import annotations

import base64
import gzip
import json
import struct
from pathlib import Path

import pyarrow as pa
import pytest

from evalstore.errors import DataError, FileError
from evalstore.formats import ReadOptions, read_qrels, read_run
from evalstore.formats.json import files

RANX = base64.b64decode(
    "BCJNGEBAwD8AAACCBCJNGGhALQABAPAjdikAAADBomJxMaJiZDf7QAQAAQBjYmQ5+z/4DADwAHEyoWLDqfvACgAA"
    "AAAAAAAAAAAAAAAA"
)
"""ranx 0.3.21 (lz4 4.4.5, cbor2 6.2.1): Run({"q1": {"d7": 2.5, "d9": 1.5}, "q2": {"é": -3.25}})"""
SCORES = {"q1": {"d7": 2.5, "d9": 1.5}, "q2": {"é": -3.25}}
TREC = b"q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\n"


def lz4(data: bytes) -> bytes:
    packed = pa.compress(data, codec="lz4", asbytes=True)
    assert isinstance(packed, bytes)
    return packed


def text(word: str) -> bytes:
    return bytes([0x60 + len(word)]) + word.encode()


def write(folder: Path, content: bytes, name: str = "a.lz4") -> str:
    path = folder / name
    path.write_bytes(content)
    return str(path)


def refused(path: str, options: ReadOptions | None = None) -> str:
    with pytest.raises(DataError) as caught:
        read_run(path, options)
    assert str(caught.value).isprintable()
    return str(caught.value).removeprefix(str(Path(path).parent)).removeprefix("/")


def test_a_run_that_ranx_packed_is_recognised_and_named_after_its_file(tmp_path: Path) -> None:
    run = read_run(write(tmp_path, RANX, "small.lz4"))
    assert (run.to_dict(), run.format, run.tag) == (SCORES, "run-json", "small")


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_lz4_is_known_by_content_whatever_it_packs(tmp_path: Path, block: int) -> None:
    options = ReadOptions(block=block)
    for content in (TREC, lz4(TREC), gzip.compress(TREC)):
        path = write(tmp_path, lz4(content))
        if content.startswith(b"\x1f\x8b"):
            assert "packed several times: unpack it once" in refused(path, options)
        else:
            assert len(read_run(path, options).docnos) == 2
    assert len(read_run(write(tmp_path, lz4(TREC[:17]) + lz4(TREC[17:])), options).docnos) == 2
    assert "packed several times" in refused(write(tmp_path, lz4(lz4(lz4(TREC)))), options)


def test_judgments_and_json_in_lz4_are_read(tmp_path: Path) -> None:
    judged = write(tmp_path, lz4(b"q1 0 d1 1\n"))
    assert read_qrels(judged).to_dict() == {"q1": {"d1": 1}}
    assert read_run(write(tmp_path, lz4(json.dumps(SCORES).encode()))).to_dict() == SCORES


@pytest.mark.parametrize("kept", [5, 20, 40, 60])
def test_a_damaged_archive_is_refused(tmp_path: Path, kept: int) -> None:
    path = write(tmp_path, RANX[:kept])
    assert "corrupt lz4" in refused(path, ReadOptions(formats=("run-json",)))


def test_the_limit_is_on_what_is_unpacked_each_time(tmp_path: Path) -> None:
    large = b"q Q0 d 1 1 t\n" * 10_000
    for content in (lz4(large), lz4(lz4(large)), lz4(lz4(b"") * 10_000)):
        message = refused(write(tmp_path, content), ReadOptions(max_bytes=1_000))
        assert message == "a.lz4: more than 1,000 bytes once unpacked; the limit can be raised"


def test_more_than_fits_in_memory_is_refused_by_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_JSON", 1_000)
    content = b"\xa1" + text("q1") + b"\xb9\xff\xff" + (text("d1") + b"\x01") * 10_000
    assert "more than 1,000 bytes of JSON, which is held in memory" in refused(
        write(tmp_path, lz4(content))
    )


# --- CBOR ----------------------------------------------------------------------------------------


def one(value: bytes) -> bytes:
    """A run of one document with this score."""
    return b"\xa1" + text("q1") + b"\xa1" + text("d7") + value


@pytest.mark.parametrize(
    ("value", "score"),
    [
        (b"\x05", 5.0),
        (b"\x18\x64", 100.0),
        (b"\x1a\x00\x0f\x42\x40", 1_000_000.0),
        (b"\x24", -5.0),
        (b"\xf9\x3e\x00", 1.5),
        (b"\xfa\x3f\xc0\x00\x00", 1.5),
        (b"\xfb" + struct.pack(">d", 0.1), 0.1),
    ],
)
def test_numbers_of_every_width_are_read(tmp_path: Path, value: bytes, score: float) -> None:
    """The encodings are the examples in appendix A of RFC 8949."""
    assert read_run(write(tmp_path, one(value))).to_dict() == {"q1": {"d7": score}}


def test_queries_without_documents_do_not_hide_what_it_is(tmp_path: Path) -> None:
    content = b"\xa2" + text("q0") + b"\xa0" + one(b"\x05")[1:]
    assert read_run(write(tmp_path, content)).to_dict() == {"q1": {"d7": 5.0}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            one(b"\xfb" + struct.pack(">d", float("nan"))),
            "document 'd7': score nan is not a finite",
        ),
        (one(b"\x05") + b"\x00", "CBOR, byte 9: more content after the end"),
        (one(b"\x05")[:-1], "CBOR, byte 8: the file ends before its content does"),
        (one(b"\xc1\x05"), "CBOR, byte 9: something else than maps, texts and numbers"),
        (one(b"\x80"), "CBOR, byte 9: something else than maps, texts and numbers"),
        (one(b"\xf5"), "CBOR, byte 9: something else than maps, texts and numbers"),
        (b"\xbf" + one(b"\x05")[1:] + b"\xff", "a.lz4:1: not UTF-8"),
        (b"\xa1" + text("q1") + b"\xbf", "CBOR, byte 5: a length that is not given"),
        (b"\xa1\x05\x05", "CBOR, byte 2: a key that is no text"),
        (b"\xa1\x62\xff\xff\xa0", "CBOR, byte 4: a text that is not UTF-8"),
        (b"\xbb" + b"\xff" * 8, "CBOR, byte 9: the file ends before its content does"),
        (b"\xa1\x7b" + b"\xff" * 8, "CBOR, byte 10: the file ends before its content does"),
        (b"\xa1\x61q" * 100_000, "CBOR, byte 25: maps are nested too deep"),
        (
            b"\xa1" + text("q1") + b"\xa2" + (text("d7") + b"\x05") * 2,
            "query 'q1': document 'd7' stands twice; keep one",
        ),
    ],
)
def test_what_is_wrong_is_named_by_its_byte_or_by_query_and_document(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = write(tmp_path, content)
    refusal = refused(path, ReadOptions(formats=("run-json",)))
    assert message in refusal
    assert refusal.startswith("a.lz4")


@pytest.mark.parametrize("kept", range(0, 30, 3))
def test_the_beginning_of_a_file_is_recognised_wherever_it_ends(kept: int) -> None:
    content = one(b"\xfb" + struct.pack(">d", 0.1))
    assert files.first_value(content[:kept]) == ("0" if kept > 8 else None)


def test_no_text_begins_as_a_map_does() -> None:
    for text_of_a_file in ("q1", "{", "é", "ÿ", "\u00a0", "中", "🦉", "\ufeff"):
        assert not files.is_map(text_of_a_file.encode())


def test_what_looks_like_cbor_and_is_none_is_a_run_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        read_run(write(tmp_path, b"\xa9 in latin-1\n"))
