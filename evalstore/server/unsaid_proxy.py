"""A warning in the log where a proxy stands in front of a server that was not told so."""

from __future__ import annotations

import logging
import threading

from flask import Flask, request, request_started

HEADERS = {"HTTP_X_FORWARDED_FOR": "X-Forwarded-For", "HTTP_FORWARDED": "Forwarded"}
"""What proxies add, as WSGI calls it."""


def register(server: Flask) -> None:
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
