from __future__ import annotations

import socket
import threading
import urllib.request
from typing import Any

import pytest

from dashboard import app as dashboard_app
from dashboard import server
from evalstore.errors import EvalstoreError
from evalstore.store import Store


def hello(environ: dict[str, Any], start: Any) -> list[bytes]:
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"hello"]


def test_the_address_is_told_once_the_port_is_held(capfd: pytest.CaptureFixture[str]) -> None:
    serving = server.Server(hello, "127.0.0.1", 0)
    thread = threading.Thread(target=serving.run)
    thread.start()
    try:
        address = server.address("127.0.0.1", serving.port)
        with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - our own
            assert answer.read() == b"hello"
    finally:
        serving.stop()
        thread.join()
        serving.close()
    assert capfd.readouterr() == ("", "")


def test_a_port_that_is_taken_is_one_sentence_with_a_way_out(
    empty_store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(EvalstoreError) as caught:
            dashboard_app.serve(empty_store, "127.0.0.1", port)
    assert str(caught.value) == f"port {port} is in use: try --port {port + 1}"
    assert capfd.readouterr() == ("", "")


def test_an_address_of_another_machine_is_one_sentence(empty_store: Store) -> None:
    with pytest.raises(EvalstoreError, match="not an address of this machine"):
        dashboard_app.serve(empty_store, "192.0.2.1", 8050)


def test_ctrl_c_ends_it_without_a_traceback(
    empty_store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    addresses: list[str] = []

    def interrupt(address: str) -> None:
        addresses.append(address)
        raise KeyboardInterrupt

    dashboard_app.serve(empty_store, "127.0.0.1", 0, on_ready=interrupt)
    assert addresses[0].startswith("http://127.0.0.1:")
    assert capfd.readouterr() == ("", "")
    # The port is free again.
    port = int(addresses[0].rpartition(":")[2])
    server.Server(hello, "127.0.0.1", port).close()


def test_a_name_that_is_no_host_is_one_sentence(empty_store: Store) -> None:
    with pytest.raises(EvalstoreError, match="'no.such.host.invalid' is not an address"):
        dashboard_app.serve(empty_store, "no.such.host.invalid", 8050)


def test_it_serves_on_ipv6_too() -> None:
    try:
        serving = server.Server(hello, "::1", 0)
    except server.AddressUnavailable:
        pytest.skip("this machine has no IPv6")
    try:
        assert serving.port > 0
        assert server.address("::1", serving.port) == f"http://[::1]:{serving.port}"
    finally:
        serving.close()


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "http://127.0.0.1:8050"),
        ("0.0.0.0", "http://127.0.0.1:8050"),  # noqa: S104
        ("::1", "http://[::1]:8050"),
        ("::", "http://[::1]:8050"),
    ],
)
def test_the_address_is_one_that_a_person_can_open(host: str, shown: str) -> None:
    assert server.address(host, 8050) == shown


def test_two_apps_in_one_process_are_independent(store: Store, empty_store: Store) -> None:
    first = dashboard_app.create_app(store)
    second = dashboard_app.create_app(empty_store)
    assert first.server is not second.server
    assert len(first.callback_map) <= len(second.callback_map)
    assert '"main"' in first.server.test_client().get("/_dash-layout").text
    assert '"empty"' in second.server.test_client().get("/_dash-layout").text
