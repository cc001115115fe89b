"""What the operations share by which files are sent: the spool, the queue, how many at once."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, current_app

from evalstore.server.api.slots import Slots
from evalstore.server.jobs.limits import load_limits, spool_folder
from evalstore.server.jobs.queue import JobQueue
from evalstore.server.jobs.spool import Spool
from evalstore.server.jobs.uploads import Uploads
from evalstore.store import Store

KEY = "evalstore-sending"
WAITING_REQUESTS = 3
"""Requests that wait for their job at once, in each process: each keeps a thread."""


@dataclass(frozen=True)
class Sending:
    """What an app receives files with.

    Attributes:
        uploads: receives them.
        queue: the jobs that store them.
        upload_slots: for requests that send a file.
        waiting_slots: for requests that wait for their job.
    """

    uploads: Uploads
    queue: JobQueue
    upload_slots: Slots
    waiting_slots: Slots


def register(server: Flask, store: Store) -> None:
    """Let an app receive files, within the limits that are set at this moment."""
    limits = load_limits(store)
    server.extensions[KEY] = Sending(
        Uploads(store, Spool(spool_folder(store, limits)), limits),
        JobQueue(store, most_waiting=limits.waiting_jobs),
        Slots(limits.uploads),
        Slots(WAITING_REQUESTS),
    )


def sending_of_app() -> Sending:
    """What the app that answers the request receives files with."""
    sending = current_app.extensions[KEY]
    assert isinstance(sending, Sending)  # noqa: S101  (the app is made with it)
    return sending
