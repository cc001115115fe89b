"""Tables and figures as files, each at an address of its own that scripts can use too.

The file `queries.csv` of the page /c/core17/compare?runs=a,b is at
/export/c/core17/compare/queries.csv?runs=a,b. A page lists its files in `Page.files`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from flask import Flask, Response, request

from dashboard import address
from dashboard.address import Address
from dashboard.components.copy_link import opened
from dashboard.components.problems import PageProblem, Redirect, sentence
from dashboard.page import File, Page, StoreOfRequest, View
from dashboard.serving.access import sent_path
from evalstore.errors import MissingExtra
from evalstore.tables.renderers import delimited
from evalstore.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FILES = "/export"


def href(page: Address, name: str) -> str:
    """The address of a file of a page."""
    return address.linked(f"{FILES}{page.path.rstrip('/')}/{name}{page.search}")


def register(server: Flask, store_of_request: StoreOfRequest, pages: Mapping[str, Page]) -> None:
    """Add the addresses of the files; errors are one line of text with a matching HTTP status."""

    @server.get(f"{FILES}/<path:path>")
    def file(path: str) -> Response:
        page, _, name = sent_path(request.environ).removeprefix(FILES).rpartition("/")
        search = request.query_string.decode("utf-8", "replace")
        try:
            store = store_of_request()
            asked = opened(store, address.parse(page, search))
            return _file(View(store, asked), unquote(name), pages)
        except Redirect as redirect:
            to, mark, search = redirect.href.partition("?")
            page = address.without_prefix(to).rstrip("/")
            to = address.linked(f"{FILES}{page}/{name}{mark}{search}")
            return Response(status=302, headers={"Location": to})
        except PageProblem as problem:
            return Response(f"{problem.sentence}\n", problem.status, mimetype="text/plain")


def _file(view: View, name: str, pages: Mapping[str, Page]) -> Response:
    make = pages[view.address.page].files.get(name) if view.address.page in pages else None
    if make is None:
        raise PageProblem("There is no such file", f"This page has no file {name}.")
    if name.endswith(FIGURES) and (missing := figures_need()):
        raise PageProblem("This file can't be made", missing, status=501)
    file = make(view)
    response = Response(file.content, mimetype=file.media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return response


def csv_file(table: Table, name: str) -> File:
    """A table as CSV with all digits; texts that spreadsheets would run as formulas are guarded."""
    return File(name, delimited(table, ",", guard_formulas=True))


def file_name(*parts: str, suffix: str) -> str:
    """A name that is safe for disks and headers: letters, digits and a few signs of each part."""
    safe = [re.sub(r"[^A-Za-z0-9@._]+", "-", part).strip("-.")[:40] for part in parts]
    return f"{'_'.join(part for part in safe if part)}{suffix}"


# Figures as files: for the web and for editing, for slides, and for papers

Form = Literal["svg", "png", "pdf"]

FORMS: Mapping[Form, str] = MappingProxyType(
    {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
)
"""The media types of the formats of figures, by suffix."""
FIGURES = tuple(f".{form}" for form in FORMS)
DPI = 200
"""Pixels per inch of a PNG for slides: 1,280 x 800 for a figure of 6.4 x 4 inches."""


def figures_need() -> str:
    """The sentence about packages that files of figures need; empty if none is missing."""
    if find_spec("matplotlib") is not None:
        return ""
    return sentence(MissingExtra("a figure as a file", "plots", "matplotlib"))


def figure_file(figure: Figure, name: str, form: Form) -> File:
    """A matplotlib figure as a file; `name` has no suffix."""
    from dashboard.figures import static  # noqa: PLC0415  (slow, and needed for files alone)

    stream = io.BytesIO()
    static.save(figure, stream, form, DPI)
    return File(f"{name}.{form}", stream.getvalue(), FORMS[form])
