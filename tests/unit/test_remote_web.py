"""Files of a web server: streamed, retried, checked."""

from __future__ import annotations

import base64
import gzip
import hashlib
import random
from collections.abc import Iterator

import pytest
from web_server import FaultyServer, faulty_server

from evalstore.errors import FileError
from evalstore.formats import ReadOptions, read_qrels, read_run
from evalstore.formats.reading import remote
from evalstore.formats.reading.file_stamps import stamp
from evalstore.formats.reading.source import blocks

DATA = random.Random(7).randbytes(3_000_000)
RUN = "".join(f"q1 Q0 d{i} {i} {9000 - i} t\n" for i in range(1, 3000)).encode()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyServer]:
    monkeypatch.setattr(remote, "FIRST_DELAY", 0.001)
    with faulty_server() as server:
        yield server


def content(url: str) -> bytes:
    return b"".join(remote.chunks(url))


def fault(url: str) -> str:
    with pytest.raises(FileError) as error:
        content(url)
    return str(error.value).partition(": ")[2]


def test_a_run_and_judgments_are_read(server: FaultyServer) -> None:
    server.answers["/bm25.run"] = lambda request, _: request.answer(RUN)
    server.answers["/qrels.gz"] = lambda request, _: request.answer(gzip.compress(b"q1 0 d1 1\n"))
    assert len(read_run(server.url("/bm25.run")).scores) == 2999
    assert len(read_qrels(server.url("/qrels.gz")).grades) == 1


def test_what_a_server_packs_by_itself_is_unpacked_by_its_content(server: FaultyServer) -> None:
    packed = gzip.compress(RUN)
    server.answers["/x"] = lambda request, _: request.answer(packed, Content_Encoding="gzip")
    assert b"".join(blocks(server.url("/x"), ReadOptions())) == RUN


def test_after_a_break_only_the_rest_is_asked_for(server: FaultyServer) -> None:
    ranges: list[str | None] = []

    def answer(request, count: int) -> None:  # type: ignore[no-untyped-def]
        ranges.append(request.headers.get("Range"))
        if count < 2:
            start = int((ranges[-1] or "bytes=0-")[6:-1])
            given = {"Content_Range": f"bytes {start}-2999999/3000000"} if start else {}
            size = len(DATA) - start
            request.answer(
                DATA[start : start + 1_000_000], 206 if start else 200, size, ETag='"a"', **given
            )
        else:
            request.part(DATA, ETag='"a"')

    server.answers["/x"] = answer
    assert content(server.url("/x")) == DATA
    first, *rest, check_at_the_end = ranges
    assert first is None
    assert all(text is not None and text > "bytes=0" for text in rest)
    assert len(rest) == 2
    assert check_at_the_end is None


def test_a_server_without_ranges_sends_all_again(server: FaultyServer) -> None:
    def answer(request, count: int) -> None:  # type: ignore[no-untyped-def]
        request.answer(DATA[:2_000_000] if count == 0 else DATA, length=len(DATA))

    server.answers["/x"] = answer
    assert content(server.url("/x")) == DATA


@pytest.mark.parametrize("etags", [('"a"', '"b"'), ("", "")])
def test_a_file_that_changed_between_two_attempts_is_refused(
    server: FaultyServer, etags: tuple[str, str]
) -> None:
    other = bytes(reversed(DATA))

    def answer(request, count: int) -> None:  # type: ignore[no-untyped-def]
        data = DATA[:1_000_000] if count == 0 else other
        request.answer(data, length=len(DATA), ETag=etags[min(count, 1)])

    server.answers["/x"] = answer
    assert fault(server.url("/x")) == "the file changed while it was read"


def test_a_length_that_is_never_reached_is_told(server: FaultyServer) -> None:
    server.answers["/x"] = lambda request, _: request.answer(b"abc", length=9)
    assert fault(server.url("/x")) in (
        "the connection broke, 5 times",
        "3 of 9 bytes came, 5 times",
    )
    assert server.requests["/x"] >= 5


def test_a_busy_server_is_asked_again(server: FaultyServer) -> None:
    def answer(request, count: int) -> None:  # type: ignore[no-untyped-def]
        request.answer(RUN, status=503 if count < 3 else 200)

    server.answers["/x"] = answer
    assert content(server.url("/x")) == RUN
    server.answers["/busy"] = lambda request, _: request.answer(b"", status=503)
    assert fault(server.url("/busy")) == "the server answers with status 503, 5 times"
    assert server.requests["/busy"] == 5


@pytest.mark.parametrize(
    ("status", "what"),
    [
        (404, "no such file"),
        (410, "no such file"),
        (401, "access denied: check the credentials and the rights on the file"),
        (403, "access denied: check the credentials and the rights on the file"),
        (400, "the server answers with status 400"),
    ],
)
def test_other_answers_are_told_at_once(server: FaultyServer, status: int, what: str) -> None:
    server.answers["/x"] = lambda request, _: request.answer(b"", status=status)
    assert fault(server.url("/x?sig=abc", "ann:secret@")) == what
    assert server.requests["/x"] == 1


def test_the_hash_that_a_server_tells_is_checked(server: FaultyServer) -> None:
    right = base64.b64encode(hashlib.md5(RUN, usedforsecurity=False).digest()).decode()
    wrong = base64.b64encode(hashlib.md5(b"", usedforsecurity=False).digest()).decode()
    server.answers["/right"] = lambda request, _: request.answer(RUN, Content_MD5=right)
    server.answers["/wrong"] = lambda request, _: request.answer(RUN, Content_MD5=wrong)
    assert content(server.url("/right")) == RUN
    what = "the bytes that came are not those of the hash that the server tells"
    assert fault(server.url("/wrong")) == what


def test_a_server_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "FIRST_DELAY", 0.001)
    assert fault("http://127.0.0.1:1/x") == "can't connect to the server, 5 times"


def test_the_stamp_of_a_url_is_its_etag_and_no_secret(server: FaultyServer) -> None:
    server.answers["/x"] = lambda request, _: request.answer(RUN, ETag='"a"')
    server.answers["/weak"] = lambda request, _: request.answer(RUN, ETag='W/"a"')
    given = stamp(server.url("/x?sv=1&sig=abc", "ann:secret@"))
    assert given == stamp(server.url("/x"))
    assert given is not None
    assert (given.size, given.version) == (len(RUN), 'ETag "a"')
    assert stamp(server.url("/weak")) is None
