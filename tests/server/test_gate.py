"""Hosts, origins, headers and the log: what others may put into a request."""

from __future__ import annotations

import json
import logging
import socket
from datetime import UTC, datetime

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient
from team_server import ADMINISTRATOR, COOKIE, PASSWORD, URL, Served

from evalstore.catalog.collections import set_collection_access
from evalstore.errors import DataError
from evalstore.server.app import create_server
from evalstore.server.gate import Gate, register
from evalstore.server.people.accounts import add_person
from evalstore.server.people.tokens import create_token
from evalstore.server.setup import NotSetUp, parse_public_url
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import ensure_collection, find_collection


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "eval.example.evil.example", "eval.example:8050", "localhost", ""),
        *("127.0.0.1", "eval.example@evil.example", "evil.example#eval.example", "eval.example."),
    ],
)
def test_another_host_name_than_that_of_the_public_url_is_refused(
    served: Served, host: str
) -> None:
    for path in ("/", "/login", "/_dash-layout", "/nothing"):
        answer = served.browser.get(path, headers={"Host": host})
        assert answer.status_code == 400, path
        assert "Location" not in answer.headers
        detail = answer.get_json()["detail"]
        assert detail == "This server is at https://eval.example, not at that host name."


@pytest.mark.parametrize("host", ["evil.example", "localhost", ""])
def test_programs_get_problem_details_at_another_host_name_and_people_a_page(
    served: Served, host: str
) -> None:
    headers = {"Host": host, "Accept": "text/html"}
    for path in ("/api/v1/runs", "/api/v1/nothing"):
        answer = served.browser.get(path, headers=headers)
        assert (answer.status_code, answer.mimetype) == (400, "application/problem+json")
    token = {"Authorization": "Bearer evs_x"}
    answer = served.browser.get("/c/test", headers=headers | token)
    assert (answer.status_code, answer.mimetype) == (400, "application/problem+json")
    answer = served.browser.get("/c/test", headers=headers)
    assert (answer.status_code, answer.mimetype) == (400, "text/html")
    assert '<a href="https://eval.example/">' in answer.text
    for name in ("localhost", "evil.example", socket.gethostname()):
        assert name not in answer.text


def test_a_page_of_another_site_gets_problem_details_from_the_api(served: Served) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    answer = served.browser.post("/api/v1/sql", json={"sql": "SELECT 1"}, headers=headers)
    assert (answer.status_code, answer.mimetype) == (403, "application/problem+json")


@pytest.mark.parametrize("host", ["eval.example", "EVAL.example", "eval.example:443"])
def test_the_host_name_of_the_public_url_is_known(served: Served, host: str) -> None:
    assert served.browser.get("/login", headers={"Host": host}).status_code == 200


def test_what_a_proxy_says_of_host_and_scheme_is_ignored(served: Served) -> None:
    answer = served.get(
        "/c/test",
        X_Forwarded_Host="evil.example",
        X_Forwarded_Proto="http",
        X_Forwarded_Prefix="/evil",
        Forwarded="host=evil.example",
        X_Original_URL="/login",
    )
    assert answer.headers["Location"] == "/login?next=/c/test"


def test_health_is_open_to_everyone_at_any_host_name(served: Served) -> None:
    answer = served.browser.get("/healthz", headers={"Host": "10.0.0.7"})
    assert (answer.status_code, answer.get_json()) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": URL}, 303),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://eval.example"}, 403),
        ({"Origin": "https://eval.example:8443"}, 403),
        ({"Origin": "https://eval.example.evil.example"}, 403),
        ({"Origin": URL, "Sec-Fetch-Site": "same-origin"}, 303),
        ({"Origin": URL, "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": URL, "Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 303),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"}, 403),
    ],
)
def test_a_form_counts_from_a_page_of_this_server_alone(
    served: Served, headers: dict[str, str], status: int
) -> None:
    browser = served.app.test_client()
    form = {"name": ADMINISTRATOR, "password": PASSWORD}
    assert browser.post("/login", base_url=URL, data=form, headers=headers).status_code == status


def test_a_program_with_a_token_says_nothing_of_its_origin(served: Served) -> None:
    token = create_token(served.store, "ci", "reader")
    client = served.app.test_client()
    headers = {"Authorization": f"bearer {token}"}  # the scheme in any letters
    assert client.get("/", base_url=URL, headers=headers).status_code == 200
    served.app.config["PROPAGATE_EXCEPTIONS"] = False
    answer = client.post("/_dash-update-component", base_url=URL, headers=headers, json={})
    assert answer.status_code not in {401, 403}


@pytest.mark.parametrize(
    "header", ["Basic YTpi", "Bearer", "Bearer ", "evs_x", "Bearer a b", "Bearer ü"]
)
def test_another_authorization_than_a_token_is_no_login(served: Served, header: str) -> None:
    answer = served.browser.get(
        "/", base_url=URL, headers={"Authorization": header.encode("latin-1")}
    )
    assert answer.status_code == 401


def test_who_is_refused_is_told_whether_a_token_came_and_which_role_it_takes(
    served: Served,
) -> None:
    def told(token: str | None, method: str = "GET", path: str = "/api/v1/runs") -> str:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        client = served.app.test_client()
        answer = client.open(path, method=method, base_url=URL, headers=headers | {"Origin": URL})
        return str(answer.get_json()["detail"])

    assert told(None) == "Log in, or send a token that counts: `Authorization: Bearer evs_...`."
    assert told("evs_wrong") == (
        "This token does not count: it is wrong, has expired or was revoked, or its account was "
        "disabled."
    )
    reader = create_token(served.store, "rita", "reader")
    assert told(reader, "PATCH", "/api/v1/runs/bm25") == (
        "rita may not do that, which takes the role contributor: ask an administrator for a token "
        "that has it."
    )
    assert told(reader, "POST", "/account/password") == (
        "rita may not do that with a token: log in with a browser."
    )


def test_line_breaks_in_an_address_make_no_header(served: Served) -> None:
    for path in ("/c/a%0d%0aSet-Cookie:%20x=y", "/c/a?b=%0d%0aX-Evil:%201", "/c/%0aX-Evil:%201"):
        answer = served.get(path)
        assert answer.status_code in {303, 401}
        assert {"X-Evil", "Set-Cookie"}.isdisjoint(answer.headers.keys())
        assert served.log_in(next=path).headers["Location"] in {path, "/"}
        served.browser.delete_cookie("evalstore_session", domain="eval.example")


def test_every_request_is_a_line_of_json_without_secrets(served: Served) -> None:
    token = create_token(served.store, "ci", "reader")
    served.browser.get(f"/c/\x1b[2Jx?token={token}", base_url=URL)
    served.browser.get("/", base_url=URL, headers={"Authorization": f"Bearer {token}"})
    served.log_in()
    served.get("/nothing%0a{}")
    lines = served.log.getvalue().splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["status"] for record in records] == [401, 200, 303, 404]
    assert [record["who"] for record in records] == [None, "ci", None, ADMINISTRATOR]
    text = served.log.getvalue()
    assert token not in text
    assert PASSWORD not in text
    assert "\x1b" not in text


def test_what_waitress_says_is_a_line_of_json_too(served: Served) -> None:
    logging.getLogger("waitress").warning("%d thread(s) still running", 7)
    (line,) = map(json.loads, served.log.getvalue().splitlines())
    assert (line["level"], line["message"]) == ("warning", "7 thread(s) still running")


def test_behind_a_proxy_the_address_is_the_last_one_that_it_added(served: Served) -> None:
    for behind, address in ((False, "127.0.0.1"), (True, "198.51.100.7")):
        app = create_server(served.store, behind_proxy=behind, log=served.log)
        forwarded = {"X-Forwarded-For": "203.0.113.9, 198.51.100.7", "X-Forwarded-Host": "evil"}
        assert app.test_client().get("/login", base_url=URL, headers=forwarded).status_code == 200
        assert json.loads(served.log.getvalue().splitlines()[-1])["address"] == address


def test_what_an_account_changes_through_the_server_is_an_event_of_it(served: Served) -> None:
    served.log_in()
    form = {"password": PASSWORD, "new": "another password"}
    served.browser.post("/account/password", base_url=URL, data=form)
    with served.store.read() as connection:
        last = events.events(connection)[-1]
    assert (last.action, last.who, last.subject) == ("password", ADMINISTRATOR, ADMINISTRATOR)
    assert events.who() != ADMINISTRATOR  # the next request of the thread is another's


def test_no_later_event_of_the_thread_names_the_account_of_a_request() -> None:
    app = Flask("view")
    register(app)
    with app.test_request_context("/"):
        events.ACTING.set("ann")
        with app.test_request_context("/"):
            events.ACTING.set("bob")
    assert events.ACTING.get() is None


def served_store(served: Served, browser: FlaskClient | None, **headers: str) -> Store:
    """The store that a view gets."""
    stores = []
    own_gate = Gate(served.store, parse_public_url(URL))
    app = Flask("view")
    app.before_request(own_gate.admit)
    register(app)

    def part() -> Response:
        stores.append(own_gate.store_of_request())
        return Response("answered")

    app.add_url_rule("/", "part", part)
    sent = dict(headers)
    cookie = browser and browser.get_cookie(COOKIE, domain="eval.example")
    if cookie:
        sent["Cookie"] = f"{COOKIE}={cookie.value}"
    client = app.test_client(use_cookies=False)
    assert client.get("/", base_url=URL, headers=sent).text == "answered"
    return stores[0]


def test_a_request_reads_the_collections_that_the_person_may_read(served: Served) -> None:
    with served.store.write() as connection:
        test = find_collection(connection, "test")
        other = ensure_collection(connection, "other", datetime.now(UTC))
        assert test is not None
    add_person(served.store, "bob", "reader", None, PASSWORD)
    add_person(served.store, "eve", "contributor", "test", PASSWORD)
    bob, eve = served.new_browser(), served.new_browser()
    served.log_in("bob", browser=bob)
    served.log_in("eve", browser=eve)
    assert served_store(served, bob).collections == {test, other}
    assert served_store(served, eve).collections == {test}
    set_collection_access(served.store, "test", "private")
    assert served_store(served, bob).collections == {other}
    assert served_store(served, eve).collections == {test}
    set_collection_access(served.store, "other", "public")
    assert served_store(served, eve).collections == {test, other}


def test_administrators_of_the_store_read_the_whole_store(served: Served) -> None:
    served.log_in()
    set_collection_access(served.store, "test", "private")
    assert served_store(served, served.browser) is served.store


def test_a_token_of_an_administrator_that_is_narrowed_reads_no_more_than_it_says(
    served: Served,
) -> None:
    with served.store.write() as connection:
        test = find_collection(connection, "test")
        ensure_collection(connection, "other", datetime.now(UTC))
    token = create_token(served.store, "ci", "administrator", "test")
    store = served_store(served, None, Authorization=f"Bearer {token}")
    assert store.collections == {test}


def test_a_view_that_is_open_to_everyone_reads_no_collection(served: Served) -> None:
    own_gate = Gate(served.store, parse_public_url(URL))
    with served.app.test_request_context("/login", base_url=URL):
        assert own_gate.admit() is None
        assert own_gate.store_of_request().collections == frozenset()


def test_a_store_without_a_server_is_not_served(tmp_path: object) -> None:
    with (
        Store.open(f"sqlite:///{tmp_path}/plain.db") as store,
        pytest.raises(NotSetUp, match="has no server yet"),
    ):
        create_server(store)


@pytest.mark.parametrize(
    ("text", "shown", "authority"),
    [
        ("https://Eval.Example", "https://eval.example", "eval.example"),
        ("https://eval.example:443/", "https://eval.example", "eval.example"),
        ("http://127.0.0.1:8050", "http://127.0.0.1:8050", "127.0.0.1:8050"),
        ("http://[::1]:8050", "http://[::1]:8050", "[::1]:8050"),
        ("https://a.example/eval/", "https://a.example/eval", "a.example"),
    ],
)
def test_a_public_url_has_one_form(text: str, shown: str, authority: str) -> None:
    url = parse_public_url(text)
    assert (str(url), url.authority) == (shown, authority)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "eval.example",
            "ftp://a.example",
            "https://",
            "https://a b",
            "https://a:b@c.example",
        ),
        *(
            "https://a.example?x",
            "https://a.example#x",
            "https://a.example:99999",
            "https://a/../b",
        ),
        *(
            "https://a.example/a b",
            "https://a.example/%2e",
            "https://a.example\r\nX: y",
            "https://[x",
        ),
    ],
)
def test_what_is_no_public_url_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        parse_public_url(text)
