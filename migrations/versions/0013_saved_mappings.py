"""Collections keep mappings: how files of other programs are read."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "collection",
        sa.Column(
            "mappings",
            sa.JSON(none_as_null=True),
            nullable=True,
            comment="how files of other programs are read: the paths of fields by a name",
        ),
    )


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
