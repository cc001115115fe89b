"""TREC files to arrays: runs, qrels and queries. An error names file and line."""

from evalstore.formats.documents import Document, read_documents
from evalstore.formats.qrels import Qrels, SubtopicQrels, read_qrels, read_subtopic_qrels
from evalstore.formats.queries import read_queries
from evalstore.formats.run import Run, read_run
from evalstore.formats.source import ReadOptions

__all__ = [
    "Document",
    "Qrels",
    "ReadOptions",
    "Run",
    "SubtopicQrels",
    "read_documents",
    "read_qrels",
    "read_queries",
    "read_run",
    "read_subtopic_qrels",
]
