"""Runs with the same rankings share them, with their values; ranks are saved with verdicts.

Until now a run was identified by its content, so that a second run with the same rankings replaced
the facts of the first. The content of each run gets the run's id, so that no ranking is rewritten.
"""

import re

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

COMMENTS = {
    "TABLE run": "A record of an engine that answered a collection's queries: its name, facts and "
    "date.",
    "TABLE ranking": "The whole ranked list for a query, packed: the source of truth.",
    "TABLE evaluation": "The evaluation of rankings under a qrels, for all runs that have them.",
    "COLUMN ranking.content_id": "the content",
    "COLUMN evaluation.content_id": "the rankings",
    "COLUMN retrieved_list.content_id": "the content",
    "COLUMN retrieved.content_id": "the content",
    "COLUMN saved_leaderboard.test": "what separates runs: t (with Holm), tukey or max-t",
    "COLUMN leaderboard_ranks.rank_low": "the low end of the interval of the rank",
    "COLUMN leaderboard_ranks.rank_high": "the high end of the interval of the rank",
    "COLUMN leaderboard_ranks.test": "what separates runs: t (paired t, Holm's correction), tukey "
    "or max-t (both randomised)",
    "COLUMN leaderboard_ranks.verdict": "of the difference to the baseline: better, worse, "
    "equivalent, undecided or none; null for the baseline",
    "COLUMN leaderboard_ranks.family": "the correction of the tests against the baseline, in words",
}

VIEWS = {
    "rprec_differences": """
SELECT collection.name AS collection,
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
JOIN measure ON measure.name = 'Rprec'
JOIN measurement AS a ON a.evaluation_id = evaluation_a.id AND a.measure_id = measure.id
JOIN measurement AS b ON b.evaluation_id = evaluation_b.id AND b.measure_id = measure.id
    AND b.query_id = a.query_id
JOIN query ON query.id = a.query_id
JOIN qrels ON qrels.id = evaluation_a.qrels_id
JOIN collection ON collection.id = qrels.collection_id
JOIN run AS run_a ON run_a.content_id = evaluation_a.content_id AND run_a.deleted_at IS NULL
JOIN run AS run_b ON run_b.content_id = evaluation_b.content_id AND run_b.deleted_at IS NULL
    AND run_b.id <> run_a.id
JOIN engine AS engine_a ON engine_a.id = run_a.engine_id
JOIN engine AS engine_b ON engine_b.id = run_b.engine_id
WHERE qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL
""",
    "leaderboard_ranks": """
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       measure.name AS measure,
       aggregate.value AS value,
       saved_rank.low AS low,
       saved_rank.high AS high,
       saved_rank.rank AS rank,
       saved_rank.rank_low AS rank_low,
       saved_rank.rank_high AS rank_high,
       saved_rank.rank_group AS rank_group,
       saved_rank.judged_top_10 AS judged_top_10,
       saved_leaderboard.runs AS runs,
       saved_leaderboard.test AS test,
       saved_leaderboard.alpha AS alpha,
       saved_rank.verdict AS verdict,
       saved_leaderboard.family AS family
FROM saved_leaderboard
JOIN saved_rank ON saved_rank.saved_leaderboard_id = saved_leaderboard.id
JOIN run ON run.id = saved_rank.run_id
JOIN evaluation ON evaluation.content_id = run.content_id
    AND evaluation.qrels_id = saved_leaderboard.qrels_id
JOIN aggregate ON aggregate.evaluation_id = evaluation.id
    AND aggregate.measure_id = saved_leaderboard.measure_id
JOIN measure ON measure.id = saved_leaderboard.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
JOIN (
    SELECT saved_leaderboard.id AS id,
           count(*) AS runs,
           count(saved_rank.rank) AS ranked
    FROM saved_leaderboard
    JOIN evaluation ON evaluation.qrels_id = saved_leaderboard.qrels_id
    JOIN run ON run.content_id = evaluation.content_id AND run.deleted_at IS NULL
    LEFT JOIN saved_rank ON saved_rank.saved_leaderboard_id = saved_leaderboard.id
        AND saved_rank.run_id = run.id
    GROUP BY saved_leaderboard.id
) AS present ON present.id = saved_leaderboard.id
    AND present.runs = saved_leaderboard.runs
    AND present.ranked = saved_leaderboard.runs
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL
""",
}

OF_RUN = re.compile(r"(\w+)\.id = (evaluation\w*)\.(?:run_id|content_id)")
RUN_OF = re.compile(r"(evaluation\w*)\.(?:run_id|content_id) = (\w+)\.id")
TOP_OF_RUN = re.compile(r"retrieved\.(?:run_id|content_id) = run\.id")


def upgrade() -> None:
    postgres = op.get_bind().dialect.name == "postgresql"
    definitions = _views_of_runs(postgres)
    if not postgres:  # SQLite changes no table while a view reads what is missing
        made = rows("SELECT name, sql FROM sqlite_master WHERE type = 'view'")
        definitions = dict(map(tuple, made))
        for name in definitions:
            execute(f"DROP VIEW {name}")
        _put_triggers_aside()
        ids = rows("SELECT seq, name FROM sqlite_sequence WHERE name IN ('run', 'evaluation')")
    _add_contents()
    _refer_to_contents(postgres)
    if not postgres:  # the ids of deleted rows are not given again
        for last, name in ids:
            execute(f"UPDATE sqlite_sequence SET seq = {last} WHERE name = '{name}'")
    _save_ranks_of_runs()
    for name, definition in definitions.items():
        if name not in VIEWS:
            execute(_by_content(definition))
    for name, query in VIEWS.items():
        execute(f"CREATE {'OR REPLACE ' if postgres else ''}VIEW {name} AS{query.rstrip()}")
    _drop_what_was_replaced()
    if postgres:
        for what, words in COMMENTS.items():
            execute(f"COMMENT ON {what} IS '" + words.replace("'", "''") + "'")


def _views_of_runs(postgres: bool) -> dict[str, str]:
    """PostgreSQL's statements that make the views of evaluated runs again."""
    if not postgres:
        return {}
    found = rows("""
SELECT DISTINCT view.oid::regclass::text, pg_get_viewdef(view.oid)
FROM pg_depend
JOIN pg_rewrite ON pg_rewrite.oid = pg_depend.objid
JOIN pg_class AS view ON view.oid = pg_rewrite.ev_class AND view.relkind = 'v'
WHERE pg_depend.classid = 'pg_rewrite'::regclass
  AND pg_depend.refclassid = 'pg_class'::regclass
  AND pg_depend.refobjid = 'evaluation'::regclass""")
    return {name: f"CREATE OR REPLACE VIEW {name} AS {query}" for name, query in found}


def _put_triggers_aside() -> None:
    """Also those that a migration of the same transaction made; SQLite renames no table with any.

    `dialects.sqlite.triggers_put_aside` makes them again, but not those of what is no more.
    """
    kept = op.get_bind().info["triggers"]
    for name, sql in rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"):
        kept[name] = sql
        execute(f"DROP TRIGGER {name}")
    for name in ("delete_retrieved_of_run", "check_changed_retrieved_run_id"):
        del kept[name]


def _by_content(definition: str) -> str:
    """The statement of a view that joins runs with evaluations by their content."""
    joined = OF_RUN.sub(r"\1.content_id = \2.content_id", definition)
    joined = RUN_OF.sub(r"\1.content_id = \2.content_id", joined)
    return TOP_OF_RUN.sub("retrieved.content_id = evaluation.content_id", joined)


def _add_contents() -> None:
    op.create_table(
        "content",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("collection_id", sa.Integer(), nullable=False, comment="the collection"),
        sa.Column(
            "content_hash",
            TEXT,
            nullable=False,
            comment="SHA-256 of the rankings, or of the values",
        ),
        sa.ForeignKeyConstraint(
            ["collection_id"],
            ["collection.id"],
            name="fk_content_collection_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_content"),
        sa.UniqueConstraint(
            "collection_id", "content_hash", name="uq_content_collection_id_content_hash"
        ),
        sqlite_autoincrement=True,
        comment="The rankings (or the values) of runs: stored once for all runs that have the "
        "same.",
    )
    execute("""
INSERT INTO content (id, collection_id, content_hash)
SELECT id, collection_id, content_hash FROM run ORDER BY id""")
    op.add_column(
        "run",
        sa.Column("content_id", sa.Integer(), comment="its rankings, which other runs may share"),
    )
    execute("UPDATE run SET content_id = id")
    with _changing("run") as run:
        run.alter_column("content_id", existing_type=sa.Integer(), nullable=False)
        run.create_foreign_key(
            "fk_run_content_id", "content", ["content_id"], ["id"], ondelete="CASCADE"
        )
        run.drop_constraint("uq_run_collection_id_content_hash", type_="unique")
        run.drop_column("content_hash")
    op.create_index("ix_run_content_id", "run", ["content_id"])


def _refer_to_contents(postgres: bool) -> None:
    for table in ("ranking", "evaluation"):
        execute(f"ALTER TABLE {table} RENAME COLUMN run_id TO content_id")
        with _changing(table) as changed:
            changed.drop_constraint(f"fk_{table}_run_id", type_="foreignkey")
            changed.create_foreign_key(
                f"fk_{table}_content_id", "content", ["content_id"], ["id"], ondelete="CASCADE"
            )
            if table == "evaluation":
                changed.drop_constraint("uq_evaluation_run_id_qrels_id", type_="unique")
                changed.create_unique_constraint(
                    "uq_evaluation_content_id_qrels_id", ["content_id", "qrels_id"]
                )
    if postgres:
        _refer_to_contents_from_lists()
    else:
        execute("ALTER TABLE retrieved RENAME COLUMN run_id TO content_id")
        execute("""
CREATE TRIGGER delete_retrieved_of_content AFTER DELETE ON "content"
BEGIN
    DELETE FROM retrieved WHERE content_id = OLD.id;
END""")
        execute("""
CREATE TRIGGER check_changed_retrieved_content_id BEFORE UPDATE OF content_id ON retrieved
WHEN NOT EXISTS (SELECT 1 FROM "content" WHERE id = NEW.content_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "retrieved" belongs to no content');
END""")


def _refer_to_contents_from_lists() -> None:
    """On PostgreSQL the rows of `retrieved` are lists, whose references triggers check."""
    execute("SELECT setval(pg_get_serial_sequence('content', 'id'), max(id)) FROM content")
    execute("ALTER TABLE retrieved_list RENAME COLUMN run_id TO content_id")
    execute("ALTER VIEW retrieved RENAME COLUMN run_id TO content_id")
    ((added,),) = rows("SELECT pg_get_functiondef('check_added_retrieved_list'::regproc)")
    added = added.replace("run_id", "content_id").replace("FROM run ", "FROM content ")
    execute(added.replace("WHERE run.id", "WHERE content.id").replace("no run'", "no content'"))
    ((gone,),) = rows("SELECT pg_get_functiondef('delete_retrieved_list_of_run'::regproc)")
    execute(gone.replace("run_id", "content_id").replace("list_of_run", "list_of_content"))
    execute("DROP FUNCTION delete_retrieved_list_of_run() CASCADE")  # with its trigger
    execute("""
CREATE TRIGGER delete_retrieved_list_of_content AFTER DELETE ON content
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION delete_retrieved_list_of_content()""")


def _save_ranks_of_runs() -> None:
    """Earlier saved ranks, of other intervals and without verdicts, are deleted."""
    execute("DELETE FROM saved_rank")
    execute("DELETE FROM saved_leaderboard")
    op.add_column(
        "saved_leaderboard",
        sa.Column(
            "family",
            TEXT,
            nullable=False,
            server_default="",
            comment="the correction of the tests against the baseline, in words",
        ),
    )
    verdict = sa.Column(
        "verdict",
        TEXT,
        comment="of the difference to the baseline, as in a comparison; null for the baseline",
    )
    run_id = sa.Column("run_id", sa.Integer(), nullable=False, comment="the run")
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("saved_rank", run_id)
        op.add_column("saved_rank", verdict)
        return
    execute("DROP TABLE saved_rank")
    execute("""
CREATE TABLE saved_rank (
	saved_leaderboard_id INTEGER NOT NULL,
	run_id INTEGER NOT NULL,
	rank INTEGER NOT NULL,
	rank_low INTEGER NOT NULL,
	rank_high INTEGER NOT NULL,
	rank_group TEXT NOT NULL,
	low DOUBLE,
	high DOUBLE,
	judged_top_10 DOUBLE,
	verdict TEXT,
	CONSTRAINT pk_saved_rank PRIMARY KEY (saved_leaderboard_id, run_id),
	CONSTRAINT fk_saved_rank_saved_leaderboard_id FOREIGN KEY(saved_leaderboard_id)
		REFERENCES saved_leaderboard (id) ON DELETE CASCADE,
	CONSTRAINT fk_saved_rank_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
)
 WITHOUT ROWID""")
    op.create_index("ix_saved_rank_run_id", "saved_rank", ["run_id"])


def _drop_what_was_replaced() -> None:
    """Drop the columns of PostgreSQL that the views do not read any more."""
    if op.get_bind().dialect.name != "postgresql":
        return
    execute("ALTER TABLE saved_rank DROP COLUMN evaluation_id")  # with the key and the index
    op.create_primary_key("pk_saved_rank", "saved_rank", ["saved_leaderboard_id", "run_id"])
    op.create_foreign_key(
        "fk_saved_rank_run_id", "saved_rank", "run", ["run_id"], ["id"], ondelete="CASCADE"
    )
    op.create_index("ix_saved_rank_run_id", "saved_rank", ["run_id"])


def _changing(table):
    """Alter a table; SQLite makes it anew, and ids are still never reused."""
    autoincrement = {"sqlite_autoincrement": True} if table != "ranking" else {}
    return op.batch_alter_table(table, table_kwargs=autoincrement)


def rows(query) -> list[sa.Row]:
    return op.get_bind().exec_driver_sql(query.replace("%", "%%")).all()


def execute(statement) -> None:
    """Run a statement as it is written: a colon or a percent sign means nothing."""
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        statement = statement.replace("%", "%%")
    connection.exec_driver_sql(statement.strip())


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
