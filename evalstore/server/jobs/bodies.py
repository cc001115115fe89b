"""Reading the body of a request in pieces, from clients that may be slow, or stop in the middle."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from evalstore.server.problems import HttpError

PIECE = 1 << 16
"""The bytes that are read at a time."""

SECONDS_FOR_PIECE = 10
"""How long a client may take to send a piece: slower than 6 KiB a second is ended."""


def body_pieces(most: int) -> Iterator[bytes]:
    """The body of the request, in pieces of up to `PIECE` bytes.

    A client of gunicorn that stalls, or sends a byte now and then, is ended: it would keep a
    thread.

    Raises:
        HttpError: the client was too slow, or sends more than `most` bytes.
    """
    request.max_content_length = most
    with _watched() as watch:
        while True:
            watch.wait_for_piece()
            try:
                piece = request.stream.read(PIECE)
            except RequestEntityTooLarge:
                raise HttpError(413, f"the body has more than {most:,} bytes") from None
            except ClientDisconnected:
                watch.refuse_slow()
                raise HttpError(400, "the body ended too early") from None
            except (OSError, ValueError):
                raise  # of the program
            except Exception as error:
                if not type(error).__module__.startswith("gunicorn."):
                    raise
                watch.refuse_slow()
                raise HttpError(400, "the body ended too early") from None
            if not piece:
                watch.refuse_slow()
                return
            yield piece


class _Watch:
    """Ends a connection that sends no piece within `SECONDS_FOR_PIECE`."""

    def __init__(self, connection: socket.socket | None) -> None:
        self._connection = connection
        self._came = threading.Event()
        self._over = threading.Event()
        self._is_slow = False

    def wait_for_piece(self) -> None:
        """Give the next piece its time."""
        self._came.set()

    def refuse_slow(self) -> None:
        """Tell a client that was ended why.

        Raises:
            HttpError: it was.
        """
        if self._is_slow:
            seconds = f"{SECONDS_FOR_PIECE} seconds"
            raise HttpError(
                408, f"nothing came for {seconds}, or a few bytes: the upload can go on"
            )

    def run(self) -> None:
        """Watch, in a thread of its own, until `stop`."""
        while not self._over.is_set():
            self._came.clear()
            if self._over.wait(SECONDS_FOR_PIECE) or self._came.is_set():
                continue
            self._is_slow = True
            if self._connection is not None:
                try:
                    self._connection.shutdown(socket.SHUT_RD)  # the read ends; answers still go
                except OSError:
                    return
            return

    def stop(self) -> None:
        """End the watching."""
        self._over.set()


@contextmanager
def _watched() -> Iterator[_Watch]:
    connection = request.environ.get("gunicorn.socket")
    watch = _Watch(connection)
    if connection is None:  # waitress has the whole body before it asks
        yield watch
        return
    thread = threading.Thread(target=watch.run, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        watch.stop()
