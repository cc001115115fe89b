"""The result for one of many files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from evalstore.errors import EvalstoreError

T = TypeVar("T")


@dataclass(frozen=True)
class Done(Generic[T]):
    """The result for one file, or the error that it raised.

    `notes` are odd things that happened on the way, a sentence each.
    """

    path: str
    result: T | None
    error: EvalstoreError | None
    notes: tuple[str, ...] = ()
