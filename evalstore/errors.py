"""Everything evalstore raises on purpose.

    EvalstoreError                 a sentence a person can act on; the command line exits with 1
    ├── DataError                  something is wrong with what was given
    │   ├── FileError              ... with a file: `path:line: what`
    │   ├── MeasureError           ... with a measure's name or its parameters
    │   ├── Conflict               ... with a name that is taken by other content
    │   └── Disjoint               ... with a run and a qrels, or two qrels, that share no query
    ├── NotFound                   a run, collection, qrels or measure that the store does not hold
    │   └── QrelsMissing           a collection has no qrels, and none was given
    ├── NotComparable              runs that share no ground to be compared on
    └── StoreError                 the database can't be opened, read or written

Anything else that escapes is a bug.
"""

from __future__ import annotations


class EvalstoreError(Exception):
    """Base of all: `str()` is one sentence that says what is wrong and, where known, what to do."""


class DataError(EvalstoreError):
    """Something is wrong with what was given."""


class FileError(DataError):
    """A file is not what it should be.

    `str()` is `path:line: what`, or `path: what` where no single line is to blame.
    """

    def __init__(self, path: str, line: int | None, what: str) -> None:
        super().__init__(path, line, what)
        self.path = path
        self.line = line
        self.what = what

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.what}"


class MeasureError(DataError):
    """A measure's name or parameters were not understood, or it lacks what it needs.

    Attributes:
        needs: what is missing beside a run and a qrels, one of `evalstore.measures.NEEDS`
            (`subtopics`, `times`, ...); empty where nothing is.
    """

    def __init__(self, what: str, *, needs: str = "") -> None:
        super().__init__(what)
        self.needs = needs


class Conflict(DataError):
    """A name is taken by other content."""


class Disjoint(DataError):
    """A run and a qrels, or two qrels, share no query."""


class NotFound(EvalstoreError):
    """The store does not hold what was asked for."""


class QrelsMissing(NotFound):
    """A collection has no qrels, and none was given."""


class NotComparable(EvalstoreError):
    """The runs share no ground on which they could be compared."""


class StoreError(EvalstoreError):
    """The database can't be opened, read or written."""
