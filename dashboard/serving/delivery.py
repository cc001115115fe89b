"""Delivery of responses: compressed, and cached by browsers as long as they are valid.

Dash serves its files uncompressed. Here a file is compressed at the first request, and then cached
in the memory of the app: all files together are about 2 MB.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import partial

from dash.exceptions import DependencyException
from flask import Flask, Response, request

from dashboard import vendored

FILES = ("/_dash-component-suites/", "/assets/")
TEXTS = frozenset(
    {
        *("text/html", "text/css", "text/csv", "text/plain", "text/javascript"),
        *("application/javascript", "application/json", "image/svg+xml"),
    }
)
SMALLEST = 1024
"""The smallest response, in bytes, that is worth compressing."""

FOR_EVER = "max-age=31536000, immutable"
"""The Cache-Control header for addresses whose content never changes: each version has its own."""

_NAME_WITH_VERSION = re.compile(r"\.v[\w-]+m[0-9a-f]+\.")


def register(server: Flask) -> None:
    """Compress responses, set how long they are valid, and add the addresses of vendor/.

    A file that no component library has gives 404; Dash itself would raise an error.
    """
    packed_files: dict[bytes, bytes] = {}  # compressed files by the digest of their content

    for script in vendored.SCRIPTS:
        server.add_url_rule(script.path(), script.name, partial(_send, script))

    @server.errorhandler(DependencyException)
    def no_such_file(_: DependencyException) -> Response:
        return Response("There is no such file.\n", 404, mimetype="text/plain")

    @server.after_request
    def deliver(response: Response) -> Response:
        is_file = request.path.startswith(FILES)
        if response.status_code != 200 or (response.is_streamed and not is_file):
            return response
        if is_file:
            response.direct_passthrough = False  # makes the content available here
            _keep(response)
        elif "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "no-cache"
        if response.status_code == 200:
            _compress(response, packed_files if is_file else None)
        return response


def _send(script: vendored.Script) -> Response:
    is_packed = _takes_gzip()
    response = Response(
        script.packed() if is_packed else script.source(), mimetype="text/javascript"
    )
    if is_packed:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Cache-Control"] = FOR_EVER
    response.vary.add("Accept-Encoding")
    return response


def _keep(response: Response) -> None:
    """Let browsers cache a file: for ever if its address has a version, otherwise with a check."""
    # Dash writes the version into the name of a file, and the time of its last change behind an
    # asset.
    if _NAME_WITH_VERSION.search(request.path) or "m" in request.args:
        response.headers["Cache-Control"] = FOR_EVER
        return
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    # Weak, since the file and its compressed form have the same tag.
    response.set_etag(response.get_etag()[0] or "", weak=True)
    response.make_conditional(request)


def _compress(response: Response, packed_files: dict[bytes, bytes] | None) -> None:
    if response.mimetype not in TEXTS or "Content-Encoding" in response.headers:
        return
    content = response.get_data()
    if len(content) < SMALLEST:
        return
    response.vary.add("Accept-Encoding")
    if not _takes_gzip():
        return
    if packed_files is None:
        packed = gzip.compress(content, 4, mtime=0)
    else:
        digest = hashlib.sha256(content).digest()
        packed = packed_files.get(digest) or gzip.compress(content, 9, mtime=0)
        packed_files[digest] = packed
    response.set_data(packed)
    response.headers["Content-Encoding"] = "gzip"


def _takes_gzip() -> bool:
    return request.accept_encodings.quality("gzip") > 0
