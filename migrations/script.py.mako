"""${message}"""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError
${imports if imports else ""}

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
