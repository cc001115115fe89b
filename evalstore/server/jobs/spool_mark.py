"""A mark in the folder of the files that are sent, by which a worker knows that it is the server's.

A worker with another folder, on another machine or started with other settings, would end each job
because its file is not there.
"""

from __future__ import annotations

import secrets
from contextlib import suppress

from sqlalchemy import Connection

from evalstore.errors import EvalstoreError
from evalstore.server.jobs.spool import Spool
from evalstore.store import Store
from evalstore.store.access.settings import load_settings, set_settings

SETTING = "spool mark"
FILE = "of-server"


def mark_spool(store: Store, spool: Spool) -> None:
    """Mark a folder, which is there, as that of the store's server."""

    def work(connection: Connection) -> str:
        mark = load_settings(connection).get(SETTING)
        if mark is None:
            mark = secrets.token_hex(16)
            set_settings(connection, {SETTING: mark})
        return mark

    (spool.folder / FILE).write_text(f"{store.transact(work)}\n", "ascii")


def check_spool(store: Store, spool: Spool) -> None:
    """Check that a folder is that of the store's server, once that has marked its own.

    Raises:
        EvalstoreError: it is another one.
    """
    with store.read() as connection:
        mark = load_settings(connection).get(SETTING)
    stored = None
    with suppress(OSError, UnicodeDecodeError):
        stored = (spool.folder / FILE).read_text("ascii").strip()
    if mark is not None and stored != mark:
        raise EvalstoreError(
            f"{spool.folder} is not the folder where the server keeps the files that are sent: "
            "share that folder, and name it with `evalstore server limits spool=FOLDER`",
            problem="no spool",
        )
