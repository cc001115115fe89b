"""Answers of callbacks that are kept: the same question about an unchanged store, answered again.

A page is a function of the store and of what the browser sends, so its answer is right as long as
the store has not changed, which `Store.state` tells exactly. Each process keeps its own.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from flask import Flask, Response, g, request

from dashboard.page import StoreOfRequest
from dashboard.serving.turns import Turns
from evalstore.errors import StoreError
from evalstore.store import Store

PATH = "/_dash-update-component"
SECONDS = 60
"""How long an answer is kept: pages name days ("today"), and SQL may ask for the time."""

BYTES = 32 * 1024 * 1024
"""Of the answers of a process together, compressed."""

WHO = ("Cookie", "Authorization", "Accept-Encoding")
"""Headers that belong to the question, beside the collections that the person may read."""


@dataclass
class Answers:
    """Answers by question and state of the store; the one longest unused is forgotten first."""

    clock: Callable[[], float] = time.monotonic
    _kept: OrderedDict[bytes, tuple[float, object, Response]] = field(default_factory=OrderedDict)
    _bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, question: bytes, state: object) -> Response | None:
        """The answer that was given to the question in this state."""
        with self._lock:
            kept = self._kept.get(question)
            if kept is None or kept[0] < self.clock() or kept[1] != state:
                return None
            self._kept.move_to_end(question)
            return _copy(kept[2])

    def put(self, question: bytes, state: object, answer: Response) -> None:
        """Keep an answer; the state is that of before it was made."""
        kept = _copy(answer)
        with self._lock:
            self._forget(question)
            self._kept[question] = (self.clock() + SECONDS, state, kept)
            self._bytes += len(kept.get_data())
            while self._bytes > BYTES:
                self._forget(next(iter(self._kept)))

    def _forget(self, question: bytes) -> None:
        if question in self._kept:
            self._bytes -= len(self._kept.pop(question)[2].get_data())


def register(
    server: Flask,
    store_of_request: StoreOfRequest,
    question: Callable[[bytes], bytes],
    at_once: int,
) -> None:
    """Answer callbacks from what is kept; before whatever else changes an answer.

    Args:
        server: the app.
        store_of_request: the store that the answer is about.
        question: of the body of a request, a text that is the same where the answer is.
        at_once: how many answers are computed at a time.
    """
    answers = Answers()
    turns = Turns(server, at_once)

    @server.before_request
    def answer_again() -> Response | None:
        if request.path != PATH or request.method != "POST":
            return None
        try:
            store = store_of_request()
            g.reads = ExitStack()
            g.reads.enter_context(store.one_state())
            g.state = store.state()
        except StoreError:
            return None  # the page says what is wrong
        g.question = _asked(store, question(request.get_data()))
        again = answers.get(g.question, g.state)
        g.is_new = again is None
        if again is None:
            turns.wait()
        return again

    @server.after_request
    def keep(response: Response) -> Response:
        if g.get("is_new") and response.status_code == 200 and not response.is_streamed:
            answers.put(g.question, g.state, response)
        return response

    @server.teardown_request
    def end_reads(_: BaseException | None) -> None:
        if "reads" in g:
            g.pop("reads").close()


def keep_none() -> None:
    """Let the answer to this request be forgotten: it depends on more than the store."""
    g.is_new = False


def _asked(store: Store, question: bytes) -> bytes:
    readable = "all" if store.collections is None else str(sorted(store.collections))
    who = "\n".join([readable, *(request.headers.get(name, "") for name in WHO)])
    return hashlib.sha256(who.encode() + b"\n\n" + question).digest()


def _copy(response: Response) -> Response:
    copy = Response(response.get_data(), response.status_code)
    copy.headers = response.headers.copy()
    return copy
