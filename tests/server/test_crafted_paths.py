"""Paths that somebody crafts: to files above those that are served, and to other sites."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
from team_server import URL, Served
from werkzeug.test import TestResponse

from dashboard.app import ASSETS

UP = ("../", "%2e%2e/", "..%2f", "%2e%2e%2f", "%252e%252e%252f", "..\\", "..%5c", "....//", "/../")
FOLDERS = ("/assets/", "/static/", "/_dash-component-suites/dash_ag_grid/", "/export/", "/")


def go(served: Served, path: str) -> TestResponse:
    """Go to a path as a server passes it on: the test client takes `//name` for a host."""
    sent = {
        "PATH_INFO": unquote(path.partition("?")[0], "latin-1"),
        "QUERY_STRING": urlsplit(path).query,
        "REQUEST_URI": path,
    }
    headers = {"Accept": "text/html"}
    return served.browser.get("/", base_url=URL, headers=headers, environ_overrides=sent)


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_path_leads_to_a_file_that_is_not_served(served: Served, folder: str) -> None:
    served.log_in()
    assert (ASSETS / ".." / "app.py").exists()
    with go(served, "/assets/evalstore.css") as answer:
        assert answer.text == (ASSETS / "evalstore.css").read_text(encoding="utf-8")
    for up in UP:
        above = (f"{up}app.py", f"{up}__init__.py", f"{up}{up}pyproject.toml")
        for file in (*above, f"{up * 12}etc/passwd", "/etc/passwd"):
            with go(served, folder + file) as answer:
                # Pages answer every path, and say that there is none.
                is_page = answer.mimetype == "text/html" and "<title>evalstore" in answer.text
                assert answer.status_code == 404 or is_page, (file, answer.status)
                assert not any(text in answer.text for text in ("import", "[project]", "root:"))


PATHS = (
    *("//evil.example", "//evil.example/c/test", "//evil.example/%2e%2e", "///evil.example"),
    *("/\\evil.example", "/%5cevil.example", "/%2f%2fevil.example", "/%09/evil.example"),
    *("//evil.example/login", "//evil.example/compare?runs=1", "/export//evil.example/x.csv"),
    *("/c/test?next=//evil.example", "/https://evil.example", "/.evil.example", "/@evil.example"),
)


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_to_another_site(served: Served, path: str) -> None:
    """Neither to the login, nor from there, nor after it."""
    asked = go(served, path)
    assert asked.status_code in {303, 401}
    locations = [asked.headers.get("Location", "")]
    for next_ in (path, unquote(path), unquote(urlsplit(locations[0]).query).removeprefix("next=")):
        locations.append(served.log_in(next=next_).headers["Location"])
    locations.append(go(served, path).headers.get("Location", ""))
    for location in filter(None, locations):
        assert location.startswith("/"), location
        assert not location.startswith(("//", "/\\")), location
