"""A file of a web server that changes while it is read is refused, and never joined of two."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from web_server import FaultyServer, faulty_server

from evalstore.errors import FileError
from evalstore.formats.reading import remote
from evalstore.formats.reading.remote import Body, Described

OLD = random.Random(7).randbytes(3_000_000)
NEW = OLD[:1_500_000] + bytes(reversed(OLD[1_500_000:]))
"""As long as the old one, and the same where the first answer breaks."""
CUT = 1 << 20
CHANGED = "the file changed while it was read"
EARLIER, LATER = "Mon, 01 Jan 2024 00:00:00 GMT", "Tue, 02 Jan 2024 00:00:00 GMT"


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


def changes(before: dict[str, str], after: dict[str, str], requests: list[Any]) -> Any:
    """What cuts the first answer, and answers the others, by ranges, from the changed file."""

    def answer(request: Any, count: int) -> None:
        requests.append(dict(request.headers.items()))
        if count == 0:
            request.answer(OLD[:CUT], length=len(OLD), **before)
        else:
            request.part(NEW, **after)

    return answer


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"ETag": '"1"'}, {"ETag": '"2"'}),
        ({"ETag": 'W/"1"'}, {"ETag": 'W/"2"'}),
        ({"Last_Modified": EARLIER}, {"Last_Modified": LATER}),
        ({"ETag": '"1"', "Last_Modified": EARLIER}, {"ETag": '"1"', "Last_Modified": LATER}),
        ({"ETag": '"1"'}, {}),
    ],
)
def test_another_version_after_a_break_is_refused(
    server: FaultyServer, before: dict[str, str], after: dict[str, str]
) -> None:
    server.answers["/x"] = changes(before, after, [])
    assert fault(server.url("/x")) == CHANGED


@pytest.mark.parametrize("given", [{}, {"ETag": 'W/"1"'}, {"Last_Modified": EARLIER}])
def test_without_a_strong_etag_all_is_read_again_and_never_joined(
    server: FaultyServer, given: dict[str, str]
) -> None:
    requests: list[dict[str, str]] = []
    server.answers["/x"] = changes(given, given, requests)
    assert content(server.url("/x")) == NEW
    assert all("Range" not in headers for headers in requests)


def test_the_rest_is_asked_for_only_if_the_strong_etag_is_the_same(server: FaultyServer) -> None:
    requests: list[dict[str, str]] = []
    server.answers["/x"] = changes({"ETag": '"1"'}, {"ETag": '"1"'}, requests)
    assert content(server.url("/x"))[:CUT] == OLD[:CUT]
    assert requests[1]["Range"].startswith("bytes=")
    assert requests[1]["If-Range"] == '"1"'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"ETag": '"1"'}, {"ETag": '"2"'}),
        ({"ETag": 'W/"1"'}, {"ETag": 'W/"2"'}),
        ({"Last_Modified": EARLIER}, {"Last_Modified": LATER}),
    ],
)
def test_a_file_that_is_another_one_after_it_was_read_is_refused(
    server: FaultyServer, before: dict[str, str], after: dict[str, str]
) -> None:
    server.answers["/x"] = lambda request, count: request.answer(
        OLD, **(after if count else before)
    )
    assert fault(server.url("/x")) == CHANGED


class Scripted:
    """A file whose answers are these, one after the other: a start and pieces."""

    def __init__(self, *answers: tuple[int, list[bytes | Exception]]) -> None:
        self._answers = iter(answers)

    def describe(self) -> Described:
        """Nothing is told."""
        return Described(None)

    def open(self, _: int) -> Body:
        """The next answer."""
        start, pieces = next(self._answers)

        def given() -> Iterator[bytes]:
            for piece in pieces:
                if isinstance(piece, Exception):
                    raise piece
                yield piece

        return Body(Described(None), start, given(), lambda: None)


@pytest.mark.parametrize(
    ("second", "what"),
    [
        pytest.param((0, [b"abc"]), CHANGED, id="a shorter file"),
        pytest.param(
            (9, [b"jkl"]), "the server sent another part than was asked for", id="a later part"
        ),
    ],
)
def test_an_answer_that_does_not_go_on_where_the_first_broke_is_refused(
    second: tuple[int, list[bytes | Exception]], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "FIRST_DELAY", 0.0)
    file = Scripted((0, [b"abcdef", ConnectionResetError()]), second)
    monkeypatch.setattr(remote, "remote_file", lambda url: file)
    assert fault("https://host/x") == what
