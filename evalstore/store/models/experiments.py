"""Tables of what is written about experiments. A run names its experiment itself."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from evalstore.store.models.base import NEVER_REUSED, Base, id_column, row_of


class Experiment(Base):
    """What is written about an experiment, a named group of runs."""

    __tablename__ = "experiment"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = id_column()
    name: Mapped[str] = mapped_column(
        unique=True, comment="unique in the store; `run.experiment` of its runs"
    )
    created_at: Mapped[datetime] = mapped_column(comment="when it was first named")
    question: Mapped[str | None] = mapped_column(comment="what it is to find out, in Markdown")
    conclusion: Mapped[str | None] = mapped_column(comment="what was found out, in Markdown")


class ExperimentAbout(Base):
    """A collection that the texts of an experiment are about: that of a run it had then."""

    __tablename__ = "experiment_about"
    id: Mapped[int] = id_column()
    experiment_id: Mapped[int] = row_of("experiment.id", "the experiment", index=True)
    collection_id: Mapped[int | None] = mapped_column(
        ForeignKey("collection.id", ondelete="SET NULL"),
        index=True,
        comment="the collection; null for one that is no more, or is in another store",
    )
