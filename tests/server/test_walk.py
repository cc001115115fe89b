"""Every address, asked by who has each permission and who has not, about every collection.

What is to be answered is made of the table of routes and of the roles of who asks: see
`expected_answers`. What a caller has is found before the address is looked at, so that all other
callers ask at one address of each kind; so it is with where a request comes from. With
`--nightly` everyone asks at every address, as each night in CI (`.ci/nightly`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from callers import (
    CALLERS,
    MISSING,
    PRIVATE,
    PUBLIC,
    SHARED,
    SPARE,
    Caller,
    Callers,
    serving_callers,
)
from expected_answers import (
    ASKED_FOR_JOB,
    CHANGES,
    COLLECTIONS,
    JOB,
    METHODS,
    OF_WHOLE_STORE,
    ORIGINS,
    PAGES,
    Expected,
    Origin,
    Question,
    expected,
)
from flask.testing import FlaskClient
from sending import sha256
from team_server import URL
from two_collections import id_of
from werkzeug.test import TestResponse

from dashboard.components.files import FILES
from dashboard.serving.access import HEALTH
from evalstore.catalog.runs import remove_runs, restore_runs
from evalstore.client.connection import ROOT
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.errors import Conflict, NotFound
from evalstore.judging.drafts import new_draft
from evalstore.server.routes import LOGOUT, ROUTES, Route
from evalstore.store import Store
from evalstore.store.access import jobs

pytestmark = pytest.mark.slow

PROBLEM = "application/problem+json"
CALLBACKS = "/_dash-update-component"
RUN_OF_EVERY_COLLECTION = "tfidf"
CONTENT = b"a file"
NOT_SENT = {"blob": f"sha256:{'0' * 64}", "file": "a.run"}
"""What is asked to be stored: nothing is, as the file is not there."""

BY_ID = "<int:collection_id>"
"""What stands for a collection by its id, and not by its name."""
PATHS = {
    "<name:collection>": "{0}",
    "<name:run>": "tfidf",
    "<name:qrels>": "test",
    "<name:draft>": "walk",
    "<blob>": f"sha256:{sha256(CONTENT)}",
    "<int:job>": "1",
    "<int:account_id>": "1",
    BY_ID: "{0}",
    "<provider>": "corp",
    "<path:filename>": "evalstore.css",
    "<string:package_name>/<path:fingerprinted_path>": "dash_ag_grid/dash_ag_grid.min.js",
    f"{FILES}/<path:path>": f"{FILES}/c/{{0}}/leaderboard.csv",
    f"{ROOT}/<path:path>": f"{ROOT}/nothing",
    "/<path:path>": "/c/{0}",
}
"""Examples of what the patterns of the table stand for; `{0}` is a collection."""

COLLECTION = f"{ROOT}/collections/<name:collection>"
DRAFT = f"{COLLECTION}/drafts/<name:draft>"
EDITED = {"qrels": "test", "qid": "q1", "docno": "d1", "grade": 2, "reason": "seen", "name": "new"}
OF_SPARE = {"runs": [SPARE], "collection": "{0}"}
QUERIES = {
    f"{ROOT}/qrels": "?collection={0}",
    f"{ROOT}/runs": "?collection={0}",
    f"{ROOT}/runs/<name:run>": "?collection={0}",
    f"{ROOT}/runs/<name:run>/comments": "?collection={0}",
    f"{ROOT}/history": "?engine=tfidf&measure=AP&collection={0}",
    f"{COLLECTION}/comparison": "?run=bm25&run=tfidf&measure=AP",
    f"{COLLECTION}/leaderboard": "?measure=AP",
    f"{COLLECTION}/leaderboard/text": "?measure=AP&format=csv",
}
BODIES: dict[str, dict[str, Any]] = {
    f"{ROOT}/collections": {"name": SHARED},
    f"{ROOT}/runs-to-compare": {"runs": ["bm25", "tfidf"]},
    f"{ROOT}/values": {"runs": ["bm25"], "measures": ["AP"], "collection": "{0}"},
    f"{ROOT}/sql": {"sql": "SELECT 1"},
    f"{COLLECTION}/gates": {"run": "bm25", "outcome": "passed"},
    f"{COLLECTION}/facts": {"known": NOT_SENT},
    f"{ROOT}/runs/<name:run>": {"add_tags": ["seen"], "collection": "{0}"},
    f"{ROOT}/runs/<name:run>/comments": {"text": "seen", "collection": "{0}"},
    f"{ROOT}/qrels/<name:qrels>": {"is_default": True, "collection": "{0}"},
    f"{ROOT}/baselines": {"run": SPARE, "collection": "{0}"},
    f"{COLLECTION}/edited-judgments": EDITED,
    f"{COLLECTION}/documents-to-judge": {"documents": [{"qid": "q1", "docno": "d1"}]},
    f"{COLLECTION}/drafts": {"name": "walked"},
    f"{DRAFT}/assessments": {"items": []},
    f"{DRAFT}/documents": {"documents": []},
    f"{DRAFT}/qrels": {"reason": "seen", "name": "drafted"},
    **{f"{ROOT}/{what}-runs": OF_SPARE for what in ("removed", "restored")},
    **{f"{COLLECTION}/{kind}": NOT_SENT for kind in ("runs", "qrels", "queries", "documents")},
}

MAY_DO_MOST = ("administrator of the store", "token of an administrator of the store")
ASKED_AT_EVERY_ADDRESS = {
    "nobody",
    "administrator of the store",
    "reader of the store",
    "administrator of the private collection",
}
"""Who asks at every address: of each permission one who has it, and one who has it elsewhere.

The views of a collection look for themselves whether it is there where it is needed.
"""
ASKED_WITH_EVERY_METHOD = {
    "nobody",
    *MAY_DO_MOST,
    "reader of the store",
    "account without a role",
    "token for reading of an administrator",
    "session that was ended",
    "token that was revoked",
}
"""Who asks with every method, also those that an address does not have, and where anyone may.

There the answer is the same for all who are known, and for all who are not: of each some ask. HEAD
is answered by the view of GET, and OPTIONS by no view.
"""


@pytest.fixture
def in_full(request: pytest.FixtureRequest) -> bool:
    """Whether everyone asks at every address."""
    return bool(request.config.getoption("nightly"))


@pytest.fixture(scope="module")
def callers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callers]:
    """A server with everyone, a file that was sent into each collection, and a job that waits."""
    with serving_callers(tmp_path_factory.mktemp("walk")) as made:
        # A callback without content is an error of its own, which Flask answers with 500.
        made.served.app.config["PROPAGATE_EXCEPTIONS"] = False
        administrator = made.client(named("administrator of the store"))
        for collection in (SHARED, PRIVATE, PUBLIC):
            path = example(blob_route(), collection)
            assert administrator.put(path, base_url=URL, data=CONTENT).status_code == 201
        store = made.served.store
        with store.write() as connection:
            now, shared = datetime.now(UTC), id_of(store, SHARED)
            jobs.add_job(connection, "ingest run", shared, ASKED_FOR_JOB, NOT_SENT, "", now)
        yield made


def named(name: str) -> Caller:
    return next(caller for caller in CALLERS if caller.name == name)


def example(route: Route, collection: str) -> str:
    """A path of a route, about a collection where it can be about one."""
    path = route.rule
    for pattern, sample in PATHS.items():
        path = path.replace(pattern, sample)
    assert "<" not in path, f"{route.rule}: PATHS needs an example of it"
    return (path + QUERIES.get(route.rule, "")).replace("{0}", collection)


def is_about_a_collection(route: Route, method: str) -> bool:
    if route.rule == CALLBACKS:
        return method == "POST"
    body = json.dumps(BODIES.get(route.rule)) if method in {"POST", "PATCH"} else ""
    return "{0}" in example(route, "{0}") + body


def blob_route() -> Route:
    return next(route for route in ROUTES if "<blob>" in route.rule)


def questions(methods: Iterable[str]) -> Iterator[Question]:
    """Every row of the table with these methods; the one that ends a session comes last."""
    asked = [
        Question(route, method, collection)
        for route in ROUTES
        for method in methods
        for collection in (COLLECTIONS if is_about_a_collection(route, method) else (None,))
    ]
    yield from sorted(asked, key=lambda each: (each.route.rule, each.method) == (LOGOUT, "POST"))


def is_asked(question: Question, caller: Caller) -> bool:
    """Whether a question is put to somebody; see `ASKED_WITH_EVERY_METHOD`."""
    route, method = question.route, question.method
    if route.needs(method) != "anyone" and method in route.methods - {"HEAD", "OPTIONS"}:
        return True
    return caller.name in ASKED_WITH_EVERY_METHOD and question.collection in {None, SHARED}


def one_of_each_kind(asked: Iterable[Question]) -> Iterator[Question]:
    """The first of all questions that the rule of `expected_answers` does not tell apart."""
    kinds = set()
    for each in asked:
        route, is_there = each.route, each.method in each.route.methods
        rule = route.rule if is_of_a_kind_of_its_own(each) else route.rule.startswith(ROOT)
        kind = (rule, route.needs(each.method), each.method if is_there else None, each.collection)
        kind += (route.is_page, route.is_hidden, route.is_public)  # type: ignore[assignment]
        if kind not in kinds:
            kinds.add(kind)
            yield each


def is_of_a_kind_of_its_own(asked: Question) -> bool:
    rule = asked.route.rule
    return (rule, asked.method) in OF_WHOLE_STORE or rule in {JOB, HEALTH, CALLBACKS, PAGES.rule}


@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.name)
def test_everyone_gets_what_the_table_and_their_roles_say(
    callers: Callers, caller: Caller, in_full: bool
) -> None:
    asked = [each for each in questions(METHODS) if is_asked(each, caller)]
    if not in_full:
        of_each_kind = [id(each) for each in one_of_each_kind(asked)]
        is_at_all = caller.name in ASKED_AT_EVERY_ADDRESS
        asked = [
            each
            for each in asked
            if (is_at_all and each.method in each.route.methods) or id(each) in of_each_kind
        ]
    assert wrong_answers(callers, caller, ORIGINS["a page of the server"], asked) == []


def test_a_method_that_an_address_does_not_have_is_told(callers: Callers) -> None:
    asked = (
        each
        for each in questions(METHODS)
        if each.collection in {None, SHARED} and each.method not in each.route.methods
    )
    caller = named("administrator of the store")
    assert wrong_answers(callers, caller, ORIGINS["a page of the server"], asked) == []


@pytest.mark.parametrize("name", [name for name in ORIGINS if name != "a page of the server"])
@pytest.mark.parametrize("who", ["nobody", *MAY_DO_MOST])
def test_what_changes_something_counts_from_own_pages_and_of_programs_alone(
    callers: Callers, who: str, name: str, in_full: bool
) -> None:
    asked = [each for each in questions(CHANGES) if each.collection in {None, SHARED}]
    if not in_full and (who, name) != (MAY_DO_MOST[0], "another site"):
        asked = [*one_of_each_kind(asked)]
    assert wrong_answers(callers, named(who), ORIGINS[name], asked) == []


def test_what_changes_nothing_is_answered_wherever_it_is_asked_from(
    callers: Callers, in_full: bool
) -> None:
    asked = (each for each in questions(["GET"]) if each.collection in {None, SHARED})
    caller = named("reader of the store")
    few = asked if in_full else one_of_each_kind(asked)
    assert wrong_answers(callers, caller, ORIGINS["another site"], few) == []


def wrong_answers(
    callers: Callers, caller: Caller, origin: Origin, asked: Iterable[Question]
) -> list[str]:
    """What is answered otherwise than expected."""
    client, wrong = callers.client(caller), []
    client.environ_base.pop("HTTP_ORIGIN")
    for each in asked:
        right = expected(each, caller, origin)
        with ask(callers, client, each, origin) as answer:
            given = kind_of(answer, each)
            # What is let in only to be told of a wrong parameter is no proof.
            reads = each.route.methods & {"GET", "HEAD"}
            is_read = each.collection is not None and each.method in reads
            is_vain = given == "let in" and is_read and answer.status_code != 200
            if given != right or is_vain:
                where = f"{each.method} {each.route.rule} of {each.collection}"
                wrong.append(f"{where}: {given} ({answer.status}) and not {right}")
    return wrong


def ask(callers: Callers, client: FlaskClient, asked: Question, origin: Origin) -> TestResponse:
    """Send a question."""
    prepare(callers.served.store, asked)
    collection = asked.collection or SHARED
    body: dict[str, Any] = {"json": BODIES.get(asked.route.rule, {})}
    if asked.collection is not None:
        body = json.loads(json.dumps(body).replace("{0}", asked.collection))
    if asked.method == "PUT":
        body = {"data": CONTENT}
    elif asked.route.rule == CALLBACKS:
        body = {"json": callback_of_page(callers, collection)}
    named = id_in_path(callers, collection) if BY_ID in asked.route.rule else collection
    path = example(asked.route, named)
    return client.open(path, base_url=URL, method=asked.method, headers=origin.headers, **body)


def prepare(store: Store, asked: Question) -> None:
    """Let there be what a question is to change."""
    if asked.collection in {None, MISSING}:
        return
    if DRAFT in asked.route.rule:
        with suppress(Conflict):  # it is there
            new_draft(store, asked.collection, "walk")
    with suppress(NotFound):  # of a run that is as it is to be
        match (asked.route.rule.rpartition("/")[2], asked.method):
            case ("baseline", "DELETE"):
                set_baseline(store, "tfidf", asked.collection)
            case ("removed-runs", "POST") | ("baselines", "POST"):
                restore_runs(store, [SPARE], asked.collection)
            case ("restored-runs", "POST"):
                remove_runs(store, [SPARE], asked.collection)


def id_in_path(callers: Callers, collection: str) -> str:
    """The id of a collection, also of the one that is not there."""
    return "999" if collection == MISSING else str(id_of(callers.served.store, collection))


def callback_of_page(callers: Callers, collection: str) -> dict[str, Any]:
    """What a browser sends to be shown the page of a collection."""
    callback = callers.page_callback
    given = {"pathname": f"/c/{collection}", "search": ""}
    inputs = [
        {**each, "value": given.get(each["property"], "light")} for each in callback["inputs"]
    ]
    outputs = [each.rsplit(".", 1) for each in callback["output"].strip(".").split("...")]
    return {
        "output": callback["output"],
        "outputs": [{"id": id_, "property": property_} for id_, property_ in outputs],
        "inputs": inputs,
        "state": [{**each, "value": None} for each in callback["state"]],
        "changedPropIds": ["url.pathname"],
    }


def kind_of(answer: TestResponse, asked: Question) -> Expected:
    """What an answer is, of those that can be expected."""
    is_problem = answer.mimetype == PROBLEM
    # The dashboard looks at Sec-Fetch-Site before the gate does, and says so in a line of text.
    is_refusal = is_problem or answer.mimetype == "text/plain"
    is_of_one = asked.collection is not None or asked.route.rule == JOB
    # A hidden page that is there says in HTML what is wrong with a form.
    is_nothing = is_problem if asked.route.is_hidden else is_of_one
    match answer.status_code:
        case 405:
            return 405
        case 401 | 403 as refused if is_refusal:
            return refused
        case 404 if is_nothing:
            return 404
        case 200 if asked.route.rule == CALLBACKS and asked.method == "POST":
            return "let in" if RUN_OF_EVERY_COLLECTION in answer.text else 404
    return "let in"
