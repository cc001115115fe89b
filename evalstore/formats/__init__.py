"""Files and what they hold: runs, judgments, queries, documents. An error names file and line.

`registry` lists every format; the rest of the program uses only their contents: `Run`, `Qrels`,
`SubtopicQrels`, `Preferences`, `Document`, and dictionaries of queries, known documents and times.
"""

from evalstore.formats.any_format import read_judgment_groups, read_qrels, read_run
from evalstore.formats.documents import Document, read_documents
from evalstore.formats.known_documents import read_known
from evalstore.formats.preferences import Preferences, read_preferences
from evalstore.formats.qrels import Qrels, SubtopicQrels
from evalstore.formats.queries import Queries, read_queries
from evalstore.formats.query_attributes import read_attributes
from evalstore.formats.response_times import read_times
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions
from evalstore.formats.subtopic_qrels import read_subtopic_qrels

__all__ = [
    "Document",
    "Preferences",
    "Qrels",
    "Queries",
    "ReadOptions",
    "Run",
    "SubtopicQrels",
    "read_attributes",
    "read_documents",
    "read_judgment_groups",
    "read_known",
    "read_preferences",
    "read_qrels",
    "read_queries",
    "read_run",
    "read_subtopic_qrels",
    "read_times",
]
