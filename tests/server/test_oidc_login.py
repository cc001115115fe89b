"""Logging in at a provider: what the browser is sent with, and what it has to bring back."""

from __future__ import annotations

import gzip
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from crafted_provider import MOVED, as_json, running
from joserfc.jwk import RSAKey
from oidc_logins import BACK, BEGIN, NAME, Sso, session_of
from team_server import ADMINISTRATOR, PASSWORD, URL, Served
from werkzeug.wrappers import Response

from evalstore.server import oidc_client, oidc_http
from evalstore.server.oidc_client import Attempt, Client
from evalstore.server.oidc_providers import add_provider, load_providers, remove_provider
from evalstore.server.oidc_routes import SECONDS_TO_LOG_IN, callback_url
from evalstore.server.public_url import PublicUrl
from evalstore.server.sessions import AGE_FROM_PROVIDER
from evalstore.store import models

session_t = models.table(models.Session)


def refused(sso: Sso, answer_text: str, sentence: str) -> bool:
    """Whether a page of the login says why, and nobody was logged in."""
    assert 'role="alert"' in answer_text
    assert 'name="password"' in answer_text
    with sso.served.store.read() as connection:
        assert connection.execute(session_t.select()).first() is None
    return sentence in answer_text


def log_of(sso: Sso) -> str:
    lines = [json.loads(line) for line in sso.served.log.getvalue().splitlines()]
    return " ".join(line.get("message", "") for line in lines)


# --- the way there and back ----------------------------------------------------------------------


def test_the_login_page_has_a_link_for_each_provider_which_keeps_where_one_goes(sso: Sso) -> None:
    assert "/login/oidc/" not in sso.served.get("/login").text
    sso.add()
    text = sso.served.get("/login?next=/c/test%3Fm%3DAP%26x%3D1").text
    assert 'href="/login/oidc/corp?next=/c/test%3Fm%3DAP%26x%3D1">Log in with corp</a>' in text


def test_who_logs_in_at_a_provider_comes_back_to_the_page_asked_for(sso: Sso) -> None:
    sso.add()
    answer = sso.log_in(next_="/c/test?m=AP&x=a%20b")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/c/test?m=AP&x=a%20b")
    assert sso.served.get("/c/test").status_code == 200
    assert sso.accounts()["bob"] == [("reader", None, True)]


@pytest.mark.parametrize(
    "next_",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        BEGIN,
        "/login",
        "/" + "x" * 9000,
    ],
)
def test_no_login_leads_to_another_site_or_around_in_a_circle(sso: Sso, next_: str) -> None:
    sso.add()
    assert sso.log_in(next_=next_).headers["Location"] == "/"


def test_the_browser_is_sent_with_state_nonce_and_a_challenge_and_never_the_verifier(
    sso: Sso,
) -> None:
    sso.add(scopes="openid profile groups")
    answer = sso.served.get(BEGIN)
    sent = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert sent["redirect_uri"] == [f"{URL}{BACK}"]
    assert sent["scope"] == ["openid profile groups"]
    assert {"state", "nonce", "code_challenge"} <= sent.keys()
    assert "code_verifier" not in sent
    assert len({sent[name][0] for name in ("state", "nonce", "code_challenge")}) == 3
    assert (
        sent["state"]
        != parse_qs(urlsplit(sso.served.get(BEGIN).headers["Location"]).query)["state"]
    )


def test_the_cookie_of_a_begun_login_is_signed_short_lived_and_for_its_addresses_alone(
    sso: Sso,
) -> None:
    sso.add()
    header = sso.served.get(BEGIN).headers["Set-Cookie"]
    parts = {part.strip() for part in header.split(";")[1:]}
    assert {"HttpOnly", "Secure", "SameSite=Lax", "Path=/login/oidc"} <= parts
    assert f"Max-Age={SECONDS_TO_LOG_IN}" in parts


def test_the_address_to_come_back_to_has_the_prefix_of_the_public_url(sso: Sso) -> None:
    sso.add()
    provider = load_providers(sso.served.store)[NAME]
    url = PublicUrl("https", "e.example", 8443, "/eval")
    assert callback_url(url, provider) == f"https://e.example:8443/eval{BACK}"


def test_a_session_of_a_provider_is_shorter_and_the_one_before_ends(sso: Sso) -> None:
    sso.add()
    sso.served.log_in()
    before = session_of(sso.served.browser)
    answer = sso.log_in()
    assert f"Max-Age={int(AGE_FROM_PROVIDER.total_seconds())}" in str(answer.headers)
    after = session_of(sso.served.browser)
    assert after not in {None, before}
    with sso.served.store.read() as connection:
        (row,) = connection.execute(session_t.select()).all()
    assert row.expires_at - row.created_at == AGE_FROM_PROVIDER
    assert row.expires_at < datetime.now(UTC) + timedelta(days=1)


# --- what has to be brought back -----------------------------------------------------------------


def test_another_state_is_refused_and_the_provider_not_asked(sso: Sso) -> None:
    sso.add()
    back = sso.begin()
    for state in ("other", "", "\u00e9", back["state"] + "x"):
        back = {**sso.begin(), "state": state}
        answer = sso.come_back(back)
        assert answer.status_code == 403
        assert refused(sso, answer.text, "This login was not begun in this browser")
    assert sso.provider.forms == []


def test_a_login_that_another_browser_began_is_refused(sso: Sso) -> None:
    """Else a link could log somebody in as another, who then sees what is done."""
    sso.add()
    thief = sso.served.new_browser()
    back = sso.begin(thief)
    assert refused(sso, sso.come_back(back).text, "not begun in this browser")
    sso.begin()  # has a cookie, of another login
    assert refused(sso, sso.come_back(back).text, "not begun in this browser")


def test_a_login_comes_back_once(sso: Sso) -> None:
    sso.add()
    sso.provider.claims = {"groups": ["team"]}
    back = sso.begin()
    kept = sso.served.browser.get_cookie("evalstore_login", "eval.example", "/login/oidc")
    assert kept is not None
    assert sso.come_back(back).status_code == 303
    assert sso.come_back(back).status_code == 403  # the cookie is gone
    thief = sso.served.new_browser()
    thief.set_cookie("evalstore_login", kept.value, domain="eval.example", path="/login/oidc")
    answer = sso.come_back(back, thief)  # the provider takes no code twice
    assert answer.status_code == 403
    assert session_of(thief) is None


def test_a_cookie_that_was_changed_or_is_old_or_of_another_provider_is_refused(
    sso: Sso, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sso.add()
    other = ("https://other.example", "x", sso.secret_file)
    add_provider(sso.served.store, "other", *other)
    back = sso.begin()
    elsewhere = sso.served.get(f"/login/oidc/other/callback?code=x&state={back['state']}")
    assert refused(sso, elsewhere.text, "not begun in this browser")
    browser = sso.served.browser
    back = sso.begin()
    kept = browser.get_cookie("evalstore_login", "eval.example", "/login/oidc")
    assert kept is not None
    for value in (kept.value[:-2] + "xx", "x", "", kept.value.rpartition(".")[0]):
        browser.set_cookie("evalstore_login", value, domain="eval.example", path="/login/oidc")
        assert sso.come_back(back).status_code == 403, value
    browser.set_cookie("evalstore_login", kept.value, domain="eval.example", path="/login/oidc")
    monkeypatch.setattr("evalstore.server.oidc_routes.SECONDS_TO_LOG_IN", -1)
    assert refused(sso, sso.come_back(back).text, "not begun in this browser")


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "other"},
        {"nonce": None},
        {"aud": "another client"},
        {"aud": ["another client"]},
        {"aud": ["evalstore", "another client"]},
        {"aud": "another client", "azp": "evalstore"},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"exp": 1},
        {"sub": None},
        {"sub": 7},
    ],
)
def test_a_token_that_is_not_for_this_login_logs_nobody_in(
    sso: Sso, claims: dict[str, object]
) -> None:
    sso.add()
    answer = sso.log_in(**claims)
    assert answer.status_code == 403
    assert refused(sso, answer.text, "What corp answered is not right")
    assert sso.accounts().keys() == {ADMINISTRATOR}
    assert "ID token" in log_of(sso)


def test_an_answer_that_names_another_issuer_is_refused(sso: Sso) -> None:
    sso.add()
    answer = sso.come_back({**sso.begin(), "iss": "https://evil.example"})
    assert refused(sso, answer.text, "is not right")
    assert sso.provider.forms == []


def test_what_the_provider_says_of_an_error_is_not_shown_but_logged(sso: Sso) -> None:
    sso.add()
    state = sso.begin()["state"]
    text = "<script>alert(1)</script>\nCall 555"
    answer = sso.come_back({"error": "access_denied", "error_description": text, "state": state})
    assert answer.status_code == 403
    assert refused(sso, answer.text, "Corp did not log you in.")
    assert "555" not in answer.text
    assert "Call 555" in log_of(sso)
    assert "\nCall" not in sso.served.log.getvalue()


def test_a_provider_that_is_not_there_is_told_of(sso: Sso) -> None:
    for path in (BEGIN, BACK, "/login/oidc/%3Cscript%3E"):
        answer = sso.served.get(path)
        assert answer.status_code == 403
        assert "<script" not in answer.text


# --- a provider that does not work ---------------------------------------------------------------


def failing(status: int = 500) -> Response:
    return Response("<b>broken</b>", status)


WELL_KNOWN = "/.well-known/openid-configuration"


@pytest.mark.parametrize("path", [WELL_KNOWN, "/keys", "/token", "/userinfo"])
@pytest.mark.parametrize(
    "answer",
    [
        failing,
        lambda: Response("no JSON"),
        lambda: as_json([]),
        lambda: as_json(None),
    ],
    ids=["500", "text", "list", "null"],
)
def test_what_a_broken_provider_answers_is_a_sentence_and_no_login(
    sso: Sso, path: str, answer: object
) -> None:
    sso.add()
    sso.provider.claims = {"groups": None}
    sso.provider.answers[path] = answer  # type: ignore[assignment]  # an Answer
    begun = sso.served.get(BEGIN)
    if begun.status_code == 303:
        begun = sso.come_back(sso.provider.log_in(begun.headers["Location"]))
    assert begun.status_code in {403, 503}
    assert refused(sso, begun.text, "orp")
    assert "<b>" not in begun.text


def log_in_twice(sso: Sso) -> list[int]:
    """The statuses of two logins, of which the latter knows what is kept of the former."""
    statuses = []
    for browser in (sso.served.new_browser(), sso.served.new_browser()):
        begun = sso.served.get(BEGIN, browser)
        if begun.status_code == 303:
            begun = sso.come_back(sso.provider.log_in(begun.headers["Location"]), browser)
        statuses.append(begun.status_code)
    return statuses


@pytest.mark.parametrize("path", [WELL_KNOWN, "/keys", "/token", "/userinfo"])
def test_no_redirect_is_followed_not_even_to_the_right_answer(sso: Sso, path: str) -> None:
    sso.add()
    sso.provider.userinfo = {"groups": ["team"]}
    moved = {"Location": f"{path}{MOVED}"}
    sso.provider.answers[path] = lambda: Response(status=307, headers=moved)
    assert set(log_in_twice(sso)) <= {403, 503}
    assert f"{path}{MOVED}" not in sso.provider.asked


@pytest.mark.parametrize("path", [WELL_KNOWN, "/keys", "/userinfo"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_an_answer_that_is_too_large_is_not_read_though_it_is_right(
    sso: Sso, path: str, packed: bool
) -> None:
    sso.add()
    sso.provider.userinfo = {"groups": ["team"]}
    right = requests.get(
        sso.provider.issuer + path, headers={"Authorization": "Bearer an-access-token"}, timeout=60
    ).content

    def large(spaces: int) -> Response:
        text = right + b" " * spaces
        headers = {"Content-Encoding": "gzip"} if packed else {}
        return Response(gzip.compress(text) if packed else text, headers=headers)

    sso.provider.answers[path] = lambda: large(oidc_http.LARGEST_ANSWER)
    assert set(log_in_twice(sso)) <= {403, 503}
    sso.provider.answers[path] = lambda: large(1_000)
    assert log_in_twice(Sso(Served(sso.served.store), sso.provider, sso.secret_file)) == [303, 303]


def test_the_local_administrator_logs_in_while_a_provider_is_down(sso: Sso) -> None:
    with running() as gone:
        pass
    sso.provider.issuer = gone.issuer
    sso.add()
    answer = sso.served.get(f"{BEGIN}?next=/c/test")
    assert answer.status_code == 503
    assert refused(sso, answer.text, "Corp can&#x27;t be reached now")
    assert 'value="/c/test"' in answer.text
    assert sso.served.log_in(ADMINISTRATOR, PASSWORD).status_code == 303


def test_a_provider_that_is_down_is_asked_again_after_some_seconds_and_not_before(
    sso: Sso,
) -> None:
    sso.add()
    now = [0.0]
    client = Client(clock=lambda: now[0])
    provider = load_providers(sso.served.store)[NAME]
    sso.provider.answers[WELL_KNOWN] = failing
    for _ in range(3):
        with pytest.raises(oidc_client.LoginFailed, match="can't be reached"):
            client.address(provider, URL, Attempt("s", "n", "v" * 43))
    assert sso.provider.asked == [WELL_KNOWN]
    del sso.provider.answers[WELL_KNOWN]
    now[0] += oidc_client.SECONDS_OF_FAILURE + 1
    for _ in range(3):
        client.address(provider, URL, Attempt("s", "n", "v" * 43))
    assert sso.provider.asked == [WELL_KNOWN] * 2
    now[0] += oidc_client.SECONDS_KEPT + 1
    client.address(provider, URL, Attempt("s", "n", "v" * 43))
    assert sso.provider.asked == [WELL_KNOWN] * 3


def test_keys_are_asked_for_again_where_a_token_has_a_new_one_but_not_each_time(
    sso: Sso, monkeypatch: pytest.MonkeyPatch
) -> None:
    sso.add()
    assert sso.log_in().status_code == 303
    sso.provider.key = RSAKey.generate_key(2048, {"kid": "one"})
    assert sso.log_in().status_code == 403  # the same id, another key
    sso.provider.header = {"alg": "RS256", "kid": "two"}
    sso.provider.published = [
        sso.provider.key.as_dict(private=False, kid="two"),
        {"kty": "AKP", "kid": "new", "alg": "ML-DSA-44"},
    ]
    assert sso.log_in().status_code == 403  # asked for less than 30 seconds ago
    monkeypatch.setattr(oidc_client, "SECONDS_BETWEEN_KEYS", 0.0)
    assert sso.log_in().status_code == 303
    assert sso.provider.asked.count("/keys") == 2


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://192.0.2.1/token"},
        {"token_endpoint": "file:///etc/passwd"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": None},
        {"userinfo_endpoint": 5},
        {"id_token_signing_alg_values_supported": "none"},
        {"token_endpoint_auth_methods_supported": 5},
    ],
)
def test_a_provider_that_names_what_can_not_be_asked_is_refused(
    sso: Sso, metadata: dict[str, object]
) -> None:
    sso.add()
    sso.provider.metadata = metadata
    answer = sso.served.get(BEGIN)
    assert answer.status_code == 503
    assert refused(sso, answer.text, "Corp can&#x27;t be reached now")


def test_only_https_is_asked_unless_the_provider_is_on_this_machine() -> None:
    assert oidc_http.is_safe("https://keys.example/x", "https://login.example")
    assert oidc_http.is_safe("http://127.0.0.1:1/x", "http://localhost:2")
    assert not oidc_http.is_safe("http://login.example/x", "https://login.example")
    assert not oidc_http.is_safe("http://127.0.0.1/x", "https://login.example")
    assert not oidc_http.is_safe("http://login.example/x", "http://127.0.0.1")
    assert not oidc_http.is_safe("ftp://login.example", "https://login.example")
    assert not oidc_http.is_safe("https://", "https://login.example")


def test_a_secret_that_can_not_be_read_any_more_is_told_to_the_log_alone(sso: Sso) -> None:
    sso.add()
    os.unlink(sso.secret_file)
    answer = sso.served.get(BEGIN)
    assert answer.status_code == 503
    assert refused(sso, answer.text, "tell an administrator")
    assert sso.secret_file not in answer.text
    assert sso.secret_file in log_of(sso)


def test_the_secret_is_in_no_page_no_log_no_event_and_not_in_the_store(
    sso: Sso, tmp_path: Path
) -> None:
    sso.add()
    assert sso.log_in().status_code == 303
    secret = Path(sso.secret_file).read_text(encoding="utf-8").strip()
    assert secret not in sso.served.log.getvalue()
    assert secret.encode() not in (tmp_path / "store.db").read_bytes()


def test_nobody_comes_back_from_a_provider_that_was_removed(sso: Sso) -> None:
    sso.add()
    assert sso.log_in().status_code == 303
    back = sso.begin()
    remove_provider(sso.served.store, NAME)
    assert sso.served.get("/").status_code == 303  # the session has ended
    assert sso.come_back(back).status_code == 403
    assert sso.accounts()["bob"] == []
