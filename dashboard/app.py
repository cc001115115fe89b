"""The dashboard as a WSGI app: `create_app` makes it, `serve` runs it.

There is no state at module level: two apps over two stores in one process are independent. For
the same reason the pages are routed here and not through `dash.register_page`, whose registry
belongs to the process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, no_update

from dashboard import downloads, http_headers, ids, server, shell, theme
from dashboard.links import PageProblem
from dashboard.page import Page, Rendered, callback
from dashboard.pages import PAGES
from dashboard.theme import Scheme
from evalstore.store import Store

HOST = "127.0.0.1"
PORT = 8050


def create_app(store: Store, *, pages: Sequence[Page] = PAGES) -> Dash:
    """Return the dashboard over this store; its `.server` is the WSGI app."""
    app = Dash(
        "evalstore-dashboard",
        assets_folder=str(Path(__file__).parent / "assets"),
        # Loaded by the index, in the head: it sets the colours before the page is first drawn.
        assets_ignore=r"scheme\.js",
        pages_folder="",
        use_pages=False,
        serve_locally=True,
        title=shell.NAME,
        update_title="",
        # Components come and go with the pages.
        suppress_callback_exceptions=True,
        meta_tags=[{"name": "viewport", "content": "width=device-width, initial-scale=1"}],
        add_log_handler=False,
        enable_mcp=False,
    )
    app.index_string = shell.INDEX.replace("__VARIABLES__", theme.style_variables()).replace(
        "__SCHEME__", app.get_asset_url("scheme.js")
    )
    app.layout = shell.layout(store.name, pages)
    _register_shell(app, store, pages)
    for page in pages:
        page.register(app, store)
    downloads.register(app.server, store)
    http_headers.register(
        app.server,
        http_headers.content_security_policy(app.csp_hashes()),
        [page.path for page in pages],
    )
    return app


def serve(
    store: Store,
    host: str = HOST,
    port: int = PORT,
    *,
    on_ready: Callable[[str], object] | None = None,
) -> None:
    """Serve the dashboard until interrupted; `on_ready` gets the address once it listens there.

    Raises:
        server.AddressUnavailable: the port is taken, or the address is not this machine's.
    """
    server.run(create_app(store).server, host, port, on_ready)


def render(
    store: Store, pages: Sequence[Page], path: str, search: str, scheme: Scheme = "light"
) -> Rendered:
    """Return the page at an address, or one that says why there is none."""
    page = next((page for page in pages if page.path == _normal(path)), None)
    try:
        if page is None:
            raise PageProblem(
                "There is no such page",
                f"Nothing is at {path}.",
                link_text="Go to the runs",
            )
        return page.render(store, search, scheme)
    except PageProblem as problem:
        return Rendered(problem.title, shell.problem(problem))


def _normal(path: str) -> str:
    return path.rstrip("/") or "/"


def _register_shell(app: Dash, store: Store, pages: Sequence[Page]) -> None:
    @callback(
        app,
        Output(ids.PAGE, "children"),
        Output(ids.NAVIGATION, "children"),
        Output(ids.MENU, "children"),
        Output(ids.CONTEXT, "children"),
        Output(ids.TITLE, "data"),
        Output(ids.RENDERED, "data"),
        Output(ids.MENU_BURGER, "opened"),
        Input(ids.URL, "pathname"),
        Input(ids.URL, "search"),
        # An input, so that the first page waits until the browser has reported its scheme.
        Input(ids.SCHEME, "data"),
        State(ids.RENDERED, "data"),
        prevent_initial_call=True,
    )
    def show_page(
        path: str | None, search: str | None, scheme: str | None, on_screen: str | None
    ) -> Any:
        address = f"{path}{search or ''}"
        if path is None or address == on_screen:
            # Only the scheme changed, or the page itself wrote this address after a control moved.
            return (no_update,) * 7
        rendered = render(store, pages, path, search or "", theme.as_scheme(scheme))
        return (
            rendered.body,
            shell.navigation(pages, _normal(path)),
            shell.navigation(pages, _normal(path)),
            shell.context(rendered.collection),
            f"{rendered.title} · {shell.NAME}",
            address,
            # A menu that was opened before the first page was rendered stays open.
            no_update if on_screen is None else False,
        )

    def in_browser(function: str, *dependencies: Any) -> None:
        app.clientside_callback(ClientsideFunction("evalstore", function), *dependencies)

    in_browser("title", Input(ids.TITLE, "data"))
    in_browser("scheme", Output(ids.SCHEME, "data"), Input(ids.URL, "href"))
    in_browser(
        "menu",
        Output(ids.APP_SHELL, "navbar"),
        Input(ids.MENU_BURGER, "opened"),
        State(ids.APP_SHELL, "navbar"),
    )
