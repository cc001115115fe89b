"""Logging in at a provider: what the browser is sent with, and what it has to bring back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from oidc_logins import BACK, BEGIN, NAME, Sso, log_of, refused, session_of
from team_server import ADMINISTRATOR, URL

from evalstore.server.oidc.providers import add_provider, load_providers
from evalstore.server.oidc.routes import SECONDS_TO_LOG_IN, callback_url
from evalstore.server.people.login import AGE_FROM_PROVIDER
from evalstore.server.setup import PublicUrl
from evalstore.store import models

pytestmark = pytest.mark.slow  # logins at a provider

session_t = models.table(models.Session)


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
    monkeypatch.setattr("evalstore.server.oidc.routes.SECONDS_TO_LOG_IN", -1)
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
