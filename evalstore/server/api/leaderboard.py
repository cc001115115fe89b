"""The leaderboard of a collection, and comparisons of its runs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any

import pyarrow as pa
from flask import Response
from pydantic import ConfigDict, Field

from evalstore.catalog.names import parse_conditions
from evalstore.client.any_store import LocalStore
from evalstore.comparison.choosing.holdout import held_out_of_store
from evalstore.comparison.comparability import pairs_of
from evalstore.comparison.compare import ComparisonOptions, compare_loaded, load, split_by
from evalstore.comparison.comparison_table import comparison_export
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import Correction, Over, Test
from evalstore.errors import DataError
from evalstore.leaderboard.ranks import COLUMNS, RankSettings, RankTest, leaderboard_ranks, to_dict
from evalstore.leaderboard.table import Details, TextStyle, write_leaderboard
from evalstore.measures import named_measures
from evalstore.measures.notation import BOARD_MEASURES
from evalstore.server.api.operation import (
    JSON,
    MOST_NAMED,
    Call,
    Content,
    Measures,
    Name,
    Parameters,
    table_response,
    to_json,
)
from evalstore.server.api.paging import Paged, page_of, pages_of
from evalstore.server.api.runs import Conditions
from evalstore.tables.renderers import Format
from evalstore.tracking.experiments import experiments
from evalstore.tracking.history import EngineHistory, engine_history

COLUMN_TYPES = {
    **dict.fromkeys(("measure", "engine", "run", "rank_group", "verdict"), pa.string()),
    **dict.fromkeys(("rank", "rank_low", "rank_high"), pa.int64()),
}
RANK_COLUMNS = pa.schema([(name, COLUMN_TYPES.get(name, pa.float64())) for name in COLUMNS])

MOST_DIFFERENCES = 500_000
"""Maximum of pairs x measures x queries in a comparison: a minute of computing."""

Alpha = Annotated[
    float, Field(gt=0, lt=1, description="A corrected p below it counts as a difference.")
]
FalseShare = Annotated[
    float, Field(gt=0, lt=1, description="The expected share of false marks, at most.")
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
    verdict: str | None = Field(description="On the difference to the baseline.")


class MeasureRanks(Content):
    """The leaderboard of a measure."""

    measure: str
    direction: int = Field(description="1: higher is better, -1: lower, 0: neither.")
    not_separated: int | None
    family: str = Field(description="The correction of the tests against the baseline.")
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
    correction: str
    alpha: float
    baseline: BaselineName | None
    notes: list[str]
    summary: str = Field(description="A sentence on the first measure.")
    measures: list[MeasureRanks]


class LeaderboardParameters(Parameters):
    """Choice of a leaderboard."""

    qrels: Name | None = Field(None, description="The judgments.")
    measure: Measures = Field(default=list(BOARD_MEASURES))
    test: RankTest = Field("t", description="What separates runs.")
    correction: Correction = Field("holm", description="Of p, for all pairs; not with tukey.")
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
    p: dict[str, float | None] = Field(description="Two-sided, by test.")
    p_corrected: dict[str, float | None]
    cohens_d: float | None
    wins: int
    ties: int
    losses: int
    verdict: str = Field(
        description="On b: `better`, `worse`, `equivalent`, `undecided`, or `none` where no test "
        "may be made."
    )
    reason: str = Field(description="Of the verdict.")
    sentence: str = Field(description="The claim in words.")
    bounds: list[float] | None = Field(
        description="The least and the greatest difference that the judgment of unjudged documents "
        "could bring; null where the measure has none."
    )
    family: str = Field(description="The correction, and what it covers.")


class Slice(Content):
    """The figures of the queries with a value of an attribute."""

    value: str | None
    queries: int
    small: bool
    pairs: list[Pair]


class Comparison(Content):
    """Whether runs may be compared, and the figures of each pair and measure."""

    model_config = ConfigDict(
        json_schema_extra={"required": ["comparable", "reasons", "notes", "pairs"]}
    )

    comparable: str = Field(description="`yes`, `partly` or `no`.")
    reasons: list[str]
    notes: list[str]
    pairs: list[Pair]
    restricted_to: str = Field("", description="With `where`: which queries.")
    attribute: str = Field("", description="With `by`.")
    slices: list[Slice] = Field(default=[], description="With `by`.")


class ComparisonParameters(Parameters):
    """Choice of a comparison."""

    run: list[Name] = Field(
        min_length=1, max_length=MOST_NAMED, description="Names or ids; repeated."
    )
    measure: Measures = Field(default=["AP", "nDCG@10"])
    qrels: Name | None = Field(None, description="The judgments.")
    baseline: Baseline = None
    no_baseline: NoBaseline = False
    test: Test = Field("t", description="Whose p decides what is claimed.")
    correction: Correction = Field("holm", description="Of p, for all that is compared.")
    alpha: Alpha = 0.05
    queries: Over = Field(
        "judged", description="`common`: only the queries that all of the runs answer."
    )
    margin: float | None = Field(
        None, gt=0, description="A difference shown to be within it is `equivalent`."
    )
    where: Conditions = Field(
        default=[], description="Only queries whose attribute is so: `lang=de`; may be repeated."
    )
    by: Name | None = Field(
        None, description="Also the figures of every group of queries, by attribute."
    )
    holdout: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="Only the held-out queries, which are this share of them; of several runs with "
        "a baseline only the one that is best on the others.",
    )


def leaderboard(
    call: Call, chosen: LeaderboardParameters, collection: str
) -> dict[str, Any] | Response:
    """Rank the runs of a collection, and tell which of them are separated.

    The JSON is that of `evalstore leaderboard --format json`; Arrow and Parquet have a row for each
    measure and run.
    """
    check_baseline(chosen.baseline, no_baseline=chosen.no_baseline)
    ranks = leaderboard_ranks(
        call.store,
        collection,
        named_measures(chosen.measure),
        chosen.qrels,
        RankSettings(test=chosen.test, alpha=chosen.alpha, correction=chosen.correction),
        baseline=chosen.baseline,
        no_baseline=chosen.no_baseline,
    )
    if call.media_type == JSON:
        return to_dict(ranks)
    rows = to_json(
        [{"measure": of.measure, **run.row()} for of in ranks.measures for run in of.runs]
    )
    table = pa.Table.from_pylist(rows, RANK_COLUMNS)
    return table_response(call.media_type, RANK_COLUMNS, [table])


def comparison(call: Call, chosen: ComparisonParameters, collection: str) -> object:
    """Compare runs of a collection: the JSON of `evalstore compare --format json`.

    One run is compared with the baseline of the collection. Where `comparable` is `no`, `reasons`
    says why, and there are no pairs. Pairs x measures x queries are 500,000 at most.
    """
    check_baseline(chosen.baseline, no_baseline=chosen.no_baseline)
    measures = named_measures(chosen.measure)
    options = ComparisonOptions(
        test=chosen.test,
        correction=chosen.correction,
        alpha=chosen.alpha,
        over=chosen.queries,
        margin=chosen.margin,
        baseline=chosen.baseline,
        no_baseline=chosen.no_baseline,
        collection=collection,
        qrels=chosen.qrels,
        where=parse_conditions(chosen.where),
        holdout=chosen.holdout,
    )
    loaded = load(_ReadStore(call.store), chosen.run, measures, options)
    _check_size(loaded, len(measures))
    compared = compare_loaded(loaded, measures, options)
    slices = None if chosen.by is None else split_by(compared, chosen.by)
    return comparison_export(compared, slices).document


class _ReadStore(LocalStore):
    """A store for a request that changes nothing."""

    def held_out(self, collection: str, qids: Collection[str], share: float) -> frozenset[str]:
        """The held-out queries of a collection; DataError if it has none yet."""
        return held_out_of_store(self.store, collection, qids, share, reads_only=True)


def _check_size(loaded: LoadedRuns, measures: int) -> None:
    """Refuse a comparison that would take too long."""
    if not loaded.runs:
        return
    pairs, queries = len(pairs_of(len(loaded.runs), loaded.baseline)), len(loaded.runs[0].qids)
    if pairs * measures * queries > MOST_DIFFERENCES:
        raise DataError(
            f"this comparison has {pairs:,} pairs x {measures:,} measures x {queries:,} "
            f"queries, of {MOST_DIFFERENCES:,} at most: name fewer runs, or a baseline for all "
            "others"
        )


def check_baseline(baseline: str | None, *, no_baseline: bool) -> None:
    """Raise DataError if a baseline is given together with `no_baseline`."""
    if baseline is not None and no_baseline:
        raise DataError("the parameters 'baseline' and 'no_baseline' exclude each other")


# The leaderboard as a table


class LeaderboardTextParameters(LeaderboardParameters):
    """Choice of a leaderboard and of its format."""

    format: Format = Field(description="Of the text.")
    groups: bool = Field(False, description="Columns of rank groups.")
    intervals: bool = Field(False, description="Also the rank and its interval.")
    judged: bool = Field(False, description="Also the judged share of the top 10.")
    per_query: bool = Field(False, description="Also the value of every query (trec).")
    digits: int = Field(4, ge=0, le=17, description="Decimals (markdown, latex).")
    guard_formulas: bool = Field(
        False, description="`'` before what a spreadsheet takes for a formula (csv, tsv)."
    )


class LeaderboardText(Content):
    """A leaderboard as text."""

    text: str
    notes: list[str] = Field(description="What has to be known to read the figures.")


def leaderboard_text(
    call: Call, chosen: LeaderboardTextParameters, collection: str
) -> dict[str, Any]:
    """Write the leaderboard of a collection, as `evalstore export leaderboard` does."""
    check_baseline(chosen.baseline, no_baseline=chosen.no_baseline)
    written = write_leaderboard(
        call.store,
        collection,
        named_measures(chosen.measure),
        chosen.qrels,
        RankSettings(test=chosen.test, alpha=chosen.alpha, correction=chosen.correction),
        Details(**chosen.model_dump(include={field.name for field in fields(Details)})),
        TextStyle(chosen.format, chosen.digits, chosen.guard_formulas),
    )
    return written._asdict()


# The runs of an engine over time


class HistoryParameters(Parameters):
    """Whose history, by which measure."""

    engine: Name = Field(description="Its name.")
    measure: Name = Field("nDCG@10", description="One, computed where it is not stored.")
    collection: Name | None = Field(None, description="Where the engine has runs in several.")
    qrels: Name | None = Field(None, description="The judgments; else the default.")
    last: int | None = Field(None, ge=1, description="Only the newest so many runs.")
    test: Test = Field("t", description="Whose p decides what is claimed.")
    alpha: FalseShare = 0.05


class RunInTime(Content):
    """A run of an engine, and its differences to the run before and to the reference."""

    run_id: int
    run: str
    at: datetime
    value: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    level: float | None = Field(description="A p below it is a mark.")
    change: str | None
    reference: str | None = Field(
        description="The last run before that was shown to differ, else the first."
    )
    reference_difference: float | None
    reference_p: float | None
    reference_level: float | None
    reference_change: str | None


class History(Content):
    """The runs of an engine in a collection, the oldest first."""

    engine: str
    collection: str
    qrels: str
    measure: str
    direction: int = Field(description="1 where higher is better, -1 where lower is.")
    queries: int
    test: str
    alpha: float
    first: str | None = Field(description="The first run, even if it is not among `runs`.")
    runs: list[RunInTime]
    notes: list[str]


def history(call: Call, chosen: HistoryParameters) -> EngineHistory:
    """The runs of an engine in time, and whether each differs from earlier ones.

    The figures are those of `evalstore history`. Marks hold, whatever runs are added later.
    """
    measures = named_measures(chosen.measure)
    if len(measures) != 1:
        raise DataError(f"a history is of one measure; {chosen.measure!r} is {len(measures)}")
    (one,) = measures.items()
    return engine_history(
        call.store,
        chosen.engine,
        one,
        chosen.collection,
        chosen.qrels,
        last=chosen.last,
        test=chosen.test,
        alpha=chosen.alpha,
    )


# Experiments


class Experiment(Content):
    """An experiment; its runs are those of `/runs?experiment=NAME`."""

    name: str
    created_at: datetime = Field(
        description="When it was first named; of one without texts that you may read, when "
        "the oldest of its runs was stored."
    )
    question: str | None = Field(description="What it is to find out, in Markdown.")
    conclusion: str | None = Field(description="What was found out, in Markdown.")
    runs: int = Field(description="How many.")


Experiments = pages_of(Experiment, "experiments", "Experiments", "A page of the experiments.")


def list_of_experiments(call: Call, chosen: Paged) -> dict[str, Any]:
    """The experiments in natural order of their names, as `evalstore experiments` has them."""
    listed = experiments(call.store)
    return page_of("experiments", listed, lambda row: row.name, call, chosen)
