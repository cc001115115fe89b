"""Logging in and out: sessions, failures, what a cookie is, where one comes back to."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient
from team_server import ADMINISTRATOR, COOKIE, PASSWORD, URL, Served
from werkzeug.test import TestResponse

from evalstore.server.pages.account_routes import local_path
from evalstore.server.people.accounts import add_person, set_disabled, set_password
from evalstore.server.people.login import (
    AGE,
    FREE_FAILURES,
    IDLE,
    LONGEST_WAIT,
    network_of,
    sessions_of,
    wait_after,
)
from evalstore.store import models

session_t = models.table(models.Session)


def cookie(browser: FlaskClient) -> str | None:
    session_cookie = browser.get_cookie(COOKIE, domain="eval.example")
    return session_cookie and session_cookie.value


def post(served: Served, path: str, **form: str) -> TestResponse:
    return served.browser.post(path, base_url=URL, data=form)


def stored_hashes(served: Served) -> set[str]:
    with served.store.read() as connection:
        return {row[0] for row in connection.execute(session_t.select())}


# --- the way in ----------------------------------------------------------------------------------


def test_a_person_who_goes_to_a_page_logs_in_and_comes_back_to_it(served: Served) -> None:
    asked = "/c/te%2Fst/compare?runs=a%20b,c&m=AP"
    away = served.get(asked)
    assert away.status_code == 303
    assert away.headers["Location"].startswith("/login?next=")
    form = served.browser.get(away.headers["Location"], base_url=URL)
    assert f'name="next" value="{asked.replace("&", "&amp;")}"' in form.text
    done = served.log_in(next=asked)
    assert (done.status_code, done.headers["Location"]) == (303, asked)
    assert served.get("/").status_code == 200


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/_dash-layout", {"Accept": "text/html"}),
        ("/c/test", {"Accept": "*/*"}),
        ("/c/test", {"Accept": "text/html", "Sec-Fetch-Mode": "cors"}),
        ("/c/test", {"Accept": "text/html", "Authorization": "Bearer evs_wrong"}),
    ],
)
def test_programs_are_answered_401_as_problem_details(
    served: Served, path: str, headers: dict[str, str]
) -> None:
    answer = served.browser.get(path, base_url=URL, headers=headers)
    assert answer.status_code == 401
    assert answer.mimetype == "application/problem+json"
    assert json.loads(answer.text)["status"] == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    ("name", "password"),
    [
        (ADMINISTRATOR, "wrong"),
        (ADMINISTRATOR, ""),
        ("", ""),
        ("nobody", PASSWORD),
        ("ANN", PASSWORD),
        ("ann\x00", PASSWORD),
        (ADMINISTRATOR, "x" * 5_000),
        (ADMINISTRATOR, "\ud800"),
        ("' OR 1=1 --", "x"),
    ],
)
def test_a_wrong_name_and_a_wrong_password_are_refused_in_the_same_words(
    served: Served, name: str, password: str
) -> None:
    try:
        answer = served.log_in(name, password)
    except UnicodeEncodeError:
        return  # no browser can send it
    assert answer.status_code == 403
    assert "The name or the password is wrong." in answer.text
    assert "Set-Cookie" not in answer.headers


def test_a_disabled_account_and_a_service_can_not_log_in(served: Served) -> None:
    add_person(served.store, "bob", "reader", None, PASSWORD)
    browser = served.new_browser()
    assert served.log_in("bob", browser=browser).status_code == 303
    set_disabled(served.store, "bob", True)
    assert served.get("/", browser).status_code == 303
    assert served.log_in("bob", browser=browser).status_code == 403


def test_what_was_typed_is_escaped_where_it_is_shown_again(served: Served) -> None:
    answer = served.log_in('"><script>x</script>', "wrong", next='/"><script>')
    assert "<script" not in answer.text
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


# --- the cookie ----------------------------------------------------------------------------------


def test_the_cookie_is_for_this_server_alone_and_no_script(served: Served) -> None:
    header = served.log_in().headers["Set-Cookie"]
    parts = {part.strip() for part in header.split(";")[1:]}
    assert {"HttpOnly", "Secure", "SameSite=Lax", "Path=/"} <= parts
    assert not any(part.startswith("Domain") for part in parts)


def test_only_the_hash_of_the_id_is_stored(served: Served) -> None:
    served.log_in()
    value = cookie(served.browser)
    assert value is not None
    assert len(value) >= 43
    assert stored_hashes(served) == {hashlib.sha256(value.encode()).hexdigest()}


def test_a_login_makes_a_new_id_and_ends_the_session_before(served: Served) -> None:
    """Who has planted a session in a browser, or took it, has nothing of the login after it."""
    served.browser.set_cookie(COOKIE, "planted", domain="eval.example")
    served.log_in()
    first = cookie(served.browser)
    assert first not in {None, "planted"}
    served.log_in()
    second = cookie(served.browser)
    assert second not in {None, first}
    thief = served.new_browser()
    thief.set_cookie(COOKIE, str(first), domain="eval.example")
    assert thief.get("/", base_url=URL).status_code == 401
    assert len(stored_hashes(served)) == 1


def test_a_session_ends_when_it_is_not_used_and_when_it_is_old(served: Served) -> None:
    served.log_in()
    now = datetime.now(UTC)
    for values in (
        {"last_seen_at": now - IDLE - timedelta(seconds=1), "expires_at": now + AGE},
        {"last_seen_at": now, "expires_at": now - timedelta(seconds=1)},
    ):
        with served.store.write() as connection:
            connection.execute(session_t.update().values(**values))
        assert served.get("/").status_code == 303, values
    with served.store.write() as connection:
        connection.execute(session_t.update().values(last_seen_at=now, expires_at=now + AGE))
    assert served.get("/").status_code == 200


def test_logging_out_ends_the_session_for_whoever_has_its_id(served: Served) -> None:
    served.log_in()
    value = cookie(served.browser)
    answer = post(served, "/logout")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/login")
    assert cookie(served.browser) is None
    served.browser.set_cookie(COOKIE, str(value), domain="eval.example")
    assert served.browser.get("/", base_url=URL).status_code == 401
    assert post(served, "/logout").status_code == 303  # again does no harm


def test_a_session_that_is_in_use_is_not_written_at_each_request(served: Served) -> None:
    served.log_in()
    before = served.store.state()
    for _ in range(3):
        served.get("/")
    assert served.store.state() == before


# --- one's own account ---------------------------------------------------------------------------


def test_the_page_of_the_account_lists_ones_own_sessions_and_ends_one(served: Served) -> None:
    other = served.new_browser()
    served.log_in(browser=other)
    served.log_in()
    theirs = hashlib.sha256(str(cookie(other)).encode()).hexdigest()
    page = served.get("/account").text
    assert f'value="{theirs}"' in page
    assert "administrator of the whole store" in page
    assert post(served, "/account/sessions", session=theirs).status_code == 303
    assert other.get("/", base_url=URL).status_code == 401
    assert served.get("/").status_code == 200


def test_nobody_ends_the_session_of_another(served: Served) -> None:
    add_person(served.store, "bob", "reader", None, PASSWORD)
    other = served.new_browser()
    served.log_in("bob", browser=other)
    served.log_in()
    theirs = hashlib.sha256(str(cookie(other)).encode()).hexdigest()
    post(served, "/account/sessions", session=theirs)
    assert other.get("/", base_url=URL).status_code == 200


def test_a_password_is_changed_by_who_knows_it_and_all_other_sessions_end(served: Served) -> None:
    other = served.new_browser()
    served.log_in(browser=other)
    served.log_in()
    before = cookie(served.browser)
    assert (
        post(served, "/account/password", password="wrong", new="another password").status_code
        == 403
    )
    assert post(served, "/account/password", password=PASSWORD, new="short").status_code == 400
    assert other.get("/", base_url=URL).status_code == 200
    done = post(served, "/account/password", password=PASSWORD, new="another password")
    assert done.status_code == 200
    assert "The password is changed." in done.text
    assert cookie(served.browser) != before
    assert served.get("/").status_code == 200
    assert other.get("/", base_url=URL).status_code == 401
    assert served.log_in(browser=other).status_code == 403
    assert served.log_in(password="another password", browser=other).status_code == 303


def test_an_administrator_gives_another_password_and_the_sessions_end(served: Served) -> None:
    served.log_in()
    set_password(served.store, ADMINISTRATOR, "another password")
    assert served.get("/").status_code == 303
    assert served.log_in(password="another password").status_code == 303


def test_the_header_of_the_dashboard_names_who_is_logged_in(served: Served) -> None:
    served.log_in()
    layout = json.dumps(served.get("/_dash-layout").get_json())
    assert '"href": "/account"' in layout
    assert '"action": "/logout"' in layout
    assert f'"children": "{ADMINISTRATOR}"' in layout
    assert "form-action 'self'" in served.get("/").headers["Content-Security-Policy"]


# --- failures ------------------------------------------------------------------------------------


def fail(served: Served, times: int, address: str = "192.0.2.1") -> list[int]:
    return [served.log_in(password="wrong", address=address).status_code for _ in range(times)]


def test_after_some_failures_the_right_password_has_to_wait_too(served: Served) -> None:
    assert fail(served, FREE_FAILURES) == [403] * FREE_FAILURES
    answer = served.log_in()
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1
    assert "try again in" in answer.text


def test_who_guesses_locks_nobody_out_who_comes_from_elsewhere(served: Served) -> None:
    fail(served, FREE_FAILURES + 1)
    assert served.log_in(address="198.51.100.7").status_code == 303


def test_names_that_do_not_exist_are_locked_alike(served: Served) -> None:
    answers = [served.log_in("nobody", "x").status_code for _ in range(FREE_FAILURES + 1)]
    assert answers == [*[403] * FREE_FAILURES, 429]


def test_a_login_forgets_the_failures_before_it(served: Served) -> None:
    fail(served, FREE_FAILURES - 1)
    assert served.log_in().status_code == 303
    assert fail(served, FREE_FAILURES - 1) == [403] * (FREE_FAILURES - 1)


def test_the_password_of_now_is_guessed_no_faster_on_the_page_of_the_account(
    served: Served,
) -> None:
    served.log_in()
    answers = [
        post(served, "/account/password", password="wrong", new="another password").status_code
        for _ in range(FREE_FAILURES + 1)
    ]
    assert answers == [*[403] * FREE_FAILURES, 429]


def test_the_wait_doubles_up_to_a_quarter_of_an_hour() -> None:
    waits = [wait_after(failures).total_seconds() for failures in range(1, 9)]
    assert waits == [0, 0, 0, 0, 1, 2, 4, 8]
    assert wait_after(10_000) == LONGEST_WAIT == timedelta(minutes=15)


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("no address", "no address"),
    ],
)
def test_a_network_of_ipv6_is_one_source(address: str, source: str) -> None:
    assert network_of(address) == source


def test_what_was_typed_as_a_name_is_stored_nowhere(served: Served) -> None:
    """People type their password there."""
    served.log_in("my very secret password", "x")
    assert served.store.file is not None
    served.store.close()
    content = b"".join(
        path.read_bytes() for path in served.store.file.parent.glob(f"{served.store.file.name}*")
    )
    assert b"very secret" not in content
    assert "very secret" not in served.log.getvalue()


# --- where one comes back to ---------------------------------------------------------------------


ELSEWHERE = (
    *("https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example"),
    *("///evil.example", "javascript:alert(1)", "evil.example", "", " /c", "/\t/evil.example"),
    *("/c\r\nSet-Cookie: a=b", "/c\nx", "/\x00", "http:/evil.example", "/login", "/logout"),
    *("/login?next=/login", "/ü", "/" + "x" * 9_000, "/a\\b", "?x", "#x"),
)


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_no_path_is_another_site_or_leads_around_in_a_circle(elsewhere: str) -> None:
    assert local_path(elsewhere) == "/"


def test_a_login_leads_nowhere_else(served: Served) -> None:
    for elsewhere in ELSEWHERE:
        assert served.log_in(next=elsewhere).headers["Location"] == "/", elsewhere


@pytest.mark.parametrize("here", ["/", "/c/a%2Fb?runs=1,2&m=AP", "/sql?s=SELECT%201", "/v/x"])
def test_a_path_of_this_server_is_kept(here: str) -> None:
    assert local_path(here) == here


def test_the_list_of_sessions_leaves_out_those_that_ended(served: Served) -> None:
    served.log_in()
    now = datetime.now(UTC)
    assert len(sessions_of(served.store, 1, now)) == 1
    assert sessions_of(served.store, 1, now + AGE + timedelta(seconds=1)) == []


def test_a_login_ends_the_session_of_another_account_in_the_same_browser(served: Served) -> None:
    add_person(served.store, "carl", "reader", None, PASSWORD)
    served.log_in("carl")
    before = stored_hashes(served)
    served.log_in()
    assert len(stored_hashes(served)) == len(before) == 1
    assert stored_hashes(served) != before
