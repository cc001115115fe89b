"""Tables of values: evaluations, hits, measures, aggregates and saved ranks."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    SmallInteger,
    UniqueConstraint,
)

from evalstore.store.dialects.column_types import CLUSTERED
from evalstore.store.models.base import NEVER_REUSED, Base, column, id_column, key_of, row_of


class Evaluation(Base):
    """The evaluation of a run under a qrels."""

    __tablename__ = "evaluation"
    __table_args__ = (UniqueConstraint("run_id", "qrels_id"), NEVER_REUSED)
    id = id_column()
    run_id = row_of("run.id", "the run")
    qrels_id = row_of("qrels.id", "the qrels", index=True)
    evaluator = column(str, comment="the version of evalstore that computed it")
    compat = column(str, comment="exact, trec_eval-9 or trec_eval-10")
    created_at = column(datetime, comment="when it was computed")


class Hit(Base):
    """A relevant document that the run retrieved, at its true rank, however deep."""

    __tablename__ = "hit"
    __table_args__ = CLUSTERED
    evaluation_id = key_of("evaluation.id")
    query_id = key_of("query.id")
    rank = column(int, primary_key=True, autoincrement=False, comment="from 1")
    docno = column(str, comment="the document")
    grade = column(float, comment="its grade, 1 or more")
    score = column(float, comment="what the engine gave it")


class Measure(Base):
    """A measure."""

    __tablename__ = "measure"
    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, unique=True, comment="canonical, like nDCG@10")
    family = column(str, comment="what kind of measure it is")
    direction = column(SmallInteger, comment="1: more is better, -1: less is better, 0: neither")
    aggregate = column(str, comment="how values become one figure: mean, sum, ...")


class Measurement(Base):
    """The value of a measure for a query."""

    __tablename__ = "measurement"
    __table_args__ = CLUSTERED
    evaluation_id = key_of("evaluation.id")
    measure_id = key_of("measure.id")
    query_id = key_of("query.id")
    value = column(float, comment="unrounded")


class Aggregate(Base):
    """The one figure of a measure for all queries."""

    __tablename__ = "aggregate"
    __table_args__ = CLUSTERED
    evaluation_id = key_of("evaluation.id")
    measure_id = key_of("measure.id", index=True)
    value = column(float, comment="unrounded; the mean, or the measure's own")
    spread = column(
        float,
        null=True,
        comment="standard deviation over the queries; null for fewer than two",
    )
    queries = column(int, comment="how many queries it is over")


class SavedLeaderboard(Base):
    """The ranks of runs on a measure, stored by `evalstore leaderboard --save`."""

    __tablename__ = "saved_leaderboard"
    __table_args__ = (UniqueConstraint("qrels_id", "measure_id"), NEVER_REUSED)
    id = id_column()
    qrels_id = row_of("qrels.id", "the qrels")
    measure_id = row_of("measure.id", "the measure", index=True)
    runs = column(int, comment="how many runs were ranked: all that were active")
    test = column(str, comment="what separates runs: t (with Holm) or tukey")
    alpha = column(float, comment="a corrected p below it separates two runs")
    created_at = column(datetime, comment="when it was computed")


class SavedRank(Base):
    """The rank of a run on a saved leaderboard."""

    __tablename__ = "saved_rank"
    __table_args__ = CLUSTERED
    saved_leaderboard_id = key_of("saved_leaderboard.id")
    evaluation_id = key_of("evaluation.id", index=True)
    rank = column(int, comment="1 + how many runs are strictly better")
    rank_low = column(int, comment="the low end of the interval of the rank")
    rank_high = column(int, comment="the high end of the interval of the rank")
    rank_group = column(str, comment="letters: runs that share one are not separated")
    low = column(
        float,
        null=True,
        comment="the low end of the interval of the value; null for one query",
    )
    high = column(
        float,
        null=True,
        comment="the high end of the interval of the value; null for one query",
    )
    judged_top_10 = column(
        float,
        null=True,
        comment="the share of the top 10 that is judged; null where nothing was retrieved",
    )
