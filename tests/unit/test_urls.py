"""URLs as paths: which are read, what is shown of them, what they name."""

from __future__ import annotations

import socket

import pytest

from evalstore.errors import FileError, MissingExtra
from evalstore.formats.reading import remote
from evalstore.formats.reading.lines import run_name, tag_of_file
from evalstore.formats.reading.paths import is_object, is_url, shown_path, unsigned_url
from evalstore.formats.reading.remote import (
    BrokenError,
    is_pattern,
    matching_files,
    what_is_wrong,
    why_broken,
)
from evalstore.formats.reading.source import path_text


@pytest.mark.parametrize("scheme", ["s3", "gs", "az", "https", "http", "S3", "HTTPS"])
def test_these_schemes_are_read(scheme: str) -> None:
    assert is_url(f"{scheme}://bucket/x.run")


@pytest.mark.parametrize(
    "path",
    [
        *("file:///etc/passwd", "ftp://host/x", "ssh://host/x", "memory://x", "local://x"),
        *("github://a:b@/x", "x s3://b/x", "s3:/b/x", "s3", "https:", "./https://h/x"),
        *("filecache::s3://b/x", "simplecache::https://h/x", "C:\\runs", "-", ""),
    ],
)
def test_everything_else_is_a_path_of_this_machine(path: str) -> None:
    assert not is_url(path)
    assert shown_path(path) == path


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://ann:secret@host/x.run", "https://host/x.run"),
        ("https://ann:se/cr@et@host/x.run", "https://host/x.run"),
        ("https://host/x.run?X-Amz-Signature=abc#part", "https://host/x.run"),
        ("https://host?sig=abc/x", "https://host"),
        ("s3://bucket/a@b.run", "s3://bucket/a@b.run"),
        ("s3://bucket/x.run?versionId=7", "s3://bucket/x.run"),
        ("HTTPS://ann:secret@host/x", "HTTPS://host/x"),
    ],
)
def test_no_password_and_no_signature_is_shown(url: str, shown: str) -> None:
    assert shown_path(url) == shown
    assert path_text(url) == shown


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://host/a/bm25%20x.run.gz?sig=abc", "bm25 x"),
        ("s3://bucket/a/bm25.run", "bm25"),
        ("s3://bucket/a%20b.run", "a%20b"),
        ("https://ann:secret@host/x.json", "x"),
    ],
)
def test_a_run_is_named_after_the_last_part_of_its_url(url: str, name: str) -> None:
    assert run_name(url) == name
    assert "secret" not in tag_of_file(url)


def test_urls_of_servers_are_no_patterns_and_those_of_object_stores_may_be() -> None:
    assert not is_pattern("https://host/x?a=*")
    assert matching_files("https://host/[x]?a=*") == ["https://host/[x]?a=*"]
    assert is_pattern("s3://bucket/*.run")
    assert is_object("gs://b/x")
    assert not is_object("https://h/x")


@pytest.mark.parametrize("scheme", ["s3", "gs", "az", "https"])
def test_without_the_extra_the_message_names_it(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.filesystem.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(MissingExtra, match=r"pip install 'evalstore\[remote\]'"):
        next(remote.chunks(f"{scheme}://bucket/x.run"))
    remote.filesystem.cache_clear()


def _status(status: int) -> Exception:
    error = OSError("https://ann:secret@host?sig=abc")
    error.status = status  # type: ignore[attr-defined]  # as aiohttp's errors have it
    return error


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (FileNotFoundError("x"), "no such file"),
        (PermissionError("x"), "access denied: check the credentials and the rights on the file"),
        (_status(404), "no such file"),
        (_status(403), "access denied: check the credentials and the rights on the file"),
        (_status(416), "the server answers with status 416"),
        (socket.gaierror(-2, "x"), "the name of the host can't be resolved"),
        (_status(503), None),
        (_status(429), None),
        (ConnectionResetError(), None),
        (BrokenError("3 of 9 bytes came"), None),
    ],
)
def test_an_error_is_told_at_once_or_tried_again(error: Exception, what: str | None) -> None:
    assert what_is_wrong(error) == what


def test_an_error_by_another_one_is_recognised() -> None:
    error = OSError()
    error.__cause__ = socket.gaierror(-2, "x")
    assert what_is_wrong(error) == "the name of the host can't be resolved"


def test_what_did_not_help_is_told_without_the_text_of_the_library() -> None:
    assert why_broken(_status(503)) == "the server answers with status 503"
    assert why_broken(ConnectionRefusedError("secret")) == "can't connect to the server"
    assert why_broken(TimeoutError("secret")) == "the server does not answer in time"
    assert why_broken(OSError("secret")) == "the connection broke"


def test_a_mistake_of_the_program_is_not_taken_for_a_broken_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(_: str) -> None:
        raise TypeError("a bug")

    class Wrong:
        open = staticmethod(wrong)

    monkeypatch.setattr(remote, "remote_file", lambda url: Wrong())
    with pytest.raises(TypeError, match="a bug"):
        next(remote.chunks("https://host/x"))


def test_a_url_that_can_not_be_one_is_told() -> None:
    with pytest.raises(FileError, match=r"^http://127\.0\.0\.1:99999/x: "):
        next(remote.chunks("http://127.0.0.1:99999/x?sig=abc"))


AWS = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date={0}&X-Amz-Expires=60&x-amz-signature={0}"
GOOGLE = "X-Goog-Date={0}&X-Goog-Signature={0}"
AWS_2 = "AWSAccessKeyId=k&Expires={0}&Signature={0}"
CLOUDFRONT = "Policy={0}&Key-Pair-Id=k&Signature={0}"
AZURE = "sv=2024-11-04&st={0}&se={0}&sr=b&sp=r&sig={0}"


@pytest.mark.parametrize("signature", [AWS, GOOGLE, AWS_2, CLOUDFRONT, AZURE])
def test_a_file_is_the_same_by_whatever_signature_it_is_asked_for(signature: str) -> None:
    one, other = (f"https://host/x?id=1&{signature.format(text)}&v=%2F" for text in ("a", "b%3D"))
    assert unsigned_url(one) == unsigned_url(other) == "https://host/x?id=1&v=%2F"
    assert unsigned_url(f"https://host/x?{signature.format('a')}") == "https://host/x"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://host/x?id=1", "https://host/x?id=2"),
        ("https://host/x?sp=1", "https://host/x?sp=2"),
        ("https://host/x?sig=1", "https://host/x?sig=2"),
        ("https://host/x?signature=1", "https://host/x?signature=2"),
        ("https://host/x?id=1&" + AWS, "https://host/x?id=2&" + AWS),
        ("https://host/x?versionId=1&" + AWS, "https://host/x?versionId=2&" + AWS),
        ("s3://bucket/x?1", "s3://bucket/x?2"),
        ("s3://bucket/x#1", "s3://bucket/x#2"),
        ("s3://bucket/x?sv=1&sig=1", "s3://bucket/x?sv=1&sig=2"),
        ("s3://a@bucket/x", "s3://b@bucket/x"),
    ],
)
def test_files_are_others_by_all_that_is_no_signature(one: str, other: str) -> None:
    assert unsigned_url(one) != unsigned_url(other)


def test_a_file_is_the_same_whoever_asks_for_it() -> None:
    assert unsigned_url("HTTPS://ann:se/cr@et@host/x?a=@#part") == "https://host/x?a=@"
    assert unsigned_url("S3://bucket/x") == "s3://bucket/x"
