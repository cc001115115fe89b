"""The callbacks that only the browser runs: see assets/evalstore.js."""

from __future__ import annotations

from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State

from dashboard.components import ids


def register(app: Dash) -> None:
    """Add them to an app."""

    def in_browser(function: str, *dependencies: Any, **options: Any) -> None:
        app.clientside_callback(ClientsideFunction("evalstore", function), *dependencies, **options)

    in_browser("title", Input(ids.TITLE, "data"))
    in_browser("scheme", Output(ids.SCHEME, "data"), Input(ids.URL, "href"))
    in_browser("rendered", Input(ids.RENDERED, "data"))
    in_browser("redirect", Input(ids.REDIRECT, "data"))
    in_browser("collection", Input(ids.COLLECTION, "value"), prevent_initial_call=True)
    in_browser("follow", Input({"graph": ALL}, "clickData"), prevent_initial_call=True)
    in_browser("control", Input({"control": ALL}, "value"), prevent_initial_call=True)
    in_browser(
        "menu",
        Output(ids.APP_SHELL, "navbar"),
        Output(ids.MENU_BURGER, "aria-expanded"),
        Input(ids.MENU_BURGER, "opened"),
        State(ids.APP_SHELL, "navbar"),
    )
