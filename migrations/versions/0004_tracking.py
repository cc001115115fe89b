"""Facts of runs, the question and conclusion of experiments, a baseline per collection."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# A migration stays as it was released, so its types and views are written out here.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
TIME = sa.DateTime(timezone=True)

FACTS = (
    ("note", TEXT, "what people wrote about it, in Markdown"),
    (
        "commit_dirty",
        sa.Boolean(),
        "whether files differed from the commit; null where that is not known",
    ),
    ("host", TEXT, "the machine that the engine ran on"),
    ("started_by", TEXT, "the account that started the engine"),
    ("started_at", TIME, "when the engine started"),
    ("ended_at", TIME, "when it was done"),
    ("command", TEXT, "the command line of the engine"),
    ("index_version", TEXT, "the version of the index"),
    ("collection_version", TEXT, "the version of the documents that were indexed"),
    ("header", sa.JSON(none_as_null=True), "the ir_metadata that headed the run file"),
    ("memory_bytes", sa.BigInteger(), "the most memory that the engine used"),
    ("money", sa.Double(), "what all queries together cost"),
    ("currency", TEXT, "in which currency, like EUR"),
    ("energy_joules", sa.Double(), "the energy that all queries together took"),
)


def upgrade() -> None:
    for name, kind, comment in FACTS:
        op.add_column("run", sa.Column(name, kind, nullable=True, comment=comment))
    for name, comment in (
        ("question", "what it is to find out, in Markdown"),
        ("conclusion", "what was found out, in Markdown"),
    ):
        op.add_column("experiment", sa.Column(name, TEXT, nullable=True, comment=comment))
    op.create_table(
        "run_parent",
        *of("run"),
        sa.Column("parent_id", sa.Integer(), nullable=False, comment="the run it came from"),
        *keys("run_parent", "run"),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["run.id"], name=op.f("fk_run_parent_parent_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run_parent")),
        comment="The run that a run was derived from.",
    )
    op.create_index(op.f("ix_run_parent_parent_id"), "run_parent", ["parent_id"])
    op.create_table(
        "baseline",
        *of("collection"),
        sa.Column("run_id", sa.Integer(), nullable=False, comment="the run"),
        *keys("baseline", "collection", "run"),
        sa.PrimaryKeyConstraint("collection_id", name=op.f("pk_baseline")),
        comment="The run that the others of a collection are compared with unless told otherwise.",
    )
    op.create_index(op.f("ix_baseline_run_id"), "baseline", ["run_id"])
    _create_engine_history()
    _create_run_parameters()


def _create_engine_history() -> None:
    create_view(
        "engine_history",
        "The figures of each engine's runs in time, each beside that of the run before.",
        {
            "collection": "the test collection",
            "qrels": "the set of judgments",
            "engine": "the retrieval system",
            "run": "the run's name, unique in the collection",
            "at": "when the engine started, where given, else when the run was stored (UTC)",
            "measure": "the measure's canonical name, like nDCG@10",
            "value": "the measure's value, unrounded",
            "previous": "the value of the engine's run before; null for its first run",
            "difference": "value - previous",
        },
        """SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       coalesce(run.started_at, run.created_at) AS at,
       measure.name AS measure,
       aggregate.value AS value,
       lag(aggregate.value) OVER in_time AS previous,
       aggregate.value - lag(aggregate.value) OVER in_time AS difference
FROM aggregate
JOIN evaluation ON evaluation.id = aggregate.evaluation_id
JOIN measure ON measure.id = aggregate.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.id = evaluation.run_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL
WINDOW in_time AS (
  PARTITION BY collection.name, qrels.name, engine.name, measure.name
  ORDER BY coalesce(run.started_at, run.created_at), run.id
)""",
    )


def _create_run_parameters() -> None:
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    create_view(
        "run_parameters",
        "The parameters of the engines that made the runs.",
        {
            "collection": "the test collection",
            "engine": "the retrieval system",
            "run": "the run's name, unique in the collection",
            "name": "what the parameter is called, like k1",
            "value": "its value, as text; numbers as they were given, booleans true or false",
        },
        PARAMETERS_ON_SQLITE if on_sqlite else PARAMETERS_ON_POSTGRES,
    )


PARAMETERS_ON_SQLITE = """SELECT collection.name AS collection,
       engine.name AS engine,
       run.name AS run,
       parameter.name AS name,
       CASE
         WHEN parameter.type = 'text' THEN parameter.value
         ELSE rtrim(substr(parameter.rest, 1, instr(parameter.rest, ',') - 1), '}')
       END AS value
FROM (
    SELECT run.id AS run_id,
           entry.key AS name,
           entry.type AS type,
           entry.value AS value,
           substr(
             run.parameters,
             instr(run.parameters, '"' || entry.key || '": ') + length(entry.key) + 4
           ) || ',' AS rest
    FROM run
    JOIN json_each(run.parameters) AS entry
) AS parameter
JOIN run ON run.id = parameter.run_id
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL"""

PARAMETERS_ON_POSTGRES = """SELECT collection.name AS collection,
       engine.name AS engine,
       run.name AS run,
       parameter.name AS name,
       parameter.value AS value
FROM run
CROSS JOIN json_each_text(run.parameters) AS parameter(name, value)
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL"""


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
