"""Access to this server: requests that name it, from its own pages; and headers.

`Admit` is the gate of the team's server (evalstore/server/gate.py), called before every request,
also for files and for paths without a page. It checks hosts and sites itself, by the public URL.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Collection, Mapping, Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, unquote_to_bytes, urlsplit

from flask import Flask, Response, jsonify, request

from dashboard.page import StoreOfRequest
from evalstore.catalog.collections import collections
from evalstore.client.connection import is_loopback
from evalstore.errors import EvalstoreError, StoreError

Admit = Callable[[], Response | None]
"""Looks at the request of flask; returns None to let it in, or the answer to give instead."""

HEALTH = "/healthz"
"""The one path that is open to everyone: it tells nothing but that the server works."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
ALL_ADDRESSES = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 (compared with, not listened on)


class LoginMissing(EvalstoreError):
    """Others could read the store: the address is not of this machine alone, and no login is on."""


def check_login(host: str, *, open_to_all: bool) -> None:
    """Raise LoginMissing if others than this machine reach a server without a login."""
    if not is_loopback(host) and not open_to_all:
        raise LoginMissing(
            f"everyone who reaches {host or 'this machine'} could read the store, as the "
            "dashboard has no login"
        )


def register(server: Flask, hosts: Collection[str], admit: Admit | None) -> None:
    """Refuse requests that name another host or come from another site's page; or ask `admit`.

    A page of another site can make a browser send requests here: under a host name of its own that
    leads to this machine (so the Host header is checked), or across sites (the browser says so).
    `hosts` are names beside those of the loopback; one that means all addresses allows every IP
    address and the name of this machine.
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


# The headers of every response: a page may load and run only what this server serves


def content_security_policy(script_hashes: Sequence[str], *, forms: bool = False) -> str:
    """Return the policy: everything from this origin, no inline script but Dash's known ones.

    Styles need 'unsafe-inline' (Mantine, AG Grid and plotly write style elements as they run).
    `data:` is for AG Grid's icon font and our own icons, `blob:` for figures saved as PNG. With
    `forms` a form can be sent to this origin: there is one to log out.
    """
    target_of_forms = "'self'" if forms else "'none'"
    scripts = " ".join(["'self'", *script_hashes])
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            f"form-action {target_of_forms}",
            "frame-ancestors 'none'",
            "object-src 'none'",
        ]
    )


def register_headers(server: Flask, policy: str, is_page: Callable[[str], bool]) -> None:
    """Add the headers to every response, and the status 404 if no page is at the path."""

    @server.after_request
    def finish(response: Response) -> Response:
        headers = response.headers
        headers.setdefault("Content-Security-Policy", policy)
        headers.setdefault("X-Content-Type-Options", "nosniff")
        headers.setdefault("X-Frame-Options", "DENY")
        headers.setdefault("Referrer-Policy", "same-origin")
        headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        headers.setdefault(
            "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"
        )
        # Dash answers any path with its index, and the page then says that it is not there: right
        # for a person, and this is right for a program.
        is_index = request.endpoint is not None and "<path:" in request.endpoint
        is_shown = request.method in {"GET", "HEAD"} and response.mimetype == "text/html"
        is_answered = is_index and is_shown and response.status_code == 200
        if is_answered and not is_page(sent_path(request.environ)):
            response.status_code = 404
        return response


# A path for programs that watch the server: whether it answers and can read its store


def register_health(server: Flask, store_of_request: StoreOfRequest) -> None:
    """Add the path: 200 and `{"status": "ok"}`, or 503 while the store can't be read."""

    @server.get(HEALTH)
    def health() -> tuple[Response, int]:
        try:
            collections(store_of_request())
        except StoreError as error:
            # The reason may name a host or a folder: it is for the terminal of the server.
            logging.getLogger("dashboard").warning("%s", error)
            return jsonify(status="the store can't be read"), 503
        return jsonify(status="ok"), 200


# The path of a request as it was sent, in which names are still encoded

AS_SENT = ("REQUEST_URI", "RAW_URI")
"""The variables in which servers keep the path and query as they were sent."""


def sent_path(environ: Mapping[str, Any]) -> str:
    """The path of a request of WSGI, for `address.parse`, which decodes it.

    WSGI has it decoded already: there a slash in a name can't be told from one between names.
    Servers keep the path as it was sent beside; if a layer before the app has changed the decoded
    one, that one counts.
    """
    sent = next((str(environ[name]) for name in AS_SENT if environ.get(name)), "").partition("?")[0]
    decoded = str(environ.get("PATH_INFO", "")).encode("latin-1")
    return sent if unquote_to_bytes(sent) == decoded else quote(decoded)
