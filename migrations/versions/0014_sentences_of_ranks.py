"""Ranks are saved with the reason and the sentence of the verdict, and with its bounds."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
NUMBER = sa.Double()

COLUMNS = {
    "reason": (TEXT, "of the verdict"),
    "sentence": (TEXT, "the whole claim"),
    "bounds_low": (
        NUMBER,
        "the least difference that judgments could make, or null",
    ),
    "bounds_high": (NUMBER, "the greatest"),
}

VIEW = """
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
       saved_leaderboard.family AS family,
       saved_rank.reason AS reason,
       saved_rank.sentence AS sentence,
       saved_rank.bounds_low AS bounds_low,
       saved_rank.bounds_high AS bounds_high
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
"""


def upgrade() -> None:
    postgres = op.get_bind().dialect.name == "postgresql"
    for name, (type_, comment) in COLUMNS.items():
        op.add_column("saved_rank", sa.Column(name, type_, nullable=True, comment=comment))
    if not postgres:
        op.execute("DROP VIEW leaderboard_ranks")
    make = "CREATE OR REPLACE VIEW" if postgres else "CREATE VIEW"
    op.execute(f"{make} leaderboard_ranks AS{VIEW.rstrip()}")
    if postgres:
        for name, (_, comment) in COLUMNS.items():
            op.execute(f"COMMENT ON COLUMN leaderboard_ranks.{name} IS '{comment}'")


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
