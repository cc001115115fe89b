"""The dashboard as a WSGI app: `create_app` makes it, `serve` runs it.

Other servers can run it too: `gunicorn "dashboard.app:create_app()"`, with the store named by
EVALSTORE_DB.

There is no state at module level: two apps over two stores in one process are independent. For the
same reason pages are routed here and not by `dash.register_page`, whose registry belongs to the
process.

One callback shows everything: its input is the address, its output the page or the changes on the
page. Controls write the address, in the browser.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from dash import Dash, Input, Output, State, no_update
from flask import Flask, abort, g, request

from dashboard import address, theme, vendored
from dashboard.address import Address
from dashboard.components import (
    comments,
    controls,
    copy_link,
    files,
    ids,
    saved_views,
    search_dialog,
    shell,
)
from dashboard.components.copy_link import SaveView, opened
from dashboard.components.problems import PageProblem, Redirect
from dashboard.components.selection import check_hashes
from dashboard.page import (
    Changes,
    Page,
    Rendered,
    StoreOfRequest,
    StoreToWrite,
    View,
    callback,
    nowhere,
    without_controls,
)
from dashboard.pages import PAGES
from dashboard.pages.judge import sending as judge
from dashboard.serving import access, delivery, response_cache, server, slots
from evalstore.catalog.links import save_view
from evalstore.client.connection import is_loopback
from evalstore.store import Store

HOST = "127.0.0.1"
PORT = 8050
ASSETS = Path(__file__).parent / "assets"

# The same variable as for `evalstore --db`.
DB_VARIABLE = "EVALSTORE_DB"
DEFAULT_DB = "evalstore.db"
HOSTS_VARIABLE = "EVALSTORE_HOSTS"

LISTS_OF_CALLBACK = ("inputs", "state", "changedPropIds")
LARGEST_REQUEST = 1024 * 1024
"""The largest request of a browser in bytes: an address, and what is on the screen."""


def create_app(
    store: Store | None = None,
    *,
    pages: Sequence[Page] = PAGES,
    hosts: Collection[str] | None = None,
    admit: access.Admit | None = None,
    account: Callable[[], str | None] | None = None,
    store_of_request: StoreOfRequest | None = None,
    save: SaveView = save_view,
    prefix: str = "",
    store_to_write: StoreToWrite | None = None,
    store_to_judge: StoreToWrite | None = None,
    server_url: str | None = None,
) -> Dash:
    """Return the dashboard over a store; both it and its `.server` are WSGI apps.

    Without a store it opens the one that EVALSTORE_DB names, or `evalstore.db`; this can raise
    StoreError. `hosts` are accepted host names besides the loopback ones, by default those in
    EVALSTORE_HOSTS.

    `admit` is the login. `account` returns the name of the logged-in user, None outside of
    requests. `store_of_request` returns the store that a request reads (`Store.restricted_to`); it
    is called after `admit`. `store_to_write` returns the store that the sender of the request may
    write; by default everyone writes if only this machine reaches the app, and nobody otherwise.
    `store_to_judge` does so for those who judge documents, by default for those who may write.
    `save` saves a long address under a short one. `prefix` is put before every path
    in links, like `/eval`; the proxy in front removes it from requests. `server_url` is the address
    of the team's server, for commands shown on pages.
    """
    if store is None:
        store = Store.open(os.environ.get(DB_VARIABLE) or DEFAULT_DB, create=False)
    if hosts is None:
        hosts = [name.strip() for name in os.environ.get(HOSTS_VARIABLE, "").split(",")]
        hosts = [name for name in hosts if name]
    app = Dash(
        "evalstore-dashboard",
        assets_folder=str(ASSETS),
        # The index page loads it itself, in the head.
        assets_ignore=r"\bhead\.js",
        pages_folder="",
        use_pages=False,
        requests_pathname_prefix=f"{prefix}/",
        routes_pathname_prefix="/",
        serve_locally=True,
        title=shell.NAME,
        update_title="",
        # Components appear and disappear with the pages.
        suppress_callback_exceptions=True,
        meta_tags=[{"name": "viewport", "content": "width=device-width, initial-scale=1"}],
        add_log_handler=False,
        compress=False,  # delivery.py compresses
        enable_mcp=False,
    )
    # Every option is named, since environment variables such as DASH_UI turn on those that aren't.
    app.enable_dev_tools(
        debug=False,
        dev_tools_ui=False,
        dev_tools_props_check=False,
        dev_tools_serve_dev_bundles=False,
        dev_tools_hot_reload=False,
        dev_tools_silence_routes_logging=False,
        dev_tools_validate_callbacks=False,
    )
    app.server.config["MAX_CONTENT_LENGTH"] = LARGEST_REQUEST
    if account is None:
        app.layout = shell.layout(store.name, prefix=prefix)
    else:
        app.layout = lambda: shell.layout(store.name, account() or shell.NOBODY, prefix)
    by_kind = {page.kind: page for page in pages}
    _register_prefix(app.server, prefix)
    access.register(app.server, hosts, admit)
    _register_refusals(app)
    # Code that answers requests gets only this store.
    asked = store_of_request or (lambda: store)
    access.register_health(app.server, asked)
    controls.register(app.server)
    # With a database server, a page spends more than half of its time waiting for the database.
    response_cache.register(app.server, asked, at_once=1 if store.file else 3)
    slots.register(app.server)
    if store_to_write is None:
        is_own = store_of_request is None and admit is None and all(map(is_loopback, hosts))
        store_to_write = (lambda _: store) if is_own else nowhere
    store_to_judge = store_to_judge or store_to_write
    view_of = partial(
        View,
        store_to_write=store_to_write,
        store_to_judge=store_to_judge,
        server_url=server_url,
    )
    _register_shell(app, asked, by_kind, view_of)
    copy_link.register(app, asked, save, store_to_write)
    search_dialog.register(app, asked, view_of, shell.pages_to_find)
    saved_views.register(app, asked, store_to_write)
    comments.register(app, store_to_write)
    judge.register(app.server, store_to_write, store_to_judge)
    files.register(app.server, asked, by_kind)
    for page in pages:
        page.register(app, asked)
    head, plotly = (ASSETS / "head.js").stat().st_mtime, prefix + vendored.PLOTLY.path()
    app.index_string = shell.index(app.get_asset_url(""), head, plotly, prefix)
    delivery.register(app.server)
    access.register_headers(
        app.server,
        access.content_security_policy(app.csp_hashes(), forms=account is not None),
        _is_page,
    )
    # Dash would do this in its first request, and meanwhile answer other requests with errors.
    app._setup_server()
    return app


def _register_prefix(flask: Flask, prefix: str) -> None:
    """Let the links of each request have the prefix; this runs before anything reads an address."""

    @flask.before_request
    def begin() -> None:
        g.prefix_before = address.PREFIX.set(prefix)

    @flask.teardown_request
    def end(_: BaseException | None) -> None:
        if "prefix_before" in g:  # not in a request without `begin`, as in tests of a view
            address.PREFIX.reset(g.pop("prefix_before"))


def _register_refusals(app: Dash) -> None:
    """Refuse a path with NUL, and a callback that no page of this dashboard sends, in one line."""
    flask: Flask = app.server

    @flask.before_request
    def refuse() -> None:
        if "\0" in request.path:
            abort(404)
        if request.path != response_cache.PATH or request.method != "POST":
            return
        body = request.get_json(silent=True)
        if not isinstance(body, dict):
            abort(400, "a callback is an object")
        output = body.get("output")
        if not isinstance(output, str) or output not in app.callback_map:
            abort(400, "no page has this callback")
        if not all(isinstance(body.get(name, []), list) for name in LISTS_OF_CALLBACK):
            abort(400, "a callback has lists of inputs")
        try:
            json.dumps(body, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            abort(400, "half of a character is no text")


def serve(
    store: Store,
    host: str = HOST,
    port: int = PORT,
    *,
    open_to_all: bool = False,
    on_ready: Callable[[str], object] | None = None,
) -> None:
    """Serve the dashboard until interrupted; `on_ready` gets the address once it listens.

    `open_to_all` allows access from other machines without a login; without it, a server reachable
    from there raises `access.LoginMissing`. Raises `server.AddressUnavailable` if it can't listen.
    """
    access.check_login(host, open_to_all=open_to_all)
    server.run(create_app(store, hosts=[host]).server, host, port, on_ready)


def render(view: View, pages: Mapping[str, Page]) -> Rendered:
    """Return the page of a view, or a page that explains the problem; may raise Redirect."""
    try:
        if view.address.page not in pages:
            raise PageProblem("There is no such page", f"Nothing is at {view.address.path}.")
        return pages[view.address.page].render(view)
    except PageProblem as problem:
        collection = view.address.collection
        return Rendered(problem.title, shell.problem(problem), collection, files=())


def update(view: View, before: View, pages: Mapping[str, Page]) -> Changes | None:
    """Return the changes between two views of one page; None if it must be rendered anew."""
    try:
        page = pages.get(view.address.page)
        if page is None or not page.updates(view.address, before.address):
            return None
        return page.update(view, before)
    except PageProblem:
        return None  # rendering it anew shows the problem


def _is_page(path: str) -> bool:
    try:
        return bool(address.parse(path, ""))
    except PageProblem:
        return False


def _read(store: Store, path: str, search: str | None) -> Address:
    """Read an address, or redirect if it is a saved view or contains hashes of runs."""
    asked = opened(store, address.parse(path, search))
    check_hashes(store, asked)
    return asked


OUTPUTS = {
    "body": Output(ids.PAGE, "children"),
    "navigation": Output(ids.NAVIGATION, "children"),
    "menu": Output(ids.MENU, "children"),
    "context": Output(ids.CONTEXT, "children"),
    "exports": Output(ids.EXPORTS, "children"),
    "title": Output(ids.TITLE, "data"),
    "rendered": Output(ids.RENDERED, "data"),
    "changes": Output(ids.CHANGES, "data"),
    "redirect": Output(ids.REDIRECT, "data"),
    "menu_open": Output(ids.MENU_BURGER, "opened"),
}
"""The parts of the screen that the callback of the pages sets."""


def _register_shell(
    app: Dash,
    store_of_request: StoreOfRequest,
    pages: Mapping[str, Page],
    view_of: Callable[[Store, Address, theme.Scheme], View],
) -> None:
    @callback(
        app,
        output=OUTPUTS,
        inputs={
            "path": Input(ids.URL, "pathname"),
            "search": Input(ids.URL, "search"),
            # As an input it delays the first page until the browser has reported its scheme.
            "scheme": Input(ids.SCHEME, "data"),
        },
        state={"on_screen": State(ids.RENDERED, "data")},
        prevent_initial_call=True,
    )
    def show_page(
        *,
        path: str | None,
        search: str | None,
        scheme: str | None,
        on_screen: dict[str, Any] | None,
    ) -> dict[str, Any]:
        unchanged = dict.fromkeys(OUTPUTS, no_update)
        if path is None:
            return unchanged
        store = store_of_request()
        try:
            view = view_of(store, _read(store, path, search), theme.as_scheme(scheme))
            before = _view_on_screen(store, on_screen)
            if before == view:
                return unchanged
            changes = update(view, before, pages) if before else None
            if changes is not None:
                others, values = without_controls(changes)
                # The browser sets them. If the user has chosen something else meanwhile, Dash drops
                # the outputs of the older answer, but would still apply what `set_props` sets.
                set_there = [
                    # An id that is a dictionary becomes a tuple of pairs, so that it can be a key.
                    (component if isinstance(component, str) else dict(component), properties)
                    for component, properties in others.items()
                ]
                current = on_screen_now(view, path, search)
                now = {**(on_screen or {}), **current, "controls": values}
                parts = {"rendered": now, "changes": set_there}
                return unchanged | parts | shell.follow(view.address, now)
            rendered = render(view, pages)
        except Redirect as redirect:
            return unchanged | {"redirect": redirect.href}
        except PageProblem as problem:
            view = View(store, Address("home"), theme.as_scheme(scheme))
            rendered = Rendered(problem.title, shell.problem(problem), files=())
        here = shell.here(view, rendered, on_screen)
        return {
            "body": rendered.body,
            "navigation": shell.links(here),
            "menu": shell.links(here),
            "context": shell.context(here, rendered),
            "exports": _exports(view, rendered, pages),
            "title": f"{rendered.title} · {shell.NAME}",
            "rendered": {
                **on_screen_now(view, path, search),
                "defaults": dict(rendered.defaults),
                "keep": here.kept.href if here.kept else None,
                "judged": here.judged,
            },
            "changes": None,
            "redirect": no_update,
            # A menu that was opened before the first page was rendered remains open.
            "menu_open": no_update if on_screen is None else False,
        }

    ids.register(app)


def _exports(view: View, rendered: Rendered, pages: Mapping[str, Page]) -> Any:
    """The menu of files in which a view can be downloaded."""
    page = pages.get(view.address.page)
    if page is None:
        return None
    names = tuple(page.files) if rendered.files is None else rendered.files
    return shell.menu(view.address, names, page.contents)


def on_screen_now(view: View, path: str, search: str | None) -> dict[str, str]:
    """The address on the screen, as the browser stores it, and the requested address."""
    asked = f"{path}{search or ''}"
    return {"href": view.address.href, "asked": asked, "scheme": view.scheme}


def _view_on_screen(store: Store, on_screen: Mapping[str, Any] | None) -> View | None:
    if not on_screen:
        return None
    try:
        before = address.parse_href(str(on_screen["href"]))
        return View(store, before, theme.as_scheme(on_screen["scheme"]))
    except PageProblem:
        return None
