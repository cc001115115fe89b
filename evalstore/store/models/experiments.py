"""Tables of what is written about experiments. A run names its experiment itself."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey

from evalstore.store.models.base import NEVER_REUSED, Base, column, id_column, row_of


class Experiment(Base):
    """What is written about an experiment, a named group of runs."""

    __tablename__ = "experiment"
    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, unique=True, comment="unique in the store; `run.experiment` of its runs")
    created_at = column(datetime, comment="when it was first named")
    question = column(str, null=True, comment="what it is to find out, in Markdown")
    conclusion = column(str, null=True, comment="what was found out, in Markdown")


class ExperimentAbout(Base):
    """A collection that the texts of an experiment are about: that of a run it had then."""

    __tablename__ = "experiment_about"
    id = id_column()
    experiment_id = row_of("experiment.id", "the experiment", index=True)
    collection_id = column(
        int,
        ForeignKey("collection.id", ondelete="SET NULL"),
        null=True,
        index=True,
        comment="the collection; null for one that is no more, or is in another store",
    )
