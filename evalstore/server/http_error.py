"""An error of a request that becomes problem details."""

from __future__ import annotations

from collections.abc import Mapping

from evalstore.errors import EvalstoreError, Problem


class HttpError(EvalstoreError):
    """A request is refused, with this status and these headers; `str()` is the sentence."""

    def __init__(
        self,
        status: int,
        sentence: str,
        headers: Mapping[str, str] | None = None,
        *,
        problem: Problem | None = None,
    ) -> None:
        super().__init__(sentence, problem=problem)
        self.status = status
        self.headers = dict(headers or {})
