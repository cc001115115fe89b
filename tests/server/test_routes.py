"""The table of routes has every address; tokens and sessions count where they belong alone."""

from __future__ import annotations

import pytest
from flask import Response
from flask.testing import FlaskClient
from team_server import URL, Served

from evalstore.server.app import create_server
from evalstore.server.routes import ROUTES


def test_every_address_that_flask_knows_is_in_the_table(served: Served) -> None:
    rules = {rule.rule for rule in served.app.url_map.iter_rules()}
    assert rules - {route.rule for route in ROUTES} == set()


def test_the_table_has_no_address_twice_and_none_that_is_not_there(served: Served) -> None:
    rules = [route.rule for route in ROUTES]
    assert sorted(rules) == sorted(set(rules))
    assert set(rules) - {rule.rule for rule in served.app.url_map.iter_rules()} == set()


def test_an_address_that_is_not_in_the_table_is_refused_to_everyone(
    served: Served, tokens: dict[str, str]
) -> None:
    app = create_server(served.store, log=served.log)
    app.add_url_rule("/forgotten", "forgotten", lambda: Response("very secret"))
    for headers in ({}, {"Authorization": f"Bearer {tokens['administrator']}"}):
        answer = app.test_client().get("/forgotten", base_url=URL, headers=headers)
        assert answer.status_code == 403
        assert "very secret" not in answer.text


def test_a_method_that_flask_knows_and_the_table_does_not_is_refused(
    served: Served, tokens: dict[str, str]
) -> None:
    app = create_server(served.store, log=served.log)
    app.add_url_rule("/login", "other", lambda: Response("very secret"), methods=["DELETE"])
    headers = {"Authorization": f"Bearer {tokens['administrator']}"}
    answer = app.test_client().delete("/login", base_url=URL, headers=headers)
    assert answer.status_code == 403


@pytest.mark.parametrize("path", ["/", "/c/test", "/_dash-layout", "/assets/evalstore.css", "/x/y"])
@pytest.mark.parametrize(
    "sent", ["?token={}", "?access_token={}", "?authorization=Bearer%20{}"], ids=lambda s: s[1:8]
)
def test_a_token_in_an_address_counts_nothing(
    served: Served, tokens: dict[str, str], path: str, sent: str
) -> None:
    token = tokens["administrator"]
    answer = served.browser.get(path + sent.format(token), base_url=URL)
    assert answer.status_code == 401
    assert token not in served.log.getvalue()


def test_a_token_in_a_cookie_or_a_session_in_a_header_counts_nothing(
    served: Served, tokens: dict[str, str]
) -> None:
    served.browser.set_cookie("evalstore_session", tokens["reader"], domain="eval.example")
    assert served.browser.get("/", base_url=URL).status_code == 401
    served.log_in()
    session = served.browser.get_cookie("evalstore_session", domain="eval.example")
    assert session is not None
    other = served.new_browser()
    headers = {"Authorization": f"Bearer {session.value}"}
    assert other.get("/", base_url=URL, headers=headers).status_code == 401


def test_a_wrong_token_is_not_made_good_by_a_cookie(served: Served) -> None:
    served.log_in()
    headers = {"Authorization": "Bearer evs_wrong"}
    assert served.browser.get("/", base_url=URL, headers=headers).status_code == 401


def test_a_method_or_path_that_is_nowhere_is_told_to_who_may_read_only(
    served: Served, people: dict[str, FlaskClient]
) -> None:
    for method, path in (("PUT", "/nothing"), ("POST", "/c/test")):
        assert served.browser.open(path, base_url=URL, method=method).status_code in {401, 403}
        answer = people["reader"].open(path, base_url=URL, method=method)
        assert answer.status_code in {403, 404, 405}
