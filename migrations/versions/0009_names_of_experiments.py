"""A run has the name of its experiment; which collections the texts of experiments are about."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    _create_experiment_about()
    op.add_column(
        "run",
        sa.Column(
            "experiment",
            TEXT,
            nullable=True,
            comment="the name of the experiment that it belongs to, if any",
        ),
    )
    op.execute("""
UPDATE run
SET experiment = (SELECT experiment.name FROM experiment WHERE experiment.id = run.experiment_id)
WHERE experiment_id IS NOT NULL""")
    if op.get_bind().dialect.name == "sqlite":
        _drop_experiment_id_on_sqlite()
    else:
        # Views that have the same columns keep the rights on them.
        for name, query in VIEWS.items():
            op.execute(f"CREATE OR REPLACE VIEW {name} AS\n{query}")
        op.drop_column("run", "experiment_id")
        op.create_table_comment(
            "experiment",
            "What is written about an experiment, a named group of runs.",
            existing_comment="A named group of runs.",
        )
        op.alter_column(
            "experiment",
            "name",
            comment="unique in the store; `run.experiment` of its runs",
            existing_comment="unique in the store",
        )
    op.create_index(op.f("ix_run_experiment"), "run", ["experiment"])


def _create_experiment_about() -> None:
    """With the collections of all runs that experiments have, also of those that were removed."""
    op.create_table(
        "experiment_about",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("experiment_id", sa.Integer(), nullable=False, comment="the experiment"),
        sa.Column(
            "collection_id",
            sa.Integer(),
            nullable=True,
            comment="the collection; null for one that is no more, or is in another store",
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiment.id"],
            name=op.f("fk_experiment_about_experiment_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collection.id"],
            name=op.f("fk_experiment_about_collection_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiment_about")),
        comment="A collection that the texts of an experiment are about: that of a run it had "
        "then.",
    )
    for column in ("experiment_id", "collection_id"):
        op.create_index(op.f(f"ix_experiment_about_{column}"), "experiment_about", [column])
    op.execute("""
INSERT INTO experiment_about (experiment_id, collection_id)
SELECT DISTINCT experiment_id, collection_id
FROM run
WHERE experiment_id IS NOT NULL
ORDER BY experiment_id, collection_id""")


def _drop_experiment_id_on_sqlite() -> None:
    """Make the table anew: SQLite drops no column with a foreign key. Views don't bear that."""
    connection = op.get_bind()
    made = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'view'")
    views = {row.name: row.sql for row in made}
    last = connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = 'run'").scalar()
    for name in views:
        op.execute(f'DROP VIEW "{name}"')
    with op.batch_alter_table("run", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_index("ix_run_experiment_id")
        batch.drop_constraint("fk_run_experiment_id", type_="foreignkey")
        batch.drop_column("experiment_id")
    if last is not None:  # the ids of purged runs are not given again
        op.execute("DELETE FROM sqlite_sequence WHERE name = 'run'")
        op.execute(f"INSERT INTO sqlite_sequence (name, seq) VALUES ('run', {last})")
    for name, definition in views.items():
        query = VIEWS.get(name)
        connection.exec_driver_sql(
            definition if query is None else f"CREATE VIEW {name} AS\n{query}"
        )


VIEWS = {
    "leaderboard": """SELECT collection.name AS collection,
       qrels.name AS qrels,
       run.experiment AS experiment,
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
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL""",
    "runs_overview": """SELECT run.id AS run_id,
       collection.name AS collection,
       run.experiment AS experiment,
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
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL""",
}


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
