"""Sending files, whole or in pieces."""

from __future__ import annotations

import re

from flask import Response, request

from evalstore.server.api.collections_to_write import collection_to_write
from evalstore.server.api.slots import Slots
from evalstore.server.bodies import body_pieces
from evalstore.server.refused import Refused
from evalstore.server.uploads import OFFSET, SECONDS_TO_WAIT, Piece, Progress, Uploads

RANGE = re.compile(r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})", re.ASCII)
HASH = re.compile(r"sha256:([0-9a-f]{64})")


class BlobViews:
    """`HEAD` and `PUT` of a file by its hash."""

    def __init__(self, uploads: Uploads, slots: Slots) -> None:
        self._uploads = uploads
        self._slots = slots

    def head(self, collection: str, blob: str) -> Response:
        """How much of a file is here; 404 where nothing is."""
        collection_id = collection_to_write(self._uploads.store, collection)
        sha256 = _sha256(blob)
        progress = self._uploads.progress(collection_id, sha256)
        if progress is None:
            raise Refused(404, "nothing of this file is here")
        return _answer(200, progress)

    def put(self, collection: str, blob: str) -> Response:
        """Take a file, or the next piece of one."""
        collection_id = collection_to_write(self._uploads.store, collection)
        sha256, piece = _sha256(blob), _piece()
        if not self._slots.take():
            wait = {"Retry-After": str(SECONDS_TO_WAIT)}
            raise Refused(429, "too many files are being sent: send it again later", wait)
        try:
            # A byte more than there should be shows that the body is longer than it says.
            content = body_pieces(piece.length + 1)
            progress = self._uploads.receive(collection_id, sha256, piece, content)
        finally:
            self._slots.give_back()
        return _answer(201 if progress.is_whole else 202, progress)


def _answer(status: int, progress: Progress) -> Response:
    answer = Response(status=status)
    answer.headers[OFFSET] = str(progress.offset)
    answer.headers["Upload-Length"] = str(progress.total)
    answer.headers["Upload-Complete"] = "?1" if progress.is_whole else "?0"
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _sha256(blob: str) -> str:
    match = HASH.fullmatch(blob)
    if match is None:
        raise Refused(404, "a file is named by its hash: sha256:HEX, 64 digits")
    return match[1]


def _piece() -> Piece:
    """Which bytes come: as Content-Range says, else the whole file, as long as Content-Length."""
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise Refused(415, "send the bytes of the file as they are, without Content-Encoding")
    length, text = request.content_length, request.headers.get("Content-Range")
    if text is None:
        if length is None:
            raise Refused(411, "say how long the file is: Content-Length, or Content-Range")
        return _fit(Piece(0, length, length))
    match = RANGE.fullmatch(text)
    if match is None:
        raise Refused(400, "Content-Range is written like bytes 0-8388607/250000000")
    first, last, total = (int(number) for number in match.groups())
    piece = Piece(first, last - first + 1, total)
    if not first <= last < total or length not in {None, piece.length}:
        raise Refused(400, "Content-Range does not fit itself, or the length of the body")
    return _fit(piece)


def _fit(piece: Piece) -> Piece:
    if piece.total == 0:
        raise Refused(422, "the file is empty")
    return piece
