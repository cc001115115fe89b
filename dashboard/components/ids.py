"""The ids of the components that callbacks use."""

from __future__ import annotations

from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State

# The shell, which is on every page.
URL = "url"
RENDERED = "rendered"  # the view on the screen: see `app.on_screen_now`
CHANGES = "changes"  # the component properties that change with it
REDIRECT = "redirect"  # an address to go to instead of the requested one
PAGE = "page"
TITLE = "title"
SCHEME = "scheme"  # "light" or "dark", as computed in the browser
SCHEME_TOGGLE = "scheme-toggle"
NAVIGATION = "navigation"
MENU = "menu"
MENU_BURGER = "menu-burger"
APP_SHELL = "app-shell"
CONTEXT = "context"
COLLECTION = "collection"
COPY_LINK = "copy-link"
LINK = "link"  # the link that the button made: see `copy_link.Link`
LINK_BOX = "link-box"
VIEW_NAME = "view-name"  # a name to save the view under: {"name": ..., "at": ...}
VIEW_REMOVED = "view-removed"  # a saved view to remove from the list: {"key": ..., "at": ...}
VIEW_SAVED = "view-saved"  # the result of either: see `saved_views.register`
EXPORTS = "exports"
EXPORT_MENU = "export-menu"
SEARCH_ASKED = "search-asked"  # what is searched: see `search_dialog.Asked`
SEARCH_DIALOG = "search-dialog"
SEARCH_TEXT = "search-text"
SEARCH_RESULTS = "search-results"
SEARCH_COUNT = "search-count"


def graph(name: str) -> dict[str, str]:
    """The id of a figure whose points can be clicked.

    The last text of a point's `customdata` is an address to open, or JSON with parameters of the
    page (`follow` in assets/evalstore.js).
    """
    return {"graph": name}


def control(parameter: str) -> dict[str, str]:
    """The id of a component whose `value` is a parameter of the address.

    The browser writes it into the address (`control` in assets/evalstore.js).
    """
    return {"control": parameter}


# The callbacks that run only in the browser: see assets/evalstore.js


def register(app: Dash) -> None:
    """Add the browser callbacks to an app."""

    def in_browser(function: str, *dependencies: Any, **options: Any) -> None:
        app.clientside_callback(ClientsideFunction("evalstore", function), *dependencies, **options)

    in_browser("title", Input(TITLE, "data"))
    in_browser("scheme", Output(SCHEME, "data"), Input(URL, "href"))
    in_browser("rendered", Input(RENDERED, "data"), State(CHANGES, "data"))
    in_browser("redirect", Input(REDIRECT, "data"))
    in_browser("collection", Input(COLLECTION, "value"), prevent_initial_call=True)
    in_browser("follow", Input({"graph": ALL}, "clickData"), prevent_initial_call=True)
    in_browser("dim", Input({"graph": ALL}, "hoverData"), prevent_initial_call=True)
    in_browser("control", Input({"control": ALL}, "value"), prevent_initial_call=True)
    in_browser(
        "menu",
        Output(APP_SHELL, "navbar"),
        Output(MENU_BURGER, "aria-expanded"),
        Input(MENU_BURGER, "opened"),
        State(APP_SHELL, "navbar"),
    )
