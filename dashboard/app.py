"""The dashboard as a WSGI app: `create_app` makes it, `serve` runs it.

Nothing lives at module level: two apps over two stores in one process don't know each other. For
the same reason the pages are routed here and not through `dash.register_page`, whose registry is
the process's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, no_update

from dashboard import downloads, headers, ids, server, shell, theme
from dashboard.links import PageProblem
from dashboard.page import Page, Rendered, callback
from dashboard.pages import PAGES
from evalstore.store import Store

HOST = "127.0.0.1"
PORT = 8050


def create_app(store: Store, *, pages: Sequence[Page] = PAGES) -> Dash:
    """Return the dashboard over this store; its `.server` is the WSGI app."""
    app = Dash(
        "evalstore-dashboard",
        assets_folder=str(Path(__file__).parent / "assets"),
        # Loaded in the head, by the index: it sets the colours before the first paint.
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
    app.layout = shell.layout(store.url_shown, pages)
    _register_shell(app, store, pages)
    for page in pages:
        page.register(app, store)
    downloads.register(app.server, store)
    headers.register(
        app.server,
        headers.content_security_policy(app.csp_hashes()),
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
    """Serve the dashboard until interrupted; `on_ready` gets the address once it is held.

    Raises `server.AddressUnavailable` (an EvalstoreError) where the port is taken.
    """
    server.run(create_app(store).server, host, port, on_ready)


def render(store: Store, pages: Sequence[Page], path: str, search: str) -> Rendered:
    """Return the page at an address; one that explains itself where there is none to show."""
    page = next((page for page in pages if page.path == _normal(path)), None)
    try:
        if page is None:
            raise PageProblem(
                "There is no such page",
                f"Nothing is at {path}.",
                link_text="Go to the runs",
            )
        return page.render(store, search)
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
        Output(ids.SHOWN, "data"),
        Output(ids.MENU_BURGER, "opened"),
        Input(ids.URL, "pathname"),
        Input(ids.URL, "search"),
        State(ids.SHOWN, "data"),
        prevent_initial_call=True,
    )
    def show_page(path: str | None, search: str | None, shown: str | None) -> Any:
        address = f"{path}{search or ''}"
        if address == shown:
            # The page itself wrote this address after one of its controls moved.
            return (no_update,) * 7
        rendered = render(store, pages, path or "/", search or "")
        return (
            rendered.body,
            shell.navigation(pages, _normal(path or "/")),
            shell.navigation(pages, _normal(path or "/")),
            shell.context(rendered.collection),
            f"{rendered.title} · {shell.NAME}",
            address,
            # Who opened the menu before the first page was there did not leave by it.
            no_update if shown is None else False,
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
