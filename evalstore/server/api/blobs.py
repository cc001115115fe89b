"""Sending files, whole or in pieces."""

from __future__ import annotations

import re

from flask import Response, request

from evalstore.server.api.collections_to_write import collection_to_write
from evalstore.server.api.operation import Asked, Parameters
from evalstore.server.api.sending import sending_of_app
from evalstore.server.jobs.bodies import body_pieces
from evalstore.server.jobs.uploads import OFFSET, SECONDS_TO_WAIT, Piece, Progress
from evalstore.server.reachable import once_reachable
from evalstore.server.refused import Refused

RANGE = re.compile(r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})", re.ASCII)
HASH = re.compile(r"sha256:([0-9a-f]{64})")


HEADERS = {
    "Content-Range": "The bytes of a piece: `bytes FIRST-LAST/TOTAL`; the whole file without it."
}
ANSWER_HEADERS = {
    OFFSET: "The bytes of the file that are here.",
    "Upload-Length": "The bytes that it has.",
    "Upload-Complete": "`?1` where all of it is here and has that hash, else `?0`.",
}


def file_progress(asked: Asked, chosen: Parameters, collection: str, blob: str) -> Response:
    """How much of a file is here, by its hash; 404 where nothing is."""
    collection_id = collection_to_write(asked, collection)
    progress = sending_of_app().uploads.progress(collection_id, _sha256(blob))
    if progress is None:
        raise Refused(404, "nothing of this file is here")
    return _answer(200, progress)


def send_file(asked: Asked, chosen: Parameters, collection: str, blob: str) -> Response:
    """Send a file, whole or the piece of it that begins where what is here ends.

    201 when all of it is here and has that hash, 202 for a piece. A piece that begins elsewhere is
    refused with 409, which has `Upload-Offset` too. Pieces of 8 to 16 MiB lose little when a
    connection breaks.
    """
    collection_id = once_reachable(lambda: collection_to_write(asked, collection))
    sha256, piece = _sha256(blob), _piece()
    sending = sending_of_app()
    if not sending.upload_slots.take():
        wait = {"Retry-After": str(SECONDS_TO_WAIT)}
        raise Refused(429, "too many files are being sent: send it again later", wait)
    try:
        # A byte more than there should be shows that the body is longer than it says.
        content = body_pieces(piece.length + 1)
        progress = sending.uploads.receive(collection_id, sha256, piece, content)
    finally:
        sending.upload_slots.give_back()
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
