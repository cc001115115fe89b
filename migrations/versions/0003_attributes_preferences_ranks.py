"""Attributes of queries; preferences and groups of judgments; ranks on a leaderboard."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# A migration stays as it was released, so its types and views are written out here.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    _create_query_attribute()
    _create_group_judgment()
    _create_preference_judgment()
    _create_saved_leaderboard()


def _create_query_attribute() -> None:
    op.create_table(
        "query_attribute",
        *of("query"),
        sa.Column("name", TEXT, nullable=False, comment="what the attribute is called, like lang"),
        sa.Column("value", TEXT, nullable=False, comment="its value as text, never empty"),
        *keys("query_attribute", "query"),
        sa.PrimaryKeyConstraint("query_id", "name", name=op.f("pk_query_attribute")),
        comment="What a query is like: its language, its category.",
        sqlite_with_rowid=False,
    )
    create_view(
        "query_attributes",
        "The attributes of queries.",
        {
            "collection": "the test collection",
            "qid": "the query's id, as text",
            "name": "what the attribute is called, like lang",
            "value": "its value, as text",
        },
        """SELECT collection.name AS collection,
       query.qid AS qid,
       query_attribute.name AS name,
       query_attribute.value AS value
FROM query_attribute
JOIN query ON query.id = query_attribute.query_id
JOIN collection ON collection.id = query.collection_id
WHERE collection.deleted_at IS NULL""",
    )


def _create_group_judgment() -> None:
    op.create_table(
        "group_judgment",
        *of("collection"),
        *of("query"),
        sa.Column("docno", TEXT, nullable=False, comment="the document"),
        sa.Column("judgment_group", TEXT, nullable=False, comment="who judged"),
        sa.Column(
            "grade",
            sa.Double(),
            nullable=False,
            comment="1 and more is relevant; negative: in the pool, not judged",
        ),
        *keys("group_judgment", "collection", "query"),
        sa.PrimaryKeyConstraint(
            "collection_id", "query_id", "docno", "judgment_group", name=op.f("pk_group_judgment")
        ),
        comment="The grade that a judgment group (a judge) gave a document, for averages over "
        "groups.",
        sqlite_with_rowid=False,
    )


def _create_preference_judgment() -> None:
    op.create_table(
        "preference_judgment",
        *of("collection"),
        *of("query"),
        sa.Column("judgment_group", TEXT, nullable=False, comment="who judged"),
        sa.Column("subgroup", TEXT, nullable=False, comment="documents compared with each other"),
        sa.Column("docno", TEXT, nullable=False, comment="the document"),
        sa.Column(
            "level", sa.Double(), nullable=False, comment="higher is preferred; 0 is not relevant"
        ),
        *keys("preference_judgment", "collection", "query"),
        sa.PrimaryKeyConstraint(
            "collection_id",
            "query_id",
            "judgment_group",
            "subgroup",
            "docno",
            name=op.f("pk_preference_judgment"),
        ),
        comment="The level of a document among others: in a subgroup the higher level is "
        "preferred.",
        sqlite_with_rowid=False,
    )


def _create_saved_leaderboard() -> None:
    op.create_table(
        "saved_leaderboard",
        sa.Column("id", sa.Integer(), nullable=False, comment="made by the database"),
        sa.Column("qrels_id", sa.Integer(), nullable=False, comment="the qrels"),
        sa.Column("measure_id", sa.Integer(), nullable=False, comment="the measure"),
        sa.Column(
            "runs",
            sa.Integer(),
            nullable=False,
            comment="how many runs were ranked: all that were active",
        ),
        sa.Column(
            "test", TEXT, nullable=False, comment="what separates runs: t (with Holm) or tukey"
        ),
        sa.Column(
            "alpha",
            sa.Double(),
            nullable=False,
            comment="a corrected p below it separates two runs",
        ),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="when it was computed",
        ),
        *keys("saved_leaderboard", "qrels", "measure"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_leaderboard")),
        sa.UniqueConstraint(
            "qrels_id", "measure_id", name=op.f("uq_saved_leaderboard_qrels_id_measure_id")
        ),
        comment="The ranks of runs on a measure, stored by `evalstore leaderboard --save`.",
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_saved_leaderboard_measure_id"), "saved_leaderboard", ["measure_id"])
    op.create_table(
        "saved_rank",
        *of("saved_leaderboard"),
        *of("evaluation"),
        sa.Column(
            "rank",
            sa.Integer(),
            nullable=False,
            comment="1 + how many runs are strictly better",
        ),
        sa.Column(
            "rank_low",
            sa.Integer(),
            nullable=False,
            comment="the low end of the interval of the rank",
        ),
        sa.Column(
            "rank_high",
            sa.Integer(),
            nullable=False,
            comment="the high end of the interval of the rank",
        ),
        sa.Column(
            "rank_group",
            TEXT,
            nullable=False,
            comment="letters: runs that share one are not separated",
        ),
        sa.Column(
            "low",
            sa.Double(),
            nullable=True,
            comment="the low end of the interval of the value; null for one query",
        ),
        sa.Column(
            "high",
            sa.Double(),
            nullable=True,
            comment="the high end of the interval of the value; null for one query",
        ),
        sa.Column(
            "judged_top_10",
            sa.Double(),
            nullable=True,
            comment="the share of the top 10 that is judged; null where nothing was retrieved",
        ),
        *keys("saved_rank", "saved_leaderboard", "evaluation"),
        sa.PrimaryKeyConstraint(
            "saved_leaderboard_id", "evaluation_id", name=op.f("pk_saved_rank")
        ),
        comment="The rank of a run on a saved leaderboard.",
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_saved_rank_evaluation_id"), "saved_rank", ["evaluation_id"])
    create_view(
        "leaderboard_ranks",
        "The ranks that `evalstore leaderboard --save` stored; none once the runs are others.",
        {
            "collection": "the test collection",
            "qrels": "the set of judgments",
            "engine": "the retrieval system",
            "run": "the run's name, unique in the collection",
            "measure": "the measure's canonical name, like nDCG@10",
            "value": "the measure's value, unrounded",
            "low": "the low end of the interval of the value",
            "high": "the high end of the interval of the value",
            "rank": "1 + how many runs are strictly better",
            "rank_low": "the low end of the bootstrap interval of the rank",
            "rank_high": "the high end of the bootstrap interval of the rank",
            "rank_group": "letters: runs that share one are not separated by the test",
            "judged_top_10": "the share of the documents at ranks 1 to 10 that are judged, or null",
            "runs": "how many runs were ranked",
            "test": "what separates runs: t (paired t, Holm's correction) or tukey (randomised)",
            "alpha": "a corrected p below it separates two runs; intervals are of level 1 - alpha",
        },
        """SELECT collection.name AS collection,
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
       saved_leaderboard.alpha AS alpha
FROM saved_leaderboard
JOIN saved_rank ON saved_rank.saved_leaderboard_id = saved_leaderboard.id
JOIN evaluation ON evaluation.id = saved_rank.evaluation_id
JOIN aggregate ON aggregate.evaluation_id = evaluation.id
    AND aggregate.measure_id = saved_leaderboard.measure_id
JOIN measure ON measure.id = saved_leaderboard.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.id = evaluation.run_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
JOIN (
    SELECT saved_leaderboard.id AS id,
           count(*) AS runs,
           count(saved_rank.rank) AS ranked
    FROM saved_leaderboard
    JOIN evaluation ON evaluation.qrels_id = saved_leaderboard.qrels_id
    JOIN run ON run.id = evaluation.run_id AND run.deleted_at IS NULL
    LEFT JOIN saved_rank ON saved_rank.saved_leaderboard_id = saved_leaderboard.id
        AND saved_rank.evaluation_id = evaluation.id
    GROUP BY saved_leaderboard.id
) AS present ON present.id = saved_leaderboard.id
    AND present.runs = saved_leaderboard.runs
    AND present.ranked = saved_leaderboard.runs
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL""",
    )


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
