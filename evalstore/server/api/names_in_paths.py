"""Names in the paths of the API, also those with a slash in them: `beir/scifact`.

A program writes such a slash as %2F. Servers decode it before the path is looked up, and then it
would part the path; so here it is kept as a control character, which no name has, until the names
are taken out of the path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from werkzeug.routing import BaseConverter

from dashboard.serving.sent_path import sent_path
from evalstore.server.api.operation import ROOT

KEPT = "\x1f"
_SLASH = re.compile("%2f", re.IGNORECASE)


class NameConverter(BaseConverter):
    """A part of a path that is a name: `<name:collection>`."""

    def to_python(self, value: str) -> str:
        """The name as it was given."""
        return value.replace(KEPT, "/")

    def to_url(self, value: Any) -> str:
        """The name as it is written in a path."""
        return quote(str(value), safe="")


class SlashesInNames:
    """A layer before the app that keeps the slashes of names in the paths of the API."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self._app = app

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request, as WSGI asks."""
        path = sent_path(environ)
        if path.startswith(f"{ROOT}/") and _SLASH.search(path):
            kept = unquote_to_bytes(_SLASH.sub(quote(KEPT), path))
            environ["PATH_INFO"] = kept.decode("latin-1")
        return self._app(environ, start_response)
