"""Few answers are computed at a time in a process: those who ask at the same time take turns.

Python computes in one thread of a process at a time. Two pages that are computed beside each other
take each the time of both, so nobody has an answer sooner, and most have it later. A page waits for
a database on a server for more than half of its time, in which others are computed.
"""

from __future__ import annotations

import threading

from flask import Flask, g, request

SECONDS_OF_PATIENCE = 0.5
"""After this time a request begins beside others: one that takes long stops nobody."""

ON_FILE, ON_SERVER = 1, 3
"""Answers at a time, by where the database is."""

COMPUTED = "evalstore.computed"
"""In the environment of a request: its answer was computed, not kept."""


class Turns:
    """The turns of a process to compute."""

    def __init__(self, server: Flask, at_once: int, patience: float = SECONDS_OF_PATIENCE) -> None:
        """Give back at the end of each request what it has taken.

        Args:
            server: the app.
            at_once: how many answers are computed at a time.
            patience: seconds that a request waits for its turn.
        """
        self._patience = patience
        self._free = threading.Semaphore(at_once)
        server.teardown_request(self._give_back)

    def wait(self) -> None:
        """Let this request wait until it is its turn, or for as long as it has patience.

        The connection is closed after the answer (`dashboard.thread_worker`): a connection stays
        with its process, and the next request should go to the one that computes nothing then.
        """
        request.environ[COMPUTED] = True
        g.has_turn = self._free.acquire(timeout=self._patience)

    def _give_back(self, _error: BaseException | None) -> None:
        if g.pop("has_turn", False):
            self._free.release()
