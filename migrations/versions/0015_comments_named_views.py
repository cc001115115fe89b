"""People comment on runs and queries, and give names to saved views."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


NAMES = {
    "name": "its name, given by a person; null for a view that is only linked",
    "who": "who gave the name, as in `event`; null without one",
}


def upgrade() -> None:
    for name, comment in NAMES.items():
        op.add_column("saved_view", sa.Column(name, TEXT, nullable=True, comment=comment))
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column(
            "saved_view",
            "created_at",
            comment="when it was saved, or named",
            existing_comment="when it was saved",
        )
    op.create_table(
        "comment",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column(
            "collection_id",
            sa.Integer(),
            nullable=False,
            comment="the collection of the run or query",
        ),
        sa.Column(
            "run_id",
            sa.Integer(),
            nullable=True,
            comment="the run; null for a comment on a query",
        ),
        sa.Column(
            "query_id",
            sa.Integer(),
            nullable=True,
            comment="the query; null for a comment on a run",
        ),
        sa.Column("who", TEXT, nullable=False, comment="who wrote it, as in `event`"),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), nullable=False, comment="when it was written"
        ),
        sa.Column("text", TEXT, nullable=False, comment="what it says, in Markdown"),
        *(
            sa.ForeignKeyConstraint(
                [f"{parent}_id"],
                [f"{parent}.id"],
                name=op.f(f"fk_comment_{parent}_id"),
                ondelete="CASCADE",
            )
            for parent in ("collection", "run", "query")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment")),
        comment="A comment of a person on a run or on a query.",
        sqlite_autoincrement=True,
    )
    for column in ("collection_id", "run_id", "query_id"):
        op.create_index(op.f(f"ix_comment_{column}"), "comment", [column])


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
