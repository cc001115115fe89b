"""A cache of callback answers: the same question about an unchanged store has the same answer.

A page depends only on the store and on what the browser sends, so its answer is valid as long as
the store is unchanged, which `Store.state` shows exactly. Each process has its own cache.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from flask import Flask, Response, g, request

from dashboard import address
from dashboard.components import ids
from dashboard.components.problems import PageProblem
from dashboard.page import Page, StoreOfRequest
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


@dataclass
class Answers:
    """Answers by question and state of the store; the least recently used one is dropped first."""

    clock: Callable[[], float] = time.monotonic
    _cache: Cache = field(default_factory=lambda: Cache(BYTES))

    def get(self, question: bytes, state: object) -> Response | None:
        """The answer to the question in this state of the store; None if it is not cached."""
        kept: Response | None = self._cache.find(question, self._state(state))
        return None if kept is None else _copy(kept)

    def put(self, question: bytes, state: object, answer: Response) -> None:
        """Cache an answer; the state must be from before the answer was computed."""
        kept = _copy(answer)
        self._cache.put(question, self._state(state), kept, len(kept.get_data()))

    def _state(self, state: object) -> tuple[object, float]:
        """The state and the minute: an answer of an earlier minute is never found."""
        return state, self.clock() // SECONDS


def register(
    server: Flask,
    store_of_request: StoreOfRequest,
    question: Callable[[bytes], bytes],
    at_once: int,
) -> None:
    """Answer callbacks from the cache; register this before anything that changes answers.

    `question` turns the body of a request into a text that is equal for equal answers. Up to
    `at_once` answers are computed at a time, as long as none takes long.
    """
    answers = Answers()
    turns = threading.Semaphore(at_once)

    @server.before_request
    def answer_again() -> Response | None:
        if request.path != PATH or request.method != "POST":
            return None
        try:
            store = store_of_request()
            g.reads = ExitStack()
            g.reads.enter_context(store.snapshot())
            g.state = store.state()
        except StoreError:
            return None  # the page shows the error
        g.question = _asked(store, question(request.get_data()))
        again = answers.get(g.question, g.state)
        g.is_new = again is None
        g.has_turn = g.is_new and turns.acquire(timeout=SECONDS_OF_PATIENCE)
        return again

    @server.after_request
    def keep(response: Response) -> Response:
        if g.get("is_new") and response.status_code == 200 and not response.is_streamed:
            answers.put(g.question, g.state, response)
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


def _asked(store: Store, question: bytes) -> bytes:
    readable = "all" if store.collections is None else str(sorted(store.collections))
    who = "\n".join([readable, *(request.headers.get(name, "") for name in WHO)])
    return hashlib.sha256(who.encode() + b"\n\n" + question).digest()


def _copy(response: Response) -> Response:
    copy = Response(response.get_data(), response.status_code)
    copy.headers = response.headers.copy()
    return copy


# The cache key of a page request: only the parts on which its answer depends

IN_ORDER = (
    (ids.URL, "pathname"),
    (ids.URL, "search"),
    (ids.SCHEME, "data"),
    (ids.RENDERED, "data"),
)
"""The order of the callback's inputs and state."""


def question(body: bytes, pages: Mapping[str, Page]) -> bytes:
    """Return a text that is equal for requests with the same answer.

    The browser sends what is on the screen. A page that is rendered anew needs only the collection
    that links lead to. The body of any other callback is returned unchanged.
    """
    try:
        asked = json.loads(body)
        given = [*asked["inputs"], *asked["state"]]
        if tuple((part["id"], part["property"]) for part in given) != IN_ORDER:
            return body
        path, search, _, on_screen = (part.get("value") for part in given)
        if path is None or not _is_anew(path, search, on_screen, pages):
            return body
        needed = None if on_screen is None else {"keep": on_screen.get("keep")}
    except (ValueError, KeyError, TypeError, AttributeError, PageProblem):
        return body
    return json.dumps({**asked, "state": needed, "changedPropIds": []}, sort_keys=True).encode()


def _is_anew(
    path: str, search: str | None, on_screen: Mapping[str, str] | None, pages: Mapping[str, Page]
) -> bool:
    """Whether a page is rendered as a whole, not just updated."""
    now = address.parse(path, search)
    if now.page not in pages:  # including saved views
        return False
    if on_screen is None:
        return True
    return not pages[now.page].updates(now, address.parse_href(on_screen["href"]))
