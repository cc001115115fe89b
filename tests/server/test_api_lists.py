"""Pages of lists, and that no answer of the API has anything of a private collection."""

from __future__ import annotations

import pytest
from api_client import READERS, Team
from two_collections import OPEN, PRIVATE, markers_in

from evalstore.catalog.runs import remove_runs, restore_runs

pytestmark = pytest.mark.slow  # many requests

RUN = f"/collections/{OPEN}/runs/bm25"


@pytest.mark.each_database
def test_lists_are_whole_when_one_follows_the_cursors(api: Team) -> None:
    queries = (f"/collections/{OPEN}/queries", "queries")
    for path, name in (
        *(("/runs", "runs"), ("/events", "events"), (f"{RUN}/values", "queries"), queries),
    ):
        whole = api.administrator.get(f"{path}?limit=1000")[name]
        rows, cursor = [], ""
        while cursor is not None:
            page = api.administrator.get(f"{path}?limit=3{cursor and f'&cursor={cursor}'}")
            assert len(page[name]) <= 3
            rows += page[name]
            cursor = page["next"]
        assert rows == whole
        assert len(rows) > 3


@pytest.mark.each_database
def test_a_page_goes_on_where_the_one_before_ended_though_a_run_was_removed(api: Team) -> None:
    asked = f"/runs?collection={OPEN}&limit=2"
    names = [row["run"] for row in api.administrator.get(asked.replace("2", "9"))["runs"]]
    first = api.administrator.get(asked)
    for gone in names[:2]:
        remove_runs(api.store, [gone], OPEN)
        rest = api.administrator.get(f"{asked}&cursor={first['next']}")
        restore_runs(api.store, [gone], OPEN)
        assert [row["run"] for row in rest["runs"]] == names[2:]


def test_a_cursor_of_another_list_is_refused(api: Team) -> None:
    cursor = api.administrator.get("/runs?limit=1")["next"]
    sentence = "the cursor is not one of this list: ask for the first page without a cursor"
    assert api.administrator.refused(f"/runs?sort=run&cursor={cursor}") == (400, sentence)
    assert api.administrator.refused(f"/events?cursor={cursor}") == (400, sentence)


ABOUT_ONE = [
    f"/qrels?collection={PRIVATE}",
    f"/runs?collection={PRIVATE}",
    f"/collections/{PRIVATE}/runs/bm25",
    f"/collections/{PRIVATE}/runs/bm25/rankings",
    f"/collections/{PRIVATE}/runs/bm25/values",
    f"/collections/{PRIVATE}/leaderboard",
    f"/collections/{PRIVATE}/values",
    f"/collections/{PRIVATE}/queries",
    f"/collections/{PRIVATE}/comparison?run=bm25&run=tfidf",
    f"/collections/{OPEN}/runs/zanzibar",
    f"/collections/{OPEN}/comparison?run=bm25&run=zanzibar",
    "/runs?engine=zanzibar-engine",
    "/runs?experiment=zanzibar+experiment",
    "/runs?tag=zanzibar",
]


@pytest.mark.parametrize("path", ABOUT_ONE)
def test_what_one_may_not_know_of_is_answered_like_what_is_not_there(api: Team, path: str) -> None:
    # A name of the same length that nothing has.
    status, sentence = api.reader.refused(path)
    other = api.reader.refused(path.replace("zanzibar", "qqqqqqqq"))
    assert (status, sentence.replace("zanzibar", "qqqqqqqq")) == other
    assert status in {400, 404}


LISTS = [
    "/collections",
    "/qrels",
    "/runs?limit=1000",
    "/runs?where=zanzibar%3Dzanzibar",
    "/runs?find=zanzibar",
    RUN,
    f"{RUN}/rankings",
    f"{RUN}/values",
    f"/collections/{OPEN}/leaderboard",
    f"/collections/{OPEN}/values",
    f"/collections/{OPEN}/queries",
    "/experiments",
    f"/collections/{OPEN}/comparison?run=bm25&run=tfidf",
    "/events?limit=1000",
    "/events?collection=zanzibar",
    "/openapi.json",
]


@pytest.mark.parametrize("path", LISTS)
def test_nothing_of_a_private_collection_is_in_any_answer(api: Team, path: str) -> None:
    answer = api.reader.ask(path)
    text = answer.text
    if answer.status_code == 404:  # it names what was asked for
        text = text.replace("zanzibar", "", 2)
    assert markers_in(text) == []


@pytest.mark.parametrize("media_type", READERS)
def test_sql_sees_only_what_one_may_read(api: Team, media_type: str) -> None:
    statement = {"sql": "SELECT collection, run FROM runs_overview"}
    answer = api.reader.ask("/sql", "POST", json=statement)
    assert {row[0] for row in answer.get_json()["rows"]} == {OPEN}
    table = api.reader.ask("/sql", "POST", json=statement, accept=media_type)
    assert set(READERS[media_type](table.data).column("collection").to_pylist()) == {OPEN}


def test_answers_are_not_for_caches_that_people_share(api: Team) -> None:
    for path in ("/runs", f"{RUN}/rankings", "/nothing"):
        headers = api.reader.ask(path).headers
        assert headers["Cache-Control"] in {"private, no-cache", "no-store"}
