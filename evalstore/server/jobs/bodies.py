"""Reading the body of a request in pieces, from clients that may be slow or stop midway."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from flask import request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from evalstore.server.problems import HttpError

PIECE = 1 << 16
"""Maximum bytes of a piece."""

SECONDS_FOR_PIECE = 10
"""Seconds for a piece: a client slower than 6 KiB a second is cut off."""


def body_pieces(most: int) -> Iterator[bytes]:
    """Read the body of the request in pieces of up to `PIECE` bytes, `most` bytes in all.

    Under gunicorn a client that stalls, or sends a byte now and then, is cut off: it would keep a
    thread busy. HttpError if the client was too slow, stopped early or sent more.
    """
    request.max_content_length = most
    with _watched() as watch:
        while True:
            watch.came.set()
            try:
                piece = request.stream.read(PIECE)
            except RequestEntityTooLarge:
                raise HttpError(413, f"the body has more than {most:,} bytes") from None
            except Exception as error:
                if not _is_of_client(error):
                    raise
                watch.refuse_slow()
                raise HttpError(400, "the body ended too early") from None
            if not piece:
                watch.refuse_slow()
                return
            yield piece


def _is_of_client(error: Exception) -> bool:
    """Whether the client caused a read error; werkzeug turns an OSError into ClientDisconnected."""
    of_gunicorn = type(error).__module__.startswith("gunicorn.")
    of_program = isinstance(error, OSError | ValueError)
    return isinstance(error, ClientDisconnected) or (of_gunicorn and not of_program)


class _Watch:
    """Cuts off a client that sends no piece within `SECONDS_FOR_PIECE`, from another thread."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.over = threading.Event()
        self._is_slow = False

    def refuse_slow(self) -> None:
        """Raise HttpError if the client was cut off."""
        if self._is_slow:
            seconds = f"{SECONDS_FOR_PIECE} seconds"
            raise HttpError(
                408, f"nothing came for {seconds}, or a few bytes: the upload can go on"
            )

    def run(self, connection: socket.socket) -> None:
        """Watch until `over` is set."""
        while not self.over.is_set():
            self.came.clear()
            if self.over.wait(SECONDS_FOR_PIECE) or self.came.is_set():
                continue
            self._is_slow = True
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RD)  # the read ends; an answer can still be sent
            return


@contextmanager
def _watched() -> Iterator[_Watch]:
    watch, connection = _Watch(), request.environ.get("gunicorn.socket")
    if connection is not None:  # waitress reads the whole body before it calls the app
        threading.Thread(target=watch.run, args=(connection,), daemon=True).start()
    try:
        yield watch
    finally:
        watch.over.set()
