"""Tables of values: evaluations, hits, measures, aggregates and saved ranks."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    SmallInteger,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from evalstore.store.dialects.column_types import CLUSTERED
from evalstore.store.models.base import NEVER_REUSED, Base, id_column, key_of, row_of


class Evaluation(Base):
    """The evaluation of a run under a qrels."""

    __tablename__ = "evaluation"
    __table_args__ = (UniqueConstraint("run_id", "qrels_id"), NEVER_REUSED)
    id: Mapped[int] = id_column()
    run_id: Mapped[int] = row_of("run.id", "the run")
    qrels_id: Mapped[int] = row_of("qrels.id", "the qrels", index=True)
    evaluator: Mapped[str] = mapped_column(comment="the version of evalstore that computed it")
    compat: Mapped[str] = mapped_column(comment="exact, trec_eval-9 or trec_eval-10")
    created_at: Mapped[datetime] = mapped_column(comment="when it was computed")


class Hit(Base):
    """A relevant document that the run retrieved, at its true rank, however deep."""

    __tablename__ = "hit"
    __table_args__ = CLUSTERED
    evaluation_id: Mapped[int] = key_of("evaluation.id")
    query_id: Mapped[int] = key_of("query.id")
    rank: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, comment="from 1")
    docno: Mapped[str] = mapped_column(comment="the document")
    grade: Mapped[float] = mapped_column(comment="its grade, 1 or more")
    score: Mapped[float] = mapped_column(comment="what the engine gave it")


class Measure(Base):
    """A measure."""

    __tablename__ = "measure"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = id_column()
    name: Mapped[str] = mapped_column(unique=True, comment="canonical, like nDCG@10")
    family: Mapped[str] = mapped_column(comment="what kind of measure it is")
    direction: Mapped[int] = mapped_column(
        SmallInteger, comment="1: more is better, -1: less is better, 0: neither"
    )
    aggregate: Mapped[str] = mapped_column(comment="how values become one figure: mean, sum, ...")


class Measurement(Base):
    """The value of a measure for a query."""

    __tablename__ = "measurement"
    __table_args__ = CLUSTERED
    evaluation_id: Mapped[int] = key_of("evaluation.id")
    measure_id: Mapped[int] = key_of("measure.id")
    query_id: Mapped[int] = key_of("query.id")
    value: Mapped[float] = mapped_column(comment="unrounded")


class Aggregate(Base):
    """The one figure of a measure for all queries."""

    __tablename__ = "aggregate"
    __table_args__ = CLUSTERED
    evaluation_id: Mapped[int] = key_of("evaluation.id")
    measure_id: Mapped[int] = key_of("measure.id", index=True)
    value: Mapped[float] = mapped_column(comment="unrounded; the mean, or the measure's own")
    spread: Mapped[float | None] = mapped_column(
        comment="standard deviation over the queries; null for fewer than two"
    )
    queries: Mapped[int] = mapped_column(comment="how many queries it is over")


class SavedLeaderboard(Base):
    """The ranks of runs on a measure, stored by `evalstore leaderboard --save`."""

    __tablename__ = "saved_leaderboard"
    __table_args__ = (UniqueConstraint("qrels_id", "measure_id"), NEVER_REUSED)
    id: Mapped[int] = id_column()
    qrels_id: Mapped[int] = row_of("qrels.id", "the qrels")
    measure_id: Mapped[int] = row_of("measure.id", "the measure", index=True)
    runs: Mapped[int] = mapped_column(comment="how many runs were ranked: all that were active")
    test: Mapped[str] = mapped_column(comment="what separates runs: t (with Holm) or tukey")
    alpha: Mapped[float] = mapped_column(comment="a corrected p below it separates two runs")
    created_at: Mapped[datetime] = mapped_column(comment="when it was computed")


class SavedRank(Base):
    """The rank of a run on a saved leaderboard."""

    __tablename__ = "saved_rank"
    __table_args__ = CLUSTERED
    saved_leaderboard_id: Mapped[int] = key_of("saved_leaderboard.id")
    evaluation_id: Mapped[int] = key_of("evaluation.id", index=True)
    rank: Mapped[int] = mapped_column(comment="1 + how many runs are strictly better")
    rank_low: Mapped[int] = mapped_column(comment="the low end of the interval of the rank")
    rank_high: Mapped[int] = mapped_column(comment="the high end of the interval of the rank")
    rank_group: Mapped[str] = mapped_column(
        comment="letters: runs that share one are not separated"
    )
    low: Mapped[float | None] = mapped_column(
        comment="the low end of the interval of the value; null for one query"
    )
    high: Mapped[float | None] = mapped_column(
        comment="the high end of the interval of the value; null for one query"
    )
    judged_top_10: Mapped[float | None] = mapped_column(
        comment="the share of the top 10 that is judged; null where nothing was retrieved"
    )
