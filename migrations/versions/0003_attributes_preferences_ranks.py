"""Attributes of queries; preferences and groups of judgments; ranks on a leaderboard."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# A migration stays as it was released, so its types and views are written out here.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    _create_query_attribute()


def _create_query_attribute() -> None:
    op.create_table(
        "query_attribute",
        *of("query"),
        sa.Column("name", TEXT, nullable=False, comment="what the attribute is called, like lang"),
        sa.Column("value", TEXT, nullable=False, comment="its value as text, never empty"),
        *keys("query_attribute", "query"),
        sa.PrimaryKeyConstraint("query_id", "name", name=op.f("pk_query_attribute")),
        comment="What a query is like: its language, its category.",
        sqlite_with_rowid=False,
    )
    create_view(
        "query_attributes",
        "The attributes of queries.",
        {
            "collection": "the test collection",
            "qid": "the query's id, as text",
            "name": "what the attribute is called, like lang",
            "value": "its value, as text",
        },
        """SELECT collection.name AS collection,
       query.qid AS qid,
       query_attribute.name AS name,
       query_attribute.value AS value
FROM query_attribute
JOIN query ON query.id = query_attribute.query_id
JOIN collection ON collection.id = query.collection_id
WHERE collection.deleted_at IS NULL""",
    )


def of(parent: str) -> list[sa.Column[int]]:
    """A part of the key that is a row of another table."""
    return [
        sa.Column(
            f"{parent}_id",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment=f"the {parent}",
        )
    ]


def keys(table: str, *parents: str) -> list[sa.ForeignKeyConstraint]:
    """The rows go with those they belong to."""
    return [
        sa.ForeignKeyConstraint(
            [f"{parent}_id"],
            [f"{parent}.id"],
            name=op.f(f"fk_{table}_{parent}_id"),
            ondelete="CASCADE",
        )
        for parent in parents
    ]


def create_view(name: str, comment: str, columns: dict[str, str], query: str) -> None:
    """Make a view; on PostgreSQL with comments, which SQLite has none of."""
    op.execute(f"CREATE VIEW {name} AS\n{query}")
    if op.get_bind().dialect.name != "sqlite":
        op.execute(f"COMMENT ON VIEW {name} IS {quoted(comment)}")
        for column, column_comment in columns.items():
            op.execute(f"COMMENT ON COLUMN {name}.{column} IS {quoted(column_comment)}")


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
