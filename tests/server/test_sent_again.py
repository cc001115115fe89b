"""A file that is sent again just when the worker removes it, since it was stored."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sending import Sender, run_file, working
from team_server import Served

from evalstore.server.jobs.uploads import Spool
from evalstore.server.people.tokens import create_token

pytestmark = pytest.mark.slow  # a worker stores what is sent

RUN = run_file("again")
PATIENCE = 300


@pytest.fixture
def sender(served: Served) -> Sender:
    """A program that may write into every collection."""
    return Sender(served, create_token(served.store, "ci", "contributor"))


def test_a_file_that_is_sent_again_while_it_is_removed_is_here(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove, is_removed = Spool.remove, threading.Event()
    again = threading.Thread(target=sender.send, args=[RUN])

    def remove_late(spool: Spool, *file: Any) -> None:
        if not again.is_alive() and not is_removed.is_set():
            again.start()
            again.join(0.2)  # it waits for the removal, or has ended before
        remove(spool, *file)
        is_removed.set()

    monkeypatch.setattr(Spool, "remove", remove_late)
    with working(sender.served.store):
        hash_ = sender.send(RUN)
        assert sender.store(hash_, name="again").status_code == 201
        assert is_removed.wait(PATIENCE)
        again.join(PATIENCE)
    assert sender.blob("HEAD", hash_).headers["Upload-Complete"] == "?1"


def test_a_file_is_sent_anew_whose_worker_ended_before_it_was_removed(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Spool, "remove", lambda *_: None)
    with working(sender.served.store):
        hash_ = sender.send(RUN)
        assert sender.store(hash_, name="again").status_code == 201
    assert sender.blob("HEAD", hash_).status_code == 404
    sender.send(RUN)
    assert sender.blob("HEAD", hash_).headers["Upload-Complete"] == "?1"
