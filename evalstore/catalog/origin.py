"""Where and from what a run is made: facts that this process knows without being asked."""

from __future__ import annotations

import socket
from pathlib import Path

from evalstore.catalog.checkout import find_checkout
from evalstore.catalog.given_facts import GivenFacts
from evalstore.store.queries import events


def find_origin(folder: Path) -> GivenFacts:
    """The host, the account, and the commit of the git checkout that holds a folder.

    They are those of the process that ingests. That they are the engine's too is an assumption,
    true where a run is ingested where it was made.
    """
    checkout = find_checkout(folder)
    return GivenFacts(
        host=_line(socket.gethostname()),
        started_by=_line(events.user()),
        commit=None if checkout is None else checkout.commit,
        commit_dirty=None if checkout is None else checkout.is_dirty,
    )


def _line(name: str) -> str | None:
    """The name, where it can be stored as one line."""
    return name if name.strip() and name.isprintable() and len(name) <= 200 else None
