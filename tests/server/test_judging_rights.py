"""Who judges on a team's server: what is assigned, under the name of the account."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from api_client import Team
from browserless import Browserless, as_json
from flask.testing import FlaskClient
from team_server import PASSWORD, URL
from two_collections import OPEN, PRIVATE

from evalstore.judging.drafts import PoolDocument, list_drafts, new_draft, remove_draft
from evalstore.server.people.accounts import add_person, remove_account
from evalstore.server.people.rights import Role

pytestmark = pytest.mark.slow  # many logins

SAID = {"qid": "q1", "state": "graded", "grade": 1}


@pytest.fixture(scope="module")
def drafted(api: Team) -> Iterator[Team]:
    """A draft with a document of eve's, one of bob's, and one of anybody's."""
    of = {"eves": "eve", "bobs": "bob", "free": None}
    pool = [PoolDocument("q1", docno, assigned=who) for docno, who in of.items()]
    for collection in (OPEN, PRIVATE):
        new_draft(api.store, collection, "first", documents=pool)
    yield api
    for collection in (OPEN, PRIVATE):
        for draft in list_drafts(api.store, collection):
            remove_draft(api.store, collection, draft.name)


@dataclass
class Sender:
    """A browser that sends what is said."""

    browser: FlaskClient

    def send(self, collection: str = OPEN, **content: Any) -> tuple[int, dict[str, Any]]:
        """Send to the path of judging; returns the status and the answer."""
        body = {"collection": collection, "draft": "first", **content}
        headers = {"Origin": URL}
        answer = self.browser.post("/judge", json=body, base_url=URL, headers=headers)
        return answer.status_code, answer.get_json()


@contextmanager
def eve(team: Team, role: Role) -> Iterator[Sender]:
    """The browser of eve, who has a role in the open collection."""
    add_person(team.store, "eve", role, OPEN, PASSWORD)
    client = team.reader.served.new_browser()
    assert team.reader.served.log_in("eve", browser=client).status_code == 303
    yield Sender(client)
    remove_account(team.store, "eve")


def test_a_judge_sees_and_judges_what_is_assigned_and_does_nothing_else(drafted: Team) -> None:
    with eve(drafted, "judge") as sender:
        status, answer = sender.send(want=9, items=[{**SAID, "docno": "eves", "key": "k1"}])
        assert (status, answer["stored"]) == (200, ["k1"])
        assert [one["docno"] for one in answer["documents"]] == ["free"]
        for content in (
            {"mode": "inline", "items": [{**SAID, "docno": "d1", "key": "k2"}]},
            {"mode": "adjudicate", "want": 1},
            {"action": "draft", "name": "mine", "runs": ["bm25"]},
            {"action": "publish", "reason": "mine"},
            {"action": "settings", "guidelines": "mine"},
        ):
            assert sender.send(**content)[0] == 403, content
        assert sender.send(PRIVATE, want=9)[0] == 403
        assert sender.send("nowherex", want=9)[0] == 403
        shown = as_json(Browserless(sender.browser).page(f"/c/{OPEN}/judge"))
    assert "first" in shown
    assert "New draft" not in shown


def test_readers_and_strangers_judge_nothing(drafted: Team) -> None:
    with eve(drafted, "reader") as reader:
        assert reader.send(want=9)[0] == 403
    assert Sender(drafted.reader.served.new_browser()).send(want=9)[0] == 401


def test_a_contributor_adjudicates_and_judges_in_place_under_their_name(drafted: Team) -> None:
    with eve(drafted, "contributor") as sender:
        for mode, docno in (("adjudicate", "free"), ("inline", "d1")):
            answer = sender.send(mode=mode, items=[{**SAID, "docno": docno, "key": mode}])
            assert answer == (200, {"stored": [mode], "refused": {}})
    with drafted.store.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT assessor, kind FROM assessment WHERE key IN ('adjudicate', 'inline') "
            "ORDER BY key"
        ).all()
    assert [tuple(row) for row in rows] == [("eve", "adjudicator"), ("eve", "person")]
