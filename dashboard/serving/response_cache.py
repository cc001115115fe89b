"""A cache of callback answers: the same question about an unchanged store has the same answer.

A page depends only on the store and on what the browser sends, so its answer is valid as long as
the store is unchanged, which `Store.state` shows exactly. Each process has its own cache.
"""

from __future__ import annotations

import hashlib
import threading
import time
from contextlib import ExitStack

from flask import Flask, Response, g, request

from dashboard.page import StoreOfRequest
from evalstore.errors import StoreError
from evalstore.store import Store
from evalstore.store.cache import Cache

PATH = "/_dash-update-component"
SECONDS = 60
"""The longest age of a cached answer: pages name days ("today"), and SQL may ask for the time."""

BYTES = 32 * 1024 * 1024
"""The most bytes of all answers of a process, compressed."""

SECONDS_OF_PATIENCE = 0.5
"""The longest wait of a request for one that is being computed. Python computes in one thread at a
time: if two pages are computed at once, neither is ready sooner."""

WHO = ("Cookie", "Authorization", "Accept-Encoding")
"""Headers that are part of the question, besides the collections that the user may read."""


def register(server: Flask, store_of_request: StoreOfRequest, at_once: int) -> None:
    """Answer callbacks from the cache; register this before anything that changes answers.

    Up to `at_once` answers are computed at a time, as long as none takes long.
    """
    answers = Cache(BYTES)
    turns = threading.Semaphore(at_once)

    @server.before_request
    def answer_again() -> Response | None:
        if request.path != PATH or request.method != "POST":
            return None
        try:
            store = store_of_request()
            g.reads = ExitStack()
            g.reads.enter_context(store.snapshot())
            # An answer of an earlier minute is never found.
            g.state = store.state(), time.monotonic() // SECONDS
        except StoreError:
            return None  # the page shows the error
        g.question = _asked(store)
        kept: Response | None = answers.find(g.question, g.state)
        g.is_new = kept is None
        g.has_turn = g.is_new and turns.acquire(timeout=SECONDS_OF_PATIENCE)
        return None if kept is None else _copy(kept)

    @server.after_request
    def keep(response: Response) -> Response:
        if g.get("is_new") and response.status_code == 200 and not response.is_streamed:
            answers.put(g.question, g.state, _copy(response), len(response.get_data()))
        return response

    @server.teardown_request
    def end_reads(_: BaseException | None) -> None:
        if g.pop("has_turn", False):
            turns.release()
        if "reads" in g:
            g.pop("reads").close()


def keep_none() -> None:
    """Don't cache the answer to this request: it depends on more than the store."""
    g.is_new = False


def _asked(store: Store) -> bytes:
    """The current request, as far as its answer depends on it, and what the user may read."""
    readable = "all" if store.collections is None else str(sorted(store.collections))
    who = "\n".join([readable, *(request.headers.get(name, "") for name in WHO)])
    return hashlib.sha256(who.encode() + b"\n\n" + request.get_data()).digest()


def _copy(response: Response) -> Response:
    copy = Response(response.get_data(), response.status_code)
    copy.headers = response.headers.copy()
    return copy
