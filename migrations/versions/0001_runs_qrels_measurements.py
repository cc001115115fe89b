"""Collections, qrels, runs, rankings, evaluations, events; the views of version 1."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# A migration stays as it was released, so its types and views are written out here.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

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
WHERE run.deleted_at IS NULL""",
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
WHERE run.deleted_at IS NULL""",
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
JOIN collection ON collection.id = qrels.collection_id""",
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
WHERE run.deleted_at IS NULL""",
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
WHERE run.deleted_at IS NULL""",
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
JOIN engine AS engine_b ON engine_b.id = run_b.engine_id""",
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
       (SELECT count(*) FROM evaluation WHERE evaluation.run_id = run.id) AS evaluations
FROM run
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
LEFT JOIN experiment ON experiment.id = run.experiment_id
WHERE run.deleted_at IS NULL""",
    ),
}


def quoted(text: str) -> str:
    """A string literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def upgrade() -> None:
    op.create_table(
        "collection",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("name", TEXT, nullable=False, comment="unique in the store"),
        sa.Column(
            "documents",
            sa.BigInteger(),
            nullable=True,
            comment="how many documents it has; null where that was not said",
        ),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="when it was first named",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collection")),
        sa.UniqueConstraint("name", name=op.f("uq_collection_name")),
        comment="A test collection: documents, queries and what was judged.",
    )
    op.create_table(
        "engine",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("name", TEXT, nullable=False, comment="the run tag unless another was given"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_engine")),
        sa.UniqueConstraint("name", name=op.f("uq_engine_name")),
        comment="A retrieval system under comparison.",
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, comment="when"),
        sa.Column(
            "who", TEXT, nullable=False, comment="user@host, as the system of that time said"
        ),
        sa.Column(
            "action",
            TEXT,
            nullable=False,
            comment="ingest, replace, measure, rm, restore, purge, ...",
        ),
        sa.Column("collection", TEXT, nullable=True, comment="the collection's name at that time"),
        sa.Column(
            "subject", TEXT, nullable=False, comment="the name of the run or qrels at that time"
        ),
        sa.Column(
            "details",
            sa.JSON(none_as_null=True),
            nullable=True,
            comment="what else there is to say",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        comment="Who did what to the store, and when.",
    )
    op.create_table(
        "experiment",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("name", TEXT, nullable=False, comment="unique in the store"),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="when it was first named",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiment")),
        sa.UniqueConstraint("name", name=op.f("uq_experiment_name")),
        comment="A named group of runs.",
    )
    op.create_table(
        "measure",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("name", TEXT, nullable=False, comment="canonical, like nDCG@10"),
        sa.Column("family", TEXT, nullable=False, comment="what kind of measure it is"),
        sa.Column(
            "direction",
            sa.SmallInteger(),
            nullable=False,
            comment="1: more is better, -1: less is better, 0: neither",
        ),
        sa.Column(
            "aggregate",
            TEXT,
            nullable=False,
            comment="how values become one figure: mean, sum, ...",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_measure")),
        sa.UniqueConstraint("name", name=op.f("uq_measure_name")),
        comment="A measure.",
    )
    op.create_table(
        "document",
        sa.Column(
            "collection_id",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="the collection",
        ),
        sa.Column("docno", TEXT, nullable=False, comment="its id, as text"),
        sa.Column("title", TEXT, nullable=True, comment="its title"),
        sa.Column("text", TEXT, nullable=True, comment="its words"),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collection.id"],
            name=op.f("fk_document_collection_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("collection_id", "docno", name=op.f("pk_document")),
        comment="The text of a document, optional: for reading a ranking.",
    )
    op.create_table(
        "qrels",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("collection_id", sa.Integer(), nullable=False, comment="the collection"),
        sa.Column(
            "name", TEXT, nullable=False, comment="the file's name, unique in the collection"
        ),
        sa.Column("content_hash", TEXT, nullable=False, comment="SHA-256 of the content"),
        sa.Column(
            "queries", sa.Integer(), nullable=False, comment="how many queries have judgments"
        ),
        sa.Column("judgments", sa.BigInteger(), nullable=False, comment="how many judgments"),
        sa.Column(
            "relevant",
            sa.BigInteger(),
            nullable=False,
            comment="how many with a grade of 1 or more",
        ),
        sa.Column("highest_grade", sa.Double(), nullable=False, comment="the highest grade"),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), nullable=False, comment="when it was ingested"
        ),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collection.id"],
            name=op.f("fk_qrels_collection_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_qrels")),
        sa.UniqueConstraint(
            "collection_id", "content_hash", name=op.f("uq_qrels_collection_id_content_hash")
        ),
        sa.UniqueConstraint("collection_id", "name", name=op.f("uq_qrels_collection_id_name")),
        comment="One set of judgments of a collection; a changed file is a new set.",
    )
    op.create_table(
        "query",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("collection_id", sa.Integer(), nullable=False, comment="the collection"),
        sa.Column(
            "qid", TEXT, nullable=False, comment="its id, as text: 1, 01 and 1.0 are three queries"
        ),
        sa.Column("text", TEXT, nullable=True, comment="its words; null where not given"),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collection.id"],
            name=op.f("fk_query_collection_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_query")),
        sa.UniqueConstraint("collection_id", "qid", name=op.f("uq_query_collection_id_qid")),
        comment="A query of a collection.",
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("collection_id", sa.Integer(), nullable=False, comment="the collection"),
        sa.Column("engine_id", sa.Integer(), nullable=False, comment="the engine"),
        sa.Column("experiment_id", sa.Integer(), nullable=True, comment="the experiment, if any"),
        sa.Column("name", TEXT, nullable=False, comment="the file's name unless another was given"),
        sa.Column("tag", TEXT, nullable=False, comment="the run tag in the file"),
        sa.Column("content_hash", TEXT, nullable=False, comment="SHA-256 of the content"),
        sa.Column("queries", sa.Integer(), nullable=False, comment="how many queries it answers"),
        sa.Column(
            "retrieved", sa.BigInteger(), nullable=False, comment="how many documents in all lists"
        ),
        sa.Column(
            "parameters",
            sa.JSON(none_as_null=True),
            nullable=True,
            comment="settings of the engine",
        ),
        sa.Column(
            "tags", sa.JSON(none_as_null=True), nullable=True, comment="words that people put on it"
        ),
        sa.Column("commit", TEXT, nullable=True, comment="the version of the engine's code"),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), nullable=False, comment="when it was ingested"
        ),
        sa.Column(
            "deleted_at",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="when it was marked as removed; null for runs that count",
        ),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collection.id"],
            name=op.f("fk_run_collection_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["engine_id"], ["engine.id"], name=op.f("fk_run_engine_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiment.id"],
            name=op.f("fk_run_experiment_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sa.UniqueConstraint(
            "collection_id", "content_hash", name=op.f("uq_run_collection_id_content_hash")
        ),
        sa.UniqueConstraint("collection_id", "name", name=op.f("uq_run_collection_id_name")),
        comment="One ranking of a collection's queries by an engine.",
    )
    op.create_index(op.f("ix_run_engine_id"), "run", ["engine_id"])
    op.create_index(op.f("ix_run_experiment_id"), "run", ["experiment_id"])

    op.create_table(
        "evaluation",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("run_id", sa.Integer(), nullable=False, comment="the run"),
        sa.Column("qrels_id", sa.Integer(), nullable=False, comment="the qrels"),
        sa.Column(
            "evaluator", TEXT, nullable=False, comment="the version of evalstore that computed it"
        ),
        sa.Column("compat", TEXT, nullable=False, comment="exact, trec_eval-9 or trec_eval-10"),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), nullable=False, comment="when it was computed"
        ),
        sa.ForeignKeyConstraint(
            ["qrels_id"], ["qrels.id"], name=op.f("fk_evaluation_qrels_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_evaluation_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluation")),
        sa.UniqueConstraint("run_id", "qrels_id", name=op.f("uq_evaluation_run_id_qrels_id")),
        comment="A run held against a qrels.",
    )
    op.create_index(op.f("ix_evaluation_qrels_id"), "evaluation", ["qrels_id"])

    op.create_table(
        "judgment",
        sa.Column(
            "qrels_id", sa.Integer(), autoincrement=False, nullable=False, comment="the qrels"
        ),
        sa.Column(
            "query_id", sa.Integer(), autoincrement=False, nullable=False, comment="the query"
        ),
        sa.Column("docno", TEXT, nullable=False, comment="the document"),
        sa.Column(
            "grade",
            sa.Double(),
            nullable=False,
            comment="1 and more is relevant; negative: in the pool, not judged",
        ),
        sa.ForeignKeyConstraint(
            ["qrels_id"], ["qrels.id"], name=op.f("fk_judgment_qrels_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["query_id"], ["query.id"], name=op.f("fk_judgment_query_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("qrels_id", "query_id", "docno", name=op.f("pk_judgment")),
        comment="The grade of a document for a query.",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ranking",
        sa.Column("run_id", sa.Integer(), autoincrement=False, nullable=False, comment="the run"),
        sa.Column(
            "query_id", sa.Integer(), autoincrement=False, nullable=False, comment="the query"
        ),
        sa.Column("retrieved", sa.Integer(), nullable=False, comment="the length of the list"),
        sa.Column(
            "packed",
            sa.LargeBinary(),
            nullable=False,
            comment="documents and scores, see store/packing.py",
        ),
        sa.ForeignKeyConstraint(
            ["query_id"], ["query.id"], name=op.f("fk_ranking_query_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_ranking_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "query_id", name=op.f("pk_ranking")),
        comment="The whole ranked list of a run for a query, packed: the source of truth.",
    )
    op.create_table(
        "retrieved",
        sa.Column("run_id", sa.Integer(), autoincrement=False, nullable=False, comment="the run"),
        sa.Column(
            "query_id", sa.Integer(), autoincrement=False, nullable=False, comment="the query"
        ),
        sa.Column("rank", sa.Integer(), autoincrement=False, nullable=False, comment="from 1"),
        sa.Column("docno", TEXT, nullable=False, comment="the document"),
        sa.Column("score", sa.Double(), nullable=False, comment="what the engine gave it"),
        sa.ForeignKeyConstraint(
            ["query_id"], ["query.id"], name=op.f("fk_retrieved_query_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_retrieved_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "query_id", "rank", name=op.f("pk_retrieved")),
        comment="The top of each ranking as rows (100 documents unless said otherwise).",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "aggregate",
        sa.Column(
            "evaluation_id",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="the evaluation",
        ),
        sa.Column(
            "measure_id", sa.Integer(), autoincrement=False, nullable=False, comment="the measure"
        ),
        sa.Column(
            "value",
            sa.Double(),
            nullable=False,
            comment="unrounded; the mean, or the measure's own",
        ),
        sa.Column(
            "spread",
            sa.Double(),
            nullable=True,
            comment="standard deviation over the queries; null for fewer than two",
        ),
        sa.Column("queries", sa.Integer(), nullable=False, comment="how many queries it is over"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.id"],
            name=op.f("fk_aggregate_evaluation_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["measure_id"], ["measure.id"], name=op.f("fk_aggregate_measure_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "measure_id", name=op.f("pk_aggregate")),
        comment="The one figure of a measure for all queries.",
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_aggregate_measure_id"), "aggregate", ["measure_id"])

    op.create_table(
        "hit",
        sa.Column(
            "evaluation_id",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="the evaluation",
        ),
        sa.Column(
            "query_id", sa.Integer(), autoincrement=False, nullable=False, comment="the query"
        ),
        sa.Column("rank", sa.Integer(), autoincrement=False, nullable=False, comment="from 1"),
        sa.Column("docno", TEXT, nullable=False, comment="the document"),
        sa.Column("grade", sa.Double(), nullable=False, comment="its grade, 1 or more"),
        sa.Column("score", sa.Double(), nullable=False, comment="what the engine gave it"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.id"],
            name=op.f("fk_hit_evaluation_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["query_id"], ["query.id"], name=op.f("fk_hit_query_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "query_id", "rank", name=op.f("pk_hit")),
        comment="A relevant document that the run retrieved, at its true rank, however deep.",
        sqlite_with_rowid=False,
    )
    op.create_table(
        "measurement",
        sa.Column(
            "evaluation_id",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="the evaluation",
        ),
        sa.Column(
            "measure_id", sa.Integer(), autoincrement=False, nullable=False, comment="the measure"
        ),
        sa.Column(
            "query_id", sa.Integer(), autoincrement=False, nullable=False, comment="the query"
        ),
        sa.Column("value", sa.Double(), nullable=False, comment="unrounded"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluation.id"],
            name=op.f("fk_measurement_evaluation_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["measure_id"],
            ["measure.id"],
            name=op.f("fk_measurement_measure_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["query_id"], ["query.id"], name=op.f("fk_measurement_query_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(
            "evaluation_id", "measure_id", "query_id", name=op.f("pk_measurement")
        ),
        comment="The value of a measure for a query.",
        sqlite_with_rowid=False,
    )
    for name, (comment, columns, query) in VIEWS.items():
        op.execute(f"CREATE VIEW {name} AS\n{query}")
        if op.get_bind().dialect.name == "postgresql":
            op.execute(f"COMMENT ON VIEW {name} IS {quoted(comment)}")
            for column, said in columns.items():
                op.execute(f"COMMENT ON COLUMN {name}.{column} IS {quoted(said)}")


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
