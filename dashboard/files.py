"""Tables and figures as files, each at its own address, which also serves scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from flask import Response, request

from dashboard import address
from dashboard.address import Address
from dashboard.problems import PageProblem

FILES = "/export"
"""Below it are files: the path of a page and a name, `/export/c/core17/leaderboard.csv`."""


@dataclass(frozen=True)
class File:
    """A file to download: its name, its content and its media type."""

    name: str
    content: str | bytes
    media_type: str = "text/csv"


def href(page: Address, name: str) -> str:
    """The address of a file about a page: `leaderboard.csv`."""
    return f"{FILES}{page.path.rstrip('/')}/{name}{page.search}"


def answer(path: str, make: Callable[[Address], File]) -> Response:
    """Answer a request for a file about the page at `path`, with the parameters of the request.

    Errors are a line of text with the status of the problem.
    """
    search = request.query_string.decode("utf-8", "replace")
    try:
        file = make(address.parse(path, search))
    except PageProblem as problem:
        return Response(f"{problem.sentence}\n", problem.status, mimetype="text/plain")
    response = Response(file.content, mimetype=file.media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return response


def file_name(*parts: str, suffix: str) -> str:
    """A name for a disk and a header: letters, digits and a few signs of each part."""
    safe = [re.sub(r"[^A-Za-z0-9@._]+", "-", part).strip("-.")[:40] for part in parts]
    return f"{'_'.join(part for part in safe if part)}{suffix}"
