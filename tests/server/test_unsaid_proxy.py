"""A proxy in front of a server that was started without --behind-proxy is warned of once."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from team_server import URL, Served

from evalstore.server.app import create_server

THROUGH_PROXY = {"X-Forwarded-For": "192.0.2.7\x1b[31m"}


def warnings(log: io.StringIO) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    return [line for line in lines if line.get("level") == "warning"]


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_the_first_request_through_a_proxy_is_warned_of_and_no_other(
    served: Served, header: str
) -> None:
    served.browser.get("/healthz", base_url=URL)
    assert warnings(served.log) == []
    for _ in range(3):
        served.browser.get("/login", base_url=URL, headers={header: "for=192.0.2.7"})
    (warning,) = warnings(served.log)
    assert "--behind-proxy" in warning["message"]
    assert header in warning["message"]
    assert "192.0.2.7" not in warning["message"]


def test_a_request_that_is_refused_warns_too(served: Served) -> None:
    answer = served.browser.get("/", base_url="https://other.example", headers=THROUGH_PROXY)
    assert answer.status_code == 400
    assert len(warnings(served.log)) == 1


def test_each_server_of_a_process_warns_by_itself(served: Served) -> None:
    served.browser.get("/login", base_url=URL, headers=THROUGH_PROXY)
    log = io.StringIO()
    create_server(served.store, log=log).test_client().get(
        "/login", base_url=URL, headers=THROUGH_PROXY
    )
    assert len(warnings(log)) == 1


def test_behind_proxy_there_is_no_warning(served: Served) -> None:
    log = io.StringIO()
    app = create_server(served.store, behind_proxy=True, log=log)
    assert app.test_client().get("/login", base_url=URL, headers=THROUGH_PROXY).status_code == 200
    assert warnings(log) == []
