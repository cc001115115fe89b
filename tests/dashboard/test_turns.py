"""Few answers are computed at a time in a process, and none waits long for another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask

from dashboard.serving.response_cache import COMPUTED, TAKEN, Turns
from dashboard.serving.thread_worker import closing_after_computing

SECONDS = 300  # until a test fails that would wait for ever


def app_of(view: Callable[[], str], patience: float, at_once: int = 1) -> Flask:
    """An app whose only answer, at /, is computed in turns."""
    app = Flask(__name__)
    turns = Turns(app, at_once, patience)
    app.before_request(turns.wait)
    app.add_url_rule("/", view_func=view, endpoint="view")
    return app


@pytest.mark.parametrize("at_once", [1, 3])
def test_no_more_answers_are_computed_at_a_time_than_it_says(at_once: int) -> None:
    computing, most = [0], [0]
    lock, all_begun = threading.Lock(), threading.Event()

    def view() -> str:
        with lock:
            computing[0] += 1
            most[0] = max(most[0], computing[0])
            if computing[0] == at_once:
                all_begun.set()
        assert all_begun.wait(SECONDS)
        with lock:
            computing[0] -= 1
        return ""

    app = app_of(view, SECONDS, at_once)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: app.test_client().get("/").status_code, range(6)))
    assert answers == [200] * 6
    assert most[0] == at_once


def test_an_answer_that_takes_long_is_not_waited_for() -> None:
    begun, second_is_done = threading.Event(), threading.Event()

    def view() -> str:
        if not begun.is_set():
            begun.set()
            assert second_is_done.wait(SECONDS)
        return ""

    app = app_of(view, 0.01)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(app.test_client().get, "/")
        assert begun.wait(SECONDS)
        assert app.test_client().get("/").status_code == 200
        second_is_done.set()
        assert first.result().status_code == 200


def test_an_answer_that_fails_gives_its_turn_back() -> None:
    def view() -> str:
        raise ZeroDivisionError

    app = app_of(view, SECONDS)
    with ThreadPoolExecutor(1) as pool:
        for _ in range(3):
            asked = pool.submit(app.test_client().get, "/")
            assert asked.result(SECONDS / 2).status_code == 500


@pytest.mark.parametrize("computed", [True, False])
def test_a_connection_is_closed_after_an_answer_that_was_computed(computed: bool) -> None:
    class Response:
        closes = False

        def force_close(self) -> None:
            self.closes = True

        def start_response(self, status: str, headers: list[tuple[str, str]]) -> None:
            assert status == "200 OK"

    def answer(environ: dict[str, Any], start: Any) -> list[bytes]:
        if computed:
            environ[COMPUTED] = True
        start("200 OK", [])
        return [b"answer"]

    response = Response()
    assert closing_after_computing(answer, lambda _: None, {}, response.start_response) == [
        b"answer"
    ]
    assert response.closes == computed


def test_all_turns_are_taken_while_the_most_answers_are_computed() -> None:
    app = Flask(__name__)
    turns = Turns(app, 2, SECONDS)
    app.before_request(turns.wait)
    both, over = threading.Barrier(3), threading.Event()

    def view() -> str:
        both.wait(SECONDS)
        assert over.wait(SECONDS)
        return ""

    app.add_url_rule("/", view_func=view, endpoint="view")
    taken: list[bool] = []
    assert not turns.are_taken
    with ThreadPoolExecutor(2) as pool:
        asked = [
            pool.submit(
                app.test_client().get,
                "/",
                environ_overrides={TAKEN: lambda turns: taken.append(turns.are_taken)},
            )
            for _ in range(2)
        ]
        both.wait(SECONDS)
        assert turns.are_taken
        assert True in taken
        over.set()
        assert [one.result().status_code for one in asked] == [200, 200]
    assert not turns.are_taken


def test_turns_that_are_taken_for_long_are_not_waited_for() -> None:
    app = Flask(__name__)
    turns = Turns(app, 1, 0.0)
    with app.test_request_context("/"):
        turns.wait()
        assert not turns.are_taken
