"""The order of Compare's table of queries: in the address, its control and its headers."""

from __future__ import annotations

import pytest
from browserless import Browserless, find
from compare_page import TWO, body, changed

from dashboard.address import Address


@pytest.mark.parametrize(
    ("sort", "claims"),
    [
        ("", ("qid", "asc")),
        ("&sort=-query", ("qid", "desc")),
        ("&sort=worst", ("difference", "asc")),
        ("&sort=best", ("difference", "desc")),
        ("&sort=-run:tfidf", ("run:tfidf", "desc")),
    ],
)
def test_one_header_claims_the_order_of_the_address(
    app: Browserless, sort: str, claims: tuple[str, str]
) -> None:
    columns = find(body(app, TWO + sort), "queries-grid")["columnDefs"]
    claimed = {column.get("colId", column["field"]): column["sort"] for column in columns}
    assert {name: order for name, order in claimed.items() if order} == dict([claims])


def test_what_a_header_asks_for_is_an_order_that_the_server_has(app: Browserless) -> None:
    for column in find(body(app, TWO), "queries-grid")["columnDefs"]:
        for direction, order in column["context"].items():
            page = body(
                app,
                Address(
                    "compare", "small", None, {"runs": ("bm25", "tfidf"), "sort": (order,)}
                ).href,
            )
            [now] = [c for c in find(page, "queries-grid")["columnDefs"] if c["sort"]]
            assert (now["headerName"], now["sort"]) == (column["headerName"], direction)


def test_another_order_is_told_to_the_control_and_to_the_headers(app: Browserless) -> None:
    answer = changed(app, TWO, "&sort=-run:tfidf")
    assert answer["rendered"]["data"]["controls"] == {"sort": "-run:tfidf"}
    assert [c["colId"] for c in answer["queries-grid"]["columnDefs"] if c["sort"]] == ["run:tfidf"]
    assert "columnDefs" not in changed(app, TWO, "&find=q1")["queries-grid"]
