"""Collections, qrels, runs, rankings, evaluations; the views leaderboard and query_values."""

from alembic import op
import sqlalchemy as sa


revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# A migration stays as it was released, so its types and views are written out here.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

VIEWS = {
    "leaderboard": """
SELECT collection.name AS collection,
       qrels.name AS qrels,
       experiment.name AS experiment,
       engine.name AS engine,
       run.name AS run,
       measure.name AS measure,
       aggregate.value AS value,
       aggregate.queries AS queries
FROM aggregate
JOIN evaluation ON evaluation.id = aggregate.evaluation_id
JOIN measure ON measure.id = aggregate.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.id = evaluation.run_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
LEFT JOIN experiment ON experiment.id = run.experiment_id
WHERE run.deleted_at IS NULL
""",
    "query_values": """
SELECT collection.name AS collection,
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
""",
}


def upgrade() -> None:
    op.create_table(
        "collection",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("documents", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collection")),
        sa.UniqueConstraint("name", name=op.f("uq_collection_name")),
    )
    op.create_table(
        "engine",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_engine")),
        sa.UniqueConstraint("name", name=op.f("uq_engine_name")),
    )
    op.create_table(
        "experiment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiment")),
        sa.UniqueConstraint("name", name=op.f("uq_experiment_name")),
    )
    op.create_table(
        "measure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("family", TEXT, nullable=False),
        sa.Column("direction", sa.SmallInteger(), nullable=False),
        sa.Column("aggregate", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_measure")),
        sa.UniqueConstraint("name", name=op.f("uq_measure_name")),
    )
    op.create_table(
        "document",
        sa.Column("collection_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("docno", TEXT, nullable=False),
        sa.Column("title", TEXT, nullable=True),
        sa.Column("text", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collection.id"],
            name=op.f("fk_document_collection_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("collection_id", "docno", name=op.f("pk_document")),
    )
    op.create_table(
        "qrels",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("collection_id", sa.Integer(), nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("queries", sa.Integer(), nullable=False),
        sa.Column("judgments", sa.BigInteger(), nullable=False),
        sa.Column("relevant", sa.BigInteger(), nullable=False),
        sa.Column("highest_grade", sa.Double(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
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
    )
    op.create_table(
        "query",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("collection_id", sa.Integer(), nullable=False),
        sa.Column("qid", TEXT, nullable=False),
        sa.Column("text", TEXT, nullable=True),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collection.id"],
            name=op.f("fk_query_collection_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_query")),
        sa.UniqueConstraint("collection_id", "qid", name=op.f("uq_query_collection_id_qid")),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("collection_id", sa.Integer(), nullable=False),
        sa.Column("engine_id", sa.Integer(), nullable=False),
        sa.Column("experiment_id", sa.Integer(), nullable=True),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("tag", TEXT, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("queries", sa.Integer(), nullable=False),
        sa.Column("retrieved", sa.BigInteger(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=True),
        sa.Column("tags", sa.JSON(), nullable=True),
        sa.Column("commit", TEXT, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
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
    )
    op.create_index(op.f("ix_run_engine_id"), "run", ["engine_id"])
    op.create_index(op.f("ix_run_experiment_id"), "run", ["experiment_id"])

    op.create_table(
        "evaluation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("qrels_id", sa.Integer(), nullable=False),
        sa.Column("evaluator", TEXT, nullable=False),
        sa.Column("compat", TEXT, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["qrels_id"], ["qrels.id"], name=op.f("fk_evaluation_qrels_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_evaluation_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluation")),
        sa.UniqueConstraint("run_id", "qrels_id", name=op.f("uq_evaluation_run_id_qrels_id")),
    )
    op.create_index(op.f("ix_evaluation_qrels_id"), "evaluation", ["qrels_id"])

    op.create_table(
        "judgment",
        sa.Column("qrels_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("query_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("docno", TEXT, nullable=False),
        sa.Column("grade", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["qrels_id"], ["qrels.id"], name=op.f("fk_judgment_qrels_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["query_id"], ["query.id"], name=op.f("fk_judgment_query_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("qrels_id", "query_id", "docno", name=op.f("pk_judgment")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ranking",
        sa.Column("run_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("query_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("retrieved", sa.Integer(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["query_id"], ["query.id"], name=op.f("fk_ranking_query_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_ranking_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "query_id", name=op.f("pk_ranking")),
    )
    op.create_table(
        "retrieved",
        sa.Column("run_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("query_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rank", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("docno", TEXT, nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["query_id"], ["query.id"], name=op.f("fk_retrieved_query_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_retrieved_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "query_id", "rank", name=op.f("pk_retrieved")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "aggregate",
        sa.Column("evaluation_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("measure_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("spread", sa.Double(), nullable=True),
        sa.Column("queries", sa.Integer(), nullable=False),
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
        sqlite_with_rowid=False,
    )
    op.create_table(
        "hit",
        sa.Column("evaluation_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("query_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rank", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("docno", TEXT, nullable=False),
        sa.Column("grade", sa.Double(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
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
        sqlite_with_rowid=False,
    )
    op.create_table(
        "measurement",
        sa.Column("evaluation_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("measure_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("query_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
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
        sqlite_with_rowid=False,
    )
    for name, query in VIEWS.items():
        op.execute(f"CREATE VIEW {name} AS {query}")


def downgrade() -> None:
    raise NotImplementedError("evalstore's migrations go forward only: restore a backup instead")
