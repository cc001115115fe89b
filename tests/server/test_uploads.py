"""Files are sent whole or in pieces, checked by their hash, and never more than is allowed."""

from __future__ import annotations

import io
import os
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from sending import Sender, run_file, sha256
from team_server import Served

from evalstore.catalog.collections import rename_collection
from evalstore.server.app import create_server
from evalstore.server.jobs.uploads import (
    Limits,
    Spool,
    change_limits,
    load_limits,
    spool_folder,
    sweep,
)
from evalstore.server.people.tokens import create_token
from evalstore.store.models import collection_t
from evalstore.store.queries.collections import find_collection
from evalstore.store.rows import change_row

pytestmark = pytest.mark.slow  # files are sent in pieces

PIECES = b"0123456789" * 10


@pytest.fixture
def sender(served: Served) -> Sender:
    """A program that may write into every collection."""
    return Sender(served, create_token(served.store, "ci", "contributor"))


def limited(sender: Sender, **limits: object) -> Sender:
    """The sender at a server with these limits."""
    change_limits(sender.served.store, {name: str(value) for name, value in limits.items()})
    sender.served.app = create_server(sender.served.store, log=sender.served.log)
    return Sender(sender.served, sender.token)


def spool_of(served: Served) -> Path:
    return spool_folder(served.store, load_limits(served.store))


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_file_is_sent_whole_and_then_known_by_its_hash(sender: Sender) -> None:
    content = run_file()
    assert sender.blob("HEAD", sha256(content)).status_code == 404
    hash_ = sender.send(content)
    answer = sender.blob("HEAD", hash_)
    assert answer.status_code == 200
    assert answer.headers["Upload-Offset"] == str(len(content))
    assert answer.headers["Upload-Complete"] == "?1"


def test_a_file_is_sent_in_pieces_and_goes_on_where_it_broke_off(sender: Sender) -> None:
    answer = sender.piece(PIECES, 0, 40)
    assert (answer.status_code, answer.headers["Upload-Offset"]) == (202, "40")
    answer = sender.blob("HEAD", sha256(PIECES))
    assert answer.headers["Upload-Offset"] == "40"
    assert answer.headers["Upload-Length"] == "100"
    assert answer.headers["Upload-Complete"] == "?0"
    assert sender.piece(PIECES, 40, 100).status_code == 201
    assert sender.blob("HEAD", sha256(PIECES)).headers["Upload-Complete"] == "?1"


def test_a_file_goes_on_whose_server_was_killed_before_it_was_checked(sender: Sender) -> None:
    assert sender.piece(PIECES, 0, 40).status_code == 202
    [path] = spool_of(sender.served).rglob(f"{sha256(PIECES)}.*")
    path.write_bytes(PIECES)  # and then it was killed
    answer = sender.blob("HEAD", sha256(PIECES))
    assert answer.headers["Upload-Complete"] == "?0"
    offset = int(answer.headers["Upload-Offset"])
    assert offset < len(PIECES)
    assert sender.piece(PIECES, offset, len(PIECES)).status_code == 201
    assert sender.blob("HEAD", sha256(PIECES)).headers["Upload-Complete"] == "?1"


def test_a_file_is_sent_again_that_was_wrong_when_its_server_was_killed(sender: Sender) -> None:
    assert sender.piece(PIECES, 0, 40).status_code == 202
    [path] = spool_of(sender.served).rglob(f"{sha256(PIECES)}.*")
    path.write_bytes(b"x" * len(PIECES))
    offset = int(sender.blob("HEAD", sha256(PIECES)).headers["Upload-Offset"])
    assert sender.piece(PIECES, offset, len(PIECES)).status_code == 422
    assert sender.piece(PIECES, 0, len(PIECES)).status_code == 201


def test_a_piece_that_does_not_begin_where_the_file_ends_is_told_the_offset(
    sender: Sender,
) -> None:
    sender.piece(PIECES, 0, 40)
    for first in (0, 39, 41):
        answer = sender.piece(PIECES, first, 100)
        assert (answer.status_code, answer.headers["Upload-Offset"]) == (409, "40")
    assert sender.piece(PIECES, 40, 100).status_code == 201


def test_sending_what_is_here_changes_nothing(sender: Sender) -> None:
    hash_ = sender.send(PIECES)
    assert sender.blob("PUT", hash_, data=PIECES).status_code == 201
    assert sender.piece(PIECES, 40, 100).status_code == 201


def test_nobody_spoils_what_a_colleague_sends(sender: Sender) -> None:
    other = Sender(sender.served, create_token(sender.served.store, "eve", "contributor"))
    assert sender.piece(PIECES, 0, 40).status_code == 202
    for wrong in (b"x" * 100, b"x" * 50, b"x" * 100):
        assert other.blob("PUT", sha256(PIECES), data=wrong).status_code == 422
    # Another size of the same file, named and never sent, blocks nobody.
    headers = {"Content-Range": "bytes 0-9/50"}
    assert other.blob("PUT", sha256(PIECES), data=b"x" * 10, headers=headers).status_code == 202
    assert sender.blob("HEAD", sha256(PIECES)).headers["Upload-Offset"] == "40"
    assert sender.piece(PIECES, 40, 100).status_code == 201
    assert other.blob("HEAD", sha256(PIECES)).headers["Upload-Complete"] == "?1"


def test_a_file_with_another_hash_is_refused_and_deleted(sender: Sender) -> None:
    answer = sender.blob("PUT", sha256(b"other"), data=PIECES)
    assert answer.status_code == 422
    assert answer.json["detail"] == "the file that came has another SHA-256: send it again"
    assert sender.blob("HEAD", sha256(b"other")).status_code == 404
    assert files_in(spool_of(sender.served)) == []
    assert sender.blob("PUT", sha256(b"other"), data=b"other").status_code == 201


def test_a_file_that_is_longer_or_shorter_than_it_was_begun_with_is_begun_anew(
    sender: Sender,
) -> None:
    hash_ = sha256(PIECES)
    headers = {"Content-Range": "bytes 0-9/50"}
    assert sender.blob("PUT", hash_, data=PIECES[:10], headers=headers).status_code == 202
    assert sender.piece(PIECES, 10, 100).status_code == 409
    assert sender.blob("PUT", hash_, data=PIECES).status_code == 409
    # Its offset is 10: who says another length begins at 0.
    assert sender.blob("HEAD", hash_).headers["Upload-Length"] == "100"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Range": "bytes 0-9"}, 400),
        ({"Content-Range": "bytes 9-0/100"}, 400),
        ({"Content-Range": "bytes 0-99/50"}, 400),
        ({"Content-Range": "bytes 0-9/100"}, 400),  # 100 bytes come
        ({"Content-Range": "bytes ٠-٩٩/100"}, 400),
        ({"Content-Range": f"bytes 0-{'9' * 400}/{'9' * 401}"}, 400),
        ({"Content-Encoding": "gzip"}, 415),
    ],
)
def test_a_range_that_does_not_fit_is_refused(
    sender: Sender, headers: dict[str, str], status: int
) -> None:
    environ = {f"HTTP_{k.upper().replace('-', '_')}": v for k, v in headers.items()}
    answer = sender.blob("PUT", sha256(PIECES), data=PIECES, environ_overrides=environ)
    assert answer.status_code == status
    assert answer.mimetype == "application/problem+json"


def test_an_empty_file_is_refused(sender: Sender) -> None:
    environ = {"CONTENT_LENGTH": "0"}
    assert sender.blob("PUT", sha256(b""), environ_overrides=environ).status_code == 422


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "sha256:../../etc/passwd",
        "sha256:" + "g" * 64,
        "sha256:" + "A" * 64,
        "sha256:" + "a" * 63,
        "sha256:" + "a" * 64 + "%0A",
        "sha512:" + "a" * 64,
        "http://127.0.0.1/x",
    ],
)
def test_no_other_name_than_a_hash_names_a_file(sender: Sender, name: str) -> None:
    path = f"/api/v1/collections/test/blobs/{name}"
    for method in ("PUT", "HEAD"):
        answer = sender.ask(method, path, data=b"x")
        assert answer.status_code in {401, 403, 404, 405}
    assert files_in(spool_of(sender.served).parent) == files_in_store(sender)


def files_in_store(sender: Sender) -> list[str]:
    """The files beside the store that are there without any upload."""
    return [name for name in files_in(spool_of(sender.served).parent) if len(name) != 64]


def test_the_spool_is_for_the_account_of_the_server_alone(sender: Sender) -> None:
    folder = spool_of(sender.served)
    folder.mkdir(mode=0o755)
    hash_ = sender.send(PIECES)
    modes = {stat.S_IMODE(os.stat(path).st_mode) for path in (folder, *folder.glob("*"))}
    assert modes == {0o700}
    (file,) = folder.glob("*/*")
    assert file.name == hash_
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_link_in_place_of_a_file_is_not_followed(sender: Sender, tmp_path: Path) -> None:
    hash_ = sender.send(PIECES)
    (file,) = spool_of(sender.served).glob("*/*")
    file.unlink()
    (tmp_path / "target").write_bytes(b"keep")
    file.symlink_to(tmp_path / "target")
    assert sender.blob("PUT", hash_, data=PIECES).status_code == 507
    assert (tmp_path / "target").read_bytes() == b"keep"
    sender.piece(b"x" * 9, 0, 4)
    (part,) = spool_of(sender.served).glob(f"*/{sha256(b'x' * 9)}.*")
    part.unlink()
    part.symlink_to(tmp_path / "target")
    assert sender.piece(b"x" * 9, 0, 9).status_code == 507
    assert (tmp_path / "target").read_bytes() == b"keep"


def test_a_file_that_was_deleted_from_the_spool_is_sent_again(sender: Sender) -> None:
    hash_ = sender.send(PIECES)
    (file,) = spool_of(sender.served).glob("*/*")
    file.unlink()
    answer = sender.blob("HEAD", hash_)
    assert (answer.headers["Upload-Offset"], answer.headers["Upload-Complete"]) == ("0", "?0")
    assert sender.send(PIECES) == hash_


def test_a_file_above_the_limit_is_refused_before_it_is_taken(sender: Sender) -> None:
    small = limited(sender, upload_bytes=99)
    answer = small.blob("PUT", sha256(PIECES), data=PIECES)
    assert answer.status_code == 413
    assert "100 bytes, and the server takes 99" in answer.json["detail"]
    assert small.piece(PIECES, 0, 10).status_code == 413
    assert files_in(spool_of(sender.served)) == []


def test_the_files_of_a_collection_are_limited_together(sender: Sender) -> None:
    small = limited(sender, quota_bytes=150)
    small.send(PIECES)
    answer = small.blob("PUT", sha256(b"x" * 60), data=b"x" * 60)
    assert answer.status_code == 507
    assert "have 100 bytes, and together may have 150" in answer.json["detail"]
    small.send(b"x" * 50)


def test_nothing_is_taken_when_the_disk_is_nearly_full(sender: Sender) -> None:
    full = limited(sender, free_bytes=1 << 49)
    answer = full.blob("PUT", sha256(PIECES), data=PIECES)
    assert answer.status_code == 507
    assert answer.json["detail"] == "the disk of the server is full: tell its administrator"


def test_more_uploads_at_once_than_allowed_are_told_to_wait(sender: Sender) -> None:
    one = limited(sender, uploads=1)
    statuses = []

    class Body:
        def read(self, size: int = -1) -> bytes:
            if not statuses:  # in the middle of the first, from another connection
                other = Sender(one.served, one.token)
                answer = other.blob("PUT", sha256(b"second"), data=b"second")
                statuses.append((answer.status_code, answer.headers["Retry-After"]))
                return PIECES
            return b""

    environ = {"wsgi.input": Body(), "wsgi.input_terminated": True, "CONTENT_LENGTH": "100"}
    answer = one.blob("PUT", sha256(PIECES), environ_overrides=environ)
    assert answer.status_code == 201
    assert statuses == [(429, "5")]
    assert one.blob("PUT", sha256(b"second"), data=b"second").status_code == 201


def test_a_file_that_another_request_sends_is_refused_meanwhile(sender: Sender) -> None:
    statuses = []

    class Body:
        def read(self, size: int = -1) -> bytes:
            if not statuses:
                other = Sender(sender.served, sender.token)
                statuses.append(other.blob("PUT", sha256(PIECES), data=PIECES).status_code)
                return PIECES
            return b""

    environ = {"wsgi.input": Body(), "wsgi.input_terminated": True, "CONTENT_LENGTH": "100"}
    assert sender.blob("PUT", sha256(PIECES), environ_overrides=environ).status_code == 201
    assert statuses == [409]


def test_a_body_that_ends_too_early_keeps_what_came(sender: Sender) -> None:
    environ = {
        "wsgi.input": io.BytesIO(PIECES[:30]),
        "wsgi.input_terminated": True,
        "CONTENT_LENGTH": "100",
    }
    answer = sender.blob("PUT", sha256(PIECES), environ_overrides=environ)
    assert (answer.status_code, answer.headers["Upload-Offset"]) == (400, "30")
    assert sender.piece(PIECES, 30, 100).status_code == 201


def test_a_body_longer_than_it_says_is_refused(sender: Sender) -> None:
    class Body:
        def read(self, size: int = -1) -> bytes:
            return b"x" * 90

    environ = {"wsgi.input": Body(), "wsgi.input_terminated": True, "CONTENT_LENGTH": "100"}
    answer = sender.blob("PUT", sha256(PIECES), environ_overrides=environ)
    assert answer.status_code == 400


def test_a_chunked_body_needs_a_range_that_says_its_length(sender: Sender) -> None:
    environ = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}
    answer = sender.blob("PUT", sha256(PIECES), environ_overrides=environ)
    assert answer.status_code == 411


def test_who_may_not_write_into_a_collection_learns_nothing_of_its_files(served: Served) -> None:
    writer = Sender(served, create_token(served.store, "w", "contributor"))
    writer.send(PIECES)
    reader = Sender(served, create_token(served.store, "r", "reader"))
    for method in ("HEAD", "PUT"):
        answer = reader.blob(method, sha256(PIECES), data=PIECES)
        assert answer.status_code == 403


def test_a_private_collection_is_as_one_that_does_not_exist(served: Served) -> None:
    writer = Sender(served, create_token(served.store, "w", "contributor"))
    hash_ = writer.send(PIECES)
    with served.store.write() as connection:
        id_ = find_collection(connection, "test")
        assert id_ is not None
        change_row(connection, collection_t, id_, access="private")
    missing = Sender(served, writer.token, collection="tess")
    for method in ("HEAD", "PUT"):
        hidden, none = (s.blob(method, hash_, data=PIECES) for s in (writer, missing))
        assert hidden.status_code == none.status_code == 404
        assert hidden.text.replace("test", "tess") == none.text
    hidden, none = (s.store(hash_) for s in (writer, missing))
    assert hidden.status_code == none.status_code == 404
    assert hidden.text.replace("test", "tess") == none.text


def test_the_same_file_in_another_collection_is_not_known(served: Served) -> None:
    writer = Sender(served, create_token(served.store, "w", "contributor"))
    hash_ = writer.send(PIECES)
    spool = Spool(spool_of(served))
    assert spool.size(1, hash_) == 100
    assert spool.size(2, hash_) == 0


def test_the_name_of_a_collection_may_have_a_slash(served: Served) -> None:
    rename_collection(served.store, "test", "a/b")
    writer = Sender(served, create_token(served.store, "w", "contributor"), collection="a%2Fb")
    writer.send(PIECES)
    assert writer.blob("HEAD", sha256(PIECES)).status_code == 200


def test_what_nothing_came_of_is_swept(sender: Sender) -> None:
    sender.piece(PIECES, 0, 40)
    folder = spool_of(sender.served)
    stray = folder / "999" / sha256(b"stray")
    stray.parent.mkdir()
    stray.write_bytes(b"stray")
    store, spool = sender.served.store, Spool(folder)
    assert sweep(store, spool, Limits()) == 0
    [name] = files_in(folder)
    assert name.startswith(f"{sha256(PIECES)}.")
    assert sweep(store, spool, Limits(keep_hours=0)) == 1
    assert files_in(folder) == []
    assert sender.blob("HEAD", sha256(PIECES)).status_code == 404


def test_a_narrowed_token_sends_into_its_collection_only(served: Served) -> None:
    token = create_token(served.store, "ci", "contributor", "test", timedelta(1))
    narrow = Sender(served, token)
    narrow.send(PIECES)
    narrow.collection = "other"
    assert narrow.blob("HEAD", sha256(PIECES)).status_code == 404


def test_a_page_of_another_site_sends_nothing(sender: Sender) -> None:
    headers = {"Origin": "https://evil.example"}
    answer = sender.blob("PUT", sha256(PIECES), data=PIECES, headers=headers)
    assert answer.status_code == 403


def test_the_limits_are_those_that_the_settings_name(served: Served) -> None:
    assert load_limits(served.store) == Limits()
    changed = change_limits(served.store, {"upload_bytes": "5", "spool": "/srv/spool"})
    assert changed == Limits(upload_bytes=5, spool="/srv/spool")
    assert load_limits(served.store) == changed
