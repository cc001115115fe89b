"""Changes of what is recorded over the API: who may make them, and what others learn of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from api_client import ROOT, Program, Team
from team_server import PASSWORD
from two_collections import OPEN, PRIVATE, id_of

from evalstore.server.people.accounts import add_person, grant
from evalstore.server.people.tokens import create_token, revoke_token
from evalstore.store.models import collection_t
from evalstore.store.queries import events
from evalstore.store.rows import change_row

HOLE = {"qid": "q1", "docno": "d9"}
CHANGES: list[tuple[str, str, dict[str, Any]]] = [
    ("PATCH", "/runs/tfidf", {"add_tags": ["good"]}),
    ("PATCH", "/runs/tfidf", {"remove_tags": ["good"]}),
    ("PATCH", "/runs/tfidf", {"facts": {"note": "seen"}}),
    ("PATCH", "/runs/tfidf", {"unset": ["note"]}),
    ("PATCH", "/runs/tfidf", {"engine": "lucene"}),
    ("PATCH", "/runs/tfidf", {"engine": "tfidf"}),
    ("PATCH", "/runs/tfidf", {"name": "other"}),
    ("PATCH", "/runs/other", {"name": "tfidf"}),
    ("POST", "/removed-runs", {"runs": ["tfidf"]}),
    ("POST", "/restored-runs", {"runs": ["tfidf"]}),
    ("POST", "/baselines", {"run": "tfidf"}),
    ("DELETE", f"/collections/{OPEN}/baseline", {}),
    ("POST", "/baselines", {"run": "bm25"}),
    ("PATCH", "/qrels/plain", {"is_default": True}),
    ("POST", "/runs/tfidf/comments", {"text": "seen"}),
    ("POST", f"/collections/{OPEN}/drafts", {"name": "d", "documents": [HOLE]}),
    (
        "POST",
        f"/collections/{OPEN}/drafts/d/assessments",
        {"assessor": "curator", "items": [{**HOLE, "grade": 1}]},
    ),
    ("POST", f"/collections/{OPEN}/drafts/d/documents", {"documents": [{**HOLE, "docno": "d8"}]}),
    ("DELETE", f"/collections/{OPEN}/drafts/d", {}),
]
"""All together leave the open collection as it was, with a comment more."""


def logged(api: Team) -> list[events.Event]:
    with api.store.read() as connection:
        return events.events(connection, without=events.OF_SERVER)


@pytest.fixture
def contributor(api: Team) -> Iterator[Program]:
    """A program that may write into the open collection, and read no other."""
    yield Program(api.reader.served, create_token(api.store, "curator", "contributor", OPEN))
    revoke_token(api.store, "curator")


def asked(program: Program, method: str, path: str, body: dict[str, Any]) -> Any:
    return program.ask(path, method, **({} if method == "DELETE" else {"json": body}))


@pytest.mark.each_database
def test_a_contributor_of_a_collection_changes_what_is_in_it(
    api: Team, contributor: Program
) -> None:
    before = len(logged(api))
    for method, path, body in CHANGES:
        answer = asked(contributor, method, path, body)
        assert answer.status_code == 200, (path, body, answer.text)
        assert answer.get_json()
    made = logged(api)[before:]
    # The judgments were the default already, and what people say in drafts is a log of its own.
    assert len(made) == len(CHANGES) - 2
    assert {(each.who, each.collection) for each in made} == {("curator", OPEN)}


@pytest.mark.each_database
def test_a_change_is_seen_at_once(api: Team, contributor: Program) -> None:
    facts = {"parameters": {"k1": 1.5}, "started_at": "2026-11-21T14:30", "header": {"tag": "x"}}
    body = {"add_tags": ["a"], "facts": {**facts, "tags": ["b"]}, "collection": OPEN}
    answer = contributor.ask("/runs/tfidf", "PATCH", json=body).get_json()
    assert answer == {
        "collection": OPEN,
        "before": "tfidf",
        "run": "tfidf",
        "changes": {
            "tags": [None, ["a", "b"]],
            "started_at": [None, "2026-11-21T14:30:00+00:00"],
            "parameters.k1": [None, 1.5],
            "header.tag": [None, "x"],
        },
        "tags": ["a", "b"],
    }
    run = api.reader.get("/runs/tfidf")
    assert (run["tags"], run["parameters"], run["header"]) == (
        ["a", "b"],
        {"k1": 1.5},
        {"tag": "x"},
    )
    gone = {"unset": ["tags", "started_at", "header"], "unset_parameters": ["k1"]}
    assert contributor.ask("/runs/tfidf", "PATCH", json=gone).status_code == 200
    assert api.reader.get("/runs/tfidf")["tags"] == []


def test_of_a_change_that_is_refused_nothing_is_done(api: Team, contributor: Program) -> None:
    before, run = logged(api), api.reader.get("/runs/tfidf")
    for body, status, sentence in (
        ({"add_tags": ["x"], "name": "bm25"}, 409, "there is a run named 'bm25' in collection"),
        ({"name": "x", "unset_parameters": ["k9"]}, 404, "run 'x' has no parameter 'k9'"),
        ({"engine": "x", "facts": {"parent": "tfidf"}}, 400, "run 'tfidf' can't be its own"),
        ({"name": "x\ny"}, 400, "the name of the run has a control character"),
        ({"facts": {"money": 1}}, 400, "money is an amount with its currency, like 0.12 EUR"),
        ({"facts": {"started_at": "noon"}}, 400, "started_at is no time like"),
        ({"facts": {"parent": "\ud800"}}, 400, "the name of the parent has a control character"),
        ({"facts": {"parent": "\0"}}, 400, "the name of the parent has a control character"),
        (
            {"facts": {"nte": "x"}},
            400,
            "there is no parameter 'facts.nte'; did you mean 'facts.note'?",
        ),
        (
            {"facts": {"k1": 2}},
            400,
            "there is no parameter 'facts.k1'; there are parameters, tags, note, commit, ",
        ),
        ({"unset": ["nte"]}, 400, "there is no fact 'nte'; did you mean 'note'?"),
        ({"colection": "x"}, 400, "there is no parameter 'colection'; did you mean"),
    ):
        refused = contributor.refused("/runs/tfidf", "PATCH", json=body)
        assert (refused[0], refused[1][: len(sentence)]) == (status, sentence)
    several = {"runs": ["tfidf", "nothing"]}
    assert contributor.refused("/removed-runs", "POST", json=several)[0] == 404
    assert (logged(api), api.reader.get("/runs/tfidf")) == (before, run)


def test_a_reader_is_refused_every_change(api: Team) -> None:
    before = logged(api)
    for method, path, body in CHANGES:
        assert asked(api.reader, method, path, body).status_code == 403, (path, body)
    assert logged(api) == before


def test_who_may_write_elsewhere_only_is_refused_by_the_collection(api: Team) -> None:
    served = api.reader.served
    add_person(api.store, "eve", "reader", None, PASSWORD)
    grant(api.store, "eve", "contributor", PRIVATE)
    browser = served.new_browser()
    assert served.log_in("eve", browser=browser).status_code == 303
    before = logged(api)
    for method, path, body in CHANGES:
        if path.startswith(("/runs/other", "/restored-runs")):
            continue  # there is no such run
        own = body if path.startswith("/collections/") else {**body, "collection": OPEN}
        content = {} if method == "DELETE" else {"json": own}
        answer = browser.open(ROOT + path, method=method, **content)
        what = "judge in it" if path.endswith("/assessments") else "write into it"
        sentence = f"eve may read collection '{OPEN}', and not {what}"
        assert (answer.status_code, answer.get_json()["detail"]) == (403, sentence), path
    assert logged(api) == before
    body = {"add_tags": ["x"], "collection": PRIVATE}
    assert browser.patch(f"{ROOT}/runs/bm25", json=body).status_code == 200
    assert (logged(api)[-1].who, logged(api)[-1].collection) == ("eve", PRIVATE)


def test_a_public_collection_is_changed_by_nobody_who_is_not_logged_in(api: Team) -> None:
    anyone = api.reader.served.new_browser()
    baseline = f"{ROOT}/collections/{OPEN}/baseline"
    with api.store.write() as connection:
        change_row(connection, collection_t, id_of(api.store, OPEN), access="public")
    try:
        assert anyone.get(baseline).get_json()["run"] == "bm25"
        for method, path, body in CHANGES:
            content = {} if method == "DELETE" else {"json": body}
            assert anyone.open(ROOT + path, method=method, **content).status_code == 401, path
        assert anyone.get(baseline).get_json()["run"] == "bm25"
    finally:
        with api.store.write() as connection:
            change_row(connection, collection_t, id_of(api.store, OPEN), access="store")


def test_to_who_may_not_read_a_collection_nothing_of_it_is_there(
    api: Team, contributor: Program
) -> None:
    before = logged(api)
    for method, path, body in (
        ("PATCH", "/runs/zanzibar", {"add_tags": ["x"]}),
        ("PATCH", "/runs/bm25", {"add_tags": ["x"], "collection": PRIVATE}),
        ("POST", "/runs/zanzibar/comments", {"text": "x"}),
        ("POST", "/removed-runs", {"runs": ["zanzibar"]}),
        ("POST", "/restored-runs", {"runs": ["zanzibar-old"]}),
        ("POST", "/baselines", {"run": "zanzibar"}),
        ("DELETE", f"/collections/{PRIVATE}/baseline", {}),
        ("PATCH", "/qrels/zanzibar", {"is_default": True}),
        ("POST", f"/collections/{PRIVATE}/drafts", {"name": "d"}),
        ("POST", f"/collections/{PRIVATE}/drafts/draft/qrels", {"reason": "why"}),
        ("DELETE", f"/collections/{PRIVATE}/drafts/draft", {}),
    ):
        answer = asked(contributor, method, path, body)
        missing = path.replace(PRIVATE, "nowherex")
        elsewhere = {
            name: "nowherex" if value == PRIVATE else ["nowherex"] if name == "runs" else value
            for name, value in body.items()
            if name != "run"
        } | ({"run": "nowherex"} if "run" in body else {})
        nothing = asked(contributor, method, missing, elsewhere)
        assert (answer.status_code, nothing.status_code) == (404, 404), path
        sentence = answer.get_json()["detail"].replace("zanzibar-old", "nowherex")
        assert sentence.replace(PRIVATE, "nowherex") == nothing.get_json()["detail"]
    assert logged(api) == before


def test_a_run_whose_name_a_hidden_collection_has_too_is_found(
    api: Team, contributor: Program
) -> None:
    answer = contributor.ask("/runs/bm25", "PATCH", json={"add_tags": ["x"]})
    assert answer.get_json()["collection"] == OPEN
    for path in ("/removed-runs", "/restored-runs"):
        answer = contributor.ask(path, "POST", json={"runs": ["bm25"]})
        assert answer.get_json() == {"runs": [{"collection": OPEN, "run": "bm25"}]}
    contributor.ask("/runs/bm25", "PATCH", json={"unset": ["tags"]})
    status, sentence = api.administrator.refused("/runs/bm25", "PATCH", json={"add_tags": ["x"]})
    assert (status, sentence) == (
        404,
        f"several collections have a run 'bm25': '{OPEN}', '{PRIVATE}'",
    )


def test_removed_runs_are_listed_to_who_may_read_them(api: Team, contributor: Program) -> None:
    (of_open,) = contributor.get("/removed-runs")["runs"]
    assert (of_open["collection"], of_open["run"]) == (OPEN, "plain-old")
    names = [row["run"] for row in api.administrator.get("/removed-runs")["runs"]]
    assert names == ["plain-old", "zanzibar-old"]
    page = api.administrator.get("/removed-runs?limit=1")
    rest = api.administrator.get(f"/removed-runs?limit=1&cursor={page['next']}")
    assert ([page["runs"][0]["run"], rest["runs"][0]["run"]], rest["next"]) == (names, None)
