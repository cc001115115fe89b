"""Read the files that people have."""

from __future__ import annotations

import os
from collections.abc import Iterator

from evalstore import formats
from evalstore.formats import Document, Qrels, Queries, ReadOptions, Run

Path = str | os.PathLike[str]


def read_run(path: Path, *, encoding: str = "utf-8", unfinished: bool = False) -> Run:
    """Read a run file of any format, recognised by its content; plain or gzip.

    What is accepted although it is odd is in the run's `warnings`.

    Args:
        path: the file.
        encoding: of its text.
        unfinished: whether a run that was logged and has not ended is read as it is.

    Raises:
        errors.FileError: the file can't be read, or its first line that breaks a rule.
        errors.DataError: its format can't be told.
    """
    options = ReadOptions(encoding=encoding, unfinished=unfinished)
    return formats.read_run(os.fspath(path), options)


def read_qrels(path: Path, *, encoding: str = "utf-8") -> Qrels:
    """Read a file of judgments (TREC's four columns; plain or gzip).

    What is accepted although it is odd is in the `warnings` of the judgments.

    Raises:
        errors.FileError: the file can't be read, or its first line that breaks a rule.
    """
    return formats.read_qrels(os.fspath(path), ReadOptions(encoding=encoding))


def read_queries(path: Path, *, encoding: str = "utf-8") -> Queries:
    """Read queries: tab-separated, JSON lines or TREC topics, told apart by content.

    Returns:
        A mapping from query ids to texts, in the order of the file; its `attributes` are the
        further columns or keys by query id and name, its `warnings` what was left out.

    Raises:
        errors.FileError: the first line that is not a query, or a query that stands twice.
    """
    return formats.read_queries(os.fspath(path), ReadOptions(encoding=encoding))


def read_documents(path: Path, *, encoding: str = "utf-8") -> Iterator[Document]:
    """Read documents one after the other: JSON lines or tab-separated, told apart by content.

    Yields:
        Documents with `docno`, `title` and `text`, in the order of the file.

    Raises:
        errors.FileError: at the first line that is not a document, and for a file without any.
    """
    return formats.read_documents(os.fspath(path), ReadOptions(encoding=encoding))
