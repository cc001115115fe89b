"""Where a web server sends to another address that can't be read, the message says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from web_server import FaultyServer, faulty_server

from evalstore.errors import FileError
from evalstore.formats.reading import remote


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyServer]:
    monkeypatch.setattr(remote, "FIRST_DELAY", 0.001)
    with faulty_server() as server:
        yield server


def leads_on(server: FaultyServer, to: str) -> str:
    """The message for a URL whose server leads on to another one."""
    server.answers["/x"] = lambda request, _: request.answer(b"", status=302, Location=to)
    with pytest.raises(FileError) as error:
        b"".join(remote.chunks(server.url("/x?sig=abc")))
    return str(error.value).partition(": ")[2]


def test_a_redirect_to_another_file_is_followed(server: FaultyServer) -> None:
    server.answers["/x"] = lambda request, _: request.answer(b"", status=302, Location="/y?a=1")
    server.answers["/y"] = lambda request, _: request.answer(b"content")
    assert b"".join(remote.chunks(server.url("/x"))) == b"content"


def test_an_endless_redirect_is_told_at_once(server: FaultyServer) -> None:
    what = "the server leads on from one URL to another without end: give that of the file itself"
    assert leads_on(server, "/x") == what
    assert server.requests["/x"] <= 11  # as many as are followed; not begun again


@pytest.mark.parametrize(
    ("to", "shown"),
    [
        ("file:///etc/passwd", "file:"),
        ("ftp://ann:secret@host/x?sig=abc", "ftp:"),
        ("data:text/plain,secret", "data:"),
    ],
)
def test_a_redirect_to_what_is_no_web_server_is_told(
    server: FaultyServer, to: str, shown: str
) -> None:
    what = f"the server leads on to a URL that is not read ({shown}): give one of https or http"
    assert leads_on(server, to) == what
    assert server.requests["/x"] == 1


@pytest.mark.parametrize("to", ["http://", "http://127.0.0.1:99999/secret", "http://[::1/secret"])
def test_a_redirect_to_what_is_no_url_is_told(server: FaultyServer, to: str) -> None:
    what = "the server leads on to what is no URL: give that of the file itself"
    assert leads_on(server, to) == what
    assert server.requests["/x"] == 1


def test_a_redirect_that_names_no_url_is_no_file(server: FaultyServer) -> None:
    server.answers["/x"] = lambda request, _: request.answer(b"q1 Q0 d1 1 1 t\n", status=302)
    with pytest.raises(FileError, match="the server answers with status 302"):
        b"".join(remote.chunks(server.url("/x")))
