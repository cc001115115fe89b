"""Who judges on a team's server: what is assigned, under the name of the account; who sees it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_client import Program, Team
from browserless import Browserless, as_json
from flask.testing import FlaskClient
from team_server import PASSWORD, URL
from two_collections import OPEN, PRIVATE

from evalstore.judging.assessors import judged_by
from evalstore.judging.drafts import (
    Assessment,
    PoolDocument,
    assess,
    find_draft,
    list_drafts,
    new_draft,
    remove_draft,
)
from evalstore.judging.publish import publish
from evalstore.server.people.accounts import add_person, remove_account
from evalstore.server.people.rights import Role
from evalstore.server.people.tokens import create_token, revoke_token
from evalstore.store.queries.drafts import load_assessments
from evalstore.store.queries.events import events

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
        refused = sender.send(items=[{**SAID, "docno": "bobs", "key": "k2"}])[1]["refused"]
        sentence = "Draft 'first', query 'q1': document 'bobs' is assigned to another assessor"
        assert refused == {"k2": f"{sentence} than 'eve'."}
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


# Programs


@pytest.fixture
def draft(api: Team) -> Iterator[str]:
    """The path of a draft of the open collection, with documents for two assessors each."""
    docnos = ("d8", "d9")
    pool = [PoolDocument("q1", docno) for docno in docnos] + [
        PoolDocument("q1", "b", assigned="bob")
    ]
    new_draft(api.store, OPEN, "second", parent="plain", documents=pool, overlap=2)
    yield f"/collections/{OPEN}/drafts/second"
    remove_draft(api.store, OPEN, "second")


@contextmanager
def program(team: Team, role: Role) -> Iterator[Program]:
    """A program that has a role in the open collection."""
    token = create_token(team.store, "bot", role, OPEN)
    try:
        yield Program(team.reader.served, token)
    finally:
        revoke_token(team.store, "bot")
        remove_account(team.store, "bot")


def assessors(team: Team) -> list[tuple[str, str]]:
    """The document and the assessor of all that was said in the draft."""
    with team.store.read() as connection:
        found = find_draft(connection, OPEN, "second")
        return [(one.docno, one.assessor) for one in load_assessments(connection, found.id)]


@pytest.mark.parametrize("role", ["judge", "contributor"])
def test_a_program_judges_under_the_name_of_its_account(api: Team, draft: str, role: Role) -> None:
    item = {"qid": "q1", "docno": "d9", "grade": 1}
    with program(api, role) as bot:
        for assessor in ({}, {"assessor": "bot"}):
            content = {**assessor, "items": [item], "new": True}
            assert bot.ask(f"{draft}/assessments", "POST", json=content).status_code == 200
        refused = bot.refused(
            f"{draft}/assessments", "POST", json={"assessor": "ann", "items": [item]}
        )
    assert refused == (
        403,
        "bot may add judgments of 'bot' alone, not of 'ann': give that name, or ask an "
        "administrator of the collection to add them",
    )
    assert assessors(api) == [("d9", "bot")] * 2
    with api.store.read() as connection:
        made = [event.action for event in events(connection, collection=OPEN, subject="second")]
    assert made[-1] == "new"


def test_who_administers_the_collection_adds_judgments_of_others(api: Team, draft: str) -> None:
    at = datetime.now(UTC) - timedelta(hours=1)
    items = [{"qid": "q1", "docno": "new", "grade": 1, "at": at.isoformat()}]
    with program(api, "administrator") as bot:
        content = {"assessor": "ann", "items": items, "new": True}
        assert bot.ask(f"{draft}/assessments", "POST", json=content).status_code == 200
    assert assessors(api) == [("new", "ann")]
    assert [one.judged_at for one in judged_by(api.store, OPEN, "second", "ann")] == [at]
    with api.store.read() as connection:
        last = events(connection, collection=OPEN, subject="second")[-1]
    added = {"kind": "draft", "assessor": "ann", "assessments": 1}
    assert (last.who, last.action, last.details) == ("bot", "edit", added)


def test_a_judge_may_not_judge_what_the_draft_gives_to_others(api: Team, draft: str) -> None:
    with program(api, "judge") as bot:
        for docno, kind, status, sentence in (
            ("b", "person", 400, "is assigned to another assessor than"),
            ("new", "person", 400, "has no document 'new'"),
            ("d8", "adjudicator", 403, "bot may judge, and not adjudicate"),
        ):
            item = {"qid": "q1", "docno": docno, "grade": 0, "kind": kind}
            content = {"items": [item], "new": True}
            refused = bot.refused(f"{draft}/assessments", "POST", json=content)
            assert refused[0] == status, (docno, refused)
            assert sentence in refused[1]
    assert assessors(api) == []


def test_a_judge_sees_no_grade_of_others_first(api: Team, draft: str) -> None:
    for other, grade in (("ann", 1), ("bob", 2)):
        said = [Assessment("q1", docno, grade) for docno in ("d8", "d9")]
        assess(api.store, OPEN, "second", other, said)
    publish(api.store, OPEN, "second", "twice", reason="why", rule="minimum")
    groups = f"/collections/{OPEN}/judgment-groups?qrels=twice"
    sql = {
        "sql": "SELECT count(*) FROM assessment JOIN draft ON draft.id = draft_id "
        "WHERE name = 'second'"
    }

    def seen(by: Program) -> tuple[list[tuple[str, str, float]], int]:
        rows = [
            (one["docno"], one["assessor"], one["grade"]) for one in by.get(groups)["judgments"]
        ]
        count = by.ask("/sql", "POST", json=sql).get_json()["rows"][0][0]
        return sorted(row for row in rows if row[0] in ("d8", "d9")), count

    both = [("d8", "ann", 1.0), ("d8", "bob", 2.0)]
    with program(api, "judge") as bot:
        published = [("d8", "ann, bob", 1.0), ("d9", "ann, bob", 1.0)]
        assert seen(bot) == (published, 0)
        assess(api.store, OPEN, "second", "bot", [Assessment("q1", "d8", 3)])
        assert seen(bot) == ([*both, published[1]], 0)  # the own grade was not published
    with program(api, "contributor") as bot:
        every = [*both, ("d9", "ann", 1.0), ("d9", "bob", 2.0)]
        assert seen(bot) == (every, 5)
