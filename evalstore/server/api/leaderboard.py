"""The leaderboard of a collection, and comparisons of its runs."""

from __future__ import annotations

from typing import Annotated, Any

import pyarrow as pa
from flask import Response
from pydantic import ConfigDict, Field

from evalstore.catalog.conditions import parse_conditions
from evalstore.comparison.compare import compare_stored
from evalstore.comparison.export_comparison import comparison_export
from evalstore.comparison.significance import Correction, Settings, Test
from evalstore.comparison.slices import split_by
from evalstore.errors import DataError
from evalstore.leaderboard.ranks import COLUMNS, RankSettings, RankTest, leaderboard_ranks, to_dict
from evalstore.measures import named_measures
from evalstore.server.api.operation import JSON, Asked, Content, Parameters
from evalstore.server.api.parameters import DEFAULT_MEASURES, MOST_NAMED, Measures, Name
from evalstore.server.api.plain import plain
from evalstore.server.api.runs import Conditions
from evalstore.server.api.tables import table_response

COLUMN_TYPES = {
    **dict.fromkeys(("measure", "engine", "run", "rank_group"), pa.string()),
    **dict.fromkeys(("rank", "rank_low", "rank_high"), pa.int64()),
}
RANK_COLUMNS = pa.schema([(name, COLUMN_TYPES.get(name, pa.float64())) for name in COLUMNS])

MOST_DIFFERENCES = 500_000
"""Pairs x measures x queries of a comparison: a minute of computing, where all are tested."""

Alpha = Annotated[
    float, Field(gt=0, lt=1, description="A corrected p below it counts as a difference.")
]
Baseline = Annotated[
    Name | None,
    Field(description="The run that others are compared with.  That of the collection, if any."),
]
NoBaseline = Annotated[bool, Field(description="Not to use the baseline of the collection.")]


class RankedRun(Content):
    """A run on the leaderboard of a measure."""

    rank: int | None
    rank_low: int | None
    rank_high: int | None
    rank_group: str
    engine: str
    run: str
    value: float | None
    low: float | None
    high: float | None
    judged_top_10: float | None
    difference: float | None


class MeasureRanks(Content):
    """The leaderboard of a measure."""

    measure: str
    direction: Annotated[int, Field(description="1: higher is better, -1: lower, 0: neither.")]
    not_separated: int | None
    notes: list[str]
    sentences: list[str]
    runs: list[RankedRun]


class BaselineName(Content):
    """The run that differences are to."""

    run: str


class Leaderboard(Content):
    """The leaderboards of a collection under a qrels."""

    collection: str
    qrels: str
    queries: int
    test: str
    alpha: float
    baseline: BaselineName | None
    notes: list[str]
    measures: list[MeasureRanks]


class LeaderboardParameters(Parameters):
    """What is ranked, and how."""

    qrels: Annotated[Name | None, Field(description="The judgments.")] = None
    measure: Measures = Field(default=list(DEFAULT_MEASURES))
    test: Annotated[RankTest, Field(description="What separates runs.")] = "t"
    alpha: Alpha = 0.05
    baseline: Baseline = None
    no_baseline: NoBaseline = False


class Pair(Content):
    """The figures of two runs on a measure; differences are b - a."""

    a: str
    b: str
    measure: str
    queries: int
    mean_a: float
    mean_b: float
    difference: float
    interval: list[float | None]
    p: Annotated[dict[str, float | None], Field(description="Two-sided, by test.")]
    p_corrected: dict[str, float | None]
    cohens_d: float | None
    wins: int
    ties: int
    losses: int


class Slice(Content):
    """The figures of the queries with a value of an attribute."""

    value: str | None
    queries: int
    small: bool
    pairs: list[Pair]


class Comparison(Content):
    """Whether runs may be compared, and the figures of each pair and measure."""

    model_config = ConfigDict(json_schema_extra={"required": ["comparable", "reasons", "pairs"]})

    comparable: Annotated[str, Field(description="`yes`, `partly` or `no`.")]
    reasons: list[str]
    pairs: list[Pair]
    restricted_to: Annotated[str, Field(description="With `where`: which queries.")] = ""
    attribute: Annotated[str, Field(description="With `by`.")] = ""
    slices: list[Slice] = Field(default=[], description="With `by`.")


class ComparisonParameters(Parameters):
    """What is compared, and how."""

    run: Annotated[
        list[Name],
        Field(min_length=1, max_length=MOST_NAMED, description="Names or ids; repeated."),
    ]
    measure: Measures = Field(default=["AP", "nDCG@10"])
    qrels: Annotated[Name | None, Field(description="The judgments.")] = None
    baseline: Baseline = None
    no_baseline: NoBaseline = False
    test: Annotated[Test, Field(description="Whose p decides what is claimed.")] = "t"
    correction: Annotated[Correction, Field(description="Of p, for all that is compared.")] = "holm"
    alpha: Alpha = 0.05
    where: Conditions = Field(
        default=[], description="Only queries whose attribute is so: `lang=de`; may be repeated."
    )
    by: Annotated[
        Name | None, Field(description="Also the figures of every group of queries, by attribute.")
    ] = None


def leaderboard(
    asked: Asked, chosen: LeaderboardParameters, collection: str
) -> dict[str, Any] | Response:
    """Rank the runs of a collection, and tell which of them are separated.

    The JSON is that of `evalstore leaderboard --format json`; Arrow and Parquet have a row for each
    measure and run.
    """
    check_baseline(chosen.baseline, no_baseline=chosen.no_baseline)
    ranks = leaderboard_ranks(
        asked.store,
        collection,
        named_measures(chosen.measure),
        chosen.qrels,
        RankSettings(test=chosen.test, alpha=chosen.alpha),
        baseline=chosen.baseline,
        no_baseline=chosen.no_baseline,
    )
    if asked.media_type == JSON:
        content: dict[str, Any] = plain(to_dict(ranks))
        return content
    rows = [{"measure": of.measure, **plain(run.row())} for of in ranks.measures for run in of.runs]
    table = pa.Table.from_pylist(rows, RANK_COLUMNS)
    return table_response(asked.media_type, RANK_COLUMNS, [table])


def comparison(asked: Asked, chosen: ComparisonParameters, collection: str) -> dict[str, Any]:
    """Compare runs of a collection: the JSON of `evalstore compare --format json`.

    One run is compared with the baseline of the collection. Where `comparable` is `no`, `reasons`
    says why, and there are no pairs. Pairs x measures x queries are 500,000 at most.
    """
    check_baseline(chosen.baseline, no_baseline=chosen.no_baseline)
    compared = compare_stored(
        asked.store,
        chosen.run,
        named_measures(chosen.measure),
        collection=collection,
        qrels=chosen.qrels,
        baseline=chosen.baseline,
        no_baseline=chosen.no_baseline,
        where=parse_conditions(chosen.where),
        settings=Settings(chosen.test, chosen.correction, chosen.alpha),
        most_differences=MOST_DIFFERENCES,
    )
    slices = None if chosen.by is None else split_by(compared, chosen.by)
    document: dict[str, Any] = plain(comparison_export(compared, slices).document)
    return document


def check_baseline(baseline: str | None, *, no_baseline: bool) -> None:
    """Refuse two parameters that contradict each other.

    Raises:
        DataError: a baseline, and none.
    """
    if baseline is not None and no_baseline:
        raise DataError("the parameters 'baseline' and 'no_baseline' exclude each other")
