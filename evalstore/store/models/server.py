"""Tables of the team's server: accounts, sessions, roles, tokens, jobs, uploads.

Their names begin with `server_`: SQL of users can't read such tables
(`dialects.dialect.HIDDEN_TABLES`), the role of `evalstore db readonly-role` has no right to them,
and `evalstore copy` leaves them out.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, Index, UniqueConstraint, false

from evalstore.store.models.base import NEVER_REUSED, Base, column, id_column, row_of, unique_among

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
        str,
        null=True,
        comment="argon2id with its parameters; null for accounts without a password",
    )
    disabled = column(bool, server_default=false(), comment="whether it may do nothing for now")
    created_at = column(datetime, comment="when it was added")
    last_login_at = column(
        datetime,
        null=True,
        comment="when it last logged in; null where it never did",
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
        datetime,
        null=True,
        comment="of its last request, to some minutes; null for never",
    )
    revoked_at = column(
        datetime,
        null=True,
        comment="when it was taken back; null for tokens that count",
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
        datetime,
        null=True,
        comment="when its worker last said that it works on it",
    )
    ended_at = column(datetime, null=True, comment="when it was done or failed")
    not_before = column(
        datetime,
        null=True,
        comment="it is not begun before this time; null for at once",
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
