"""Runs of values without rankings."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "run",
        sa.Column(
            "values_only",
            sa.Boolean(),
            nullable=False,
            server_default=sa.false(),
            comment="whether it came as values of measures, without rankings",
        ),
    )


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
