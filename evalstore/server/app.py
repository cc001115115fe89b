"""The server as a WSGI app: the dashboard behind the gate, with logins, administration and the API.

Around it: the log of requests, and a warning if a proxy is in front of a server that was not
started for one.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, TextIO

from dash import Dash
from flask import Flask, Response, g, has_request_context, request, request_started
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard.app import create_app
from dashboard.serving import server
from evalstore.server import gate, problems, retry
from evalstore.server.api import sending
from evalstore.server.api.application import Api
from evalstore.server.jobs.uploads import mark_spool
from evalstore.server.jobs.worker import Worker, WorkerProcess
from evalstore.server.metrics import Metrics, shared_folder
from evalstore.server.oidc.routes import OidcRoutes
from evalstore.server.pages.account_routes import AccountRoutes
from evalstore.server.pages.admin_routes import AdminRoutes, CollectionRoutes
from evalstore.server.people.accounts import Passwords
from evalstore.server.people.login import Logins
from evalstore.server.people.rights import Person
from evalstore.server.setup import at_public_url, settings
from evalstore.store import Store

SECONDS_TO_FINISH = 30
"""Seconds for the requests in progress when the server ends, uploads included."""


def create_server(
    store: Store,
    *,
    behind_proxy: bool = False,
    log: TextIO | None = None,
) -> Flask:
    """The server of a store as a WSGI app; NotSetUp if the store has no server.

    With `behind_proxy` the client's address is the last one in X-Forwarded-For, which the proxy in
    front adds; host and scheme are always those of the public URL. `log` receives one line for each
    request; None means standard error.
    """
    set_to = settings(store)
    url = set_to.public_url
    own_gate = gate.Gate(store, url)
    app: Dash = create_app(
        store,
        admit=own_gate.admit,
        account=_account,
        store_of_request=own_gate.store_of_request,
        save=own_gate.save_view,
        prefix=url.prefix,
        store_to_write=own_gate.store_to_write,
        store_to_judge=partial(own_gate.store_to_write, permission="judge"),
        server_url=str(url),
    )
    flask: Flask = app.server
    gate.register(flask)
    logins = Logins(store, set_to.secret, Passwords())
    account_routes = AccountRoutes(store, url, logins)
    account_routes.register(flask)
    OidcRoutes(store, url, set_to.secret, account_routes).register(flask)
    AdminRoutes(store, url, logins.passwords).register(flask)
    CollectionRoutes(store, url).register(flask)
    Api(store, url, own_gate.store_of_request).register(flask)
    Metrics().register(flask)
    sending.register(flask, store)
    problems.register(flask)
    retry.register(flask)
    register(flask, log)
    flask.wsgi_app = at_public_url(flask.wsgi_app, url)  # type: ignore[method-assign]  # the same
    if behind_proxy:
        flask.wsgi_app = ProxyFix(  # type: ignore[method-assign]  # how Flask adds a layer
            flask.wsgi_app, x_for=1, x_proto=0, x_host=0, x_port=0, x_prefix=0
        )
    else:
        register_proxy_warning(flask)
    return flask


def serve(
    store: Store,
    host: str,
    port: int,
    *,
    behind_proxy: bool = False,
    on_ready: Callable[[str], object] | None = None,
) -> None:
    """Serve until SIGTERM or Ctrl-C, then finish the requests in progress.

    Raises NotSetUp without a server, StoreError if the database can't hide rows (the message names
    the permission that its owner lacks), AddressUnavailable if the port is taken or the address
    belongs to another machine.
    """
    with shared_folder():
        wsgi: Any = create_server(store, behind_proxy=behind_proxy)
        store.allow_restriction()  # a database that was moved lacks its role
        # Refuse an unusable folder for files before anything starts.
        mark_spool(store, Worker.of(store).spool)
        worker = WorkerProcess(store)
        try:
            server.run(
                wsgi,
                host,
                port,
                on_ready,
                seconds_to_finish=SECONDS_TO_FINISH,
                every_second=worker.watch,
            )
        finally:
            worker.stop(SECONDS_TO_FINISH)


def _account() -> str | None:
    person = g.get("person") if has_request_context() else None
    return None if person is None else str(person.name)


# One line of JSON for each request, on standard error; without query, cookie and token

LONGEST_TEXT = 300


def register(server: Flask, stream: TextIO | None = None) -> None:
    """Log requests, and errors of the program, as lines of JSON; None means standard error."""

    def begin(_: Flask) -> None:
        g.began = time.perf_counter()

    # This runs before anything that may refuse the request.
    request_started.connect(begin, server, weak=False)

    @server.after_request
    def end(response: Response) -> Response:
        write(line(response), stream)
        return response

    handler = _Lines(stream)
    for name in ("dashboard", "waitress", server.logger.name):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False


def line(response: Response) -> dict[str, Any]:
    """The log record of a request and its answer; no path of the server contains a secret."""
    person = g.get("person")
    rule = request.url_rule
    began = g.get("began", time.perf_counter())
    return {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "method": request.method,
        "path": request.path[:LONGEST_TEXT],
        "route": rule.rule if rule else None,
        "status": response.status_code,
        "ms": round((time.perf_counter() - began) * 1000, 1),
        "bytes": response.content_length,
        "who": person.name if isinstance(person, Person) else None,
        "token": person.token if isinstance(person, Person) else None,
        "address": request.remote_addr,
    }


def write(record: dict[str, Any], stream: TextIO | None) -> None:
    """Write a record as one line: JSON escapes line breaks and control codes of terminals."""
    out = stream or sys.stderr
    if out is not None:
        out.write(json.dumps(record) + "\n")
        out.flush()


class _Lines(logging.Handler):
    def __init__(self, stream: TextIO | None) -> None:
        super().__init__()
        self._stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        """Write a log message of the program, with any traceback, as a line of JSON."""
        content: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            content["error"] = logging.Formatter().formatException(record.exc_info)
        write(content, self._stream)


# A warning in the log about a proxy in front of a server without --behind-proxy

HEADERS = {"HTTP_X_FORWARDED_FOR": "X-Forwarded-For", "HTTP_FORWARDED": "Forwarded"}
"""Headers that proxies set, by their names in WSGI."""


def register_proxy_warning(server: Flask) -> None:
    """Warn once, at the first request that seems to come through a proxy.

    Without `--behind-proxy` all such requests have the address of the proxy: people have to wait
    after failed logins of others, and the log does not show where requests come from.
    """
    first = threading.Lock()  # the request that warns takes it and keeps it

    def look(_: Flask) -> None:
        header = next((HEADERS[key] for key in HEADERS if key in request.environ), None)
        if header is not None and first.acquire(blocking=False):
            logging.getLogger("dashboard").warning(
                "a request has the header %s: if a proxy stands in front, let it add the address "
                "of the client to X-Forwarded-For and start with --behind-proxy, else failed "
                "logins of everybody are counted for the address of the proxy",
                header,
            )

    request_started.connect(look, server, weak=False)
