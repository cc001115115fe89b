"""Runs of values without rankings; the texts of documents packed."""

import zlib

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

DOCUMENTS = sa.table(
    "document",
    sa.column("collection_id", sa.Integer),
    sa.column("docno", sa.Text),
    sa.column("text", sa.Text),
    sa.column("packed", sa.LargeBinary),
)
TOGETHER = 500
"""Documents that are in memory at once."""


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
    _pack_texts_of_documents()


def _pack_texts_of_documents() -> None:
    comment = "its words: a byte 0 and UTF-8, or a byte 1 and a zlib stream of UTF-8"
    op.add_column("document", sa.Column("packed", sa.LargeBinary(), nullable=True, comment=comment))
    connection = op.get_bind()
    keys = (DOCUMENTS.c.collection_id, DOCUMENTS.c.docno)
    following = (
        sa.select(*keys, DOCUMENTS.c.text)
        .where(sa.tuple_(*keys) > sa.tuple_(sa.bindparam("collection"), sa.bindparam("last")))
        .order_by(*keys)
        .limit(TOGETHER)
    )
    pack = (
        sa.update(DOCUMENTS)
        .where(keys[0] == sa.bindparam("of"), keys[1] == sa.bindparam("id"))
        .values(packed=sa.bindparam("bytes"))
    )
    rows = connection.execute(following, {"collection": 0, "last": ""}).all()
    while rows:
        packed = [{"of": of, "id": id_, "bytes": packed_text(text)} for of, id_, text in rows]
        connection.execute(pack, packed)
        last = {"collection": rows[-1][0], "last": rows[-1][1]}
        rows = connection.execute(following, last).all()
    op.execute("ALTER TABLE document DROP COLUMN text")


def packed_text(text: str | None) -> bytes | None:
    """As `evalstore.store.packed_text` packs it in this release."""
    if text is None:
        return None
    data = text.encode()
    smaller = zlib.compress(data)
    return b"\1" + smaller if len(smaller) < len(data) else b"\0" + data


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
