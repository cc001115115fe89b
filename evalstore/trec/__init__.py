"""TREC files to arrays: runs, qrels and queries. An error names file and line."""

from evalstore.trec.documents import Document, read_documents
from evalstore.trec.qrels import Qrels, SubtopicQrels, read_qrels, read_subtopic_qrels
from evalstore.trec.queries import read_queries
from evalstore.trec.run import Run, read_run
from evalstore.trec.source import Reading

__all__ = [
    "Document",
    "Qrels",
    "Reading",
    "Run",
    "SubtopicQrels",
    "read_documents",
    "read_qrels",
    "read_queries",
    "read_run",
    "read_subtopic_qrels",
]
