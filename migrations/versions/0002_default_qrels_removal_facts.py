"""Ids that are never reused; a default qrels; qrels and collections can be removed; facts.

Views are made anew: they leave out what was removed.
"""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# A migration stays as it was released, so its types and views are written out here.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
TIME = sa.DateTime(timezone=True)

WITH_ID = (
    *("collection", "query", "qrels", "experiment", "engine"),
    *("run", "evaluation", "measure", "event"),
)

VIEWS = {
    "leaderboard": (
        "One figure per run, qrels and measure.",
        {
            "collection": "the test collection",
            "qrels": "the set of judgments",
            "experiment": "the group the run belongs to, or null",
            "engine": "the retrieval system",
            "run": "the run's name, unique in the collection",
            "measure": "the measure's canonical name, like nDCG@10",
            "value": "the measure's value, unrounded",
            "queries": "how many queries the value is over",
            "spread": "standard deviation over the queries; null for fewer than two",
        },
        """SELECT collection.name AS collection,
       qrels.name AS qrels,
       experiment.name AS experiment,
       engine.name AS engine,
       run.name AS run,
       measure.name AS measure,
       aggregate.value AS value,
       aggregate.queries AS queries,
       aggregate.spread AS spread
FROM aggregate
JOIN evaluation ON evaluation.id = aggregate.evaluation_id
JOIN measure ON measure.id = aggregate.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.id = evaluation.run_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
LEFT JOIN experiment ON experiment.id = run.experiment_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL""",
    ),
    "query_values": (
        "The value of each measure for each query of each run.",
        {
            "collection": "the test collection",
            "qrels": "the set of judgments",
            "engine": "the retrieval system",
            "run": "the run's name, unique in the collection",
            "qid": "the query's id, as text",
            "query": "the query's words, or null",
            "measure": "the measure's canonical name, like nDCG@10",
            "value": "the measure's value, unrounded",
        },
        """SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       measure.name AS measure,
       measurement.value AS value
FROM measurement
JOIN evaluation ON evaluation.id = measurement.evaluation_id
JOIN measure ON measure.id = measurement.measure_id
JOIN query ON query.id = measurement.query_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.id = evaluation.run_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL""",
    ),
    "judgments": (
        "The grade of each judged document.",
        {
            "collection": "the test collection",
            "qrels": "the set of judgments",
            "qid": "the query's id, as text",
            "query": "the query's words, or null",
            "docno": "the document's id, as text",
            "grade": "1 and more is relevant; negative: in the pool, not judged; null: unjudged",
        },
        """SELECT collection.name AS collection,
       qrels.name AS qrels,
       query.qid AS qid,
       query.text AS query,
       judgment.docno AS docno,
       judgment.grade AS grade
FROM judgment
JOIN qrels ON qrels.id = judgment.qrels_id
JOIN query ON query.id = judgment.query_id
JOIN collection ON collection.id = qrels.collection_id
WHERE qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL""",
    ),
    "retrieved_docs": (
        "The top of each ranking, with the grade of each document under each qrels.",
        {
            "collection": "the test collection",
            "qrels": "the set of judgments",
            "engine": "the retrieval system",
            "run": "the run's name, unique in the collection",
            "qid": "the query's id, as text",
            "query": "the query's words, or null",
            "rank": "the place in the ranking, from 1",
            "docno": "the document's id, as text",
            "score": "what the engine gave the document",
            "grade": "1 and more is relevant; negative: in the pool, not judged; null: unjudged",
        },
        """SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       retrieved.rank AS rank,
       retrieved.docno AS docno,
       retrieved.score AS score,
       judgment.grade AS grade
FROM evaluation
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.id = evaluation.run_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
JOIN retrieved ON retrieved.run_id = run.id
JOIN query ON query.id = retrieved.query_id
LEFT JOIN judgment ON judgment.qrels_id = evaluation.qrels_id
    AND judgment.query_id = retrieved.query_id
    AND judgment.docno = retrieved.docno
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL""",
    ),
    "relevant_found": (
        "The relevant documents each run retrieved, at whatever rank.",
        {
            "collection": "the test collection",
            "qrels": "the set of judgments",
            "engine": "the retrieval system",
            "run": "the run's name, unique in the collection",
            "qid": "the query's id, as text",
            "query": "the query's words, or null",
            "rank": "the place in the ranking, from 1",
            "docno": "the document's id, as text",
            "grade": "1 and more is relevant; negative: in the pool, not judged; null: unjudged",
            "score": "what the engine gave the document",
        },
        """SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       hit.rank AS rank,
       hit.docno AS docno,
       hit.grade AS grade,
       hit.score AS score
FROM hit
JOIN evaluation ON evaluation.id = hit.evaluation_id
JOIN query ON query.id = hit.query_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.id = evaluation.run_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL""",
    ),
    "relevant_missed": (
        "The relevant documents each run did not retrieve at any rank.",
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
        """SELECT collection.name AS collection,
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
  AND NOT EXISTS (
    SELECT 1
    FROM hit
    WHERE hit.evaluation_id = evaluation.id
      AND hit.query_id = judgment.query_id
      AND hit.docno = judgment.docno
  )""",
    ),
    "rprec_differences": (
        "R-precision of run A less that of run B, for each pair of runs and each query.",
        {
            "collection": "the test collection",
            "qrels": "the set of judgments",
            "engine_a": "the engine of run A",
            "run_a": "run A",
            "engine_b": "the engine of run B",
            "run_b": "run B",
            "qid": "the query's id, as text",
            "query": "the query's words, or null",
            "value_a": "R-precision of run A",
            "value_b": "R-precision of run B",
            "difference": "value_a - value_b: positive where A is better",
        },
        """SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine_a.name AS engine_a,
       run_a.name AS run_a,
       engine_b.name AS engine_b,
       run_b.name AS run_b,
       query.qid AS qid,
       query.text AS query,
       a.value AS value_a,
       b.value AS value_b,
       a.value - b.value AS difference
FROM evaluation AS evaluation_a
JOIN evaluation AS evaluation_b ON evaluation_b.qrels_id = evaluation_a.qrels_id
    AND evaluation_b.id <> evaluation_a.id
JOIN measure ON measure.name = 'Rprec'
JOIN measurement AS a ON a.evaluation_id = evaluation_a.id AND a.measure_id = measure.id
JOIN measurement AS b ON b.evaluation_id = evaluation_b.id AND b.measure_id = measure.id
    AND b.query_id = a.query_id
JOIN query ON query.id = a.query_id
JOIN qrels ON qrels.id = evaluation_a.qrels_id
JOIN collection ON collection.id = qrels.collection_id
JOIN run AS run_a ON run_a.id = evaluation_a.run_id AND run_a.deleted_at IS NULL
JOIN run AS run_b ON run_b.id = evaluation_b.run_id AND run_b.deleted_at IS NULL
JOIN engine AS engine_a ON engine_a.id = run_a.engine_id
JOIN engine AS engine_b ON engine_b.id = run_b.engine_id
WHERE qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL""",
    ),
    "runs_overview": (
        "One row per run.",
        {
            "run_id": "the run's id, as `evalstore runs` shows it",
            "collection": "the test collection",
            "experiment": "the group the run belongs to, or null",
            "engine": "the retrieval system",
            "run": "the run's name, unique in the collection",
            "tag": "the run tag in the file",
            "queries_answered": "how many queries the run answers",
            "documents_retrieved": "how many documents in all its lists",
            "ingested_at": "when it was stored (UTC)",
            "evaluations": "under how many qrels it was evaluated",
        },
        """SELECT run.id AS run_id,
       collection.name AS collection,
       experiment.name AS experiment,
       engine.name AS engine,
       run.name AS run,
       run.tag AS tag,
       run.queries AS queries_answered,
       run.retrieved AS documents_retrieved,
       run.created_at AS ingested_at,
       (
         SELECT count(*)
         FROM evaluation
         JOIN qrels ON qrels.id = evaluation.qrels_id
         WHERE evaluation.run_id = run.id
           AND qrels.deleted_at IS NULL
       ) AS evaluations
FROM run
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
LEFT JOIN experiment ON experiment.id = run.experiment_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL""",
    ),
}


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def upgrade() -> None:
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    for name in VIEWS:
        op.execute(f"DROP VIEW {name}")

    op.add_column(
        "collection",
        sa.Column(
            "deleted_at",
            TIME,
            nullable=True,
            comment="when it was marked as removed; null for collections that count",
        ),
    )
    op.add_column(
        "qrels",
        sa.Column(
            "is_default",
            sa.Boolean(),
            server_default=sa.false(),
            nullable=False,
            comment="whether it is the one that figures are shown under",
        ),
    )
    op.add_column(
        "qrels",
        sa.Column(
            "deleted_at",
            TIME,
            nullable=True,
            comment="when it was marked as removed; null for qrels that count",
        ),
    )
    op.add_column(
        "run",
        sa.Column(
            "index_bytes",
            sa.BigInteger(),
            nullable=True,
            comment="the size of the engine's index; null where not given",
        ),
    )
    # What people saw until now: the newest.
    op.execute(
        "UPDATE qrels SET is_default = true "
        "WHERE id IN (SELECT max(id) FROM qrels GROUP BY collection_id)"
    )
    if on_sqlite:
        # Only a table made anew can be one whose ids are never reused.
        for name in WITH_ID:
            with op.batch_alter_table(
                name, recreate="always", table_kwargs={"sqlite_autoincrement": True}
            ):
                pass
    else:
        op.create_table_comment(
            "evaluation",
            "The evaluation of a run under a qrels.",
            existing_comment="A run held against a qrels.",
        )
    op.create_index(
        "uq_qrels_default",
        "qrels",
        ["collection_id"],
        unique=True,
        sqlite_where=sa.text("is_default"),
        postgresql_where=sa.text("is_default"),
    )

    op.create_table(
        "subtopic_judgment",
        *of("collection"),
        *of("query"),
        sa.Column("docno", TEXT, nullable=False, comment="the document"),
        sa.Column("subtopic", TEXT, nullable=False, comment="the subtopic"),
        sa.Column(
            "grade", sa.Double(), nullable=False, comment="1 and more is relevant to the subtopic"
        ),
        *keys("subtopic_judgment", "collection", "query"),
        sa.PrimaryKeyConstraint(
            "collection_id", "query_id", "docno", "subtopic", name=op.f("pk_subtopic_judgment")
        ),
        comment="The grade of a document for a subtopic of a query, for measures of diversity.",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "known_document",
        *of("collection"),
        *of("query"),
        sa.Column("docno", TEXT, nullable=False, comment="the document"),
        *keys("known_document", "collection", "query"),
        sa.PrimaryKeyConstraint(
            "collection_id", "query_id", "docno", name=op.f("pk_known_document")
        ),
        comment="A document that the user of a query knew before, for measures of novelty.",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "response_time",
        *of("run"),
        *of("query"),
        sa.Column("milliseconds", sa.Double(), nullable=False, comment="the time in milliseconds"),
        *keys("response_time", "run", "query"),
        sa.PrimaryKeyConstraint("run_id", "query_id", name=op.f("pk_response_time")),
        comment="The time that an engine took to answer a query.",
        sqlite_with_rowid=False,
    )

    for name, (comment, columns, query) in VIEWS.items():
        op.execute(f"CREATE VIEW {name} AS\n{query}")
        if not on_sqlite:
            op.execute(f"COMMENT ON VIEW {name} IS {quoted(comment)}")
            for column, column_comment in columns.items():
                op.execute(f"COMMENT ON COLUMN {name}.{column} IS {quoted(column_comment)}")


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


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
