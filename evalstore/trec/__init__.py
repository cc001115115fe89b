"""TREC files to arrays: runs, qrels and queries. An error names file and line."""

from evalstore.trec.lists import Reading
from evalstore.trec.qrels import Qrels, read_qrels
from evalstore.trec.run import Run, read_run

__all__ = ["Qrels", "Reading", "Run", "read_qrels", "read_run"]
