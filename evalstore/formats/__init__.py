"""Files and their contents: runs, judgments, queries, documents.

`registry` lists every format; the rest of the program uses only their contents: `Run`, `Qrels`,
`SubtopicQrels`, `Preferences`, `Document`, and dictionaries of queries, known documents and times.
What can't be read raises FileError, which names file and line, or DataError.

The names below are loaded at their first use: paths, patterns and options need no NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalstore.formats.any_format import read_judgment_groups as read_judgment_groups
    from evalstore.formats.any_format import read_qrels as read_qrels
    from evalstore.formats.any_format import read_run as read_run
    from evalstore.formats.qrels import Qrels as Qrels
    from evalstore.formats.qrels import SubtopicQrels as SubtopicQrels
    from evalstore.formats.queries import Queries as Queries
    from evalstore.formats.queries import read_queries as read_queries
    from evalstore.formats.reading.source import ReadOptions as ReadOptions
    from evalstore.formats.run import Run as Run
    from evalstore.formats.tables.texts import Document as Document
    from evalstore.formats.tables.texts import read_attributes as read_attributes
    from evalstore.formats.tables.texts import read_documents as read_documents
    from evalstore.formats.trec.preferences import Preferences as Preferences
    from evalstore.formats.trec.preferences import read_preferences as read_preferences
    from evalstore.formats.trec.qrels import read_subtopic_qrels as read_subtopic_qrels
    from evalstore.formats.trec.values import read_explanations as read_explanations
    from evalstore.formats.trec.values import read_known as read_known
    from evalstore.formats.trec.values import read_times as read_times

_MODULES = {
    name: f"evalstore.formats.{module}"
    for module, names in {
        "any_format": ("read_judgment_groups", "read_qrels", "read_run"),
        "qrels": ("Qrels", "SubtopicQrels"),
        "queries": ("Queries", "read_queries"),
        "reading.source": ("ReadOptions",),
        "run": ("Run",),
        "tables.texts": ("Document", "read_attributes", "read_documents"),
        "trec.values": ("read_explanations", "read_known", "read_times"),
        "trec.preferences": ("Preferences", "read_preferences"),
        "trec.qrels": ("read_subtopic_qrels",),
    }.items()
    for name in names
}
"""The module of each name."""


def __getattr__(name: str) -> object:
    """A name of this package, loaded at its first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415  (as in `evalstore`)

    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value  # not asked for again
    return value
