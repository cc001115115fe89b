"""The tables, a class each; the reasons for their shape are in docs/architecture.md.

The migrations make the database; a test compares both. The docstring of a class is the comment of
its table, and with the comments of the columns it stands in docs/schema.md and, on PostgreSQL, in
the database.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, Index, SmallInteger, UniqueConstraint, false

from evalstore.store.dialects.column_types import CLUSTERED
from evalstore.store.models.base import (
    NAMING,
    NEVER_REUSED,
    Base,
    column,
    id_column,
    key_of,
    row_of,
    table,
    unique_among,
)

__all__ = ["NAMING", "NEVER_REUSED", "Base", "table"]

# Collections: queries, documents and judgments


class Collection(Base):
    """A test collection: documents, queries and what was judged."""

    __tablename__ = "collection"
    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, unique=True, comment="unique in the store")
    documents = column(
        BigInteger, null=True, comment="how many documents it has; null where that was not said"
    )
    created_at = column(datetime, comment="when it was first named")
    deleted_at = column(
        datetime,
        null=True,
        comment="when it was marked as removed; null for collections that count",
    )
    access = column(
        str,
        server_default="store",
        comment="who reads it on the team's server: store (who reads the store), private (only who "
        "has a role in it) or public (everyone)",
    )
    measures = column(
        str,
        null=True,
        comment="the measures that an ingest stores: a set, or names with commas between; null for "
        "the set standard",
    )


class Query(Base):
    """A query of a collection."""

    __tablename__ = "query"
    __table_args__ = (UniqueConstraint("collection_id", "qid"), NEVER_REUSED)
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    qid = column(str, comment="its id, as text: 1, 01 and 1.0 are three queries")
    text = column(str, null=True, comment="its words; null where not given")


class QueryAttribute(Base):
    """What a query is like: its language, its category."""

    __tablename__ = "query_attribute"
    __table_args__ = CLUSTERED
    query_id = key_of("query.id")
    name = column(str, primary_key=True, comment="what the attribute is called, like lang")
    value = column(str, comment="its value as text, never empty")


class Document(Base):
    """The text of a document, optional: for reading a ranking."""

    __tablename__ = "document"
    collection_id = key_of("collection.id")
    docno = column(str, primary_key=True, comment="its id, as text")
    title = column(str, null=True, comment="its title")
    packed = column(
        bytes,
        null=True,
        comment="its words: a byte 0 and UTF-8, or a byte 1 and a zlib stream of UTF-8",
    )


class Qrels(Base):
    """One set of judgments of a collection; a changed file is a new set."""

    __tablename__ = "qrels"
    __table_args__ = (
        UniqueConstraint("collection_id", "name"),
        UniqueConstraint("collection_id", "content_hash"),
        unique_among("uq_qrels_default", "collection_id", where="is_default"),
        NEVER_REUSED,
    )
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    name = column(str, comment="the file's name, unique in the collection")
    content_hash = column(str, comment="SHA-256 of the content")
    queries = column(int, comment="how many queries have judgments")
    judgments = column(BigInteger, comment="how many judgments")
    relevant = column(BigInteger, comment="how many with a grade of 1 or more")
    highest_grade = column(float, comment="the highest grade")
    created_at = column(datetime, comment="when it was ingested")
    is_default = column(
        bool, server_default=false(), comment="whether it is the one that figures are shown under"
    )
    deleted_at = column(
        datetime, null=True, comment="when it was marked as removed; null for qrels that count"
    )


class Judgment(Base):
    """The grade of a document for a query."""

    __tablename__ = "judgment"
    __table_args__ = CLUSTERED
    qrels_id = key_of("qrels.id")
    query_id = key_of("query.id")
    docno = column(str, primary_key=True, comment="the document")
    grade = column(float, comment="1 and more is relevant; negative: in the pool, not judged")


class SubtopicJudgment(Base):
    """The grade of a document for a subtopic of a query, for measures of diversity."""

    __tablename__ = "subtopic_judgment"
    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    docno = column(str, primary_key=True, comment="the document")
    subtopic = column(str, primary_key=True, comment="the subtopic")
    grade = column(float, comment="1 and more is relevant to the subtopic")


class GroupJudgment(Base):
    """The grade that a judgment group (a judge) gave a document, for averages over groups."""

    __tablename__ = "group_judgment"
    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    docno = column(str, primary_key=True, comment="the document")
    judgment_group = column(str, primary_key=True, comment="who judged")
    grade = column(float, comment="1 and more is relevant; negative: in the pool, not judged")


class PreferenceJudgment(Base):
    """The level of a document among others: in a subgroup the higher level is preferred."""

    __tablename__ = "preference_judgment"
    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    judgment_group = column(str, primary_key=True, comment="who judged")
    subgroup = column(str, primary_key=True, comment="documents compared with each other")
    docno = column(str, primary_key=True, comment="the document")
    level = column(float, comment="higher is preferred; 0 is not relevant")


class KnownDocument(Base):
    """A document that the user of a query knew before, for measures of novelty."""

    __tablename__ = "known_document"
    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    docno = column(str, primary_key=True, comment="the document")


# Runs: engines, rankings, events, and what is written about experiments


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
        BigInteger, null=True, comment="the size of the engine's index; null where not given"
    )
    created_at = column(datetime, comment="when it was ingested")
    deleted_at = column(
        datetime, null=True, comment="when it was marked as removed; null for runs that count"
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
        str, null=True, comment="the version of the documents that were indexed"
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


# Values: evaluations, hits, measures, aggregates and saved ranks


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
        float, null=True, comment="standard deviation over the queries; null for fewer than two"
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
        float, null=True, comment="the low end of the interval of the value; null for one query"
    )
    high = column(
        float, null=True, comment="the high end of the interval of the value; null for one query"
    )
    judged_top_10 = column(
        float,
        null=True,
        comment="the share of the top 10 that is judged; null where nothing was retrieved",
    )


# The team's server: accounts, sessions, roles, tokens, jobs, uploads.
#
# The names of these tables begin with `server_`: SQL of users can't read such tables
# (`dialects.dialect.HIDDEN_TABLES`), the role of `evalstore db readonly-role` has no right to them,
# and `evalstore copy` leaves them out.

ONE_COLLECTION = "the collection; null for the whole store"


def collection_or_null() -> Column[Any]:
    """A column that names a collection, or none for the whole store."""
    key = ForeignKey("collection.id", ondelete="CASCADE")
    return column(int, key, null=True, index=True, comment=ONE_COLLECTION)


class Account(Base):
    """A person who logs in, or a service that has tokens."""

    __tablename__ = "server_account"
    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, unique=True, comment="unique in the store")
    kind = column(str, comment="person or service")
    password_hash = column(
        str, null=True, comment="argon2id with its parameters; null for accounts without a password"
    )
    disabled = column(bool, server_default=false(), comment="whether it may do nothing for now")
    created_at = column(datetime, comment="when it was added")
    last_login_at = column(
        datetime, null=True, comment="when it last logged in; null where it never did"
    )


class Identity(Base):
    """Who an account is at a provider of logins (OpenID Connect)."""

    __tablename__ = "server_identity"
    issuer = column(str, primary_key=True, comment="the provider's address")
    subject = column(
        str, primary_key=True, comment="the provider's id of the person, never an e-mail address"
    )
    account_id = row_of("server_account.id", "the account", index=True)
    created_at = column(datetime, comment="when it first logged in")


class Session(Base):
    """A login of a browser; its cookie holds a random id, of which the hash is stored."""

    __tablename__ = "server_session"
    hash = column(str, primary_key=True, comment="SHA-256 of the id in the cookie")
    account_id = row_of("server_account.id", "the account", index=True)
    created_at = column(datetime, comment="when the login was")
    last_seen_at = column(datetime, comment="of its last request, to some minutes")
    expires_at = column(datetime, comment="when it ends in any case")
    agent = column(str, comment="how the browser names itself, shortened")


class Role(Base):
    """What an account may do in the whole store, or in one collection."""

    __tablename__ = "server_role"
    __table_args__ = (
        # Two nulls differ, so the role for the whole store needs an index of its own.
        UniqueConstraint("account_id", "collection_id", "from_groups"),
        unique_among(
            "uq_server_role_store", "account_id", "from_groups", where="collection_id IS NULL"
        ),
        NEVER_REUSED,
    )
    id = id_column()
    account_id = row_of("server_account.id", "the account")
    collection_id = collection_or_null()
    role = column(str, comment="reader, contributor or administrator")
    from_groups = column(
        bool,
        server_default=false(),
        comment="whether it came from groups of a provider of logins, and is set at each login",
    )


class Token(Base):
    """A secret by which a program acts as an account, perhaps with fewer rights."""

    __tablename__ = "server_token"
    __table_args__ = (
        unique_among("uq_server_token_name", "name", where="revoked_at IS NULL"),
        NEVER_REUSED,
    )
    id = id_column()
    name = column(str, comment="unique among the tokens that are not revoked")
    hash = column(str, unique=True, comment="SHA-256 of the token")
    prefix = column(str, comment="its first characters, to recognise it by")
    account_id = row_of("server_account.id", "the account", index=True)
    collection_id = collection_or_null()
    scope = column(str, comment="read or write")
    created_at = column(datetime, comment="when it was made")
    expires_at = column(datetime, null=True, comment="when it ends; null for never")
    last_used_at = column(
        datetime, null=True, comment="of its last request, to some minutes; null for never"
    )
    revoked_at = column(
        datetime, null=True, comment="when it was taken back; null for tokens that count"
    )


class Invitation(Base):
    """A link by which one person makes an account, once."""

    __tablename__ = "server_invitation"
    __table_args__ = NEVER_REUSED
    id = id_column()
    hash = column(str, unique=True, comment="SHA-256 of the secret in the link")
    name = column(str, null=True, comment="of the account; null where the person chooses it")
    collection_id = collection_or_null()
    role = column(str, comment="the role that the account gets")
    who = column(str, comment="who made it, as in `event`")
    created_at = column(datetime, comment="when it was made")
    expires_at = column(datetime, comment="when it ends")
    used_at = column(datetime, null=True, comment="when it was used; null while it can")


class LoginAttempt(Base):
    """Failed logins in a row to a name from an address."""

    __tablename__ = "server_login_attempt"
    name_hash = column(
        str, primary_key=True, comment="a keyed hash: people type passwords where the name belongs"
    )
    address = column(str, primary_key=True, comment="where they came from; of IPv6 the network")
    failures = column(int, comment="how many")
    locked_until = column(datetime, comment="until then further ones are refused")


class ServerSetting(Base):
    """A setting of the server: its public URL, its secret."""

    __tablename__ = "server_setting"
    name = column(str, primary_key=True, comment="public_url, secret")
    value = column(str, comment="its value")


class Job(Base):
    """Work to do after the request that asked for it; it survives the end of processes."""

    __tablename__ = "server_job"
    __table_args__ = (
        # How a worker finds what to do next.
        Index("ix_server_job_state_lease_until", "state", "lease_until"),
        # How the job of a request that comes again is recognised.
        Index("ix_server_job_collection_id_request_hash", "collection_id", "request_hash"),
        NEVER_REUSED,
    )
    id = id_column()
    kind = column(str, comment="what is to be done: ingest, ...")
    collection_id = collection_or_null()
    who = column(str, comment="who asked for it, as in `event`")
    payload = column(dict, comment="what it needs to know")
    request_hash = column(str, comment="SHA-256 of kind and payload")
    state = column(str, comment="waiting, running, done, failed or cancelled")
    attempts = column(int, comment="how often it was begun")
    created_at = column(datetime, comment="when it was asked for")
    lease_until = column(
        datetime,
        null=True,
        comment="until then the worker that began it has it; null while it waits",
    )
    heartbeat_at = column(
        datetime, null=True, comment="when its worker last said that it works on it"
    )
    ended_at = column(datetime, null=True, comment="when it was done or failed")
    not_before = column(
        datetime, null=True, comment="it is not begun before this time; null for at once"
    )
    result = column(dict, null=True, comment="what came of it")
    error = column(str, null=True, comment="why it failed, as the command line says it")


class Upload(Base):
    """A file that is being sent, or was sent, into a collection."""

    __tablename__ = "server_upload"
    __table_args__ = (UniqueConstraint("collection_id", "sha256"), NEVER_REUSED)
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    sha256 = column(str, comment="SHA-256 of the whole file, as its sender says")
    size = column(BigInteger, comment="bytes of the whole file")
    received = column(BigInteger, comment="how many of them are here")
    who = column(str, comment="who sends it, as in `event`")
    created_at = column(datetime, comment="when it began")
    received_at = column(datetime, comment="when the last piece came")


class Webhook(Base):
    """An address that is told of new runs or of gates that did not pass."""

    __tablename__ = "server_webhook"
    __table_args__ = NEVER_REUSED
    id = id_column()
    url = column(str, comment="where it is told")
    collection_id = collection_or_null()
    tells_of = column(str, comment="run, gate, or both with a comma")
    secret = column(str, comment="the key of its signatures")
    created_at = column(datetime, comment="when it was added")
    event_id = column(int, comment="the last event that was looked at for it")
    last_at = column(datetime, null=True, comment="when it was last told something")
    last_result = column(str, null=True, comment="what came of that")


# The tables of these classes, for statements

collection_t = Collection.__table__
query_t = Query.__table__
attribute_t = QueryAttribute.__table__
document_t = Document.__table__
qrels_t = Qrels.__table__
judgment_t = Judgment.__table__
subtopic_t = SubtopicJudgment.__table__
group_t = GroupJudgment.__table__
preference_t = PreferenceJudgment.__table__
known_t = KnownDocument.__table__
engine_t = Engine.__table__
run_t = Run.__table__
parent_t = RunParent.__table__
run_file_t = RunFile.__table__
slot_t = EngineSlot.__table__
baseline_t = Baseline.__table__
ranking_t = Ranking.__table__
retrieved_t = Retrieved.__table__
time_t = ResponseTime.__table__
event_t = Event.__table__
experiment_t = Experiment.__table__
about_t = ExperimentAbout.__table__
view_t = SavedView.__table__
evaluation_t = Evaluation.__table__
hit_t = Hit.__table__
measure_t = Measure.__table__
measurement_t = Measurement.__table__
aggregate_t = Aggregate.__table__
leaderboard_t = SavedLeaderboard.__table__
rank_t = SavedRank.__table__
account_t = Account.__table__
identity_t = Identity.__table__
session_t = Session.__table__
role_t = Role.__table__
token_t = Token.__table__
invitation_t = Invitation.__table__
attempt_t = LoginAttempt.__table__
setting_t = ServerSetting.__table__
job_t = Job.__table__
upload_t = Upload.__table__
webhook_t = Webhook.__table__
