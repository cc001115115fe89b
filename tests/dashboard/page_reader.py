"""Reads a page back: its tables, its attributes, and the documents for its script."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any


class PageReader(HTMLParser):
    """What a page holds.

    Attributes:
        tables: by id, the texts of the cells, a list a row; the header is the first.
        text: by id, the text of other elements.
        addresses: what elements refer to: src, href, action, ...
        elements: the names of the elements.
        documents: by id, the JSON of a script element.
        policy: the content security policy.
    """

    REFERRING = ("src", "href", "action", "data", "poster", "srcset", "xlink:href")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.text: dict[str, str] = {}
        self.addresses: list[str] = []
        self.elements: list[str] = []
        self.documents: dict[str, Any] = {}
        self.policy = ""
        self._table: list[list[str]] | None = None
        self._element = ""
        self._script = ""
        self._cell = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.elements.append(tag)
        self.addresses += [given[key] for key in self.REFERRING if key in given]
        assert not any(key.startswith("on") for key in given), given
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag == "table":
            self._table = self.tables.setdefault(given.get("id", ""), [])
        elif tag == "tr" and self._table is not None:
            self._table.append([])
        elif tag in ("td", "th") and self._table:
            self._table[-1].append("")
            self._cell = True
        elif tag == "script":
            self._script = given.get("id", "") if given.get("type") == "application/json" else ""
        elif "id" in given:
            self._element = given["id"]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._cell = False
        elif tag == "table":
            self._table = None
        elif tag == "script":
            self._script = ""
        elif tag == "p":
            self._element = ""

    def handle_data(self, data: str) -> None:
        if self._script:
            self.documents[self._script] = json.loads(data)
        elif self._cell and self._table:
            self._table[-1][-1] += data
        elif self._element:
            self.text[self._element] = self.text.get(self._element, "") + data

    def rows(self, table: str) -> list[dict[str, str]]:
        """The rows of a table, by the texts of its header."""
        header, *rows = self.tables[table]
        return [dict(zip(header, row, strict=True)) for row in rows]
