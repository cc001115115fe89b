"""The operations of the API, a row each; the routes and the description are made of them."""

from __future__ import annotations

from evalstore.server.api import (
    collections,
    comparing,
    description,
    events,
    history,
    leaderboard,
    leaderboard_text,
    runs,
    sql,
    watching,
)
from evalstore.server.api.operation import JSON, TABLES, Operation
from evalstore.server.api.paging import Paged

COLLECTION = "/collections/<name:collection>"
RUN = f"{COLLECTION}/runs/<name:run>"

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "GET", "/collections", "read", "The collections", collections.list_collections,
        Paged, collections.Collections,
    ),
    Operation(
        "GET", "/qrels", "read", "The judgments", collections.list_judgments,
        collections.QrelsParameters, collections.QrelsList,
    ),
    Operation(
        "GET", "/runs", "read", "The runs and their figures", runs.list_runs,
        runs.RunsParameters, runs.RunList,
    ),
    Operation("GET", RUN, "read", "A run", runs.show_run, answer=runs.Run),
    Operation(
        "GET", "/runs/<name:run>", "read", "A run of any collection", runs.find_run,
        runs.RunParameters, runs.Run,
    ),
    Operation(
        "GET", f"{RUN}/rankings", "read", "The rankings of a run", runs.rankings,
        runs.RankingsParameters, runs.Rankings, TABLES,
    ),
    Operation(
        "GET", f"{RUN}/values", "read", "The values of a run", runs.values,
        runs.ValuesParameters, runs.Values, TABLES,
    ),
    Operation(
        "GET", f"{COLLECTION}/leaderboard", "read", "The leaderboard of a collection",
        leaderboard.leaderboard, leaderboard.LeaderboardParameters, leaderboard.Leaderboard, TABLES,
        (429,), is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/comparison", "read", "A comparison of runs",
        leaderboard.comparison, leaderboard.ComparisonParameters, leaderboard.Comparison,
        statuses=(429,), is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/leaderboard/text", "read", "The leaderboard as a text",
        leaderboard_text.leaderboard_text, leaderboard_text.LeaderboardTextParameters,
        leaderboard_text.LeaderboardText, statuses=(429,), is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/baseline", "read", "The baseline of a collection",
        comparing.baseline_of_collection, answer=comparing.Baseline,
    ),
    Operation(
        "GET", f"{COLLECTION}/judgments", "read", "The judgments, document by document",
        collections.judgments, collections.JudgmentsParameters, collections.Judgments,
    ),
    Operation(
        "POST", COLLECTION, "write", "Make a collection", collections.new_collection,
        answer=collections.NewCollection, statuses=(413, 415),
    ),
    Operation(
        "POST", "/runs-to-compare", "read", "Which runs are compared", comparing.runs_to_compare,
        comparing.RunsNamed, comparing.RunsToCompare, statuses=(413, 415),
    ),
    Operation(
        "POST", "/values", "read", "The values of several runs", comparing.values_of_runs,
        comparing.ValuesAsked, comparing.ValuesOfRuns, statuses=(413, 415, 429), is_long=True,
    ),
    Operation(
        "GET", "/history", "read", "The runs of an engine in time", history.history,
        history.HistoryParameters, history.History, statuses=(429,), is_long=True,
    ),
    Operation(
        "POST", "/sql", "read", "SQL", sql.sql, sql.Statement, sql.SqlAnswer, TABLES,
        (413, 415, 429),
    ),
    Operation(
        "GET", "/events", "read", "Who did what", events.events,
        events.EventsParameters, events.Events,
    ),
    Operation(
        "GET", "/health", "anyone", "Whether the server works", watching.health,
        answer=watching.Health,
    ),
    Operation(
        "GET", "/metrics", "read", "Figures of the server", watching.metrics,
        media_types=("text/plain",),
    ),
    Operation(
        "GET", "/openapi.json", "read", "This description", description.openapi,
        answer=description.OpenApi, media_types=(JSON,),
    ),
)  # fmt: skip
