"""Who may ask this server for something: requests that name it, from its own pages, let in.

`Admit` is the gate of the team's server (evalstore/server/gate.py): it is called before every
request, also for files and for paths where nothing is, so that no address can be forgotten. It
checks hosts and sites itself, by the public URL, and answers programs as its API does.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from flask import Flask, Response, request

from evalstore.client.address import is_loopback
from evalstore.errors import EvalstoreError

Admit = Callable[[], Response | None]
"""Looks at the request of flask; returns None to let it in, or the answer to give instead."""

HEALTH = "/healthz"
"""The one path that is open to everyone: it tells nothing but that the server works."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
ALL_ADDRESSES = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 (compared with, not listened on)


class LoginMissing(EvalstoreError):
    """Others could read the store: the address is not of this machine alone, and no login is on."""


def check_login(host: str, *, open_to_all: bool) -> None:
    """Check that only this machine reaches a server without a login, unless that is wanted.

    Raises:
        LoginMissing: otherwise.
    """
    if not is_loopback(host) and not open_to_all:
        raise LoginMissing(
            f"everyone who reaches {host or 'this machine'} could read the store, as the "
            "dashboard has no login"
        )


def register(server: Flask, hosts: Collection[str], admit: Admit | None) -> None:
    """Refuse requests that name another host or come from another site's page; or ask `admit`.

    A page of another site can make a browser send requests here: under a host name of its own that
    leads to this machine (so the Host header is checked), or across sites (the browser says so).

    Args:
        server: the app, before its first request.
        hosts: the names that the server has beside those of the loopback. One that means all
            addresses allows every IP address and the name of this machine.
        admit: the gate that checks this and the login, if there is one.
    """
    names = {*LOOPBACK, *(host.lower().strip("[]") for host in hosts)} - ALL_ADDRESSES
    any_address = not ALL_ADDRESSES.isdisjoint(hosts)
    if any_address:
        names.add(socket.gethostname().lower())

    @server.before_request
    def check() -> Response | None:
        if request.path == HEALTH:
            return None
        if admit is not None:
            return admit()
        name = _host_name(request.environ.get("HTTP_HOST", ""))
        if name not in names and not (any_address and _is_address(name)):
            # Without the names: a page of another site could read them.
            where = "open it at the address that was printed when it was started"
            return _refused(400, f"This dashboard is not at that host name: {where}")
        writes = request.method not in {"GET", "HEAD", "OPTIONS"}
        if writes and request.headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"}:
            return _refused(403, "A page of another site may not use this dashboard")
        return None


def _refused(status: int, sentence: str) -> Response:
    return Response(f"{sentence}.\n", status, mimetype="text/plain")


def _host_name(header: str) -> str:
    """The name in a Host header, without its port; "" for what is no host."""
    try:
        return (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
