"""The result for one of many files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from evalstore.errors import EvalstoreError

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Done(Generic[T_co]):
    """The result for one file, or the error that it raised.

    `notes` are odd things that happened on the way, a sentence each.
    """

    path: str
    result: T_co | None
    error: EvalstoreError | None
    notes: tuple[str, ...] = ()
