"""The origin of a run: facts that this process can find out."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path
from typing import NamedTuple

from evalstore.catalog.given_facts import GivenFacts
from evalstore.store.queries import events


def find_origin(folder: Path) -> GivenFacts:
    """The host, the account, and the commit of the git checkout that holds a folder.

    They describe this process, so they are right for a run that is ingested on the machine where
    its engine ran.
    """
    checkout = find_checkout(folder)
    return GivenFacts(
        host=_line(socket.gethostname()),
        started_by=_line(events.user()),
        commit=None if checkout is None else checkout.commit,
        commit_dirty=None if checkout is None else checkout.is_dirty,
    )


def _line(name: str) -> str | None:
    """The name, or None if it can't be stored as one line."""
    return name if name.strip() and name.isprintable() and len(name) <= 200 else None


# The git checkout that a command runs in, as the version of the code that made a run

SECONDS = 5
"""Seconds that git may take; it may have to wait for a network disk."""

COMMIT = "# branch.oid "
"""The prefix of the line with the commit in the output of `git status`."""


class Checkout(NamedTuple):
    """The commit that is checked out; `is_dirty`: files under version control were changed."""

    commit: str
    is_dirty: bool


def find_checkout(folder: Path) -> Checkout | None:
    """The git checkout that contains a folder; None without a checkout, git or commit.

    Files unknown to git don't count as changes. Nothing is written, not even git's index.
    """
    status = _git(folder, "status", "--porcelain=v2", "--branch", "--untracked-files=no")
    lines = (status or "").splitlines()
    commit = next((line.removeprefix(COMMIT) for line in lines if line.startswith(COMMIT)), None)
    if commit in (None, "(initial)"):
        return None
    return Checkout(commit, any(not line.startswith("#") for line in lines))


def _git(folder: Path, *arguments: str) -> str | None:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(  # noqa: S603  (the arguments are our own)
            ["git", "-C", str(folder), "--no-pager", *arguments],  # noqa: S607  (the user's git)
            capture_output=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None
