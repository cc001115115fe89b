"""One line of JSON for every request, on standard error; no query, no cookie, no token."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from datetime import UTC, datetime
from typing import Any, TextIO

from flask import Flask, Response, g, request, request_started

from evalstore.server.people.rights import Person

LONGEST_TEXT = 300


def register(server: Flask, stream: TextIO | None = None) -> None:
    """Write a line after each request, and errors of the program as lines too.

    Args:
        server: the app, before its first request.
        stream: where to; None for standard error, as it is then.
    """

    def begin(_: Flask) -> None:
        g.began = time.perf_counter()

    # Before whatever may refuse the request.
    request_started.connect(begin, server, weak=False)

    @server.after_request
    def end(response: Response) -> Response:
        write(line(response), stream)
        return response

    handler = _Lines(stream)
    for name in ("dashboard", "waitress", server.logger.name):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False


def line(response: Response) -> dict[str, Any]:
    """What is written of a request and its answer.

    No address of the server has a secret in its path.
    """
    person = g.get("person")
    rule = request.url_rule
    began = g.get("began", time.perf_counter())
    return {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "method": request.method,
        "path": request.path[:LONGEST_TEXT],
        "route": rule.rule if rule else None,
        "status": response.status_code,
        "ms": round((time.perf_counter() - began) * 1000, 1),
        "bytes": response.content_length,
        "who": person.name if isinstance(person, Person) else None,
        "token": person.token if isinstance(person, Person) else None,
        "address": request.remote_addr,
    }


def write(record: dict[str, Any], stream: TextIO | None) -> None:
    """Write a record as one line: JSON has escapes for line breaks and for what terminals obey."""
    out = stream or sys.stderr
    if out is not None:
        out.write(json.dumps(record) + "\n")
        out.flush()


class _Lines(logging.Handler):
    def __init__(self, stream: TextIO | None) -> None:
        super().__init__()
        self._stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        """Write what the program logs, with the traceback of an error, as a line of JSON."""
        content: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            content["error"] = logging.Formatter().formatException(record.exc_info)
        write(content, self._stream)


# A warning in the log where a proxy stands in front of a server that was not told so

HEADERS = {"HTTP_X_FORWARDED_FOR": "X-Forwarded-For", "HTTP_FORWARDED": "Forwarded"}
"""What proxies add, as WSGI calls it."""


def register_proxy_warning(server: Flask) -> None:
    """Warn once, at the first request that seems to come through a proxy.

    Without `--behind-proxy` all such requests have the address of the proxy: people wait for the
    failed logins of others, and the log does not tell where requests come from.
    """
    first = threading.Lock()  # taken by the request that warns, and kept

    def look(_: Flask) -> None:
        header = next((HEADERS[key] for key in HEADERS if key in request.environ), None)
        if header is not None and first.acquire(blocking=False):
            logging.getLogger("dashboard").warning(
                "a request has the header %s: if a proxy stands in front, let it add the address "
                "of the client to X-Forwarded-For and start with --behind-proxy, else failed "
                "logins of everybody are counted for the address of the proxy",
                header,
            )

    request_started.connect(look, server, weak=False)
