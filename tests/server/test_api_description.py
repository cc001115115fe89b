"""The description of the API, its page, names in paths, and the figures for Prometheus."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

import pytest
from prometheus_client.parser import text_string_to_metric_families
from team_server import URL, Served

from evalstore.catalog.collections import rename_collection
from evalstore.server.api.openapi import path_of
from evalstore.server.api.operation import Operation
from evalstore.server.api.routes import OPERATIONS
from evalstore.server.people.tokens import create_token

HOSTILE = ("beir/scifact", "a%2Fb", "a%b", "50% ü?#", "../x", "<b>&amp;", "a+b c", "run's", "/")


@pytest.fixture
def headers(served: Served) -> dict[str, str]:
    token = create_token(served.store, "ci", "reader")
    return {"Authorization": f"Bearer {token}"}


class Page(HTMLParser):
    """The addresses that a page leads to or loads, and its elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.elements: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        given = dict(attrs)
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src"}]
        self.ids.add(given.get("id") or "")


def test_every_operation_is_described_with_what_it_takes_and_answers(
    served: Served, headers: dict[str, str]
) -> None:
    document = served.browser.get("/api/v1/openapi.json", base_url=URL, headers=headers).get_json()
    assert document["openapi"] == "3.1.0"
    assert document["servers"] == [{"url": URL}]
    for each in OPERATIONS:
        described = document["paths"][path_of(each)][each.method.lower()]
        assert described["description"], each.path
        for parameter in described["parameters"]:
            assert parameter["description"], (each.path, parameter["name"])
        done = {status for status in described["responses"] if status.startswith("2")}
        assert done == set(map(str, each.answers))
        for status in done:
            content = described["responses"][status].get("content", {})
            assert set(content) == set(each.media_types)
    assert sum(map(len, document["paths"].values())) == len(OPERATIONS)


def test_what_takes_json_says_how_its_body_may_be_refused() -> None:
    silent = [
        each.path
        for each in OPERATIONS
        if each.takes_json and not {408, 413, 415} <= {*each.statuses}
    ]
    assert silent == []


def test_the_page_of_the_api_has_every_operation_and_loads_nothing(
    served: Served, headers: dict[str, str]
) -> None:
    answer = served.browser.get("/api", base_url=URL, headers=headers)
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    page = Page(answer.text)
    assert page.elements.isdisjoint({"script", "img", "iframe"})
    for each in OPERATIONS:
        assert each.view.__name__ in page.ids
    inside = {address[1:] for address in page.addresses if address.startswith("#")}
    assert inside <= page.ids
    outside = {address for address in page.addresses if not address.startswith(("#", "/"))}
    assert outside == {"data:,"}


def test_the_page_of_the_api_is_behind_the_login(served: Served) -> None:
    assert served.get("/api").headers["Location"] == "/login?next=/api"


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_can_stand_in_a_path(served: Served, headers: dict[str, str], name: str) -> None:
    rename_collection(served.store, "test", name)
    path = f"/api/v1/collections/{quote(name, safe='')}/runs/bm25"
    answer = served.browser.get(path, base_url=URL, headers=headers)
    assert (answer.status_code, answer.get_json().get("collection")) == (200, name)


def test_a_slash_that_is_not_encoded_parts_the_path(
    served: Served, headers: dict[str, str]
) -> None:
    rename_collection(served.store, "test", "a/b")
    path = "/api/v1/collections/a/b/leaderboard"
    answer = served.browser.get(path, base_url=URL, headers=headers)
    assert answer.status_code == 404


def figures(served: Served, headers: dict[str, str]) -> dict[tuple[str, str, str], float]:
    """The number of requests by route, method and status."""
    text = served.browser.get("/api/v1/metrics", base_url=URL, headers=headers).text
    return {
        (sample.labels["route"], sample.labels["method"], sample.labels["status"]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "evalstore_requests_total"
    }


def test_requests_are_counted_by_route_and_not_by_path(
    served: Served, headers: dict[str, str]
) -> None:
    for name in ("test", "tset"):
        path = f"/api/v1/collections/{name}/leaderboard"
        served.browser.get(path, base_url=URL, headers=headers)
    served.browser.open("/x", base_url=URL, headers=headers, method="EVIL")
    counted = figures(served, headers)
    rule = "/api/v1/collections/<name:collection>/leaderboard"
    assert counted[rule, "GET", "200"] == 1
    assert counted[rule, "GET", "404"] == 1
    assert "tset" not in str(counted)
    assert {method for _, method, _ in counted} == {"GET", "other"}


def test_figures_of_the_whole_server_take_a_role_in_the_whole_store(served: Served) -> None:
    token = create_token(served.store, "one", "administrator", "test")
    answer = served.browser.get(
        "/api/v1/metrics", base_url=URL, headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.status_code == 403
    assert "evalstore_requests" not in answer.text


@pytest.mark.slow  # processes are started
def test_processes_count_together_in_a_folder_that_is_empty_at_the_start() -> None:
    program = """
import os
from evalstore.server.metrics import FOLDER, Metrics, shared_folder
os.environ[FOLDER] = "/nothing"
with shared_folder():
    folder = os.environ[FOLDER]
    assert os.listdir(folder) == ["in-use"]
    metrics = Metrics()
    for _ in range(2):
        child = os.fork()
        if not child:
            metrics._requests.labels("/x", "GET", "200").inc()
            os._exit(0)
        os.waitpid(child, 0)
    print(metrics.text().decode())
assert not os.path.exists(folder)
assert os.environ[FOLDER] == "/nothing"
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert re.search(r'evalstore_requests_total\{.*route="/x".*\} 2\.0', done.stdout)


def lists_in(schema: dict[str, Any], all_of: dict[str, Any]) -> Iterator[int | None]:
    """The greatest length of each list in a schema; None if it has none."""
    schema = all_of[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if schema.get("type") == "array":
        yield schema.get("maxItems")
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), schema.get("items")]
    for each in filter(None, inner):
        yield from lists_in(each, all_of)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.view.__name__)
def test_every_list_that_a_request_takes_is_short(operation: Operation) -> None:
    """What a request may cost: each name in a list is looked up, for readers too."""
    schema = operation.parameters.model_json_schema()
    most = 1_000 if operation.permission in ("judge", "write") else 50
    for length in lists_in(schema, schema.get("$defs", {})):
        assert length is not None
        assert length <= most
