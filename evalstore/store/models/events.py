"""The table of events."""

from __future__ import annotations

from datetime import datetime

from evalstore.store.models.base import NEVER_REUSED, Base, column, id_column


class Event(Base):
    """Who did what to the store, and when."""

    __tablename__ = "event"
    __table_args__ = NEVER_REUSED
    id = id_column()
    at = column(datetime, comment="when")
    who = column(str, comment="user@host, as the system of that time said")
    action = column(str, comment="ingest, replace, measure, rm, restore, purge, ...")
    collection = column(str, null=True, comment="the collection's name at that time")
    collection_id = column(
        int,
        null=True,
        index=True,
        comment="the collection's id, which stays when it is renamed or deleted; null for none",
    )
    subject = column(str, comment="the name of the run or qrels at that time")
    details = column(dict, null=True, comment="what else there is to say")
