"""Requests of the server itself: to addresses that are allowed, which are those connected to."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address, ip_network

import pytest

from evalstore.errors import DataError
from evalstore.server.webhooks import Allowed, NotAllowed, NotDelivered, Sender, check_url

LOOPBACK = Allowed(networks=(ip_network("127.0.0.0/8"),))
NOT_OF_THE_INTERNET = [
    "127.0.0.1", "127.9.9.9", "0.0.0.0",  # noqa: S104  (nothing listens there)
    "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1",
    "100.100.100.200", "169.254.169.254", "168.63.129.16", "192.0.0.192", "192.0.2.1",
    "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fec0::1",
    "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1", "64:ff9b:1::1",
    # IPv4 addresses within IPv6: mapped, compatible, NAT64, 6to4, Teredo.
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::10.0.0.1",
    "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::1",
    "2001:0:7f00:1::", "2001:0:808:808:0:0:80ff:fffe",
]  # fmt: skip
OF_THE_INTERNET = ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001:81b::200e"]


@pytest.mark.parametrize("address", NOT_OF_THE_INTERNET)
def test_an_address_that_is_not_of_the_internet_is_refused(address: str) -> None:
    assert not Allowed().permits("host.example", ip_address(address))
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(NotAllowed, match="not an address of the internet"):
        check_url(f"https://{host}/x", Allowed())


@pytest.mark.parametrize("address", OF_THE_INTERNET)
def test_an_address_of_the_internet_is_permitted(address: str) -> None:
    assert Allowed().permits("host.example", ip_address(address))


@pytest.mark.parametrize(
    ("network", "address"),
    [
        ("10.1.0.0/16", "10.1.2.3"),
        ("10.1.0.0/16", "::ffff:10.1.2.3"),
        ("10.1.0.0/16", "64:ff9b::10.1.2.3"),
        ("127.0.0.1/32", "127.0.0.1"),
        ("fd12::/16", "fd12::1"),
    ],
)
def test_a_network_that_is_allowed_permits_its_addresses_in_all_their_forms(
    network: str, address: str
) -> None:
    allowed = Allowed(networks=(ip_network(network),))
    assert allowed.permits("any.example", ip_address(address))
    assert not allowed.permits("any.example", ip_address("10.2.0.1"))


@pytest.mark.parametrize("address", ["10.1.2.3", "fd12::1", "192.168.1.1", "100.64.0.1"])
def test_a_host_that_is_allowed_may_have_a_private_address(address: str) -> None:
    allowed = Allowed(hosts=frozenset({"hook.example"}))
    assert allowed.permits("hook.example", ip_address(address))
    assert not allowed.permits("other.example", ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "0.0.0.0",  # noqa: S104  (nothing listens there)
     "fd00:ec2::254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "224.0.0.1", "ff02::1",
     "64:ff9b::127.0.0.1", "::ffff:127.0.0.1"],
)  # fmt: skip
def test_a_host_that_is_allowed_does_not_lead_to_this_machine_or_to_the_clouds_credentials(
    address: str,
) -> None:
    allowed = Allowed(hosts=frozenset({"hook.example"}))
    assert not allowed.permits("hook.example", ip_address(address))


@pytest.mark.parametrize(
    "url",
    ["ftp://h.example/", "h.example", "https://", "https://u:p@h.example/", "https://h.example/#x",
     "https://h.example/a b", "https://h.example/\r\nX: y", "https://h.example:99999/",
     "https://[::1", "file:///etc/passwd", "https://h\u00e4.example/", "https://h.example\\@x/"],
)  # fmt: skip
def test_what_is_no_url_of_a_webhook_is_refused(url: str) -> None:
    with pytest.raises(DataError):
        check_url(url, Allowed())


def test_http_is_for_hosts_and_networks_that_are_allowed() -> None:
    with pytest.raises(NotAllowed, match="take https, or allow the host 'h.example'"):
        check_url("http://h.example/", Allowed())
    check_url("http://h.example/", Allowed(hosts=frozenset({"h.example"})))
    check_url("http://127.0.0.1:8000/", LOOPBACK)


class Receiver:
    """Listens on loopback; `answer` is what it sends to each connection."""

    def __init__(self, listening: socket.socket, answer: Callable[[socket.socket], None]) -> None:
        self.port = int(listening.getsockname()[1])
        self.requests: list[bytes] = []
        self._listening = listening
        self._answer = answer

    def run(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection:
                try:
                    self.requests.append(connection.recv(65536))
                    self._answer(connection)
                except OSError:
                    continue


@contextmanager
def receiving(answer: Callable[[socket.socket], None] | bytes) -> Iterator[Receiver]:
    sends = answer if callable(answer) else (lambda connection: connection.sendall(answer))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        receiver = Receiver(listening, sends)
        thread = threading.Thread(target=receiver.run, daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(10)


OK = b"HTTP/1.1 204 No Content\r\n\r\n"


def test_a_name_is_resolved_once_and_the_connection_goes_to_the_address_that_was_checked() -> None:
    answers = iter([["127.0.0.1"], ["192.0.2.9"]])
    allowed = Allowed(frozenset({"hook.example"}), LOOPBACK.networks)
    with receiving(OK) as receiver:
        sender = Sender(allowed, lambda host, port: next(answers))
        assert sender.post(f"http://hook.example:{receiver.port}/p?q=1", b"{}", {}) == 204
        assert receiver.requests[0].startswith(b"POST /p?q=1 HTTP/1.1\r\nHost: hook.example:")
    assert next(answers) == ["192.0.2.9"]


def test_a_name_that_leads_to_this_machine_at_the_time_of_the_request_is_refused() -> None:
    with receiving(OK) as receiver:
        for addresses in (["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:127.0.0.1"]):
            sender = Sender(Allowed(), lambda host, port, addresses=addresses: addresses)
            with pytest.raises(NotAllowed, match="'hook.example' is at"):
                sender.post(f"https://hook.example:{receiver.port}/", b"{}", {})
        assert receiver.requests == []


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "localhost"])
def test_other_ways_to_write_this_machine_are_refused_too(host: str) -> None:
    with pytest.raises(NotAllowed):
        Sender(Allowed()).post(f"https://{host}/", b"{}", {})


def test_a_redirect_is_not_followed() -> None:
    with receiving(OK) as other:
        there = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{other.port}/\r\n\r\n"
        refused = pytest.raises(NotDelivered, match="answered 302: redirects are not followed")
        with receiving(there.encode()) as receiver, refused:
            Sender(LOOPBACK).post(f"http://127.0.0.1:{receiver.port}/", b"{}", {})
        assert other.requests == []


def test_the_body_of_an_answer_is_not_read() -> None:
    sent: list[int] = []

    def endless(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while True:
            sent.append(connection.send(b"x" * 65536))

    with receiving(endless) as receiver:
        assert Sender(LOOPBACK).post(f"http://127.0.0.1:{receiver.port}/", b"{}", {}) == 200
    assert sum(sent) < 100_000_000


def test_a_receiver_that_answers_a_byte_now_and_then_is_ended() -> None:
    def slow(connection: socket.socket) -> None:
        while True:
            connection.sendall(b"H")
            time.sleep(0.05)

    with receiving(slow) as receiver, pytest.raises(NotDelivered, match="it took too long"):
        Sender(LOOPBACK, seconds=0.5).post(f"http://127.0.0.1:{receiver.port}/", b"{}", {})


def test_a_receiver_without_a_certificate_is_not_told_anything() -> None:
    with receiving(b"no TLS here") as receiver:
        with pytest.raises(NotDelivered, match="no answer: TLS"):
            Sender(LOOPBACK).post(f"https://127.0.0.1:{receiver.port}/", b"secret", {})
        assert all(b"secret" not in request for request in receiver.requests)


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving(OK) as proxy, receiving(OK) as receiver:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        Sender(LOOPBACK).post(f"http://127.0.0.1:{receiver.port}/", b"{}", {})
        assert (len(receiver.requests), proxy.requests) == (1, [])


def test_who_does_not_answer_is_named_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(NotDelivered, match="no answer: connection refused"):
        Sender(LOOPBACK).post(f"http://127.0.0.1:{port}/", b"{}", {})
    with pytest.raises(NotDelivered, match="there is no host 'nowhere.example'"):
        Sender(LOOPBACK, lambda host, port: []).post("https://nowhere.example/", b"{}", {})
