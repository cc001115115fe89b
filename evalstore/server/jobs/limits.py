"""What the server takes from those who send files; stored with the other settings of the server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from evalstore.errors import DataError, did_you_mean
from evalstore.server.setup import settings
from evalstore.store import Store
from evalstore.store.access.settings import load_settings, set_settings
from evalstore.store.queries import events

KEY = "limit_"
"""How the names of these settings begin in the store."""

MIB = 1 << 20
GIB = 1 << 30
LARGEST = 1 << 50


@dataclass(frozen=True)
class Limits:
    """Limits of what is sent. Each is a setting of the same name.

    Attributes:
        upload_bytes: of one file, as it is sent.
        unpacked_bytes: of one file, once unpacked.
        ratio: how many times larger than what was sent a file may be once unpacked, where that is
            more than 64 MiB.
        lines: of one file.
        quota_bytes: of all files of one collection that are being sent or wait to be stored; what
            is stored has no limit.
        free_bytes: what stays free on the disk of the spool.
        uploads: requests that send a file at once, in each process.
        waiting_jobs: jobs in the queue.
        keep_hours: how long a file is kept that nothing came of.
        spool: the folder of the files; empty for the one that `spool_folder` tells.
    """

    upload_bytes: int = 2 * GIB
    unpacked_bytes: int = 8 * GIB
    ratio: int = 100
    lines: int = 100_000_000
    quota_bytes: int = 20 * GIB
    free_bytes: int = GIB
    uploads: int = 4
    waiting_jobs: int = 1000
    keep_hours: int = 24
    spool: str = ""

    def most_unpacked(self, sent: int) -> int:
        """The bytes that a file of so many bytes may have once unpacked."""
        return min(self.unpacked_bytes, max(self.ratio * sent, 64 * MIB))


NAMES = tuple(field.name for field in fields(Limits))


def load_limits(store: Store) -> Limits:
    """The limits of a store's server."""
    with store.read() as connection:
        stored = load_settings(connection)
    return _limits({name: stored[KEY + name] for name in NAMES if KEY + name in stored})


def change_limits(store: Store, changes: Mapping[str, str]) -> Limits:
    """Change limits; returns all of them. A server takes them over when it starts.

    Raises:
        NotSetUp: the store has no server.
        DataError: there is no such limit, or it can't have that value.
    """
    settings(store)
    for name in changes:
        if name not in NAMES:
            raise DataError(f"there is no limit {name!r}{did_you_mean(name, NAMES)}")
    limits = _limits(changes)
    values = {name: str(getattr(limits, name)) for name in changes}

    def work(connection: Connection) -> None:
        set_settings(connection, {KEY + name: value for name, value in values.items()})
        now = datetime.now(UTC)
        for name, value in values.items():
            events.log(connection, "server", None, name, now, change="limit", value=value)

    if values:
        store.transact(work)
    return load_limits(store)


def spool_folder(store: Store, limits: Limits) -> Path:
    """The folder of the files that are sent: the one that is set, or beside the store's file.

    For a database on a server it is among what programs keep for the account that runs this one;
    systemd names that folder in STATE_DIRECTORY.
    """
    if limits.spool:
        return Path(limits.spool)
    if store.file is not None:
        return store.file.resolve().with_name(f"{store.file.name}-spool")
    given = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    kept = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return (Path(given) if given else Path(kept) / "evalstore") / f"{store.name}-spool"


def _limits(values: Mapping[str, str]) -> Limits:
    limits = Limits()
    for name, value in values.items():
        if name == "spool":
            if value and not Path(value).is_absolute():
                raise DataError(f"the folder of the spool is an absolute path, not {value!r}")
            limits = replace(limits, spool=value)
            continue
        is_number = value.isascii() and value.isdigit() and len(value) < 20
        number = int(value) if is_number else -1
        if not (number <= LARGEST and (number > 0 or (number == 0 and name == "free_bytes"))):
            raise DataError(f"the limit {name} can't be {value!r}: it is a whole number above 0")
        changed: dict[str, Any] = {name: number}
        limits = replace(limits, **changed)
    return limits
