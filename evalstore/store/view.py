"""A view: its SELECT, and what its columns mean."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """A view: its comment, its columns with a comment each, and its SELECT.

    Attributes:
        name, comment: of the view.
        columns: the comment of each column.
        query: the SELECT, by the standard or on SQLite.
        on_postgres: the SELECT on PostgreSQL, where that is another one.
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
    "rank_low": "the low end of the bootstrap interval of the rank",
    "rank_high": "the high end of the bootstrap interval of the rank",
    "rank_group": "letters: runs that share one are not separated by the test",
    "judged_top_10": "the share of the documents at ranks 1 to 10 that are judged, or null",
    "runs": "how many runs were ranked",
    "test": "what separates runs: t (paired t, Holm's correction) or tukey (randomised)",
    "alpha": "a corrected p below it separates two runs; intervals are of level 1 - alpha",
}


def described_view(
    name: str,
    comment: str,
    columns: str,
    query: str,
    /,
    on_postgres: str | None = None,
    **own: str,
) -> View:
    """A view; `own` are comments of columns that mean something else than in other views."""
    comments = COLUMN_COMMENTS | own
    described = {column: comments[column] for column in columns.split()}
    return View(name, comment, described, query.strip(), on_postgres and on_postgres.strip())
