"""Addresses of the Compare page over the sample store, and how tests read the page."""

from __future__ import annotations

from typing import Any

from browserless import Browserless, find, text_of

TWO = "/c/small/compare?runs=bm25,tfidf"
THREE = "/c/small/compare?runs=bm25,tfidf,boolean"


def body(app: Browserless, address: str) -> Any:
    return app.page(address)["page"]["children"]


def changed(app: Browserless, address: str, more: str, scheme: str = "light") -> dict[str, Any]:
    """What another address of the page on the screen changes on it."""
    first = app.page(address)["rendered"]["data"]
    return app.go(address + more, first, scheme=scheme)


def query_heads(changes: Any) -> list[dict[str, Any]]:
    """The properties of the headings of the table of queries."""
    [head, _] = _queries(changes)
    heads: list[dict[str, Any]] = [
        th["props"] for th in head["props"]["children"]["props"]["children"]
    ]
    return heads


def query_rows(changes: Any) -> list[dict[str, Any]]:
    """The rows of the table of queries: their texts by heading, and whether one is marked."""
    names = [text_of(head["children"]).rstrip(" ▴▾↑↓") for head in query_heads(changes)]
    [_, rows] = _queries(changes)
    return [
        {
            **dict(zip(names, map(text_of, row["props"]["children"]), strict=True)),
            "marked": row["props"]["className"] == "row-marked",
        }
        for row in rows["props"]["children"]
    ]


def _queries(changes: Any) -> Any:
    """Head and body of the table of queries, of a page or of what changes on it."""
    if isinstance(changes, dict) and "queries-table" in changes:
        content = changes["queries-table"]["children"]
    else:
        content = find(changes, "queries-table")["children"]
    return content[0]["props"]["children"]["props"]["children"]
