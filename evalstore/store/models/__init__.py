"""The tables, a class each. The shape and its reasons are drawn in docs/architecture.md.

The database itself is made by the migrations alone; a test holds the two together. A class's
docstring is the comment of its table, and with the comments of the columns it stands in
docs/schema.md and, on PostgreSQL, in the database.
"""

from evalstore.store.models.base import NAMING, NEVER_REUSED, Base, table
from evalstore.store.models.collections import (
    Collection,
    Document,
    GroupJudgment,
    Judgment,
    KnownDocument,
    PreferenceJudgment,
    Qrels,
    Query,
    QueryAttribute,
    SubtopicJudgment,
)
from evalstore.store.models.events import Event
from evalstore.store.models.experiments import Experiment, ExperimentAbout
from evalstore.store.models.runs import (
    Baseline,
    Engine,
    EngineSlot,
    Ranking,
    ResponseTime,
    Retrieved,
    Run,
    RunFile,
    RunParent,
)
from evalstore.store.models.saved_views import SavedView
from evalstore.store.models.server import (
    Account,
    Identity,
    Invitation,
    Job,
    LoginAttempt,
    Role,
    ServerSetting,
    Session,
    Token,
    Upload,
    Webhook,
)
from evalstore.store.models.values import (
    Aggregate,
    Evaluation,
    Hit,
    Measure,
    Measurement,
    SavedLeaderboard,
    SavedRank,
)

__all__ = [
    "NAMING",
    "NEVER_REUSED",
    "Account",
    "Aggregate",
    "Base",
    "Baseline",
    "Collection",
    "Document",
    "Engine",
    "EngineSlot",
    "Evaluation",
    "Event",
    "Experiment",
    "ExperimentAbout",
    "GroupJudgment",
    "Hit",
    "Identity",
    "Invitation",
    "Job",
    "Judgment",
    "KnownDocument",
    "LoginAttempt",
    "Measure",
    "Measurement",
    "PreferenceJudgment",
    "Qrels",
    "Query",
    "QueryAttribute",
    "Ranking",
    "ResponseTime",
    "Retrieved",
    "Role",
    "Run",
    "RunFile",
    "RunParent",
    "SavedLeaderboard",
    "SavedRank",
    "SavedView",
    "ServerSetting",
    "Session",
    "SubtopicJudgment",
    "Token",
    "Upload",
    "Webhook",
    "table",
]
