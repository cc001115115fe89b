"""What a server refuses, as the error that its store would raise here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from evalstore import errors
from evalstore.errors import DataError, EvalstoreError, MeasureError, NotFound, StoreError

if TYPE_CHECKING:
    from requests import Response

MEDIA_TYPE = "application/problem+json"
KINDS: dict[str, type[EvalstoreError]] = {
    "no rankings": errors.NoRankings,
    "no qrels": errors.QrelsMissing,
    "disjoint": errors.Disjoint,
}
"""The errors that have a class of their own, by the kind of problem."""
CHANGES = frozenset({"PATCH", "DELETE"})
"""Methods that compare nothing: 409 is a name that is taken."""


def error_of(answer: Response, address: str, has_token: bool) -> EvalstoreError:
    """The error that an answer stands for, with the same sentence as on the store itself.

    Args:
        answer: one that refuses.
        address: of the server, for messages.
        has_token: whether a token was sent.
    """
    status = answer.status_code
    if status == 401:
        if has_token:
            what = "does not take this token: it is wrong, has expired or was revoked"
            return StoreError(f"{address} {what}", problem="token refused")
        what = "takes a token, and there is none for it"
        return StoreError(f"{address} {what}", problem="token needed")
    if 300 <= status < 400:
        to = answer.headers.get("Location", "another address")
        return StoreError(f"{address} leads to {to}: name that server, if it is meant")
    details = _details(answer)
    if details is None:
        return StoreError(f"{address} answers {status}, and not as a server of evalstore does")
    if status == 409 and answer.request.method in CHANGES:
        return errors.Conflict(str(details["detail"]), problem=_problem(details))
    return error_from(status, details)


def error_from(status: int, details: dict[str, Any]) -> EvalstoreError:
    """The error of problem details."""
    message = str(details["detail"])
    problem = _problem(details)
    needs = details.get("needs")
    if isinstance(needs, str):
        return MeasureError(message, needs=needs, problem=problem)
    if problem in KINDS:
        return KINDS[problem](message, problem=problem)
    if status == 404:
        return NotFound(message, problem=problem)
    if status == 409:
        return errors.NotComparable(message, problem=problem)
    if status == 403 or status >= 500:
        return StoreError(message, problem=problem)
    return DataError(message, problem=problem)


def _problem(details: dict[str, Any]) -> errors.Problem | None:
    """The kind of a problem, if this program knows it."""
    named = details.get("problem")
    return named if named in get_args(errors.Problem) else None


def _details(answer: Response) -> dict[str, Any] | None:
    """The problem details of an answer, if it has some."""
    if not answer.headers.get("Content-Type", "").startswith(MEDIA_TYPE):
        return None
    try:
        details = answer.json()
    except ValueError:
        return None
    has_sentence = isinstance(details, dict) and isinstance(details.get("detail"), str)
    return details if has_sentence else None
