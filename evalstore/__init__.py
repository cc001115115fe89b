"""evalstore: from TREC run files and qrels to a database of per-query measures.

    import evalstore as ev
    from evalstore.measures import AP, nDCG

    ev.evaluate("qrels.txt", ["bm25.run", "dense.run"], [AP, nDCG @ 10])

The names below are loaded when they are first asked for: the import itself is instant. The
packages, left to right as data flows: `formats` reads files into arrays, `measures` joins a run to
its qrels and computes, `store` keeps; `catalog`, `evaluation`, `ingest`, `comparison`,
`leaderboard`, `tracking` and `transfer` are what the command line, the dashboard and this API call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalstore import errors as errors
    from evalstore import measures as measures
    from evalstore import stats as stats
    from evalstore.api.comparison import Comparison as Comparison
    from evalstore.api.comparison import compare as compare
    from evalstore.api.evaluation import Evaluation as Evaluation
    from evalstore.api.evaluation import Evaluator as Evaluator
    from evalstore.api.evaluation import evaluate as evaluate
    from evalstore.api.evaluation import evaluator as evaluator
    from evalstore.api.holes import holes as holes
    from evalstore.api.holes import pool as pool
    from evalstore.api.inputs import read_documents as read_documents
    from evalstore.api.inputs import read_qrels as read_qrels
    from evalstore.api.inputs import read_queries as read_queries
    from evalstore.api.inputs import read_run as read_run
    from evalstore.api.logged_runs import LoggedRun as LoggedRun
    from evalstore.api.logged_runs import offline as offline
    from evalstore.api.reproduction import Reproduced as Reproduced
    from evalstore.api.reproduction import reproduce as reproduce
    from evalstore.api.store import Store as Store
    from evalstore.api.store import StoredRun as StoredRun
    from evalstore.api.store import open as open
    from evalstore.api.two_qrels import LeftOutRuns as LeftOutRuns
    from evalstore.api.two_qrels import QrelsComparison as QrelsComparison
    from evalstore.api.two_qrels import compare_qrels as compare_qrels
    from evalstore.api.two_qrels import leave_one_out as leave_one_out
    from evalstore.api.two_qrels import qrels_repeats as qrels_repeats
    from evalstore.formats.qrels import Qrels as Qrels
    from evalstore.formats.run import Run as Run
    from evalstore.measures.join import Extras as Extras

__version__ = "0.1.0"

_MODULES = {
    name: module
    for module, names in {
        "evalstore.errors": ("errors",),
        "evalstore.measures": ("measures",),
        "evalstore.stats": ("stats",),
        "evalstore.api.comparison": ("Comparison", "compare"),
        "evalstore.api.evaluation": ("Evaluation", "Evaluator", "evaluate", "evaluator"),
        "evalstore.api.holes": ("holes", "pool"),
        "evalstore.api.inputs": ("read_documents", "read_qrels", "read_queries", "read_run"),
        "evalstore.api.logged_runs": ("LoggedRun", "offline"),
        "evalstore.api.reproduction": ("Reproduced", "reproduce"),
        "evalstore.api.store": ("Store", "StoredRun", "open"),
        "evalstore.api.two_qrels": (
            *("LeftOutRuns", "QrelsComparison", "compare_qrels", "leave_one_out"),
            "qrels_repeats",
        ),
        "evalstore.formats.qrels": ("Qrels",),
        "evalstore.formats.run": ("Run",),
        "evalstore.measures.join": ("Extras",),
    }.items()
    for name in names
}
"""The module that each public name comes from; a module that is public itself is its own."""

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """A public name, loaded when it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415  (the import of this package is instant)

    module = import_module(_MODULES[name])
    value = module if module.__name__ == f"{__name__}.{name}" else getattr(module, name)
    globals()[name] = value  # not asked for again
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return [*__all__, "__version__"]
