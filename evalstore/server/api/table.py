"""The operations of the API, a row each; the routes and the description are made of them."""

from __future__ import annotations

from typing import Any

from evalstore.server.api import (
    blobs,
    changes,
    collection_values,
    collections,
    comparing,
    description,
    events,
    experiments,
    files_to_store,
    gates,
    history,
    jobs,
    leaderboard,
    leaderboard_text,
    queries,
    runs,
    runs_post,
    sql,
    watching,
)
from evalstore.server.api.operation import JSON, TABLES, Content, Operation
from evalstore.server.api.paging import Paged

COLLECTION = "/collections/<name:collection>"
RUN = f"{COLLECTION}/runs/<name:run>"

BLOB = f"{COLLECTION}/blobs/<blob>"
JOB = "/jobs/<int:job>"

IN_BODY = (408, 413, 415)
"""How a body may be refused."""


def _storing(what: str, summary: str, view: Any, takes: Any, answer: type[Content]) -> Operation:
    """The row of an operation that stores a file."""
    return Operation(
        "POST", f"{COLLECTION}/{what}", "write", summary, view, takes,
        done={200: answer, 201: answer, 202: jobs.Job}, statuses=(*IN_BODY, 422, 429),
    )  # fmt: skip


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "GET", "/collections", "read", "The collections", collections.list_collections,
        Paged, collections.Collections,
    ),
    Operation(
        "POST", "/collections", "write", "Create a collection", collections.create_collection,
        collections.NewCollection,
        done=dict.fromkeys((200, 201), collections.Collection), statuses=IN_BODY,
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
        "GET", f"{RUN}/ancestors", "read", "What a run was derived from", runs.ancestors_of_run,
        answer=runs.Ancestors,
    ),
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
        statuses=(429,), is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/comparison", "read", "A comparison of runs",
        leaderboard.comparison, leaderboard.ComparisonParameters, leaderboard.Comparison,
        statuses=(429,), is_long=True,
    ),
    Operation(
        "POST", f"{COLLECTION}/gates", "write", "Record the result of a gate", gates.record_gate,
        gates.GateParameters, gates.Gate, statuses=IN_BODY,
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
        "GET", f"{COLLECTION}/engines", "read", "The engines of a collection",
        comparing.engines_of_collection, answer=comparing.Engines,
    ),
    Operation(
        "GET", f"{RUN}/medians", "read", "The medians that a run is compared with",
        comparing.medians_of_runs, comparing.MediansParameters, comparing.MediansOfRuns,
        statuses=(429,), is_long=True,
    ),
    Operation(
        "GET", "/baselines", "read", "The baselines of all collections",
        comparing.list_baselines, Paged, comparing.Baselines,
    ),
    Operation(
        "GET", f"{COLLECTION}/judgments", "read", "The judgments, document by document",
        collections.judgments, collections.JudgmentsParameters, collections.Judgments,
    ),
    Operation(
        "POST", "/runs-to-compare", "read", "Which runs are compared", comparing.runs_to_compare,
        comparing.RunsNamed, comparing.RunsToCompare, statuses=IN_BODY,
    ),
    Operation(
        "POST", "/values", "read", "The values of several runs", comparing.values_of_runs,
        comparing.ValuesAsked, comparing.ValuesOfRuns, statuses=(*IN_BODY, 429), is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/values", "read", "The values of all runs of a collection",
        collection_values.values_of_collection, collection_values.CollectionValuesParameters,
        collection_values.CollectionValues, statuses=(429,), is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/queries", "read", "The queries of a collection",
        queries.list_of_queries, queries.QueriesParameters, queries.Queries,
    ),
    Operation(
        "GET", "/experiments", "read", "The experiments", experiments.list_of_experiments,
        Paged, experiments.Experiments,
    ),
    Operation(
        "GET", "/history", "read", "The runs of an engine in time", history.history,
        history.HistoryParameters, history.History, statuses=(429,), is_long=True,
    ),
    Operation(
        "POST", "/sql", "read", "SQL", sql.sql, sql.Statement, sql.SqlAnswer, TABLES,
        statuses=(*IN_BODY, 429),
    ),
    Operation(
        "HEAD", BLOB, "write", "How much of a file is here", blobs.file_progress,
        media_types=(), answer_headers=blobs.ANSWER_HEADERS,
    ),
    Operation(
        "PUT", BLOB, "write", "Send a file", blobs.send_file, media_types=(),
        done={201: None, 202: None}, statuses=(*IN_BODY, 411, 422, 429, 507),
        headers=blobs.HEADERS, answer_headers=blobs.ANSWER_HEADERS,
    ),
    _storing(
        "runs", "Store a run", runs_post.store_run,
        files_to_store.RunToStore, files_to_store.StoredRun,
    ),
    _storing(
        "qrels", "Store judgments", runs_post.store_qrels,
        files_to_store.QrelsToStore, files_to_store.StoredQrels,
    ),
    _storing(
        "queries", "Store queries", runs_post.store_queries,
        files_to_store.QueriesToStore, files_to_store.StoredQueries,
    ),
    _storing(
        "documents", "Store documents", runs_post.store_documents,
        files_to_store.DocumentsToStore, files_to_store.StoredDocuments,
    ),
    _storing(
        "facts", "Store facts of a collection", runs_post.store_facts,
        files_to_store.FactsToStore, files_to_store.StoredFacts,
    ),
    Operation(
        "PATCH", "/runs/<name:run>", "write", "Change a run", changes.change_run,
        changes.RunToChange, changes.RunChanged, statuses=IN_BODY,
    ),
    Operation(
        "GET", "/removed-runs", "read", "The removed runs", changes.list_removed_runs,
        changes.RemovedParameters, changes.RemovedRuns,
    ),
    Operation(
        "POST", "/removed-runs", "write", "Remove runs", changes.remove_runs,
        changes.RunsChosen, changes.RunsOfCollections, statuses=IN_BODY,
    ),
    Operation(
        "POST", "/restored-runs", "write", "Restore runs", changes.restore_runs,
        changes.RunsChosen, changes.RunsOfCollections, statuses=IN_BODY,
    ),
    Operation(
        "POST", "/baselines", "write", "Choose a baseline", changes.choose_baseline,
        changes.RunChosen, changes.RunOfCollection, statuses=IN_BODY,
    ),
    Operation(
        "DELETE", f"{COLLECTION}/baseline", "write", "Unset a baseline", changes.unset_baseline,
        answer=changes.RunOfCollection,
    ),
    Operation(
        "PATCH", "/qrels/<name:qrels>", "write", "Choose the default judgments",
        changes.change_qrels, changes.QrelsToChange, changes.QrelsChanged, statuses=IN_BODY,
    ),
    Operation("GET", "/jobs", "write", "The jobs", jobs.list_jobs, Paged, jobs.Jobs),
    Operation("GET", JOB, "write", "A job", jobs.show_job, answer=jobs.Job),
    Operation("DELETE", JOB, "write", "Cancel a job", jobs.cancel_job, answer=jobs.Job),
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
