"""One answer is computed at a time in a process: those who ask at the same time take turns.

Python computes in one thread of a process at a time. Two pages that are computed beside each other
take each the time of both, so nobody has an answer sooner, and most have it later.
"""

from __future__ import annotations

import threading

from flask import Flask, g, request

SECONDS_OF_PATIENCE = 0.5
"""After this time a request begins beside others: one that takes long stops nobody."""

COMPUTED = "evalstore.computed"
"""In the environment of a request: its answer was computed, not kept."""


class Turns:
    """The turn of a process to compute."""

    def __init__(self, server: Flask, patience: float = SECONDS_OF_PATIENCE) -> None:
        """Give back at the end of each request what it has taken.

        Args:
            server: the app.
            patience: seconds that a request waits for its turn.
        """
        self._patience = patience
        self._free = threading.Lock()
        server.teardown_request(self._give_back)

    def wait(self) -> None:
        """Let this request wait until no other one is computed, or for as long as it has patience.

        The connection is closed after the answer (`dashboard.thread_worker`): a connection stays
        with its process, and the next request should go to the one that computes nothing then.
        """
        request.environ[COMPUTED] = True
        g.has_turn = self._free.acquire(timeout=self._patience)

    def _give_back(self, _error: BaseException | None) -> None:
        if g.pop("has_turn", False):
            self._free.release()
