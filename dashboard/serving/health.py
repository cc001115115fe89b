"""A path for programs that watch the server: whether it answers and can read its store."""

from __future__ import annotations

import logging

from flask import Flask, Response, jsonify

from dashboard.page import StoreOfRequest
from dashboard.serving.access import HEALTH
from evalstore.catalog.collections import collections
from evalstore.errors import StoreError


def register(server: Flask, store_of_request: StoreOfRequest) -> None:
    """Add the path: 200 and `{"status": "ok"}`, or 503 while the store can't be read."""

    @server.get(HEALTH)
    def health() -> tuple[Response, int]:
        try:
            collections(store_of_request())
        except StoreError as error:
            # The reason may name a host or a folder: it is for the terminal of the server.
            logging.getLogger("dashboard").warning("%s", error)
            return jsonify(status="the store can't be read"), 503
        return jsonify(status="ok"), 200
