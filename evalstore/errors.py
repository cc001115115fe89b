"""Everything evalstore raises on purpose.

    EvalstoreError                 a sentence a person can act on; the command line exits with 1
    ├── DataError                  something is wrong with what was given
    │   ├── FileError              ... with a file: `path:line: what`
    │   ├── MeasureError           ... with a measure's name or its parameters
    │   ├── NoRankings             ... with a run that came as values, where rankings are needed
    │   ├── MissingExtra           the packages of an extra are not installed
    │   ├── Conflict               ... with a name that is taken by other content
    │   └── Disjoint               ... with a run and a qrels, or two qrels, that share no query
    ├── NotFound                   a run, collection, qrels or measure that the store does not hold
    │   └── QrelsMissing           a collection has no qrels, and none was given
    ├── NotComparable              runs of different collections, or without a common qrels
    └── StoreError                 the database can't be opened, read or written

Any other exception that leaves this library is a bug.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

Problem = Literal[
    "baseline removed", "disjoint", "is baseline", "judgment groups", "measure not stored",
    "measure of facts", "model first", "newer schema", "no account", "no attributes", "no baseline",
    "no invitation", "no provider", "no qrels", "no rankings", "no query texts", "no removed run",
    "no run", "no server", "no spool", "no store", "no token", "name twice", "not among values",
    "older schema", "other compat", "plain http", "process died", "removed run has name",
    "run has name", "run not removed", "run removed", "second column", "several collections",
    "several runs", "too many bytes", "too many rows", "token needed", "token refused", "too slow",
    "unfinished run", "unmapped", "unknown format", "unknown measure", "which collection",
    "which format", "which split",
]  # fmt: skip
"""Problems for which a calling program may know a remedy."""


EXTRAS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "dashboard": (
            *("dash", "dash_ag_grid", "dash_mantine_components", "plotly", "flask", "werkzeug"),
            *("jinja2", "gunicorn", "waitress"),
        ),
        "plots": ("matplotlib",),
        "server": ("authlib", "argon2", "joserfc", "prometheus_client", "pydantic"),
    }
)
"""The packages of extras that commands need as a whole, as they are imported. What only some files,
databases and schedulers need is known where these are opened.
"""


def extra_of(error: ImportError) -> tuple[str, str] | None:
    """The extra and the package that a failed import lacks; None if the package is of no extra."""
    package = (error.name or "").partition(".")[0]
    return next(((extra, package) for extra, names in EXTRAS.items() if package in names), None)


def nearest(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The known names most similar to a mistyped one, the best first; dissimilar ones are left out.

    Only letters and digits are compared, without case: `ndcg10` matches `nDCG@10`. If none is
    similar, names that begin so: `bm25` matches `bm25s-lucene-stem`.
    """
    plain = {text: _plain(text) for text in dict.fromkeys(known)}
    typed, letters_of = _plain(name), dict.fromkeys(plain.values())
    close = difflib.get_close_matches(typed, letters_of, n=most, cutoff=0.6)
    begins = [letters for letters in letters_of if typed and letters.startswith(typed)]
    close = close or begins[:most]
    return [text for match in close for text, letters in plain.items() if letters == match][:most]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: `; did you mean 'x'?`, or nothing."""
    return "".join(f"; did you mean {text!r}?" for text in nearest(name, known))


def check_known(kind: str, name: object, known: Iterable[str], of: str = "") -> None:
    """Raise a DataError unless a name is one of the known ones; `of` says what they are of."""
    names = tuple(known)
    if name not in names:
        hint = did_you_mean(str(name), names)
        raise DataError(f"there is no {kind} {name!r}{of}{hint}; there are {', '.join(names)}")


def _plain(name: str) -> str:
    letters = "".join(character for character in name.casefold() if character.isalnum())
    return letters or name


class EvalstoreError(Exception):
    """Base of all: `str()` is one sentence that says what is wrong.

    Attributes:
        problem: the kind of problem, if a program may know a remedy. The command line adds the
            option or command that solves it (`evalstore.cli.errors`).
    """

    problem: Problem | None = None

    def __init__(self, *args: object, problem: Problem | None = None) -> None:
        super().__init__(*args)
        if problem is not None:
            self.problem = problem


class DataError(EvalstoreError):
    """Something is wrong with what was given."""


class FileError(DataError):
    """A file is not what it should be.

    `str()` is `path:line: what`, or `path: what` if no single line is the cause.
    """

    def __init__(
        self, path: str, line: int | None, what: str, *, problem: Problem | None = None
    ) -> None:
        super().__init__(path, line, what, problem=problem)
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
            (`subtopics`, `times`, ...); empty if nothing is.
    """

    def __init__(self, what: str, *, needs: str = "", problem: Problem | None = None) -> None:
        super().__init__(what, problem=problem)
        self.needs = needs


class MissingExtra(DataError):
    """The packages of an extra are not installed."""

    def __init__(self, what: str, extra: str, package: str) -> None:
        super().__init__(what, extra, package)

    def __str__(self) -> str:
        what, extra, package = self.args
        return f"{what} needs {package}: pip install 'evalstore[{extra}]'"


class NoRankings(DataError):
    """A stored run came as values, without rankings, and its rankings are needed."""

    problem = "no rankings"


class Conflict(DataError):
    """A name is taken by other content."""


class Disjoint(DataError):
    """A run and a qrels, or two qrels, share no query, or a run and a qrels no document."""

    problem = "disjoint"


class NotFound(EvalstoreError):
    """The store does not hold what was asked for."""


class QrelsMissing(NotFound):
    """A collection has no qrels, and none was given."""

    problem = "no qrels"


class NotComparable(EvalstoreError):
    """The runs are of different collections, or were never evaluated with the same qrels."""


class StoreError(EvalstoreError):
    """The database can't be opened, read or written."""
