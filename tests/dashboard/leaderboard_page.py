"""How tests read the leaderboard: its page, its rows, its claims and its files."""

from __future__ import annotations

import csv
import io
from typing import Any

from browserless import Browserless, find


def body(app: Browserless, address: str) -> Any:
    return app.page(address)["page"]["children"]


def key_of(app: Browserless, address: str) -> dict[str, str]:
    key: dict[str, str] = find(body(app, address), "board-rows")["data"]
    return key


def rows_of(
    app: Browserless, address: str, start: int = 0, end: int = 100, claims: Any = None
) -> list[dict[str, Any]]:
    answer = app.call(
        "board-grid.getRowsResponse",
        board_grid={"startRow": start, "endRow": end},
        board_rows=key_of(app, address),
        board_claims=claims,
    )
    rows: list[dict[str, Any]] = answer["board-grid"]["getRowsResponse"]["rowData"]
    return rows


def claims_of(app: Browserless, address: str) -> dict[str, Any]:
    return app.call("board-claims.data", board_rows=key_of(app, address))


def claimed_rows(app: Browserless, address: str) -> list[dict[str, Any]]:
    """The baseline, pinned on top, and the rows as they come again when the claims are known."""
    claims = claims_of(app, address)["board-claims"]["data"]
    return [*claims["pinned"], *rows_of(app, address, claims=claims)]


def lines_of(app: Browserless, address: str) -> list[dict[str, str]]:
    answer = app.client.get(address)
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))
