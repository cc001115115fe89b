"""The team's server: accounts, sessions, roles, tokens, jobs, uploads; who reads a collection.

And the files that runs were read from.
"""

from urllib.parse import unquote

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# A migration stays as it was released, so its types are written out here.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column(
        "collection",
        sa.Column(
            "access",
            TEXT,
            nullable=False,
            server_default="store",
            comment="who reads it on the team's server: store (who reads the store), private (only "
            "who has a role in it) or public (everyone)",
        ),
    )
    _add_collection_id(
        "event", "the collection's id, which stays when it is renamed or deleted; null for none"
    )
    _add_collection_id(
        "saved_view", "the collection whose page it is; null for pages of none, like that of SQL"
    )
    _fill_collection_of_events()
    _fill_collection_of_saved_views()
    _create_run_file()
    _create_server_account()
    _create_server_login_attempt()
    _create_server_setting()
    _create_server_identity()
    _create_server_invitation()
    _create_server_job()
    _create_server_role()
    _create_server_session()
    _create_server_token()
    _create_server_upload()
    _create_server_webhook()


def _add_collection_id(table, comment) -> None:
    op.add_column(table, column("collection_id", sa.Integer(), comment, nullable=True))
    op.create_index(op.f(f"ix_{table}_collection_id"), table, ["collection_id"])


def _fill_collection_of_events() -> None:
    """By the name, where no other collection can have had it at that time."""
    op.execute("""
UPDATE event
SET collection_id = (
    SELECT collection.id
    FROM collection
    WHERE collection.name = event.collection AND collection.created_at <= event.at
  )
WHERE NOT EXISTS (
    SELECT 1
    FROM event AS renaming
    WHERE renaming.action = 'rename'
      AND renaming.collection = event.collection
      AND renaming.subject = event.collection
      AND renaming.id > event.id
  )""")


def _fill_collection_of_saved_views() -> None:
    """By the name in the address."""
    connection = op.get_bind()
    names = sa.text("SELECT name, id FROM collection")
    ids = dict(tuple(row) for row in connection.execute(names))
    for key, address in connection.execute(sa.text("SELECT key, address FROM saved_view")).all():
        parts = address.partition("?")[0].split("/")
        name = unquote(parts[2]) if parts[1] == "c" and len(parts) > 2 else None
        if name in ids:
            connection.execute(
                sa.text("UPDATE saved_view SET collection_id = :id WHERE key = :key"),
                {"id": ids[name], "key": key},
            )


def _create_server_account() -> None:
    op.create_table(
        "server_account",
        column("id", sa.Integer(), "made by the database"),
        column("name", TEXT, "unique in the store"),
        column("kind", TEXT, "person or service"),
        column(
            "password_hash",
            TEXT,
            "argon2id with its parameters; null for accounts without a password",
            nullable=True,
        ),
        column(
            "disabled", sa.Boolean(), "whether it may do nothing for now", server_default=sa.false()
        ),
        column("created_at", TIME, "when it was added"),
        column(
            "last_login_at", TIME, "when it last logged in; null where it never did", nullable=True
        ),
        primary_key("server_account", "id"),
        unique("server_account", "name"),
        sqlite_autoincrement=True,
        comment="A person who logs in, or a service that has tokens.",
    )


def _create_server_login_attempt() -> None:
    op.create_table(
        "server_login_attempt",
        column("name_hash", TEXT, "a keyed hash: people type passwords where the name belongs"),
        column("address", TEXT, "where they came from; of IPv6 the network"),
        column("failures", sa.Integer(), "how many"),
        column("locked_until", TIME, "until then further ones are refused"),
        primary_key("server_login_attempt", "name_hash", "address"),
        comment="Failed logins in a row to a name from an address.",
    )


def _create_server_setting() -> None:
    op.create_table(
        "server_setting",
        column("name", TEXT, "public_url, secret"),
        column("value", TEXT, "its value"),
        primary_key("server_setting", "name"),
        comment="A setting of the server: its public URL, its secret.",
    )


def _create_run_file() -> None:
    op.create_table(
        "run_file",
        column("run_id", sa.Integer(), "the run"),
        column("path_hash", TEXT, "SHA-256 of its absolute path, or of its URL without secrets"),
        column("size", sa.BigInteger(), "in bytes"),
        column(
            "version",
            TEXT,
            "inode and times of a file, ETag of an object; null where these prove nothing",
            nullable=True,
        ),
        column("bytes_hash", TEXT, "SHA-256 of its bytes; empty for an object of an object store"),
        column(
            "reading",
            TEXT,
            "SHA-256 of the options that it was read with, and of the version of evalstore",
        ),
        primary_key("run_file", "run_id", "path_hash"),
        goes_with("run_file", "run_id", "run"),
        comment="A file that a run was read from, by which it is recognised without being read "
        "again.",
        sqlite_with_rowid=False,
    )


def _create_server_identity() -> None:
    op.create_table(
        "server_identity",
        column("issuer", TEXT, "the provider's address"),
        column("subject", TEXT, "the provider's id of the person, never an e-mail address"),
        column("account_id", sa.Integer(), "the account"),
        column("created_at", TIME, "when it first logged in"),
        primary_key("server_identity", "issuer", "subject"),
        goes_with("server_identity", "account_id", "server_account"),
        comment="Who an account is at a provider of logins (OpenID Connect).",
    )
    op.create_index(op.f("ix_server_identity_account_id"), "server_identity", ["account_id"])


def _create_server_invitation() -> None:
    op.create_table(
        "server_invitation",
        column("id", sa.Integer(), "made by the database"),
        column("hash", TEXT, "SHA-256 of the secret in the link"),
        column("name", TEXT, "of the account; null where the person chooses it", nullable=True),
        column(
            "collection_id", sa.Integer(), "the collection; null for the whole store", nullable=True
        ),
        column("role", TEXT, "the role that the account gets"),
        column("who", TEXT, "who made it, as in `event`"),
        column("created_at", TIME, "when it was made"),
        column("expires_at", TIME, "when it ends"),
        column("used_at", TIME, "when it was used; null while it can", nullable=True),
        primary_key("server_invitation", "id"),
        goes_with("server_invitation", "collection_id", "collection"),
        unique("server_invitation", "hash"),
        sqlite_autoincrement=True,
        comment="A link by which one person makes an account, once.",
    )
    op.create_index(
        op.f("ix_server_invitation_collection_id"), "server_invitation", ["collection_id"]
    )


def _create_server_job() -> None:
    op.create_table(
        "server_job",
        column("id", sa.Integer(), "made by the database"),
        column("kind", TEXT, "what is to be done: ingest, ..."),
        column(
            "collection_id", sa.Integer(), "the collection; null for the whole store", nullable=True
        ),
        column("who", TEXT, "who asked for it, as in `event`"),
        column("payload", sa.JSON(none_as_null=True), "what it needs to know"),
        column("request_hash", TEXT, "SHA-256 of kind and payload"),
        column("state", TEXT, "waiting, running, done, failed or cancelled"),
        column("attempts", sa.Integer(), "how often it was begun"),
        column("created_at", TIME, "when it was asked for"),
        column(
            "lease_until",
            TIME,
            "until then the worker that began it has it; null while it waits",
            nullable=True,
        ),
        column(
            "heartbeat_at", TIME, "when its worker last said that it works on it", nullable=True
        ),
        column("ended_at", TIME, "when it was done or failed", nullable=True),
        column(
            "not_before",
            TIME,
            "it is not begun before this time; null for at once",
            nullable=True,
        ),
        column("result", sa.JSON(none_as_null=True), "what came of it", nullable=True),
        column("error", TEXT, "why it failed, as the command line says it", nullable=True),
        primary_key("server_job", "id"),
        goes_with("server_job", "collection_id", "collection"),
        sqlite_autoincrement=True,
        comment="Work to do after the request that asked for it; it survives the end of processes.",
    )
    op.create_index(op.f("ix_server_job_collection_id"), "server_job", ["collection_id"])
    op.create_index(op.f("ix_server_job_state_lease_until"), "server_job", ["state", "lease_until"])
    op.create_index(
        op.f("ix_server_job_collection_id_request_hash"),
        "server_job",
        ["collection_id", "request_hash"],
    )


def _create_server_role() -> None:
    op.create_table(
        "server_role",
        column("id", sa.Integer(), "made by the database"),
        column("account_id", sa.Integer(), "the account"),
        column(
            "collection_id", sa.Integer(), "the collection; null for the whole store", nullable=True
        ),
        column("role", TEXT, "reader, contributor or administrator"),
        column(
            "from_groups",
            sa.Boolean(),
            "whether it came from groups of a provider of logins, and is set at each login",
            server_default=sa.false(),
        ),
        primary_key("server_role", "id"),
        goes_with("server_role", "account_id", "server_account"),
        goes_with("server_role", "collection_id", "collection"),
        unique("server_role", "account_id", "collection_id", "from_groups"),
        sqlite_autoincrement=True,
        comment="What an account may do in the whole store, or in one collection.",
    )
    op.create_index(op.f("ix_server_role_collection_id"), "server_role", ["collection_id"])
    unique_where(
        "uq_server_role_store",
        "server_role",
        "account_id",
        "from_groups",
        where="collection_id IS NULL",
    )


def _create_server_session() -> None:
    op.create_table(
        "server_session",
        column("hash", TEXT, "SHA-256 of the id in the cookie"),
        column("account_id", sa.Integer(), "the account"),
        column("created_at", TIME, "when the login was"),
        column("last_seen_at", TIME, "of its last request, to some minutes"),
        column("expires_at", TIME, "when it ends in any case"),
        column("agent", TEXT, "how the browser names itself, shortened"),
        primary_key("server_session", "hash"),
        goes_with("server_session", "account_id", "server_account"),
        comment="A login of a browser; its cookie holds a random id, of which the hash is stored.",
    )
    op.create_index(op.f("ix_server_session_account_id"), "server_session", ["account_id"])


def _create_server_token() -> None:
    op.create_table(
        "server_token",
        column("id", sa.Integer(), "made by the database"),
        column("name", TEXT, "unique among the tokens that are not revoked"),
        column("hash", TEXT, "SHA-256 of the token"),
        column("prefix", TEXT, "its first characters, to recognise it by"),
        column("account_id", sa.Integer(), "the account"),
        column(
            "collection_id", sa.Integer(), "the collection; null for the whole store", nullable=True
        ),
        column("scope", TEXT, "read or write"),
        column("created_at", TIME, "when it was made"),
        column("expires_at", TIME, "when it ends; null for never", nullable=True),
        column(
            "last_used_at",
            TIME,
            "of its last request, to some minutes; null for never",
            nullable=True,
        ),
        column(
            "revoked_at", TIME, "when it was taken back; null for tokens that count", nullable=True
        ),
        primary_key("server_token", "id"),
        goes_with("server_token", "account_id", "server_account"),
        goes_with("server_token", "collection_id", "collection"),
        unique("server_token", "hash"),
        sqlite_autoincrement=True,
        comment="A secret by which a program acts as an account, perhaps with fewer rights.",
    )
    op.create_index(op.f("ix_server_token_account_id"), "server_token", ["account_id"])
    op.create_index(op.f("ix_server_token_collection_id"), "server_token", ["collection_id"])
    unique_where("uq_server_token_name", "server_token", "name", where="revoked_at IS NULL")


def _create_server_webhook() -> None:
    op.create_table(
        "server_webhook",
        column("id", sa.Integer(), "made by the database"),
        column("url", TEXT, "where it is told"),
        column(
            "collection_id", sa.Integer(), "the collection; null for the whole store", nullable=True
        ),
        column("tells_of", TEXT, "run, gate, or both with a comma"),
        column("secret", TEXT, "the key of its signatures"),
        column("created_at", TIME, "when it was added"),
        column("event_id", sa.Integer(), "the last event that was looked at for it"),
        column("last_at", TIME, "when it was last told something", nullable=True),
        column("last_result", TEXT, "what came of that", nullable=True),
        primary_key("server_webhook", "id"),
        goes_with("server_webhook", "collection_id", "collection"),
        sqlite_autoincrement=True,
        comment="An address that is told of new runs or of gates that did not pass.",
    )
    op.create_index(op.f("ix_server_webhook_collection_id"), "server_webhook", ["collection_id"])


def _create_server_upload() -> None:
    op.create_table(
        "server_upload",
        column("id", sa.Integer(), "made by the database"),
        column("collection_id", sa.Integer(), "the collection"),
        column("sha256", TEXT, "SHA-256 of the whole file, as its sender says"),
        column("size", sa.BigInteger(), "bytes of the whole file"),
        column("received", sa.BigInteger(), "how many of them are here"),
        column("who", TEXT, "who sends it, as in `event`"),
        column("created_at", TIME, "when it began"),
        column("received_at", TIME, "when the last piece came"),
        primary_key("server_upload", "id"),
        goes_with("server_upload", "collection_id", "collection"),
        unique("server_upload", "collection_id", "sha256"),
        sqlite_autoincrement=True,
        comment="A file that is being sent, or was sent, into a collection.",
    )


def column(name, kind, comment, *, nullable=False, server_default=None):
    """A column with its comment."""
    return sa.Column(name, kind, nullable=nullable, server_default=server_default, comment=comment)


def primary_key(table, *columns):
    """The key of a table."""
    return sa.PrimaryKeyConstraint(*columns, name=op.f(f"pk_{table}"))


def goes_with(table, name, parent):
    """The rows go with those they belong to."""
    return sa.ForeignKeyConstraint(
        [name], [f"{parent}.id"], name=op.f(f"fk_{table}_{name}"), ondelete="CASCADE"
    )


def unique(table, *columns):
    """Columns that together are different in every row."""
    return sa.UniqueConstraint(*columns, name=op.f(f"uq_{table}_{'_'.join(columns)}"))


def unique_where(index, table, *columns, where):
    """Columns that together are different in every row of those that meet a condition."""
    op.create_index(
        index,
        table,
        columns,
        unique=True,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
