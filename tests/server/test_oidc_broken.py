"""Providers of logins that do not work, or say what is not right: a sentence, and no login."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
import requests
from crafted_provider import MOVED, as_json, running
from joserfc.jwk import RSAKey
from oidc_logins import BEGIN, NAME, Sso, log_of, refused
from team_server import ADMINISTRATOR, PASSWORD, URL, Served
from werkzeug.wrappers import Response

from evalstore.server.oidc import client as oidc_client
from evalstore.server.oidc import client as oidc_http
from evalstore.server.oidc.client import Attempt, Client
from evalstore.server.oidc.providers import load_providers, remove_provider

pytestmark = pytest.mark.slow  # every fault of a provider


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
    assert refused(sso, answer.text, "Corp can&#39;t be reached now")
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
    assert refused(sso, answer.text, "Corp can&#39;t be reached now")


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
