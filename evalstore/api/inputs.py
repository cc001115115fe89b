"""Runs, judgments and queries from objects, frames, dictionaries and paths."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from evalstore import formats
from evalstore.catalog.names import free_name
from evalstore.client.any_store import AnyStore, LocalStore
from evalstore.errors import DataError
from evalstore.formats import Document, Qrels, Queries, ReadOptions, Run
from evalstore.formats.facts.judged_by import parse_judged_by
from evalstore.formats.memory import queries_of_dict, queries_of_frame
from evalstore.formats.reading.lines import run_name

Numbers = Mapping[str, Mapping[str, float]]

if TYPE_CHECKING:
    import pandas as pd

    from evalstore.store import Store as Database

    RunLike = Run | Numbers | pd.DataFrame | str | os.PathLike[str]
    QrelsLike = Qrels | Numbers | pd.DataFrame | str | os.PathLike[str]
    QueriesLike = Mapping[str, object] | pd.DataFrame | str | os.PathLike[str]
    Runs = RunLike | Iterable[RunLike] | Mapping[str, RunLike]

T = TypeVar("T")


def named_runs(runs: Runs) -> dict[str, Run]:
    """Runs by name, from any supported input; runs of the same name get numbers.

    Raises:
        DataError: there is no run, or something is not a run.
    """
    if isinstance(runs, Mapping) and not is_one_run(runs):
        return {str(name): as_run(run, str(name)) for name, run in runs.items()}
    is_one = isinstance(runs, Run | Mapping | str | os.PathLike) or _is_frame(runs)
    several: object = [runs] if is_one else runs
    if not isinstance(several, Iterable):
        raise DataError(f"a run or several are expected, not {_kind(runs)}")
    named: dict[str, Run] = {}
    for given in several:
        run = as_run(given, "run")
        named[free_name(run.names.get("run") or run_name(run.path), named)] = run
    if not named:
        raise DataError("no run is given")
    return named


def is_one_run(runs: Mapping[Any, object]) -> TypeGuard[Numbers]:
    """Whether a mapping is from query ids to scores by docno, rather than from names to runs."""
    for value in runs.values():
        if not isinstance(value, Mapping):
            return False
        if value:
            return not isinstance(next(iter(value.values())), Mapping)
    return True


def as_run(run: object, name: str) -> Run:
    """A run from a `Run`, a frame, a dictionary or the path of a file.

    Raises:
        DataError: it is something else, or breaks a rule.
    """
    makers = partial(Run.from_dict, name=name), partial(Run.from_frame, name=name), read_run
    return _made(run, Run, makers, f"{name}: a run is a Run, a frame, a dictionary or a path")


def as_qrels(qrels: object) -> Qrels:
    """Judgments from a `Qrels`, a frame, a dictionary or the path of a file.

    Raises:
        DataError: it is something else, or breaks a rule.
    """
    makers = Qrels.from_dict, Qrels.from_frame, read_qrels
    return _made(qrels, Qrels, makers, "a qrels is a Qrels, a frame, a dictionary or a path")


def as_queries(queries: object) -> Queries:
    """Queries from a `Queries`, a frame, a dictionary or the path of a file.

    Raises:
        DataError: it is something else, or breaks a rule.
    """
    makers = queries_of_dict, queries_of_frame, read_queries
    expected = "queries are a dictionary, a frame or the path of a file"
    return _made(queries, Queries, makers, expected)


def _made(thing: object, kind: type[T], makers: tuple[Callable[..., T], ...], expected: str) -> T:
    """A thing as an object of a class; the makers are for a dictionary, a frame and a path."""
    if isinstance(thing, kind):
        return thing
    is_of = isinstance(thing, Mapping), _is_frame(thing), isinstance(thing, str | os.PathLike)
    for is_this, make in zip(is_of, makers, strict=True):
        if is_this:
            return make(thing)
    raise DataError(f"{expected}, not {_kind(thing)}")


def _is_frame(thing: object) -> TypeGuard[pd.DataFrame]:
    """Whether it is a pandas data frame, without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(thing, pandas.DataFrame)


def _kind(thing: object) -> str:
    return f"{type(thing).__module__}.{type(thing).__qualname__}".removeprefix("builtins.")


def as_paths(runs: object) -> list[str] | None:
    """The paths, if only paths are given; else None."""
    if isinstance(runs, str | os.PathLike):
        return [os.fspath(runs)]
    if isinstance(runs, Sequence) and all(isinstance(run, str | os.PathLike) for run in runs):
        return [os.fspath(run) for run in runs]
    return None


# Read files in users' formats

Path = str | os.PathLike[str]


def read_run(path: Path, *, encoding: str = "utf-8", unfinished: bool = False) -> Run:
    """Read a run file of any format, recognised by its content; plain or gzip.

    Oddities that are accepted are in the run's `warnings`.

    Args:
        path: the file.
        encoding: of its text.
        unfinished: whether a logged run that has not ended is read as it is.

    Raises:
        errors.FileError: the file can't be read, or its first line that breaks a rule.
        errors.DataError: its format can't be recognised.
    """
    options = ReadOptions(encoding=encoding, unfinished=unfinished)
    return formats.read_run(os.fspath(path), options)


def read_qrels(path: Path, *, encoding: str = "utf-8", judged_by: str | None = None) -> Qrels:
    """Read a file of judgments (TREC's four columns; plain or gzip).

    Oddities that are accepted are in the `warnings` of the judgments.

    Args:
        path: the file.
        encoding: of its text.
        judged_by: the model that judged, like "model=gpt-4o,prompt=prompt.txt,temperature=0"; also
            repeat, date and family. What is no grade is then no judgment, and is counted.

    Raises:
        errors.DataError: `judged_by` can't be.
        errors.FileError: the file can't be read, or its first line that breaks a rule.
    """
    model = None if judged_by is None else parse_judged_by(judged_by)
    return formats.read_qrels(os.fspath(path), ReadOptions(encoding=encoding, judged_by=model))


def read_queries(path: Path, *, encoding: str = "utf-8") -> Queries:
    """Read queries: tab-separated, JSON lines or TREC topics, recognised by content.

    Returns:
        A mapping from query ids to texts, in the order of the file; its `attributes` are the
        further columns or keys by query id and name, its `warnings` what was left out.

    Raises:
        errors.FileError: the first line that is not a query, or a query that appears twice.
    """
    return formats.read_queries(os.fspath(path), ReadOptions(encoding=encoding))


def read_documents(path: Path, *, encoding: str = "utf-8") -> Iterator[Document]:
    """Read documents one after the other: JSON lines or tab-separated, recognised by content.

    Yields:
        Documents with `docno`, `title` and `text`, in the order of the file.

    Raises:
        errors.FileError: at the first line that is not a document, and for a file without any.
    """
    return formats.read_documents(os.fspath(path), ReadOptions(encoding=encoding))


# The store behind the objects of the Python API


class Opened(ABC):
    """The part of `Store` that gives its other parts the database or the server."""

    @abstractmethod
    def _reading(self) -> Database:
        """The database, which must exist."""

    @abstractmethod
    def _writing(self) -> Database:
        """The database, made if it does not exist."""

    def _reader(self) -> AnyStore:
        """The store, which must exist."""
        return LocalStore(self._reading())

    def _changer(self) -> AnyStore:
        """The store, made if it does not exist."""
        return LocalStore(self._writing())
