"""The views: the store with names instead of ids. They are the public interface for SQL users.

The newest migration creates them; a test compares both, and another records the columns: a column
is never renamed or dropped without a new VERSION.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """A view: its comment, its columns with their comments, and its SELECT.

    Attributes:
        name, comment: the name and comment of the view.
        columns: the comment of each column.
        query: the SELECT, in standard SQL or for SQLite.
        on_postgres: the SELECT for PostgreSQL, if it is different.
    """

    name: str
    comment: str
    columns: dict[str, str]
    query: str
    on_postgres: str | None = None


COLUMN_COMMENTS = {
    "collection": "the test collection",
    "qrels": "the set of judgments",
    "experiment": "the group the run belongs to, or null",
    "engine": "the retrieval system",
    "run": "the run's name, unique in the collection",
    "measure": "the measure's canonical name, like nDCG@10",
    "value": "the measure's value, unrounded",
    "queries": "how many queries the value is over",
    "spread": "standard deviation over the queries; null for fewer than two",
    "qid": "the query's id, as text",
    "query": "the query's words, or null",
    "docno": "the document's id, as text",
    "grade": "1 and more is relevant; negative: in the pool, not judged; null: unjudged",
    "rank": "the place in the ranking, from 1",
    "score": "what the engine gave the document",
    "engine_a": "the engine of run A",
    "run_a": "run A",
    "engine_b": "the engine of run B",
    "run_b": "run B",
    "value_a": "R-precision of run A",
    "value_b": "R-precision of run B",
    "difference": "value_a - value_b: positive where A is better",
    "run_id": "the run's id, as `evalstore runs` shows it",
    "tag": "the run tag in the file",
    "queries_answered": "how many queries the run answers",
    "documents_retrieved": "how many documents in all its lists; null where it has none",
    "ingested_at": "when it was stored (UTC)",
    "evaluations": "under how many qrels it was evaluated",
    "values_only": "whether it came as values of measures, without rankings",
    "low": "the low end of the interval of the value",
    "high": "the high end of the interval of the value",
    "rank_low": "the low end of the interval of the rank",
    "rank_high": "the high end of the interval of the rank",
    "rank_group": "letters: runs that share one are not separated by the test",
    "judged_top_10": "the share of the documents at ranks 1 to 10 that are judged, or null",
    "runs": "how many runs were ranked",
    "test": "what separates runs: t (paired t, Holm's correction), tukey or max-t (both "
    "randomised)",
    "verdict": "of the difference to the baseline: better, worse, equivalent, undecided or none; "
    "null for the baseline",
    "family": "the correction of the tests against the baseline, in words",
    "reason": "of the verdict",
    "sentence": "the whole claim",
    "bounds_low": "the least difference that judgments could make, or null",
    "bounds_high": "the greatest",
    "alpha": "a corrected p below it separates two runs; intervals are of level 1 - alpha",
}


def described_view(
    name: str, comment: str, columns: str, query: str, /, on_postgres: str | None = None, **own: str
) -> View:
    """A view; `own` has comments for columns whose comment is different in other views."""
    comments = COLUMN_COMMENTS | own
    described = {column: comments[column] for column in columns.split()}
    return View(name, comment, described, query.strip(), on_postgres and on_postgres.strip())


# The SELECT of the view `run_parameters`, which differs between SQLite and PostgreSQL.
#
# A value in `run_parameters` is text, with numbers and booleans written as in the JSON. PostgreSQL
# returns that text. SQLite returns other digits (1.0e-05), and its scalar JSON functions may not be
# called in views (`trusted_schema`). So there the number is cut out of the JSON written by
# `json_text`: it follows `"name": `, which occurs only once, because a quote inside a text has a
# backslash before it and names contain no quotes.

PARAMETERS = """
SELECT collection.name AS collection,
       engine.name AS engine,
       run.name AS run,
       parameter.name AS name,
       {value} AS value
FROM {parameters}
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL
"""

PARAMETERS_ON_SQLITE = PARAMETERS.format(
    value="""CASE
         WHEN parameter.type = 'text' THEN parameter.value
         ELSE rtrim(substr(parameter.rest, 1, instr(parameter.rest, ',') - 1), '}')
       END""",
    parameters="""(
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
JOIN run ON run.id = parameter.run_id""",
)
PARAMETERS_ON_POSTGRES = PARAMETERS.format(
    value="parameter.value",
    parameters="""run
CROSS JOIN json_each_text(run.parameters) AS parameter(name, value)""",
)


VERSION = 1


EVALUATED = """JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id"""

ACTIVE = """run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL"""
"""Removed rows are left out everywhere."""

MISSED = f"""
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       judgment.docno AS docno,
       judgment.grade AS grade
FROM evaluation
{EVALUATED}
JOIN judgment ON judgment.qrels_id = evaluation.qrels_id AND judgment.grade >= 1
JOIN query ON query.id = judgment.query_id
WHERE {ACTIVE}
  AND NOT run.values_only
  AND NOT EXISTS (
    SELECT 1
    FROM {{hits}}
    WHERE {{hits}}.evaluation_id = evaluation.id
      AND {{hits}}.query_id = judgment.query_id
      AND {{has_document}}
  )
"""


VIEWS: tuple[View, ...] = (
    described_view(
        "leaderboard",
        "One figure per run, qrels and measure.",
        "collection qrels experiment engine run measure value queries spread",
        f"""
SELECT collection.name AS collection,
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
{EVALUATED}
WHERE {ACTIVE}
""",
    ),
    described_view(
        "query_values",
        "The value of each measure for each query of each run.",
        "collection qrels engine run qid query measure value",
        f"""
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
{EVALUATED}
WHERE {ACTIVE}
""",
    ),
    described_view(
        "judgments",
        "The grade of each judged document.",
        "collection qrels qid query docno grade",
        """
SELECT collection.name AS collection,
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
  AND collection.deleted_at IS NULL
""",
    ),
    described_view(
        "retrieved_docs",
        "The top of each ranking, with the grade of each document under each qrels.",
        "collection qrels engine run qid query rank docno score grade",
        f"""
SELECT collection.name AS collection,
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
{EVALUATED}
JOIN retrieved ON retrieved.content_id = evaluation.content_id
JOIN query ON query.id = retrieved.query_id
LEFT JOIN judgment ON judgment.qrels_id = evaluation.qrels_id
    AND judgment.query_id = retrieved.query_id
    AND judgment.docno = retrieved.docno
WHERE {ACTIVE}
""",
    ),
    described_view(
        "relevant_found",
        "The relevant documents each run retrieved, at whatever rank.",
        "collection qrels engine run qid query rank docno grade score",
        f"""
SELECT collection.name AS collection,
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
{EVALUATED}
WHERE {ACTIVE}
""",
    ),
    described_view(
        "relevant_missed",
        "The relevant documents each run with rankings did not retrieve at any rank.",
        "collection qrels engine run qid query docno grade",
        MISSED.format(hits="hit", has_document="hit.docno = judgment.docno"),
        # Each judgment is looked up in one list; using the view would read the hits of all runs.
        MISSED.format(hits="hit_list", has_document="judgment.docno = ANY (hit_list.docnos)"),
    ),
    described_view(
        "rprec_differences",
        "R-precision of run A less that of run B, for each pair of runs and each query.",
        "collection qrels engine_a run_a engine_b run_b qid query value_a value_b difference",
        """
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
    ),
    described_view(
        "query_attributes",
        "The attributes of queries.",
        "collection qid name value",
        """
SELECT collection.name AS collection,
       query.qid AS qid,
       query_attribute.name AS name,
       query_attribute.value AS value
FROM query_attribute
JOIN query ON query.id = query_attribute.query_id
JOIN collection ON collection.id = query.collection_id
WHERE collection.deleted_at IS NULL
""",
        name="what the attribute is called, like lang",
        value="its value, as text",
    ),
    described_view(
        "run_parameters",
        "The parameters of the engines that made the runs.",
        "collection engine run name value",
        PARAMETERS_ON_SQLITE,
        PARAMETERS_ON_POSTGRES,
        name="what the parameter is called, like k1",
        value="its value, as text; numbers as they were given, booleans true or false",
    ),
    described_view(
        "runs_overview",
        "One row per run.",
        "run_id collection experiment engine run tag queries_answered documents_retrieved "
        "ingested_at evaluations "
        "values_only",
        """
SELECT run.id AS run_id,
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
         WHERE evaluation.content_id = run.content_id
           AND qrels.deleted_at IS NULL
       ) AS evaluations,
       run.values_only AS values_only
FROM run
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL
""",
    ),
    described_view(
        "leaderboard_ranks",
        "The ranks that `evalstore leaderboard --save` stored; none once the runs are others.",
        "collection qrels engine run measure value low high rank rank_low rank_high rank_group "
        "judged_top_10 runs test alpha verdict family reason sentence bounds_low bounds_high",
        f"""
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
WHERE {ACTIVE}
""",
        rank="1 + how many runs are strictly better",
    ),
    described_view(
        "engine_history",
        "The figures of each engine's runs in time, each beside that of the run before.",
        "collection qrels engine run at measure value previous difference",
        f"""
SELECT collection.name AS collection,
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
{EVALUATED}
WHERE {ACTIVE}
WINDOW in_time AS (
  PARTITION BY collection.name, qrels.name, engine.name, measure.name
  ORDER BY coalesce(run.started_at, run.created_at), run.id
)
""",
        at="when the engine started, where given, else when the run was stored (UTC)",
        previous="the value of the engine's run before; null for its first run",
        difference="value - previous",
    ),
)
