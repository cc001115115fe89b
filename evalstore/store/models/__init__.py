"""The tables, a class each; the reasons for their shape are in docs/architecture.md.

The migrations make the database; a test compares both. The docstring of a class is the comment of
its table, and with the comments of the columns it stands in docs/schema.md and, on PostgreSQL, in
the database.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, Index, SmallInteger, UniqueConstraint, false

from evalstore.store.dialects.dialect import CLUSTERED
from evalstore.store.models.base import (
    NAMING,
    NEVER_REUSED,
    Base,
    column,
    id_column,
    key_of,
    optional,
    row_of,
    table,
    unique_among,
)
from evalstore.store.models.judging import Assessment, Draft, DraftDocument, JudgmentOrigin

__all__ = [
    "NAMING",
    "NEVER_REUSED",
    "Assessment",
    "Base",
    "Draft",
    "DraftDocument",
    "JudgmentOrigin",
    "table",
]

# Collections: queries, documents and judgments


class Collection(Base):
    """A test collection: documents, queries and what was judged."""

    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, "unique in the store", unique=True)
    documents = optional(BigInteger, "how many documents it has; null where that was not said")
    created_at = column(datetime, "when it was first named")
    deleted_at = optional(
        datetime, "when it was marked as removed; null for collections that count"
    )
    access = column(
        str,
        "who reads it on the team's server: store (who reads the store), private (only who "
        "has a role in it) or public (everyone)",
        server_default="store",
    )
    measures = optional(
        str,
        "the measures that an ingest stores: a set, or names with commas between; null for "
        "the set standard",
    )
    mappings = optional(dict, "how files of other programs are read: the paths of fields by a name")
    grade_labels = optional(dict, "the names of the grades for those who judge, by grade as text")
    document_link = optional(str, "the address of a document's text, with {docno} in it")
    guidelines = optional(str, "how to judge, in Markdown")


class Query(Base):
    """A query of a collection."""

    __table_args__ = (UniqueConstraint("collection_id", "qid"), NEVER_REUSED)
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    qid = column(str, "its id, as text: 1, 01 and 1.0 are three queries")
    text = optional(str, "its words; null where not given")


class QueryAttribute(Base):
    """What a query is like: its language, its category."""

    __table_args__ = CLUSTERED
    query_id = key_of("query.id")
    name = column(str, "what the attribute is called, like lang", primary_key=True)
    value = column(str, "its value as text, never empty")


class Document(Base):
    """The text of a document, optional: for reading a ranking."""

    collection_id = key_of("collection.id")
    docno = column(str, "its id, as text", primary_key=True)
    title = optional(str, "its title")
    packed = optional(
        bytes, "its words: a byte 0 and UTF-8, or a byte 1 and a zlib stream of UTF-8"
    )


class Qrels(Base):
    """One set of judgments of a collection; a changed file is a new set."""

    __table_args__ = (
        UniqueConstraint("collection_id", "name"),
        UniqueConstraint("collection_id", "content_hash"),
        unique_among("uq_qrels_default", "collection_id", where="is_default"),
        NEVER_REUSED,
    )
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    name = column(str, "the file's name, unique in the collection")
    content_hash = column(str, "SHA-256 of the content")
    queries = column(int, "how many queries have judgments")
    judgments = column(BigInteger, "how many judgments")
    relevant = column(BigInteger, "how many with a grade of 1 or more")
    highest_grade = column(float, "the highest grade")
    created_at = column(datetime, "when it was ingested")
    is_default = column(
        bool, "whether it is the one that figures are shown under", server_default=false()
    )
    deleted_at = optional(datetime, "when it was marked as removed; null for qrels that count")
    parent_id = optional(
        int,
        "the qrels that it was made of; null for a file",
        key=ForeignKey("qrels.id", ondelete="SET NULL"),
    )
    who = optional(str, "who made this version, as in `event`; null for a file")
    reason = optional(str, "why this version was made; null for a file")
    rule = optional(
        str, "how grades of several judges became one: majority, mean, minimum or adjudicated"
    )
    origin = optional(
        dict,
        "where its judgments come from: `kind` (file, person, model), and of a model its facts; "
        "null for a file",
    )


class Judgment(Base):
    """The grade of a document for a query."""

    __table_args__ = CLUSTERED
    qrels_id = key_of("qrels.id")
    query_id = key_of("query.id")
    docno = column(str, "the document", primary_key=True)
    grade = column(float, "1 and more is relevant; negative: in the pool, not judged")


class SubtopicJudgment(Base):
    """The grade of a document for a subtopic of a query, for measures of diversity."""

    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    docno = column(str, "the document", primary_key=True)
    subtopic = column(str, "the subtopic", primary_key=True)
    grade = column(float, "1 and more is relevant to the subtopic")


class GroupJudgment(Base):
    """The grade that a judgment group (a judge) gave a document, for averages over groups."""

    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    docno = column(str, "the document", primary_key=True)
    judgment_group = column(str, "who judged", primary_key=True)
    grade = column(float, "1 and more is relevant; negative: in the pool, not judged")


class PreferenceJudgment(Base):
    """The level of a document among others: in a subgroup the higher level is preferred."""

    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    judgment_group = column(str, "who judged", primary_key=True)
    subgroup = column(str, "documents compared with each other", primary_key=True)
    docno = column(str, "the document", primary_key=True)
    level = column(float, "higher is preferred; 0 is not relevant")


class KnownDocument(Base):
    """A document that the user of a query knew before, for measures of novelty."""

    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    docno = column(str, "the document", primary_key=True)


# Runs: engines, rankings, events, and what is written about experiments


class Engine(Base):
    """A retrieval system under comparison."""

    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, "the run tag unless another was given", unique=True)


class Content(Base):
    """The rankings (or the values) of runs: stored once for all runs that have the same."""

    __table_args__ = (UniqueConstraint("collection_id", "content_hash"), NEVER_REUSED)
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    content_hash = column(str, "SHA-256 of the rankings, or of the values")


class Run(Base):
    """A record of an engine that answered a collection's queries: its name, facts and date."""

    __table_args__ = (UniqueConstraint("collection_id", "name"), NEVER_REUSED)
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    content_id = row_of("content.id", "its rankings, which other runs may share", index=True)
    engine_id = row_of("engine.id", "the engine", index=True)
    experiment = optional(str, "the name of the experiment that it belongs to, if any", index=True)
    name = column(str, "the file's name unless another was given")
    tag = column(str, "the run tag in the file")
    queries = column(int, "how many queries it answers")
    retrieved = column(BigInteger, "how many documents in all lists")
    parameters = optional(dict, "settings of the engine")
    tags = optional(list, "words that people put on it")
    commit = optional(str, "the version of the engine's code")
    index_bytes = optional(BigInteger, "the size of the engine's index; null where not given")
    created_at = column(datetime, "when it was ingested")
    deleted_at = optional(datetime, "when it was marked as removed; null for runs that count")
    note = optional(str, "what people wrote about it, in Markdown")
    commit_dirty = optional(
        bool, "whether files differed from the commit; null where that is not known"
    )
    host = optional(str, "the machine that the engine ran on")
    started_by = optional(str, "the account that started the engine")
    started_at = optional(datetime, "when the engine started")
    ended_at = optional(datetime, "when it was done")
    command = optional(str, "the command line of the engine")
    index_version = optional(str, "the version of the index")
    collection_version = optional(str, "the version of the documents that were indexed")
    header = optional(dict, "the ir_metadata that headed the run file")
    memory_bytes = optional(BigInteger, "the most memory that the engine used")
    money = optional(float, "what all queries together cost")
    currency = optional(str, "in which currency, like EUR")
    energy_joules = optional(float, "the energy that all queries together took")
    values_only = column(
        bool, "whether it came as values of measures, without rankings", server_default=false()
    )


class RunParent(Base):
    """The run that a run was derived from."""

    run_id = key_of("run.id")
    parent_id = row_of("run.id", "the run it came from", index=True)


class RunFile(Base):
    """A file that a run was read from, by which it is recognised without being read again."""

    __table_args__ = CLUSTERED
    run_id = key_of("run.id")
    path_hash = column(
        str, "SHA-256 of its absolute path, or of its URL without secrets", primary_key=True
    )
    size = column(BigInteger, "in bytes")
    version = optional(
        str, "inode and times of a file, ETag of an object; null where these prove nothing"
    )
    bytes_hash = column(str, "SHA-256 of its bytes; empty for an object of an object store")
    reading = column(
        str, "SHA-256 of the options that it was read with, and of the version of evalstore"
    )


class EngineSlot(Base):
    """The number of an engine in a collection, by which charts give it a colour and a mark."""

    __table_args__ = (UniqueConstraint("collection_id", "slot"),)
    collection_id = key_of("collection.id")
    engine_id = key_of("engine.id", index=True)
    slot = column(int, "from 0, in the order of the engines' first runs; never changed")


class Baseline(Base):
    """The run that the others of a collection are compared with unless told otherwise."""

    collection_id = key_of("collection.id")
    run_id = row_of("run.id", "the run", index=True)


class Ranking(Base):
    """The whole ranked list for a query, packed: the source of truth."""

    content_id = key_of("content.id")
    query_id = key_of("query.id")
    retrieved = column(int, "the length of the list")
    packed = column(bytes, "documents and scores, see store/packing.py")


class Retrieved(Base):
    """The top of each ranking as rows (100 documents unless said otherwise)."""

    __table_args__ = CLUSTERED
    content_id = key_of("content.id")
    query_id = key_of("query.id")
    rank = column(int, "from 1", primary_key=True, autoincrement=False)
    docno = column(str, "the document")
    score = column(float, "what the engine gave it")


class ResponseTime(Base):
    """The time that an engine took to answer a query."""

    __table_args__ = CLUSTERED
    run_id = key_of("run.id")
    query_id = key_of("query.id")
    milliseconds = column(float, "the time in milliseconds")


class Explanation(Base):
    """The engine's explanation of the score of a document for a query."""

    __table_args__ = CLUSTERED
    run_id = key_of("run.id")
    query_id = key_of("query.id")
    docno = column(str, "the document", primary_key=True)
    text = column(str, "what the engine said")


class Event(Base):
    """Who did what to the store, and when."""

    __table_args__ = NEVER_REUSED
    id = id_column()
    at = column(datetime, "when")
    who = column(str, "user@host, as the system of that time said")
    action = column(str, "ingest, replace, measure, rm, restore, purge, ...")
    collection = optional(str, "the collection's name at that time")
    collection_id = optional(
        int,
        "the collection's id, which stays when it is renamed or deleted; null for none",
        index=True,
    )
    subject = column(str, "the name of the run or qrels at that time")
    details = optional(dict, "what else there is to say")


class Experiment(Base):
    """What is written about an experiment, a named group of runs."""

    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, "unique in the store; `run.experiment` of its runs", unique=True)
    created_at = column(datetime, "when it was first named")
    question = optional(str, "what it is to find out, in Markdown")
    conclusion = optional(str, "what was found out, in Markdown")


class ExperimentAbout(Base):
    """A collection that the texts of an experiment are about: that of a run it had then."""

    id = id_column()
    experiment_id = row_of("experiment.id", "the experiment", index=True)
    collection_id = optional(
        int,
        "the collection; null for one that is no more, or is in another store",
        key=ForeignKey("collection.id", ondelete="SET NULL"),
        index=True,
    )


class SavedView(Base):
    """A long address of the dashboard under a short key."""

    key = column(
        str, "as in /v/h7k2: made of the address, so that one has one key", primary_key=True
    )
    address = column(str, "path and query string")
    collection_id = optional(
        int, "the collection whose page it is; null for pages of none, like that of SQL", index=True
    )
    created_at = column(datetime, "when it was saved, or named")
    name = optional(str, "its name, given by a person; null for a view that is only linked")
    who = optional(str, "who gave the name, as in `event`; null without one")


class Comment(Base):
    """A comment of a person on a run or on a query."""

    __table_args__ = NEVER_REUSED
    id = id_column()
    collection_id = row_of("collection.id", "the collection of the run or query", index=True)
    run_id = optional(
        int,
        "the run; null for a comment on a query",
        key=ForeignKey("run.id", ondelete="CASCADE"),
        index=True,
    )
    query_id = optional(
        int,
        "the query; null for a comment on a run",
        key=ForeignKey("query.id", ondelete="CASCADE"),
        index=True,
    )
    who = column(str, "who wrote it, as in `event`")
    created_at = column(datetime, "when it was written")
    text = column(str, "what it says, in Markdown")


# Values: evaluations, hits, measures, aggregates and saved ranks


class Evaluation(Base):
    """The evaluation of rankings under a qrels, for all runs that have them."""

    __table_args__ = (UniqueConstraint("content_id", "qrels_id"), NEVER_REUSED)
    id = id_column()
    content_id = row_of("content.id", "the rankings")
    qrels_id = row_of("qrels.id", "the qrels", index=True)
    evaluator = column(str, "the version of evalstore that computed it")
    compat = column(str, "exact, trec_eval-9 or trec_eval-10")
    created_at = column(datetime, "when it was computed")


class Hit(Base):
    """A relevant document that the run retrieved, at its true rank, however deep."""

    __table_args__ = CLUSTERED
    evaluation_id = key_of("evaluation.id")
    query_id = key_of("query.id")
    rank = column(int, "from 1", primary_key=True, autoincrement=False)
    docno = column(str, "the document")
    grade = column(float, "its grade, 1 or more")
    score = column(float, "what the engine gave it")


class Measure(Base):
    """A measure."""

    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, "canonical, like nDCG@10", unique=True)
    family = column(str, "what kind of measure it is")
    direction = column(SmallInteger, "1: more is better, -1: less is better, 0: neither")
    aggregate = column(str, "how values become one figure: mean, sum, ...")


class Measurement(Base):
    """The value of a measure for a query."""

    __table_args__ = CLUSTERED
    evaluation_id = key_of("evaluation.id")
    measure_id = key_of("measure.id")
    query_id = key_of("query.id")
    value = column(float, "unrounded")


class Aggregate(Base):
    """The one figure of a measure for all queries."""

    __table_args__ = CLUSTERED
    evaluation_id = key_of("evaluation.id")
    measure_id = key_of("measure.id", index=True)
    value = column(float, "unrounded; the mean, or the measure's own")
    spread = optional(float, "standard deviation over the queries; null for fewer than two")
    queries = column(int, "how many queries it is over")


class SavedLeaderboard(Base):
    """The ranks of runs on a measure, stored by `evalstore leaderboard --save`."""

    __table_args__ = (UniqueConstraint("qrels_id", "measure_id"), NEVER_REUSED)
    id = id_column()
    qrels_id = row_of("qrels.id", "the qrels")
    measure_id = row_of("measure.id", "the measure", index=True)
    runs = column(int, "how many runs were ranked: all that were active")
    test = column(str, "what separates runs: t (with Holm), tukey or max-t")
    alpha = column(float, "a corrected p below it separates two runs")
    created_at = column(datetime, "when it was computed")
    family = column(
        str, "the correction of the tests against the baseline, in words", server_default=""
    )


class SavedRank(Base):
    """The rank of a run on a saved leaderboard."""

    __table_args__ = CLUSTERED
    saved_leaderboard_id = key_of("saved_leaderboard.id")
    run_id = key_of("run.id", index=True)
    rank = column(int, "1 + how many runs are strictly better")
    rank_low = column(int, "the low end of the interval of the rank")
    rank_high = column(int, "the high end of the interval of the rank")
    rank_group = column(str, "letters: runs that share one are not separated")
    low = optional(float, "the low end of the interval of the value; null for one query")
    high = optional(float, "the high end of the interval of the value; null for one query")
    judged_top_10 = optional(
        float, "the share of the top 10 that is judged; null where nothing was retrieved"
    )
    verdict = optional(
        str, "of the difference to the baseline, as in a comparison; null for the baseline"
    )
    reason = optional(str, "of the verdict")
    sentence = optional(str, "the whole claim")
    bounds_low = optional(
        float,
        "the least difference that judgments could make, or null",
    )
    bounds_high = optional(float, "the greatest")


# The team's server: accounts, sessions, roles, tokens, jobs, uploads.
#
# The names of these tables begin with `server_`: SQL of users can't read such tables
# (`dialects.dialect.HIDDEN_TABLES`), the role of `evalstore db readonly-role` has no right to them,
# and `evalstore db copy` leaves them out.

ONE_COLLECTION = "the collection; null for the whole store"


def collection_or_null() -> Column[Any]:
    """A column that names a collection, or none for the whole store."""
    key = ForeignKey("collection.id", ondelete="CASCADE")
    return optional(int, ONE_COLLECTION, key=key, index=True)


class Account(Base, prefix="server_"):
    """A person who logs in, or a service that has tokens."""

    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, "unique in the store", unique=True)
    kind = column(str, "person or service")
    password_hash = optional(
        str, "argon2id with its parameters; null for accounts without a password"
    )
    disabled = column(bool, "whether it may do nothing for now", server_default=false())
    created_at = column(datetime, "when it was added")
    last_login_at = optional(datetime, "when it last logged in; null where it never did")


class Identity(Base, prefix="server_"):
    """Who an account is at a provider of logins (OpenID Connect)."""

    issuer = column(str, "the provider's address", primary_key=True)
    subject = column(
        str, "the provider's id of the person, never an e-mail address", primary_key=True
    )
    account_id = row_of("server_account.id", "the account", index=True)
    created_at = column(datetime, "when it first logged in")


class Session(Base, prefix="server_"):
    """A login of a browser; its cookie holds a random id, of which the hash is stored."""

    hash = column(str, "SHA-256 of the id in the cookie", primary_key=True)
    account_id = row_of("server_account.id", "the account", index=True)
    created_at = column(datetime, "when the login was")
    last_seen_at = column(datetime, "of its last request, to some minutes")
    expires_at = column(datetime, "when it ends in any case")
    agent = column(str, "how the browser names itself, shortened")


class Role(Base, prefix="server_"):
    """What an account may do in the whole store, or in one collection."""

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
    role = column(str, "reader, contributor or administrator")
    from_groups = column(
        bool,
        "whether it came from groups of a provider of logins, and is set at each login",
        server_default=false(),
    )


class Token(Base, prefix="server_"):
    """A secret by which a program acts as an account, perhaps with fewer rights."""

    __table_args__ = (
        unique_among("uq_server_token_name", "name", where="revoked_at IS NULL"),
        NEVER_REUSED,
    )
    id = id_column()
    name = column(str, "unique among the tokens that are not revoked")
    hash = column(str, "SHA-256 of the token", unique=True)
    prefix = column(str, "its first characters, to recognise it by")
    account_id = row_of("server_account.id", "the account", index=True)
    collection_id = collection_or_null()
    scope = column(str, "read or write")
    created_at = column(datetime, "when it was made")
    expires_at = optional(datetime, "when it ends; null for never")
    last_used_at = optional(datetime, "of its last request, to some minutes; null for never")
    revoked_at = optional(datetime, "when it was taken back; null for tokens that count")


class Invitation(Base, prefix="server_"):
    """A link by which one person makes an account, once."""

    __table_args__ = NEVER_REUSED
    id = id_column()
    hash = column(str, "SHA-256 of the secret in the link", unique=True)
    name = optional(str, "of the account; null where the person chooses it")
    collection_id = collection_or_null()
    role = column(str, "the role that the account gets")
    who = column(str, "who made it, as in `event`")
    created_at = column(datetime, "when it was made")
    expires_at = column(datetime, "when it ends")
    used_at = optional(datetime, "when it was used; null while it can")


class LoginAttempt(Base, prefix="server_"):
    """Failed logins in a row to a name from an address."""

    name_hash = column(
        str, "a keyed hash: people type passwords where the name belongs", primary_key=True
    )
    address = column(str, "where they came from; of IPv6 the network", primary_key=True)
    failures = column(int, "how many")
    locked_until = column(datetime, "until then further ones are refused")


class Setting(Base, prefix="server_"):
    """A setting of the server: its public URL, its secret."""

    name = column(str, "public_url, secret", primary_key=True)
    value = column(str, "its value")


class Job(Base, prefix="server_"):
    """Work to do after the request that asked for it; it survives the end of processes."""

    __table_args__ = (
        # For a worker that looks for the next job.
        Index("ix_server_job_state_lease_until", "state", "lease_until"),
        # For a request that is repeated.
        Index("ix_server_job_collection_id_request_hash", "collection_id", "request_hash"),
        NEVER_REUSED,
    )
    id = id_column()
    kind = column(str, "what is to be done: ingest, ...")
    collection_id = collection_or_null()
    who = column(str, "who asked for it, as in `event`")
    payload = column(dict, "what it needs to know")
    request_hash = column(str, "SHA-256 of kind and payload")
    state = column(str, "waiting, running, done, failed or cancelled")
    attempts = column(int, "how often it was begun")
    created_at = column(datetime, "when it was asked for")
    lease_until = optional(
        datetime, "until then the worker that began it has it; null while it waits"
    )
    heartbeat_at = optional(datetime, "when its worker last said that it works on it")
    ended_at = optional(datetime, "when it was done or failed")
    not_before = optional(datetime, "it is not begun before this time; null for at once")
    result = optional(dict, "what came of it")
    error = optional(str, "why it failed, as the command line says it")


class Upload(Base, prefix="server_"):
    """A file that is being sent, or was sent, into a collection."""

    __table_args__ = (UniqueConstraint("collection_id", "sha256"), NEVER_REUSED)
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    sha256 = column(str, "SHA-256 of the whole file, as its sender says")
    size = column(BigInteger, "bytes of the whole file")
    received = column(BigInteger, "how many of them are here")
    who = column(str, "who sends it, as in `event`")
    created_at = column(datetime, "when it began")
    received_at = column(datetime, "when the last piece came")


class Webhook(Base, prefix="server_"):
    """An address that is told of new runs or of gates that did not pass."""

    __table_args__ = NEVER_REUSED
    id = id_column()
    url = column(str, "where it is told")
    collection_id = collection_or_null()
    tells_of = column(str, "run, gate, or both with a comma")
    secret = column(str, "the key of its signatures")
    created_at = column(datetime, "when it was added")
    event_id = column(int, "the last event that was looked at for it")
    last_at = optional(datetime, "when it was last told something")
    last_result = optional(str, "what came of that")


# The tables of these classes, for statements

collection_t = Collection.__table__
query_t = Query.__table__
attribute_t = QueryAttribute.__table__
document_t = Document.__table__
qrels_t = Qrels.__table__
judgment_t = Judgment.__table__
origin_t = JudgmentOrigin.__table__
draft_t = Draft.__table__
draft_document_t = DraftDocument.__table__
assessment_t = Assessment.__table__
subtopic_t = SubtopicJudgment.__table__
group_t = GroupJudgment.__table__
preference_t = PreferenceJudgment.__table__
known_t = KnownDocument.__table__
engine_t = Engine.__table__
content_t = Content.__table__
run_t = Run.__table__
parent_t = RunParent.__table__
run_file_t = RunFile.__table__
slot_t = EngineSlot.__table__
baseline_t = Baseline.__table__
ranking_t = Ranking.__table__
retrieved_t = Retrieved.__table__
time_t = ResponseTime.__table__
explanation_t = Explanation.__table__
event_t = Event.__table__
experiment_t = Experiment.__table__
about_t = ExperimentAbout.__table__
view_t = SavedView.__table__
comment_t = Comment.__table__
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
setting_t = Setting.__table__
job_t = Job.__table__
upload_t = Upload.__table__
webhook_t = Webhook.__table__
