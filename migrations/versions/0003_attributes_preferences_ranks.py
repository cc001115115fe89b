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
    _create_group_judgment()
    _create_preference_judgment()


def _create_group_judgment() -> None:
    op.create_table(
        "group_judgment",
        *of("collection"),
        *of("query"),
        sa.Column("docno", TEXT, nullable=False, comment="the document"),
        sa.Column("judgment_group", TEXT, nullable=False, comment="who judged"),
        sa.Column(
            "grade",
            sa.Double(),
            nullable=False,
            comment="1 and more is relevant; negative: in the pool, not judged",
        ),
        *keys("group_judgment", "collection", "query"),
        sa.PrimaryKeyConstraint(
            "collection_id", "query_id", "docno", "judgment_group", name=op.f("pk_group_judgment")
        ),
        comment="The grade that a judgment group (a judge) gave a document, for averages over "
        "groups.",
        sqlite_with_rowid=False,
    )


def _create_preference_judgment() -> None:
    op.create_table(
        "preference_judgment",
        *of("collection"),
        *of("query"),
        sa.Column("judgment_group", TEXT, nullable=False, comment="who judged"),
        sa.Column("subgroup", TEXT, nullable=False, comment="documents compared with each other"),
        sa.Column("docno", TEXT, nullable=False, comment="the document"),
        sa.Column(
            "level", sa.Double(), nullable=False, comment="higher is preferred; 0 is not relevant"
        ),
        *keys("preference_judgment", "collection", "query"),
        sa.PrimaryKeyConstraint(
            "collection_id",
            "query_id",
            "judgment_group",
            "subgroup",
            "docno",
            name=op.f("pk_preference_judgment"),
        ),
        comment="The level of a document among others: in a subgroup the higher level is "
        "preferred.",
        sqlite_with_rowid=False,
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
