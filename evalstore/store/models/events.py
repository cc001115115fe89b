"""The table of events."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Mapped, mapped_column

from evalstore.store.models.base import NEVER_REUSED, Base, id_column


class Event(Base):
    """Who did what to the store, and when."""

    __tablename__ = "event"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = id_column()
    at: Mapped[datetime] = mapped_column(comment="when")
    who: Mapped[str] = mapped_column(comment="user@host, as the system of that time said")
    action: Mapped[str] = mapped_column(comment="ingest, replace, measure, rm, restore, purge, ...")
    collection: Mapped[str | None] = mapped_column(comment="the collection's name at that time")
    collection_id: Mapped[int | None] = mapped_column(
        index=True,
        comment="the collection's id, which stays when it is renamed or deleted; null for none",
    )
    subject: Mapped[str] = mapped_column(comment="the name of the run or qrels at that time")
    details: Mapped[dict[str, Any] | None] = mapped_column(comment="what else there is to say")
