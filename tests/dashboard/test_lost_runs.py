"""An address that names runs that are not stored any more: what became of them, and the ways on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sample_stores
from browserless import Browserless, text_of

from dashboard.app import create_app
from evalstore.catalog.runs import remove_runs
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.store import Store


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Three runs, of which `boolean` is removed."""
    with sample_stores.main(tmp_path_factory.mktemp("lost")) as store:
        remove_runs(store, ["boolean"])
        yield store


@pytest.fixture
def lost_app(own: Store) -> Browserless:
    return Browserless(create_app(own).server.test_client())


def links(app: Browserless, address: str) -> dict[str, str]:
    """By their words, where the links of a page lead."""
    return dict(_links(app.page(address)["page"]["children"]))


def _links(part: object) -> Iterator[tuple[str, str]]:
    if isinstance(part, list):
        for one in part:
            yield from _links(one)
    elif isinstance(part, dict):
        if part.get("type") == "A":
            yield text_of(part), part["props"]["href"]
        yield from _links(part.get("props", {}).get("children"))


@pytest.mark.parametrize(
    ("address", "without"),
    [
        (
            "/c/small/compare?runs=boolean,bm25,tfidf&m=P%405&base=tfidf&pair=boolean",
            "/c/small/compare?runs=bm25,tfidf&m=P%405&base=tfidf",
        ),
        ("/c/small/queries?runs=boolean,bm25&m=RR", "/c/small/queries?runs=bm25&m=RR"),
        ("/c/small/query/q1?runs=boolean,bm25&k=50", "/c/small/query/q1?runs=bm25&k=50"),
        ("/c/small?runs=boolean,bm25&sort=-RR", "/c/small?runs=bm25&sort=-RR"),
    ],
)
def test_the_same_page_without_the_removed_run_is_offered(
    lost_app: Browserless, address: str, without: str
) -> None:
    assert links(lost_app, address)["Go on without it"] == without
    assert "`evalstore runs restore --collection=small boolean` brings it back" in lost_app.text(
        address
    )


def test_the_leaderboard_is_offered_with_the_other_runs_ticked(lost_app: Browserless) -> None:
    offered = links(lost_app, "/c/small/compare?runs=boolean,bm25,tfidf")
    assert offered["Go to the leaderboard"] == "/c/small?runs=bm25,tfidf"


def test_one_run_that_is_left_is_compared_with_the_baseline(
    own: Store, lost_app: Browserless
) -> None:
    address = "/c/small/compare?runs=boolean,bm25&m=RR"
    assert set(links(lost_app, address)) == {"Go to the leaderboard"}
    set_baseline(own, "tfidf")
    offered = links(lost_app, address)
    assert offered["Compare with the baseline tfidf"] == "/c/small/compare?runs=tfidf,bm25&m=RR"
    assert offered["Go to the leaderboard"] == "/c/small?runs=bm25"


def test_without_any_run_left_the_leaderboard_is_the_way_on(lost_app: Browserless) -> None:
    assert links(lost_app, "/c/small/compare?runs=boolean") == {"Go to the leaderboard": "/c/small"}
