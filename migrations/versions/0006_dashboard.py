"""The slots that give engines their colours, and saved views of the dashboard."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

# A migration stays as it was released, so its types are written out here.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "engine_slot",
        key_of("collection"),
        key_of("engine"),
        sa.Column(
            "slot",
            sa.Integer(),
            nullable=False,
            comment="from 0, in the order of the engines' first runs; never changed",
        ),
        goes_with("collection"),
        goes_with("engine"),
        sa.PrimaryKeyConstraint("collection_id", "engine_id", name=op.f("pk_engine_slot")),
        sa.UniqueConstraint(
            "collection_id", "slot", name=op.f("uq_engine_slot_collection_id_slot")
        ),
        comment="The number of an engine in a collection, by which charts give it a colour and a "
        "mark.",
    )
    op.create_index(op.f("ix_engine_slot_engine_id"), "engine_slot", ["engine_id"])
    op.execute(
        """INSERT INTO engine_slot (collection_id, engine_id, slot)
SELECT collection_id,
       engine_id,
       row_number() OVER (PARTITION BY collection_id ORDER BY min(id)) - 1
FROM run
GROUP BY collection_id, engine_id"""
    )
    op.create_table(
        "saved_view",
        sa.Column(
            "key",
            TEXT,
            nullable=False,
            comment="as in /v/h7k2: made of the address, so that one has one key",
        ),
        sa.Column("address", TEXT, nullable=False, comment="path and query string"),
        sa.Column("created_at", TIME, nullable=False, comment="when it was saved"),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_saved_view")),
        comment="A long address of the dashboard under a short key.",
    )


def key_of(parent: str) -> sa.Column[int]:
    """A part of the key that is a row of another table."""
    return sa.Column(
        f"{parent}_id", sa.Integer(), autoincrement=False, nullable=False, comment=f"the {parent}"
    )


def goes_with(parent: str) -> sa.ForeignKeyConstraint:
    """The rows go with those they belong to."""
    return sa.ForeignKeyConstraint(
        [f"{parent}_id"],
        [f"{parent}.id"],
        name=op.f(f"fk_engine_slot_{parent}_id"),
        ondelete="CASCADE",
    )


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
