"""Few answers are computed at a time in a process: those who ask at the same time take turns.

Python computes in one thread of a process at a time. Two pages that are computed beside each other
take each the time of both, so nobody has an answer sooner, and most have it later. A page waits for
a database on a server for more than half of its time, in which others are computed.
"""

from __future__ import annotations

import threading
import time

from flask import Flask, g, request

SECONDS_OF_PATIENCE = 0.5
"""After this time a request begins beside others: one that takes long stops nobody."""

ON_FILE, ON_SERVER = 1, 3
"""Answers at a time, by where the database is."""

COMPUTED = "evalstore.computed"
"""In the environment of a request: its answer was computed, not kept."""

TAKEN = "evalstore.taken"
"""In the environment of a request, where the server wants to know: it is called with the turns
when one was taken."""


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
        self._left = at_once
        self._last = 0.0
        self._changed = threading.Condition()
        server.teardown_request(self._give_back)

    @property
    def are_taken(self) -> bool:
        """Whether a request would have to wait; not where it would soon have no more patience."""
        return self._left == 0 and time.monotonic() < self._last + self._patience

    def wait(self) -> None:
        """Let this request wait until it is its turn, or for as long as it has patience.

        The connection is closed after the answer (`serving.thread_worker`): a connection stays with
        its process, and the next request should go to the one that computes nothing then.
        """
        request.environ[COMPUTED] = True
        with self._changed:
            g.has_turn = self._changed.wait_for(lambda: self._left > 0, self._patience)
            if g.has_turn:
                self._left -= 1
                self._last = time.monotonic()
        if g.has_turn:
            request.environ.get(TAKEN, _nobody)(self)

    def _give_back(self, _error: BaseException | None) -> None:
        if g.pop("has_turn", False):
            with self._changed:
                self._left += 1
                self._changed.notify()


def _nobody(_: Turns) -> None:
    """The server does not want to know."""
