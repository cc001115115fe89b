"""A dashboard that runs while a test does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dashboard import server
from dashboard.app import create_app
from evalstore.store import Store


@contextmanager
def serving(store: Store) -> Iterator[str]:
    """The dashboard over a store, on a free port of this machine; gives its address."""
    running = server.Server(create_app(store).server, "127.0.0.1", 0)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    try:
        yield server.address("127.0.0.1", running.port)
    finally:
        running.stop()
        thread.join()
        running.close()
