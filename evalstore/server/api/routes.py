"""The operations of the API, one row each, with the permission that each needs.

The routes and the OpenAPI description are made from these rows.
"""

from __future__ import annotations

from typing import Any

from evalstore.server.api import (
    changes,
    collections,
    comparing,
    judging,
    leaderboard,
    openapi,
    runs,
    sending,
    store,
    storing,
)
from evalstore.server.api.operation import TABLES, Content, Operation

COLLECTION = "/collections/<name:collection>"
RUN = f"{COLLECTION}/runs/<name:run>"

DRAFT = f"{COLLECTION}/drafts/<name:draft>"
BLOB = f"{COLLECTION}/blobs/<blob>"
JOB = "/jobs/<int:job>"


def _storing(what: str, summary: str, view: Any, answer: type[Content]) -> Operation:
    """The row of an operation that stores a file."""
    contents: dict[int, type[Content] | None] = {200: answer, 201: answer, 202: sending.Job}
    path = f"{COLLECTION}/{what}"
    return Operation("POST", path, "write", summary, view, done=contents, refusals=(422, 429))


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "GET", "/collections", "read", "The collections", collections.list_collections,
        collections.Collections,
    ),
    Operation(
        "POST", "/collections", "write", "Create a collection", collections.create_collection,
        done=dict.fromkeys((200, 201), collections.Collection),
    ),
    Operation(
        "GET", "/qrels", "read", "The judgments", collections.list_judgments, collections.QrelsList,
    ),
    Operation("GET", "/runs", "read", "The runs and their figures", runs.list_runs, runs.RunList),
    Operation("GET", RUN, "read", "A run", runs.show_run, runs.Run),
    Operation(
        "GET", f"{RUN}/ancestors", "read", "What a run was derived from", runs.ancestors_of_run,
        runs.Ancestors,
    ),
    Operation(
        "GET", "/runs/<name:run>", "read", "A run of any collection", runs.find_run, runs.Run,
    ),
    Operation(
        "GET", "/runs/<name:run>/comments", "read", "The comments on a run", runs.comments_on_run,
        runs.CommentList,
    ),
    Operation(
        "GET", f"{RUN}/rankings", "read", "The rankings of a run", runs.rankings, runs.Rankings,
        TABLES,
    ),
    Operation(
        "GET", f"{RUN}/values", "read", "The values of a run", runs.values, runs.Values, TABLES,
    ),
    Operation(
        "GET", f"{COLLECTION}/leaderboard", "read", "The leaderboard of a collection",
        leaderboard.leaderboard, leaderboard.Leaderboard, TABLES, is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/comparison", "read", "A comparison of runs", leaderboard.comparison,
        leaderboard.Comparison, is_long=True,
    ),
    Operation(
        "POST", f"{COLLECTION}/gates", "write", "Record the result of a gate", changes.record_gate,
        changes.Gate,
    ),
    Operation(
        "GET", f"{COLLECTION}/leaderboard/text", "read", "The leaderboard as a text",
        leaderboard.leaderboard_text, leaderboard.LeaderboardText, is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/baseline", "read", "The baseline of a collection",
        comparing.baseline_of_collection, comparing.Baseline,
    ),
    Operation(
        "GET", f"{COLLECTION}/engines", "read", "The engines of a collection",
        comparing.engines_of_collection, comparing.Engines,
    ),
    Operation(
        "GET", f"{RUN}/medians", "read", "The medians that a run is compared with",
        comparing.medians_of_runs, comparing.MediansOfRuns, is_long=True,
    ),
    Operation(
        "GET", "/baselines", "read", "The baselines of all collections", comparing.list_baselines,
        comparing.Baselines,
    ),
    Operation(
        "GET", f"{COLLECTION}/judgments", "read", "The judgments, document by document",
        collections.judgments, collections.Judgments,
    ),
    Operation(
        "POST", "/runs-to-compare", "read", "Which runs are compared", comparing.runs_to_compare,
        comparing.RunsToCompare,
    ),
    Operation(
        "POST", "/values", "read", "The values of several runs", comparing.values_of_runs,
        comparing.ValuesOfRuns, is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/values", "read", "The values of all runs of a collection",
        comparing.values_of_collection, comparing.CollectionValues, is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/queries", "read", "The queries of a collection",
        collections.list_of_queries, collections.Queries,
    ),
    Operation(
        "GET", "/experiments", "read", "The experiments", leaderboard.list_of_experiments,
        leaderboard.Experiments,
    ),
    Operation(
        "GET", "/history", "read", "The runs of an engine in time", leaderboard.history,
        leaderboard.History, is_long=True,
    ),
    Operation("POST", "/sql", "read", "SQL", store.sql, store.SqlAnswer, TABLES, refusals=(429,)),
    Operation(
        "HEAD", BLOB, "write", "How much of a file is here", sending.file_progress, media_types=(),
        answer_headers=sending.ANSWER_HEADERS,
    ),
    Operation(
        "PUT", BLOB, "write", "Send a file", sending.send_file, media_types=(),
        done={201: None, 202: None}, refusals=(411, 422, 429, 507), headers=sending.HEADERS,
        answer_headers=sending.ANSWER_HEADERS,
    ),
    _storing("runs", "Store a run", storing.store_run, storing.StoredRun),
    _storing("qrels", "Store judgments", storing.store_qrels, storing.StoredQrels),
    _storing("queries", "Store queries", storing.store_queries, storing.StoredQueries),
    _storing("documents", "Store documents", storing.store_documents, storing.StoredDocuments),
    _storing("facts", "Store facts of a collection", storing.store_facts, storing.StoredFacts),
    Operation(
        "PATCH", "/runs/<name:run>", "write", "Change a run", changes.change_run,
        changes.RunChanged,
    ),
    Operation(
        "POST", "/runs/<name:run>/comments", "write", "Comment on a run", changes.comment_on_run,
        runs.Comment,
    ),
    Operation(
        "GET", "/removed-runs", "read", "The removed runs", changes.list_removed_runs,
        changes.RemovedRuns,
    ),
    Operation(
        "POST", "/removed-runs", "write", "Remove runs", changes.remove_runs,
        changes.RunsOfCollections,
    ),
    Operation(
        "POST", "/restored-runs", "write", "Restore runs", changes.restore_runs,
        changes.RunsOfCollections,
    ),
    Operation(
        "POST", "/baselines", "write", "Choose a baseline", changes.choose_baseline,
        changes.RunOfCollection,
    ),
    Operation(
        "DELETE", f"{COLLECTION}/baseline", "write", "Unset a baseline", changes.unset_baseline,
        changes.RunOfCollection,
    ),
    Operation(
        "PATCH", "/qrels/<name:qrels>", "write", "Choose the default judgments",
        changes.change_qrels, changes.QrelsChanged,
    ),
    Operation(
        "POST", f"{COLLECTION}/edited-judgments", "write", "Correct a judgment",
        judging.edit_judgment, judging.Version, is_long=True,
    ),
    Operation(
        "POST", f"{COLLECTION}/documents-to-judge", "judge", "Which documents and grades are known",
        judging.documents_to_judge, judging.Expected,
    ),
    Operation(
        "GET", f"{COLLECTION}/drafts", "read", "The drafts of judgments", judging.list_drafts,
        judging.Drafts,
    ),
    Operation(
        "POST", f"{COLLECTION}/drafts", "write", "Make a draft", judging.new_draft, judging.Draft,
    ),
    Operation(
        "DELETE", DRAFT, "write", "Delete a draft", judging.remove_draft, judging.DraftRemoved,
    ),
    Operation(
        "POST", f"{DRAFT}/documents", "write", "Add documents to judge", judging.add_documents,
        judging.Draft,
    ),
    Operation(
        "POST", f"{DRAFT}/assessments", "judge", "Judge documents", judging.assess, judging.Keys,
    ),
    Operation(
        "POST", f"{DRAFT}/qrels", "write", "Publish a draft", judging.publish, judging.Version,
        is_long=True,
    ),
    Operation(
        "GET", f"{COLLECTION}/judgment-groups", "read", "The judgments by who gave them",
        judging.judgment_groups, judging.JudgmentGroups,
    ),
    Operation("GET", "/jobs", "write", "The jobs", sending.list_jobs, sending.Jobs),
    Operation("GET", JOB, "write", "A job", sending.show_job, sending.Job),
    Operation("DELETE", JOB, "write", "Cancel a job", sending.cancel_job, sending.Job),
    Operation("GET", "/events", "read", "Who did what", store.events, store.Events),
    Operation("GET", "/health", "anyone", "Whether the server works", store.health, store.Health),
    Operation(
        "GET", "/metrics", "read", "Figures of the server", store.metrics,
        media_types=("text/plain",),
    ),
    Operation("GET", "/openapi.json", "read", "This description", openapi.openapi, openapi.OpenApi),
)  # fmt: skip
