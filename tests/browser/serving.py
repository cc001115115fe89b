"""A dashboard that runs while a test does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dashboard.app import create_app
from dashboard.serving import server
from evalstore.server.setup import PublicUrl, at_public_url
from evalstore.store import Store


@contextmanager
def serving(store: Store, prefix: str = "", port: int = 0) -> Iterator[str]:
    """The dashboard over a store, on a port of this machine (0: a free one); gives its address.

    With a prefix it is below that path, as the team's server is.
    """
    wsgi: Any = create_app(store, prefix=prefix).server
    if prefix:
        wsgi = at_public_url(wsgi, PublicUrl("http", "127.0.0.1", 80, prefix))
    running = server.Server(wsgi, "127.0.0.1", port)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    try:
        yield server.address("127.0.0.1", running.port) + prefix
    finally:
        running.stop()
        thread.join()
        running.close()
