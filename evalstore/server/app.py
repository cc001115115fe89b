"""The server as a WSGI app: the dashboard behind the gate, with the pages of the login."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TextIO

from dash import Dash
from flask import Flask, g, has_request_context
from werkzeug.middleware.proxy_fix import ProxyFix

from dashboard.app import create_app
from dashboard.serving import server
from evalstore.server import gate, problems, request_log, retry
from evalstore.server.api import sending
from evalstore.server.api.application import Api
from evalstore.server.api.table import OPERATIONS
from evalstore.server.jobs.spool import mark_spool
from evalstore.server.jobs.worker import Worker, WorkerProcess
from evalstore.server.metrics import Metrics, shared_folder
from evalstore.server.oidc.routes import OidcRoutes
from evalstore.server.pages.account_routes import AccountRoutes
from evalstore.server.pages.admin_routes import AdminRoutes
from evalstore.server.pages.collection_routes import CollectionRoutes
from evalstore.server.pages.invitation_routes import InvitationRoutes
from evalstore.server.people.login import Logins
from evalstore.server.people.passwords import Passwords
from evalstore.server.public_url import AtPublicUrl
from evalstore.server.routes import ROUTES, Route
from evalstore.server.setup import settings
from evalstore.store import Store

SECONDS_TO_FINISH = 30
"""How long requests that are being answered may take when the server ends: uploads too."""


def create_server(
    store: Store,
    *,
    behind_proxy: bool = False,
    routes: Sequence[Route] = ROUTES,
    log: TextIO | None = None,
) -> Flask:
    """Return the server over a store: a WSGI app.

    Args:
        store: what it serves.
        behind_proxy: whether the last address in X-Forwarded-For, which the proxy in front adds,
            is where a request comes from. Host and scheme are those of the public URL in any case.
        routes: the addresses that are let through.
        log: where the line of each request goes; None for standard error.

    Raises:
        NotSetUp: the store has no server yet.
    """
    set_to = settings(store)
    url = set_to.public_url
    own_gate = gate.Gate(store, url, routes)
    app: Dash = create_app(
        store,
        admit=own_gate.admit,
        account=_account,
        store_of_request=own_gate.store_of_request,
        save=own_gate.save_view,
        prefix=url.prefix,
        may_write=own_gate.may_write,
        server_url=str(url),
    )
    flask: Flask = app.server
    gate.register(flask)
    logins = Logins(store, set_to.secret, Passwords())
    account_routes = AccountRoutes(store, url, logins)
    account_routes.register(flask)
    OidcRoutes(store, url, set_to.secret, account_routes).register(flask)
    InvitationRoutes(store, url, logins.passwords).register(flask)
    AdminRoutes(store, url, logins.passwords).register(flask)
    CollectionRoutes(store, url).register(flask)
    Api(store, url, own_gate.store_of_request, OPERATIONS).register(flask)
    Metrics().register(flask)
    sending.register(flask, store)
    problems.register(flask)
    retry.register(flask)
    request_log.register(flask, log)
    flask.wsgi_app = AtPublicUrl(flask.wsgi_app, url)  # type: ignore[method-assign]  # the same
    if behind_proxy:
        flask.wsgi_app = ProxyFix(  # type: ignore[method-assign]  # how Flask adds a layer
            flask.wsgi_app, x_for=1, x_proto=0, x_host=0, x_port=0, x_prefix=0
        )
    else:
        request_log.register_proxy_warning(flask)
    return flask


def serve(
    store: Store,
    host: str,
    port: int,
    *,
    behind_proxy: bool = False,
    on_ready: Callable[[str], object] | None = None,
) -> None:
    """Serve until SIGTERM or Ctrl-C; requests that are being answered are finished.

    Raises:
        NotSetUp: the store has no server yet.
        StoreError: the database can't hide rows; says what its owner must be allowed to do.
        AddressUnavailable: the port is taken, or the address is not this machine's.
    """
    with shared_folder():
        wsgi: Any = create_server(store, behind_proxy=behind_proxy)
        store.allow_restriction()  # its role is missing in a database that was moved
        # A folder for files that can't be used is refused before anything starts.
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
