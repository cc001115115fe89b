"""Tables of the dashboard: addresses too long to send."""

from __future__ import annotations

from datetime import datetime

from evalstore.store.models.base import Base, column


class SavedView(Base):
    """A long address of the dashboard under a short key."""

    __tablename__ = "saved_view"
    key = column(
        str, primary_key=True, comment="as in /v/h7k2: made of the address, so that one has one key"
    )
    address = column(str, comment="path and query string")
    collection_id = column(
        int,
        null=True,
        index=True,
        comment="the collection whose page it is; null for pages of none, like that of SQL",
    )
    created_at = column(datetime, comment="when it was saved")
