"""The exception tree is the one drawn in evalstore/errors.py, and errors can be pickled."""

from __future__ import annotations

import inspect
import pickle
import re

from evalstore import errors
from evalstore.errors import (
    Conflict,
    DataError,
    Disjoint,
    EvalstoreError,
    FileError,
    MeasureError,
    MissingExtra,
    NoRankings,
    NotComparable,
    NotFound,
    QrelsMissing,
    StoreError,
)

ALL = [e for _, e in inspect.getmembers(errors, inspect.isclass) if e.__module__ == errors.__name__]


def test_every_error_is_in_the_drawing_below_its_parent() -> None:
    drawn = errors.__doc__ or ""
    stack: list[tuple[int, str]] = []
    parents = {}
    for line in drawn.splitlines():
        entry = re.match(r"^(    [│├└─ ]*)([A-Z][A-Za-z]+)\s{2}", line)
        if not entry:
            continue
        depth, name = len(entry[1]), entry[2]
        stack = [(d, n) for d, n in stack if d < depth]
        parents[name] = stack[-1][1] if stack else "Exception"
        stack.append((depth, name))
    assert parents == {error.__name__: error.__base__.__name__ for error in ALL}


def test_all_that_is_raised_on_purpose_is_an_evalstore_error() -> None:
    assert {
        DataError,
        FileError,
        MeasureError,
        NoRankings,
        MissingExtra,
        Conflict,
        Disjoint,
        NotFound,
        QrelsMissing,
        NotComparable,
        StoreError,
    } == (set(ALL) - {EvalstoreError})
    assert all(issubclass(error, EvalstoreError) for error in ALL)


def test_a_file_error_keeps_its_parts_between_processes() -> None:
    error = FileError("a.run", 3, "what")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301  (our own bytes)
    assert (type(copy), copy.path, copy.line, copy.what) == (FileError, "a.run", 3, "what")
    assert str(copy) == str(error)
