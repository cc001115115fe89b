"""Tables of runs: engines, runs and rankings."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, SmallInteger, UniqueConstraint, false

from evalstore.store.dialects.column_types import CLUSTERED
from evalstore.store.models.base import NEVER_REUSED, Base, column, id_column, key_of, row_of


class Engine(Base):
    """A retrieval system under comparison."""

    __tablename__ = "engine"
    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, unique=True, comment="the run tag unless another was given")


class Run(Base):
    """One ranking of a collection's queries by an engine."""

    __tablename__ = "run"
    __table_args__ = (
        UniqueConstraint("collection_id", "name"),
        UniqueConstraint("collection_id", "content_hash"),
        NEVER_REUSED,
    )
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    engine_id = row_of("engine.id", "the engine", index=True)
    experiment = column(
        str, null=True, index=True, comment="the name of the experiment that it belongs to, if any"
    )
    name = column(str, comment="the file's name unless another was given")
    tag = column(str, comment="the run tag in the file")
    content_hash = column(str, comment="SHA-256 of the content")
    queries = column(int, comment="how many queries it answers")
    retrieved = column(BigInteger, comment="how many documents in all lists")
    parameters = column(dict, null=True, comment="settings of the engine")
    tags = column(list, null=True, comment="words that people put on it")
    commit = column(str, null=True, comment="the version of the engine's code")
    index_bytes = column(
        BigInteger,
        null=True,
        comment="the size of the engine's index; null where not given",
    )
    created_at = column(datetime, comment="when it was ingested")
    deleted_at = column(
        datetime,
        null=True,
        comment="when it was marked as removed; null for runs that count",
    )
    note = column(str, null=True, comment="what people wrote about it, in Markdown")
    commit_dirty = column(
        bool,
        null=True,
        comment="whether files differed from the commit; null where that is not known",
    )
    host = column(str, null=True, comment="the machine that the engine ran on")
    started_by = column(str, null=True, comment="the account that started the engine")
    started_at = column(datetime, null=True, comment="when the engine started")
    ended_at = column(datetime, null=True, comment="when it was done")
    command = column(str, null=True, comment="the command line of the engine")
    index_version = column(str, null=True, comment="the version of the index")
    collection_version = column(
        str,
        null=True,
        comment="the version of the documents that were indexed",
    )
    header = column(dict, null=True, comment="the ir_metadata that headed the run file")
    memory_bytes = column(BigInteger, null=True, comment="the most memory that the engine used")
    money = column(float, null=True, comment="what all queries together cost")
    currency = column(str, null=True, comment="in which currency, like EUR")
    energy_joules = column(float, null=True, comment="the energy that all queries together took")
    values_only = column(
        bool,
        server_default=false(),
        comment="whether it came as values of measures, without rankings",
    )


class RunParent(Base):
    """The run that a run was derived from."""

    __tablename__ = "run_parent"
    run_id = key_of("run.id")
    parent_id = row_of("run.id", "the run it came from", index=True)


class RunFile(Base):
    """A file that a run was read from, by which it is recognised without being read again."""

    __tablename__ = "run_file"
    __table_args__ = CLUSTERED
    run_id = key_of("run.id")
    path_hash = column(
        str, primary_key=True, comment="SHA-256 of its absolute path, or of its URL without secrets"
    )
    size = column(BigInteger, comment="in bytes")
    version = column(
        str,
        null=True,
        comment="inode and times of a file, ETag of an object; null where these prove nothing",
    )
    bytes_hash = column(str, comment="SHA-256 of its bytes; empty for an object of an object store")
    reading = column(
        str, comment="SHA-256 of the options that it was read with, and of the version of evalstore"
    )


class EngineSlot(Base):
    """The number of an engine in a collection, by which charts give it a colour and a mark."""

    __tablename__ = "engine_slot"
    __table_args__ = (UniqueConstraint("collection_id", "slot"),)
    collection_id = key_of("collection.id")
    engine_id = key_of("engine.id", index=True)
    slot = column(int, comment="from 0, in the order of the engines' first runs; never changed")


class Baseline(Base):
    """The run that the others of a collection are compared with unless told otherwise."""

    __tablename__ = "baseline"
    collection_id = key_of("collection.id")
    run_id = row_of("run.id", "the run", index=True)


class Ranking(Base):
    """The whole ranked list of a run for a query, packed: the source of truth."""

    __tablename__ = "ranking"
    run_id = key_of("run.id")
    query_id = key_of("query.id")
    retrieved = column(int, comment="the length of the list")
    packed = column(bytes, comment="documents and scores, see store/packing.py")


class Retrieved(Base):
    """The top of each ranking as rows (100 documents unless said otherwise)."""

    __tablename__ = "retrieved"
    __table_args__ = CLUSTERED
    run_id = key_of("run.id")
    query_id = key_of("query.id")
    rank = column(int, primary_key=True, autoincrement=False, comment="from 1")
    docno = column(str, comment="the document")
    score = column(float, comment="what the engine gave it")


class ResponseTime(Base):
    """The time that an engine took to answer a query."""

    __tablename__ = "response_time"
    __table_args__ = CLUSTERED
    run_id = key_of("run.id")
    query_id = key_of("query.id")
    milliseconds = column(float, comment="the time in milliseconds")


# The table of events


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


# Tables of what is written about experiments. A run names its experiment itself


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


# Tables of the dashboard: addresses too long to send


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


# Tables of values: evaluations, hits, measures, aggregates and saved ranks


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
