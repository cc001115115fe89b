"""Tables of the team's server: accounts, sessions, roles, tokens, jobs, uploads.

Their names begin with `server_`: SQL of users can't read such tables
(`dialects.dialect.HIDDEN_TABLES`), the role of `evalstore db readonly-role` has no right to them,
and `evalstore copy` leaves them out.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from evalstore.store.models.base import NEVER_REUSED, Base, id_column, row_of

ONE_COLLECTION = "the collection; null for the whole store"


def collection_or_null() -> Mapped[int | None]:
    """A column that names a collection, or none for the whole store."""
    key = ForeignKey("collection.id", ondelete="CASCADE")
    return mapped_column(key, index=True, comment=ONE_COLLECTION)


class Account(Base):
    """A person who logs in, or a service that has tokens."""

    __tablename__ = "server_account"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = id_column()
    name: Mapped[str] = mapped_column(unique=True, comment="unique in the store")
    kind: Mapped[str] = mapped_column(comment="person or service")
    password_hash: Mapped[str | None] = mapped_column(
        comment="argon2id with its parameters; null for accounts without a password"
    )
    disabled: Mapped[bool] = mapped_column(
        server_default=false(), comment="whether it may do nothing for now"
    )
    created_at: Mapped[datetime] = mapped_column(comment="when it was added")
    last_login_at: Mapped[datetime | None] = mapped_column(
        comment="when it last logged in; null where it never did"
    )


class Identity(Base):
    """Who an account is at a provider of logins (OpenID Connect)."""

    __tablename__ = "server_identity"
    issuer: Mapped[str] = mapped_column(primary_key=True, comment="the provider's address")
    subject: Mapped[str] = mapped_column(
        primary_key=True, comment="the provider's id of the person, never an e-mail address"
    )
    account_id: Mapped[int] = row_of("server_account.id", "the account", index=True)
    created_at: Mapped[datetime] = mapped_column(comment="when it first logged in")


class Session(Base):
    """A login of a browser; its cookie holds a random id, of which the hash is stored."""

    __tablename__ = "server_session"
    hash: Mapped[str] = mapped_column(primary_key=True, comment="SHA-256 of the id in the cookie")
    account_id: Mapped[int] = row_of("server_account.id", "the account", index=True)
    created_at: Mapped[datetime] = mapped_column(comment="when the login was")
    last_seen_at: Mapped[datetime] = mapped_column(comment="of its last request, to some minutes")
    expires_at: Mapped[datetime] = mapped_column(comment="when it ends in any case")
    agent: Mapped[str] = mapped_column(comment="how the browser names itself, shortened")


class Role(Base):
    """What an account may do in the whole store, or in one collection."""

    __tablename__ = "server_role"
    __table_args__ = (
        # Two nulls differ, so the role for the whole store needs an index of its own.
        UniqueConstraint("account_id", "collection_id", "from_groups"),
        Index(
            "uq_server_role_store",
            "account_id",
            "from_groups",
            unique=True,
            sqlite_where=text("collection_id IS NULL"),
            postgresql_where=text("collection_id IS NULL"),
        ),
        NEVER_REUSED,
    )
    id: Mapped[int] = id_column()
    account_id: Mapped[int] = row_of("server_account.id", "the account")
    collection_id: Mapped[int | None] = collection_or_null()
    role: Mapped[str] = mapped_column(comment="reader, contributor or administrator")
    from_groups: Mapped[bool] = mapped_column(
        server_default=false(),
        comment="whether it came from groups of a provider of logins, and is set at each login",
    )


class Token(Base):
    """A secret by which a program acts as an account, perhaps with fewer rights."""

    __tablename__ = "server_token"
    __table_args__ = (
        Index(
            "uq_server_token_name",
            "name",
            unique=True,
            sqlite_where=text("revoked_at IS NULL"),
            postgresql_where=text("revoked_at IS NULL"),
        ),
        NEVER_REUSED,
    )
    id: Mapped[int] = id_column()
    name: Mapped[str] = mapped_column(comment="unique among the tokens that are not revoked")
    hash: Mapped[str] = mapped_column(unique=True, comment="SHA-256 of the token")
    prefix: Mapped[str] = mapped_column(comment="its first characters, to recognise it by")
    account_id: Mapped[int] = row_of("server_account.id", "the account", index=True)
    collection_id: Mapped[int | None] = collection_or_null()
    scope: Mapped[str] = mapped_column(comment="read or write")
    created_at: Mapped[datetime] = mapped_column(comment="when it was made")
    expires_at: Mapped[datetime | None] = mapped_column(comment="when it ends; null for never")
    last_used_at: Mapped[datetime | None] = mapped_column(
        comment="of its last request, to some minutes; null for never"
    )
    revoked_at: Mapped[datetime | None] = mapped_column(
        comment="when it was taken back; null for tokens that count"
    )


class Invitation(Base):
    """A link by which one person makes an account, once."""

    __tablename__ = "server_invitation"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = id_column()
    hash: Mapped[str] = mapped_column(unique=True, comment="SHA-256 of the secret in the link")
    name: Mapped[str | None] = mapped_column(
        comment="of the account; null where the person chooses it"
    )
    collection_id: Mapped[int | None] = collection_or_null()
    role: Mapped[str] = mapped_column(comment="the role that the account gets")
    who: Mapped[str] = mapped_column(comment="who made it, as in `event`")
    created_at: Mapped[datetime] = mapped_column(comment="when it was made")
    expires_at: Mapped[datetime] = mapped_column(comment="when it ends")
    used_at: Mapped[datetime | None] = mapped_column(comment="when it was used; null while it can")


class LoginAttempt(Base):
    """Failed logins in a row to a name from an address."""

    __tablename__ = "server_login_attempt"
    name_hash: Mapped[str] = mapped_column(
        primary_key=True, comment="a keyed hash: people type passwords where the name belongs"
    )
    address: Mapped[str] = mapped_column(
        primary_key=True, comment="where they came from; of IPv6 the network"
    )
    failures: Mapped[int] = mapped_column(comment="how many")
    locked_until: Mapped[datetime] = mapped_column(comment="until then further ones are refused")


class ServerSetting(Base):
    """A setting of the server: its public URL, its secret."""

    __tablename__ = "server_setting"
    name: Mapped[str] = mapped_column(primary_key=True, comment="public_url, secret")
    value: Mapped[str] = mapped_column(comment="its value")


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
    id: Mapped[int] = id_column()
    kind: Mapped[str] = mapped_column(comment="what is to be done: ingest, ...")
    collection_id: Mapped[int | None] = collection_or_null()
    who: Mapped[str] = mapped_column(comment="who asked for it, as in `event`")
    payload: Mapped[dict[str, Any]] = mapped_column(comment="what it needs to know")
    request_hash: Mapped[str] = mapped_column(comment="SHA-256 of kind and payload")
    state: Mapped[str] = mapped_column(comment="waiting, running, done, failed or cancelled")
    attempts: Mapped[int] = mapped_column(comment="how often it was begun")
    created_at: Mapped[datetime] = mapped_column(comment="when it was asked for")
    lease_until: Mapped[datetime | None] = mapped_column(
        comment="until then the worker that began it has it; null while it waits"
    )
    heartbeat_at: Mapped[datetime | None] = mapped_column(
        comment="when its worker last said that it works on it"
    )
    ended_at: Mapped[datetime | None] = mapped_column(comment="when it was done or failed")
    not_before: Mapped[datetime | None] = mapped_column(
        comment="it is not begun before this time; null for at once"
    )
    result: Mapped[dict[str, Any] | None] = mapped_column(comment="what came of it")
    error: Mapped[str | None] = mapped_column(comment="why it failed, as the command line says it")


class Upload(Base):
    """A file that is being sent, or was sent, into a collection."""

    __tablename__ = "server_upload"
    __table_args__ = (UniqueConstraint("collection_id", "sha256"), NEVER_REUSED)
    id: Mapped[int] = id_column()
    collection_id: Mapped[int] = row_of("collection.id", "the collection")
    sha256: Mapped[str] = mapped_column(comment="SHA-256 of the whole file, as its sender says")
    size: Mapped[int] = mapped_column(BigInteger, comment="bytes of the whole file")
    received: Mapped[int] = mapped_column(BigInteger, comment="how many of them are here")
    who: Mapped[str] = mapped_column(comment="who sends it, as in `event`")
    created_at: Mapped[datetime] = mapped_column(comment="when it began")
    received_at: Mapped[datetime] = mapped_column(comment="when the last piece came")


class Webhook(Base):
    """An address that is told of new runs or of gates that did not pass."""

    __tablename__ = "server_webhook"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = id_column()
    url: Mapped[str] = mapped_column(comment="where it is told")
    collection_id: Mapped[int | None] = collection_or_null()
    tells_of: Mapped[str] = mapped_column(comment="run, gate, or both with a comma")
    secret: Mapped[str] = mapped_column(comment="the key of its signatures")
    created_at: Mapped[datetime] = mapped_column(comment="when it was added")
    event_id: Mapped[int] = mapped_column(comment="the last event that was looked at for it")
    last_at: Mapped[datetime | None] = mapped_column(comment="when it was last told something")
    last_result: Mapped[str | None] = mapped_column(comment="what came of that")
