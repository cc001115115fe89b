"""The exception tree is the one drawn in evalstore/errors.py, and errors survive processes."""

from __future__ import annotations

import inspect
import pickle
import re

import pytest

from evalstore import errors
from evalstore.errors import (
    Conflict,
    DataError,
    EvalstoreError,
    FileError,
    MeasureError,
    NotComparable,
    NotFound,
    StoreError,
)

ALL = [e for _, e in inspect.getmembers(errors, inspect.isclass) if e.__module__ == errors.__name__]


def test_every_error_is_in_the_drawing_below_its_parent() -> None:
    drawn = errors.__doc__ or ""
    stack: list[tuple[int, str]] = []
    parents = {}
    for line in drawn.splitlines():
        found = re.match(r"^(    [│├└─ ]*)([A-Z][A-Za-z]+)\s{2}", line)
        if not found:
            continue
        depth, name = len(found[1]), found[2]
        stack = [(d, n) for d, n in stack if d < depth]
        parents[name] = stack[-1][1] if stack else "Exception"
        stack.append((depth, name))
    assert parents == {error.__name__: error.__base__.__name__ for error in ALL}


def test_all_that_is_raised_on_purpose_is_an_evalstore_error() -> None:
    assert {DataError, FileError, MeasureError, Conflict, NotFound, NotComparable, StoreError} == (
        set(ALL) - {EvalstoreError}
    )
    assert all(issubclass(error, EvalstoreError) for error in ALL)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileError("runs/a.txt", 17, "expected 6 columns"), "runs/a.txt:17: expected 6 columns"),
        (FileError("runs/a.txt", None, "is empty"), "runs/a.txt: is empty"),
        (NotFound("there is no run 7"), "there is no run 7"),
    ],
)
def test_an_error_is_one_sentence(error: EvalstoreError, said: str) -> None:
    assert str(error) == said


def test_a_file_error_comes_through_another_process_as_it_was() -> None:
    error = pickle.loads(pickle.dumps(FileError("a.run", 3, "what")))  # noqa: S301  (our own bytes)
    assert (type(error), error.path, error.line, error.what) == (FileError, "a.run", 3, "what")
    assert str(error) == "a.run:3: what"
