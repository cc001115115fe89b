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
    _renew_views_of_runs()
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
    """As `evalstore.store.packing` packs it in this release."""
    if text is None:
        return None
    data = text.encode()
    smaller = zlib.compress(data)
    return b"\1" + smaller if len(smaller) < len(data) else b"\0" + data


def _renew_views_of_runs() -> None:
    """Show in the list of runs which have no rankings, and count nothing as missed by those."""
    for name in ("relevant_missed", "runs_overview"):
        op.execute(f"DROP VIEW {name}")
    create_view(
        "relevant_missed",
        "The relevant documents each run with rankings did not retrieve at any rank.",
        {
            "collection": "the test collection",
            "qrels": "the set of judgments",
            "engine": "the retrieval system",
            "run": "the run's name, unique in the collection",
            "qid": "the query's id, as text",
            "query": "the query's words, or null",
            "docno": "the document's id, as text",
            "grade": "1 and more is relevant; negative: in the pool, not judged; null: unjudged",
        },
        RELEVANT_MISSED,
    )
    create_view(
        "runs_overview",
        "One row per run.",
        {
            "run_id": "the run's id, as `evalstore runs` shows it",
            "collection": "the test collection",
            "experiment": "the group the run belongs to, or null",
            "engine": "the retrieval system",
            "run": "the run's name, unique in the collection",
            "tag": "the run tag in the file",
            "queries_answered": "how many queries the run answers",
            "documents_retrieved": "how many documents in all its lists; null where it has none",
            "ingested_at": "when it was stored (UTC)",
            "evaluations": "under how many qrels it was evaluated",
            "values_only": "whether it came as values of measures, without rankings",
        },
        RUNS_OVERVIEW,
    )


RELEVANT_MISSED = """SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       judgment.docno AS docno,
       judgment.grade AS grade
FROM evaluation
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.id = evaluation.run_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
JOIN judgment ON judgment.qrels_id = evaluation.qrels_id AND judgment.grade >= 1
JOIN query ON query.id = judgment.query_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL
  AND NOT run.values_only
  AND NOT EXISTS (
    SELECT 1
    FROM hit
    WHERE hit.evaluation_id = evaluation.id
      AND hit.query_id = judgment.query_id
      AND hit.docno = judgment.docno
  )"""

RUNS_OVERVIEW = """SELECT run.id AS run_id,
       collection.name AS collection,
       experiment.name AS experiment,
       engine.name AS engine,
       run.name AS run,
       run.tag AS tag,
       run.queries AS queries_answered,
       CASE WHEN run.values_only THEN NULL ELSE run.retrieved END AS documents_retrieved,
       run.created_at AS ingested_at,
       (
         SELECT count(*)
         FROM evaluation
         JOIN qrels ON qrels.id = evaluation.qrels_id
         WHERE evaluation.run_id = run.id
           AND qrels.deleted_at IS NULL
       ) AS evaluations,
       run.values_only AS values_only
FROM run
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
LEFT JOIN experiment ON experiment.id = run.experiment_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL"""


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
