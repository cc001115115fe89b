"""Every address, asked by everyone, with every method, from here and from another site."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from flask import Response
from flask.testing import FlaskClient
from team_server import URL, Served

from dashboard.access import HEALTH
from evalstore.server.api.operation import ROOT
from evalstore.server.app import create_server
from evalstore.server.people.rights import NEEDS, ROLES
from evalstore.server.people.tokens import create_token, revoke_token
from evalstore.server.routes import ROUTES, Route
from evalstore.store import models

METHODS = ("GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "POST")
CHANGES = {"POST", "PUT", "PATCH", "DELETE", "TRACE"}
SAMPLES = {
    "<name:collection>": "test",
    "<name:run>": "bm25",
    "<path:path>": "c/test",
    "<path:filename>": "evalstore.css",
    "<blob>": "sha256:" + "0" * 64,
    "<int:job>": "1",
    "<int:account_id>": "1",
    "<provider>": "corp",
    "<string:package_name>/<path:fingerprinted_path>": "dash_ag_grid/dash_ag_grid.min.js",
}
PAGES = next(route for route in ROUTES if route.rule == "/<path:path>")
UNKNOWN = ("nobody", "a wrong token", "an expired token", "a revoked token")
PROBLEM = "application/problem+json"
REFUSALS = {401, 403}
"""With other statuses the API says that a parameter is wrong, to who was let in."""
HIDDEN = 404
"""Of a hidden address, to who may not use it; problem details, which its own pages never are."""


def path_of(route: Route) -> str:
    path = route.rule
    for pattern, sample in SAMPLES.items():
        path = path.replace(pattern, sample)
    assert "<" not in path, f"{route.rule}: SAMPLES needs an example of it"
    return path


def expected(route: Route, method: str, who: str, foreign: bool) -> int | None:
    """The status that refuses a request; None where it is let in."""
    if route.rule == HEALTH:  # watched by programs that know no host name: before all else
        return None if method in route.methods else 405
    is_api = route.rule.startswith(ROOT)
    if method in {"GET", "HEAD"} and method not in route.methods and not is_api:
        route = PAGES  # the dashboard has a page for every path, which may say that there is none
    if foreign and method in CHANGES:
        return 403
    if route.needs(method) == "anyone" and method in route.methods:
        return None
    if who in UNKNOWN:
        return 401
    return expected_of_known(route, method, who)


def expected_of_known(route: Route, method: str, who: str) -> int | None:
    """The status that refuses a request of a role by session or token; None if it is let in."""
    role, _, kind = who.partition(" by ")
    if method not in route.methods:
        return 405
    if route.needs(method) == "session":
        return None if kind == "session" else 403
    need = NEEDS[route.needs(method)]
    enough = ROLES.index(role) >= ROLES.index(need)  # type: ignore[arg-type]
    return None if enough else HIDDEN if route.is_hidden else 403


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


@pytest.fixture
def headers_of(served: Served, tokens: dict[str, str]) -> dict[str, dict[str, str]]:
    """The headers of everyone who sends no cookie."""
    expired = create_token(served.store, "old", "administrator", None, timedelta(1))
    revoked = create_token(served.store, "gone", "administrator")
    revoke_token(served.store, "gone")
    table = models.table(models.Token)
    with served.store.write() as connection:
        past = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(table.update().where(table.c.name == "old").values(expires_at=past))
    by_who = {
        "a wrong token": f"{tokens['administrator'][:-1]}x",
        "an expired token": expired,
        "a revoked token": revoked,
        **{f"{role} by token": token for role, token in tokens.items()},
    }
    return {"nobody": {}} | {
        who: {"Authorization": f"Bearer {token}"} for who, token in by_who.items()
    }


WITHOUT_COOKIE = (*UNKNOWN, *(f"{role} by token" for role in ROLES))


@pytest.mark.slow
@pytest.mark.parametrize("foreign", [False, True], ids=["from here", "from another site"])
@pytest.mark.parametrize("who", WITHOUT_COOKIE)
def test_who_sends_no_cookie_gets_what_the_table_says(
    served: Served, headers_of: dict[str, dict[str, str]], who: str, foreign: bool
) -> None:
    walk(served, served.new_browser(), who, foreign, headers_of[who])


@pytest.mark.slow
@pytest.mark.parametrize("foreign", [False, True], ids=["from here", "from another site"])
@pytest.mark.parametrize("role", ROLES)
def test_who_is_logged_in_gets_what_the_table_says(
    served: Served, people: dict[str, FlaskClient], role: str, foreign: bool
) -> None:
    walk(served, people[role], f"{role} by session", foreign, {})


def walk(
    served: Served, browser: FlaskClient, who: str, foreign: bool, headers: dict[str, str]
) -> None:
    # A callback without content is an error of its own, which Flask answers with 500.
    served.app.config["PROPAGATE_EXCEPTIONS"] = False
    sent = {"Origin": "https://evil.example" if foreign else URL, **headers}
    wrong = []
    # Logging out comes last, which is a POST: it ends the session.
    for route in sorted(ROUTES, key=lambda route: route.rule == "/logout"):
        for method in METHODS:
            with browser.open(
                path_of(route), base_url=URL, method=method, headers=sent, json={}
            ) as answer:
                refusals = {*REFUSALS, HIDDEN} if route.is_hidden else REFUSALS
                is_refused = answer.mimetype == PROBLEM and answer.status_code in refusals
                is_refused = is_refused or answer.status_code == 405
                refused = answer.status_code if is_refused else None
            wanted = expected(route, method, who, foreign)
            if refused != wanted:
                wrong.append((method, route.rule, wanted, refused, answer.status_code))
    assert wrong == []


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
