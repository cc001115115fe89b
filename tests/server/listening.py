"""A team's server that listens on this machine, in threads of the test, with a worker beside it."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from free_ports import free_port
from sending import working
from werkzeug.serving import WSGIRequestHandler, make_server

from evalstore.server.app import create_server
from evalstore.server.setup import set_up
from evalstore.store import Store


@dataclass(frozen=True)
class Listening:
    """A server that listens.

    Attributes:
        url: its address.
        port: where it listens itself.
        store: the whole store behind it.
        requests: the method and path of each request, and whether a token came with it.
    """

    url: str
    port: int
    store: Store
    requests: list[tuple[str, str, bool]] = field(default_factory=list)


class Silent(WSGIRequestHandler):
    """Answers requests, and prints no line for each."""

    def log(self, type: str, message: str, *args: object) -> None:
        """Print nothing."""


@contextmanager
def listening(store: Store, public_port: int | None = None) -> Iterator[Listening]:
    """A server over a store that is filled already; its URL may be that of a proxy before it."""
    port = free_port()
    url = f"http://127.0.0.1:{public_port or port}"
    set_up(store, url, "ann", "correct horse battery")
    app = create_server(store, log=io.StringIO())
    served = Listening(url, port, store)
    inner = app.wsgi_app

    def seen(environ, start_response):  # type: ignore[no-untyped-def]
        asked = (environ["REQUEST_METHOD"], environ["PATH_INFO"], "HTTP_AUTHORIZATION" in environ)
        served.requests.append(asked)
        return inner(environ, start_response)

    app.wsgi_app = seen  # type: ignore[method-assign]
    server = make_server("127.0.0.1", port, app, threaded=True, request_handler=Silent)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        with working(store):
            yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
