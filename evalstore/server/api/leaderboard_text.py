"""The leaderboard of a collection as a table for papers and programs."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from evalstore.leaderboard.export_leaderboard import leaderboard_export
from evalstore.leaderboard.ranks import RankSettings
from evalstore.leaderboard.table import Details
from evalstore.measures import named_measures
from evalstore.server.api.leaderboard import LeaderboardParameters, check_baseline
from evalstore.server.api.operation import Asked, Content
from evalstore.tables.renderers import Format, export_text


class LeaderboardTextParameters(LeaderboardParameters):
    """What is shown, and how it is written."""

    format: Annotated[Format, Field(description="Of the text.")]
    groups: Annotated[bool, Field(description="Columns of rank groups.")] = False
    intervals: Annotated[bool, Field(description="Also the rank and its interval.")] = False
    judged: Annotated[bool, Field(description="Also the judged share of the top 10.")] = False
    per_query: Annotated[bool, Field(description="Also the value of every query (trec).")] = False
    digits: Annotated[int, Field(ge=0, le=17, description="Decimals (markdown, latex).")] = 4
    guard_formulas: Annotated[
        bool, Field(description="`'` before what a spreadsheet takes for a formula (csv, tsv).")
    ] = False


class LeaderboardText(Content):
    """A leaderboard as text."""

    text: str
    notes: Annotated[list[str], Field(description="What has to be known to read the figures.")]


def leaderboard_text(
    asked: Asked, chosen: LeaderboardTextParameters, collection: str
) -> dict[str, Any]:
    """Write the leaderboard of a collection, as `evalstore export leaderboard` does."""
    check_baseline(chosen.baseline, no_baseline=chosen.no_baseline)
    exported = leaderboard_export(
        asked.store,
        collection,
        named_measures(chosen.measure),
        chosen.qrels,
        RankSettings(test=chosen.test, alpha=chosen.alpha),
        Details(
            chosen.baseline,
            chosen.groups,
            chosen.intervals,
            chosen.judged,
            chosen.per_query,
            chosen.no_baseline,
        ),
    )
    text = export_text(
        exported, chosen.format, digits=chosen.digits, guard_formulas=chosen.guard_formulas
    )
    return {"text": text, "notes": list(exported.notes)}
