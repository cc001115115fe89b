"""Tables of the dashboard: addresses too long to send."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from evalstore.store.models.base import Base


class SavedView(Base):
    """A long address of the dashboard under a short key."""

    __tablename__ = "saved_view"
    key: Mapped[str] = mapped_column(
        primary_key=True, comment="as in /v/h7k2: made of the address, so that one has one key"
    )
    address: Mapped[str] = mapped_column(comment="path and query string")
    collection_id: Mapped[int | None] = mapped_column(
        index=True,
        comment="the collection whose page it is; null for pages of none, like that of SQL",
    )
    created_at: Mapped[datetime] = mapped_column(comment="when it was saved")
