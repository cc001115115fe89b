"""Where the bytes come from: paths that can't be read, gzip, encodings, limits, standard input."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

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

GOOD = b"q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\n"
READERS = [
    read_run,
    read_qrels,
    read_subtopic_qrels,
    read_judgment_groups,
    read_preferences,
    read_queries,
    lambda path: list(read_documents(path)),
]


def said(path: str | Path, options: ReadOptions | None = None) -> str:
    """The message about a run, which is one printable line."""
    with pytest.raises(FileError) as caught:
        read_run(str(path), options)
    assert str(caught.value).isprintable()
    return str(caught.value)


@pytest.mark.parametrize("read", READERS)
def test_what_is_no_file_gets_one_line(tmp_path: Path, read: Callable[[str], object]) -> None:
    missing = tmp_path / "none"
    for path, why in [(tmp_path, "is a directory"), (missing, "no such file or directory")]:
        with pytest.raises(FileError) as caught:
            read(str(path))
        assert str(caught.value) == f"{path}: {why}"
    with pytest.raises(FileError, match="no such file"):
        read("")
    with pytest.raises(FileError, match=r"^a\\x00b: no such file or directory$"):
        read("a\0b")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(GOOD)
    path.chmod(0)
    assert said(path) == f"{path}: permission denied"


def test_paths_are_escaped_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[31m\n\u202e.run"
    assert said(path) == f"{tmp_path}/a\\x1b[31m\\n\\u202e.run: no such file or directory"
    path.write_bytes(GOOD + b"bad\n")
    assert "\\u202e.run:3: expected 6" in said(path)
    strange = os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff.run")
    assert "\\udcff.run: no such" in said(strange)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(GOOD)))
    writer.start()
    assert read_run(str(pipe)).docnos.to_pylist() == [b"d1", b"d2"]
    writer.join()


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (GOOD, gzip.compress(GOOD)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert len(read_run("-").docnos) == 2
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x\n")))
    assert said("-").startswith("<stdin>:1: expected 6 columns, found 1")
    monkeypatch.setattr(sys, "stdin", None)
    assert said("-") == "<stdin>: there is no standard input to read"


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_gzip_by_content(tmp_path: Path, block: int) -> None:
    path, options = tmp_path / "a.txt", ReadOptions(block=block)
    empty = gzip.compress(b"")
    one, two = gzip.compress(GOOD[:20]), gzip.compress(GOOD[20:])
    for content in (
        gzip.compress(GOOD),
        one + two,
        empty + one + empty + two + empty,
        gzip.compress(b"\xef") + gzip.compress(b"\xbb\xbf" + GOOD),
        gzip.compress(GOOD) + b"\0" * 1000,
    ):
        assert len(read_run(str(write(path, content)), options).docnos) == 2
    assert said(write(path, empty), options) == f"{path}: the file is empty"


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_damaged_gzip(tmp_path: Path, block: int) -> None:
    path, options = tmp_path / "a.gz", ReadOptions(block=block)
    whole = gzip.compress(GOOD * 1)
    for size in (2, 9, 12, len(whole) - 1):
        assert "truncated gzip" in said(write(path, whole[:size]), options)
    assert "corrupt gzip" in said(write(path, whole[:-6] + b"\1\2" + whole[-4:]), options)
    assert "corrupt gzip" in said(write(path, whole + b"junk"), options)
    twice = "packed several times: unpack it once"
    assert twice in said(write(path, gzip.compress(whole)), options)


def test_damage_explains_a_bad_line_after_it(tmp_path: Path) -> None:
    """A flipped bit makes a line that is none: the archive is to blame, and is named."""
    packed = bytearray(gzip.compress(GOOD + b"bad\n" + GOOD.replace(b"q1", b"q2")))
    packed[-8] ^= 1
    path = write(tmp_path / "a.gz", bytes(packed))
    for block in (3, 1 << 20):
        assert "corrupt gzip" in said(path, ReadOptions(block=block))


def test_other_archives_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert "this is bzip2, which is not read" in said(write(path, bz2.compress(GOOD)))
    assert "this is a zip archive" in said(write(path, b"PK\x03\x04rest"))
    assert "this is xz" in said(write(path, gzip.compress(b"\xfd7zXZ\0rest")))
    assert "this is zstd" in said(write(path, b"\x28\xb5\x2f\xfdrest"))


def test_encodings(tmp_path: Path) -> None:
    text = "q Q0 é 1 2 t\r\nq Q0 ж 2 1 t\n"
    path = tmp_path / "a.run"
    for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "UTF8", "utf-7"):
        for block in (1, 64, 1 << 20):
            path.write_bytes(text.encode(encoding))
            run = read_run(str(path), ReadOptions(encoding=encoding, block=block))
            assert run.docnos.to_pylist() == ["é".encode(), "ж".encode()]
    path.write_bytes("q Q0 \xa0é 1 2 t\n".encode("latin-1"))
    assert read_run(str(path), ReadOptions(encoding="latin-1")).docnos.to_pylist() == [
        "\xa0é".encode()
    ]


@pytest.mark.parametrize("block", [1, 1 << 20])
def test_what_is_not_in_the_encoding(tmp_path: Path, block: int) -> None:
    path = write(tmp_path / "a.run", GOOD + b"q Q0 \x81\xff 1 1 t\n")
    assert f"{path}:3: not ascii: " in said(path, ReadOptions(encoding="ascii", block=block))
    for name in ("no-such", "hex", "rot13", "a\0b", ""):
        assert "no such encoding: " in said(path, ReadOptions(encoding=name, block=block))


def test_the_limit_is_on_what_is_unpacked(tmp_path: Path) -> None:
    lines = b"".join(b"q Q0 d%d 1 1 t\n" % i for i in range(2000))
    path = write(tmp_path / "a.run", lines)
    assert len(read_run(str(path), ReadOptions(max_bytes=len(lines))).docnos) == 2000
    options = ReadOptions(max_bytes=len(lines) - 1)
    assert said(path, options).endswith(
        f"more than {len(lines) - 1:,} bytes; the limit can be raised"
    )
    write(path, gzip.compress(lines))
    assert "bytes once unpacked; the limit can be raised" in said(path, options)


def test_a_flaw_before_the_failure_is_told_first(tmp_path: Path) -> None:
    """Whatever the size of the blocks; damaged archives are the exception."""
    path = write(tmp_path / "a.run", GOOD + b"bad\n" + b"# \n" * 1000)
    for block in (1, 100, 1 << 20):
        assert f"{path}:3: expected" in said(path, ReadOptions(block=block, max_bytes=1 << 20))
        assert "more than 10 bytes" in said(path, ReadOptions(block=block, max_bytes=10))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads(tmp_path: Path, threads: int) -> None:
    lines = [b"q%d Q0 d%d 1 %d t\n" % (i // 100, i, -i) for i in range(1000)]
    path = write(tmp_path / "a.run", b"".join(lines))
    run = read_run(str(path), ReadOptions(threads=threads, block=500))
    assert len(run.qids) == 10
    assert sorted(run.docnos.to_pylist()) == sorted(b"d%d" % i for i in range(1000))
    write(path, b"".join(lines) + b"bad\n" * 3)
    assert f"{path}:1001: expected 6" in said(path, ReadOptions(threads=threads, block=500))


@pytest.mark.parametrize("wrong", [{"threads": 0}, {"block": 0}, {"block": -1}])
def test_a_reading_that_reads_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        ReadOptions(**wrong)
