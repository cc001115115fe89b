"""What a job says that was begun again: its worker may have ended after it stored something."""

from __future__ import annotations

from typing import Any

from evalstore.store import Store
from evalstore.store.access.jobs import StoredJob
from evalstore.store.queries import events

STORES = ("ingest", "replace")
"""The actions of events that tell of a new run or new judgments."""


def with_own_status(store: Store, job: StoredJob, result: dict[str, Any]) -> dict[str, Any]:
    """The result of a job, where what an earlier attempt of it stored is not "already stored".

    The event of what was stored was written with it, by the account of the job.
    """
    if job.attempts == 1 or result["status"] != "already stored":
        return result
    kind = "run" if "run" in result else "qrels"
    with store.read() as connection:
        written = events.events(connection, collection=job.collection, subject=result[kind]["name"])
    for event in reversed(written):
        details = event.details or {}
        is_own = event.who == job.who and event.at >= job.created_at
        if is_own and event.action in STORES and details.get("kind") == kind:
            return {**result, "status": details.get("status", "stored")}
    return result
