from __future__ import annotations

import base64
import hashlib
import re

import pytest
from browserless import Browserless

from dashboard import vendored
from dashboard.app import create_app
from evalstore.store import Store

PATHS = (
    "/",
    "/c/small/compare?runs=bm25,tfidf",
    "/assets/evalstore.js",
    "/assets/head.js",
    "/_dash-layout",
    "/_dash-dependencies",
    "/export/runs.csv",
    "/nothing",
    "/healthz",
    *(script.path() for script in vendored.SCRIPTS),
)


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_headers_that_keep_it_to_itself(app: Browserless, path: str) -> None:
    with app.client.get(path) as answer:
        headers = answer.headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in policy["script-src"]
    assert not re.search(r"https?:|\*", headers["Content-Security-Policy"])
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


def test_every_inline_script_is_allowed_by_its_hash_alone(app: Browserless) -> None:
    answer = app.client.get("/")
    inline = re.findall(
        r"<script(?![^>]*(?:src=|application/json))[^>]*>(.*?)</script>", answer.text, re.DOTALL
    )
    assert inline
    for script in inline:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in answer.headers["Content-Security-Policy"]


def test_the_page_loads_nothing_from_elsewhere(app: Browserless) -> None:
    text = app.client.get("/").text
    loaded = re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"([^\"]*)\"", text)
    assert loaded
    assert all(address.startswith("/") for address in loaded), loaded
    for address in loaded:
        with app.client.get(address) as answer:
            assert answer.status_code == 200, address


def test_the_colours_are_set_before_the_first_paint(app: Browserless) -> None:
    head = app.client.get("/").text.split("</head>")[0]
    assert '<script src="/assets/head.js?m=' in head
    assert "--surface:" in head
    assert '<html lang="en">' in head


@pytest.mark.parametrize(
    ("path", "status"), [("/", 200), ("/measures", 200), ("/measures/", 200), ("/no/such", 404)]
)
def test_a_page_that_does_not_exist_is_a_404(app: Browserless, path: str, status: int) -> None:
    assert app.client.get(path).status_code == status


def test_there_is_no_way_in_but_pages_and_their_callbacks(app: Browserless) -> None:
    assert app.client.get("/_mcp").status_code == 404
    assert app.client.post("/_mcp", json={}).status_code in {404, 405}
    assert app.client.get("/_reload-hash").get_json()["reloadHash"] is None
    for path in ("/assets/../app.py", "/assets/..%2fapp.py"):
        answer = app.client.get(path)
        assert answer.status_code == 404
        assert "def create_app" not in answer.text


@pytest.mark.parametrize("value", ["0", "1", "true"])
def test_no_variable_of_the_environment_turns_on_dashs_mcp_or_its_tools_for_development(
    store: Store, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    for name in ("DASH_MCP_ENABLED", "DASH_DEBUG", "DASH_HOT_RELOAD", "DASH_UI"):
        monkeypatch.setenv(name, value)
    client = create_app(store).server.test_client()
    assert client.get("/_mcp").status_code == 404
    assert client.post("/_mcp", json={}).status_code in {404, 405}
    html = client.get("/").text
    assert '"hot_reload"' not in html
    assert '"ui":false' in html.replace(" ", "")
