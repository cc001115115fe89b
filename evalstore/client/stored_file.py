"""Let a server store files, which are sent where the server does not have them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from evalstore.client.connection import Server, in_path
from evalstore.client.problems import error_from
from evalstore.client.sending import PATIENCE, FileToSend, send

MOST_SENDINGS = 3
"""A file that is sent may be gone before it is asked for: the server was cleaned up."""
SECONDS_BETWEEN_LOOKS = 1.0


def store_file(
    server: Server,
    collection: str,
    kind: str,
    file: FileToSend | None,
    body: Mapping[str, Any],
    *,
    beside: Mapping[str, FileToSend] | None = None,
    sent: Callable[[int], None] = lambda _: None,
) -> dict[str, Any]:
    """Ask for a file, and those beside it, to be stored, and send what is not there.

    Args:
        server: the server.
        collection: the collection.
        kind: what is stored: `runs`, `qrels`, `documents` or `facts`.
        file: the file; None for facts, which have files beside only.
        body: what else the request has.
        beside: further files, by the parameters that name them.
        sent: called with the number of further bytes that are on the server.

    Returns:
        What the server says of what it stored.

    Raises:
        DataError: it can't be stored.
        StoreError: the server can't be reached, or refuses the token.
    """
    path = f"/collections/{in_path(collection)}/{kind}"
    further = beside or {}
    asked = {**body, **{name: _named(each) for name, each in further.items()}}
    files = [*further.values()]
    if file is not None:
        asked |= _named(file)
        files.insert(0, file)
    was_missing = False
    for number in itertools.count():
        accept = (409,) if number < MOST_SENDINGS else ()
        answer = server.ask(
            "POST", path, patience=PATIENCE, while_down=True, accept=accept, json=asked
        )
        if answer.status_code == 409:
            was_missing = True
            for each in files:
                send(server, collection, each, sent)
            continue
        content: dict[str, Any] = answer.json()
        if answer.status_code == 202:
            return _ended(server, content["id"])
        if was_missing and content["status"] == "already stored":
            # The file was not there when it was asked for first: an answer may have got lost.
            return _own_result(server, content["job"]) or content
        return content
    raise AssertionError  # the loop ends with an answer


def _named(file: FileToSend) -> dict[str, str]:
    return {"blob": f"sha256:{file.sha256}", "file": file.path}


def _own_result(server: Server, job: int) -> dict[str, Any] | None:
    """What a job answered that is the caller's own; None where it is another's."""
    path = f"/jobs/{int(job)}"
    answer = server.ask("GET", path, patience=PATIENCE, while_down=True, accept=(404,))
    if answer.status_code == 404:
        return None
    result: dict[str, Any] | None = answer.json()["result"]
    return result


def _ended(server: Server, job: int) -> dict[str, Any]:
    """What came of a job, when it has ended."""
    while True:
        answer = server.ask("GET", f"/jobs/{int(job)}", patience=PATIENCE, while_down=True)
        content: dict[str, Any] = answer.json()
        if content["state"] == "done":
            result: dict[str, Any] = content["result"]
            return result
        if content["state"] in ("failed", "cancelled"):
            detail = content["error"] or "the job was cancelled"
            raise error_from(422, {"detail": detail, "problem": content.get("problem")})
        server.pause(SECONDS_BETWEEN_LOOKS)
