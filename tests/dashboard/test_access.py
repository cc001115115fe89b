"""Who is let in: requests that name this server, from its own pages; others only when wanted."""

from __future__ import annotations

import socket

import pytest
from flask import Response, request

from dashboard import app as dashboard_app
from dashboard.app import create_app
from dashboard.serving.access import LoginMissing, is_loopback
from evalstore.store import Store

PATHS = ("/", "/_dash-layout", "/assets/evalstore.js", "/export/c/small/x.csv", "/no/such/page")


def status(store: Store, host: str, path: str = "/", **options: object) -> int:
    client = create_app(store, **options).server.test_client()  # type: ignore[arg-type]
    with client.get(path, headers={"Host": host}) as answer:
        return answer.status_code


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8050", "LOCALHOST", "127.0.0.1:8050", "[::1]:8050", "[::1]"]
)
def test_the_names_of_the_loopback_are_always_known(store: Store, host: str) -> None:
    assert status(store, host) == 200


@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.example",
            "evil.example:8050",
            "localhost.evil.example",
            "192.0.2.7",
            "",
            "[",
            "a b",
        ),
        *("localhost@evil.example", "127.0.0.1.evil.example"),
    ],
)
@pytest.mark.parametrize("path", PATHS)
def test_another_host_name_is_refused_on_every_path(store: Store, host: str, path: str) -> None:
    assert status(store, host, path) == 400


def test_a_refusal_is_a_line_that_names_no_host(store: Store) -> None:
    client = create_app(store, hosts=["eval.example"]).server.test_client()
    answer = client.get("/", headers={"Host": "evil.example"})
    assert answer.mimetype == "text/plain"
    assert answer.text.count("\n") == 1
    for name in ("example", "localhost", "127.0.0.1", socket.gethostname()):
        assert name not in answer.text
    assert "open it at the address that was printed" in answer.text


def test_the_host_that_is_served_on_is_known(store: Store) -> None:
    assert status(store, "Eval.Example:8050", hosts=["eval.example"]) == 200
    assert status(store, "other.example", hosts=["eval.example"]) == 400


@pytest.mark.parametrize("everywhere", ["0.0.0.0", "::"])  # noqa: S104
def test_on_all_addresses_each_address_and_the_name_of_this_machine_are_known(
    store: Store, everywhere: str
) -> None:
    assert status(store, "192.0.2.7:8050", hosts=[everywhere]) == 200
    assert status(store, "[2001:db8::7]:8050", hosts=[everywhere]) == 200
    assert status(store, socket.gethostname(), hosts=[everywhere]) == 200
    assert status(store, "evil.example", hosts=[everywhere]) == 400


def test_behind_a_server_of_ones_own_the_environment_names_store_and_hosts(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALSTORE_DB", store.url)
    monkeypatch.setenv("EVALSTORE_HOSTS", "eval.example, other.example")
    client = create_app().server.test_client()
    assert client.get("/healthz").get_json() == {"status": "ok"}
    for host, expected in (("eval.example", 200), ("other.example", 200), ("x.example", 400)):
        assert client.get("/", headers={"Host": host}).status_code == expected


def test_a_page_of_another_site_can_not_call_back(store: Store) -> None:
    client = create_app(store).server.test_client()
    for site, expected in (("cross-site", 403), ("same-site", 403), ("same-origin", 400)):
        answer = client.post("/_dash-update-component", json={}, headers={"Sec-Fetch-Site": site})
        # An empty callback is an error of its own, once it is let in.
        assert (answer.status_code == 403) == (expected == 403), site


def test_a_request_of_more_than_a_megabyte_is_refused(store: Store) -> None:
    client = create_app(store).server.test_client()
    answer = client.post(
        "/_dash-update-component", data=b" " * 1_100_000, content_type="application/json"
    )
    assert answer.status_code == 413


@pytest.mark.parametrize("path", [*PATHS, "/_dash-dependencies", "/_dash-update-component"])
def test_a_login_is_asked_before_every_path(store: Store, path: str) -> None:
    asked: list[str] = []

    def admit() -> Response:
        asked.append(request.path)
        return Response("who are you?", 401)

    client = create_app(store, admit=admit).server.test_client()
    assert client.get(path).status_code == 401
    assert client.post(path, json={}).status_code == 401
    assert asked == [path, path]


def test_who_is_let_in_sees_the_page(store: Store) -> None:
    client = create_app(store, admit=lambda: None).server.test_client()
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "LocalHost"])
def test_the_loopback_is_this_machine_alone(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1", "eval.example"])  # noqa: S104
def test_every_other_address_needs_a_login_or_the_wish_to_have_none(
    empty_store: Store, host: str
) -> None:
    assert not is_loopback(host)
    with pytest.raises(LoginMissing, match="no login"):
        dashboard_app.serve(empty_store, host, 0)


def test_health_says_that_the_store_can_be_read_to_everyone(store: Store) -> None:
    client = create_app(store, admit=lambda: Response(status=401)).server.test_client()
    answer = client.get("/healthz", headers={"Host": "10.0.0.7"})
    assert (answer.status_code, answer.get_json()) == (200, {"status": "ok"})


def test_health_is_503_without_a_reason_when_the_store_is_gone(
    empty_store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    client = create_app(empty_store).server.test_client()
    assert empty_store.file is not None
    empty_store.close()
    for suffix in ("", "-wal", "-shm"):
        empty_store.file.with_name(empty_store.file.name + suffix).unlink(missing_ok=True)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.get_json()) == (503, {"status": "the store can't be read"})
    assert "no store" in caplog.text


FORGED = {
    "no object": "[]",
    "nothing": "{}",
    "unknown output": '{"output": "nope.children", "inputs": []}',
    "a number": '{"output": 5, "inputs": []}',
    "no list": '{"output": "page.children", "inputs": 7}',
    "half a character": r'{"output": "\ud800", "inputs": []}',
    "no JSON": "{",
}


@pytest.mark.parametrize("body", FORGED.values(), ids=FORGED)
def test_a_callback_that_no_page_sends_is_refused_without_a_traceback(
    store: Store, body: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = create_app(store).server.test_client()
    answer = client.post("/_dash-update-component", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert caplog.records == []


def test_a_path_with_nul_is_nowhere(store: Store) -> None:
    client = create_app(store).server.test_client()
    for path in ("/c/test%00", "/c/test/run/%00", "/assets/%00"):
        assert client.get(path).status_code == 404
