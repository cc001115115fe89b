"""Access to this server: the checks of hosts and sites, and the headers of responses.

`Admit` is the gate of the team's server (evalstore/server/gate.py). It is called before every
request, also for files and for paths without a page, and checks hosts and sites itself, by the
public URL.
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
from evalstore.catalog.collections import check_readable
from evalstore.client.connection import is_loopback
from evalstore.errors import EvalstoreError, StoreError

Admit = Callable[[], Response | None]
"""A check of the current flask request; it returns None to accept it, or else the response."""

HEALTH = "/healthz"
"""The one path that is open to everyone: it only says whether the server works."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
ALL_ADDRESSES = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 (compared with, not listened on)


class LoginMissing(EvalstoreError):
    """The error if others could read the store: other machines can reach it, and no login is on."""


def check_login(host: str, *, open_to_all: bool) -> None:
    """Raise LoginMissing if other machines can reach a server without a login."""
    if not is_loopback(host) and not open_to_all:
        raise LoginMissing(
            f"everyone who reaches {host or 'this machine'} could read the store, as the "
            "dashboard has no login"
        )


def register(server: Flask, hosts: Collection[str], admit: Admit | None) -> None:
    """Refuse requests for other hosts or from other sites' pages; with `admit`, let it decide.

    A page of another site can make a browser send requests here: under its own host name that
    resolves to this machine (so the Host header is checked), or across sites (the browser says so).
    `hosts` are accepted names besides the loopback ones. If one of them means all addresses, every
    IP address and the name of this machine are accepted.
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
            # The hosts are not named: a page of another site could read them.
            where = "open it at the address that was printed when it was started"
            return _refused(400, f"This dashboard is not at that host name: {where}")
        writes = request.method not in {"GET", "HEAD", "OPTIONS"}
        if writes and request.headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"}:
            return _refused(403, "A page of another site may not use this dashboard")
        return None


def _refused(status: int, sentence: str) -> Response:
    return Response(f"{sentence}.\n", status, mimetype="text/plain")


def _host_name(header: str) -> str:
    """The name in a Host header, without its port; "" if it is not a valid host."""
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


# The headers of every response: a page may load and run only files of this server


def content_security_policy(script_hashes: Sequence[str], *, forms: bool = False) -> str:
    """Return the policy: everything from this origin; inline, only the known scripts of Dash.

    Styles need 'unsafe-inline' (Mantine, AG Grid, plotly and CodeMirror add style elements).
    `data:` is for AG Grid's icon font and our own icons, `blob:` for figures saved as PNG. With
    `forms`, a form may be sent to this origin, which is needed to log out.
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
    """Add the headers to every response, and the status 404 if the path has no page."""

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
        # Dash answers any path with its index, and the page then says that nothing is there. That
        # is right for a person; a program needs the status.
        is_index = request.endpoint is not None and "<path:" in request.endpoint
        is_shown = request.method in {"GET", "HEAD"} and response.mimetype == "text/html"
        is_answered = is_index and is_shown and response.status_code == 200
        if is_answered and not is_page(sent_path(request.environ)):
            response.status_code = 404
        return response


# A health check for monitoring: whether the server answers and can read its store


def register_health(server: Flask, store_of_request: StoreOfRequest) -> None:
    """Add the path: 200 and `{"status": "ok"}`, or 503 while the store can't be read."""

    @server.get(HEALTH)
    def health() -> tuple[Response, int]:
        try:
            check_readable(store_of_request())
        except StoreError as error:
            # The reason may contain a host or a folder, so it is only written to the server's
            # terminal.
            logging.getLogger("dashboard").warning("%s", error)
            return jsonify(status="the store can't be read"), 503
        return jsonify(status="ok"), 200


# The path of a request as it was sent, with names still encoded

AS_SENT = ("REQUEST_URI", "RAW_URI")
"""The variables in which servers provide the path and query as they were sent."""


def sent_path(environ: Mapping[str, Any]) -> str:
    """The path of a WSGI request for `address.parse`, which decodes it.

    The path in WSGI is already decoded, so a slash in a name looks like a separator. Servers also
    provide the path as it was sent. If a layer before the app has changed the decoded path, the
    decoded path is used.
    """
    sent = next((str(environ[name]) for name in AS_SENT if environ.get(name)), "").partition("?")[0]
    decoded = str(environ.get("PATH_INFO", "")).encode("latin-1")
    return sent if unquote_to_bytes(sent) == decoded else quote(decoded)
