"""Addresses of the Compare page over the sample store, and how tests read the page."""

from __future__ import annotations

from typing import Any

from browserless import Browserless, find

TWO = "/c/small/compare?runs=bm25,tfidf"
THREE = "/c/small/compare?runs=bm25,tfidf,boolean"


def body(app: Browserless, address: str) -> Any:
    return app.page(address)["page"]["children"]


def changed(app: Browserless, address: str, more: str, scheme: str = "light") -> dict[str, Any]:
    """What another address of the page on the screen changes on it."""
    first = app.page(address)["rendered"]["data"]
    return app.go(address + more, first, scheme=scheme)


def grid_rows(page: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = find(page, "queries-grid")["rowData"]
    return rows
