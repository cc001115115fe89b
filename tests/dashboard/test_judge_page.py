"""The Judge page: drafts, the documents that are sent to judge, what is stored, and the forms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sample_stores
from browserless import Browserless, as_json, find, find_by, ids_in, text_of

from dashboard.app import create_app
from dashboard.page import nowhere
from evalstore.catalog.chosen_qrels import kept_collection
from evalstore.errors import DataError
from evalstore.ingest.documents import store_documents
from evalstore.judging.assessors import acting, assessors, disagreements, judged_by, own_grades
from evalstore.judging.drafts import Assessment, PoolDocument, assess, list_drafts, new_draft
from evalstore.judging.reading import JudgingSettings, judging_settings, set_judging_settings
from evalstore.store import Store

POOL = [PoolDocument("q1", "d4"), PoolDocument("q1", "d5"), PoolDocument("q2", "d1")]


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Store]:
    """A store with a draft of three documents of the collection `small`, `ann` has judged one."""
    with sample_stores.main(tmp_path) as store:
        new_draft(store, "small", "first", documents=POOL, overlap=2, parent="judgments")
        assess(store, "small", "first", "ann", [Assessment("q1", "d4", 1.0, comment="a secret")])
        yield store


def app_of(store: Store, **options: Any) -> Browserless:
    return Browserless(create_app(store, **options).server.test_client())


def send(app: Browserless, status: int = 200, **content: Any) -> dict[str, Any]:
    body = {"collection": "small", "draft": "first", **content}
    answer = app.client.post("/judge", json=body)
    assert answer.status_code == status, answer.text
    data: dict[str, Any] = answer.get_json()
    return data


def item(qid: str, docno: str, grade: float | None, key: str, **more: Any) -> dict[str, Any]:
    return {"qid": qid, "docno": docno, "grade": grade, "state": "graded", "key": key, **more}


# The drafts, and the documents to judge


def test_the_page_begins_with_what_waits_for_a_grade(own: Store) -> None:
    app = app_of(own)
    # Two judges each: the document that ann has graded waits for another judge.
    assert app.text("/c/small/judge").startswith("small: 3 documents to grade in first.")
    new_draft(own, "small", "second", documents=POOL[:1])
    assert app.text("/c/small/judge").startswith(
        "small: 4 documents to grade in drafts, 3 of them in first."
    )
    acting_on_second = [Assessment("q1", "d4", 1.0)]
    for draft in ("first", "second"):
        for judge in ("ann", "bob"):
            more = [Assessment(d.qid, d.docno, 1.0) for d in POOL]
            assess(own, "small", draft, judge, more if draft == "first" else acting_on_second)
    assert app.text("/c/small/judge").startswith("No document in a draft of small waits")


def test_without_a_draft_the_page_says_so(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        assert app_of(store).text("/c/small/judge").startswith("small has no draft to judge.")


def test_documents_come_with_their_queries_and_without_engine_rank_or_score(own: Store) -> None:
    answer = send(app_of(own), want=20)
    # One's own order begins at another query than that of ann.
    assert {(one["qid"], one["docno"]) for one in answer["documents"]} == {
        tuple(d[:2]) for d in POOL
    }
    assert set(answer["documents"][0]) == {"qid", "docno", "title", "text", "cut", "link"}
    assert answer["queries"]["q1"] == {"text": "how do I split a string", "description": ""}
    assert answer["progress"] == {"done": 0, "of": 3}
    for hidden in ("bm25", "tfidf", "rank", "score", "ann", "secret"):
        assert hidden not in as_json(answer)
        assert hidden not in as_json(app_of(own).page("/c/small/judge?draft=first")["page"])


def test_the_words_of_the_query_are_marked_in_the_text_of_a_document(own: Store) -> None:
    text = "To split\na text: <b>Split</b> it."
    store_documents(own, kept_collection(own, "small").id, [("d4", "On splits", text)])
    (document,) = [one for one in send(app_of(own), want=3)["documents"] if one["docno"] == "d4"]
    assert (document["title"], document["cut"]) == ("On splits", False)
    assert document["text"] == [
        ["To ", False],
        ["split", True],
        ["\na text: <b>", False],
        ["Split", True],
        ["</b> it.", False],
    ]


def test_lines_of_a_paragraph_are_joined_and_others_stay(own: Store) -> None:
    full = "forty characters and more, as a line of a paragraph has"
    text = f"{full}\nand an end.\n\nShort\n(lines)\n{full}\n- x {full}\n2. y {full}\n    code"
    store_documents(own, kept_collection(own, "small").id, [("d4", "On lines", text)])
    (document,) = [one for one in send(app_of(own), want=3)["documents"] if one["docno"] == "d4"]
    joined = text.replace("has\nand", "has and").replace("    code", "code")
    assert "".join(part for part, _ in document["text"]) == joined


def test_a_title_that_is_the_docno_is_not_shown_twice(own: Store) -> None:
    store_documents(own, kept_collection(own, "small").id, [("d4", "d4", "a text")])
    titles = {one["docno"]: one["title"] for one in send(app_of(own), want=3)["documents"]}
    assert titles["d4"] == ""


def test_a_document_has_its_link_where_the_collection_has_a_template(own: Store) -> None:
    settings = JudgingSettings(document_link="https://example.org/x?id={docno}")
    set_judging_settings(own, "small", settings)
    new_draft(own, "small", "hostile", documents=[PoolDocument("q1", "a&b=/<c>")])
    (document,) = send(app_of(own), draft="hostile", want=1)["documents"]
    assert document["link"] == "https://example.org/x?id=a%26b%3D%2F%3Cc%3E"


def test_what_was_said_twice_is_stored_once_and_undone_comes_again(own: Store) -> None:
    app = app_of(own)
    said = [item("q1", "d5", 2, "k1"), item("q2", "d1", None, "k2", state="cannot_tell")]
    for _ in range(2):
        answer = send(app, items=said, want=5)
        assert (answer["stored"], answer["refused"]) == (["k1", "k2"], {})
        assert [one["docno"] for one in answer["documents"]] == ["d4"]
        assert answer["progress"] == {"done": 2, "of": 3}
    (figures,) = [one for one in assessors(own, "small", "first") if one.assessor == acting()]
    assert (figures.graded, figures.cannot_tell, figures.repeats) == (1, 1, 0)
    undone = item("q1", "d5", None, "k3", state="undone")
    assert "d5" in as_json(send(app, items=[undone], want=5)["documents"])


def test_a_grade_has_the_time_at_which_the_browser_got_it(own: Store) -> None:
    begin = datetime.now(UTC)
    at = begin.replace(microsecond=0) - timedelta(hours=1)
    docnos = iter(("d4", "d5", "d1"))
    times = (1000 * at.timestamp(), "1e999", {})
    said = [
        item("q2" if docno == "d1" else "q1", docno, 1, docno, at=time)
        for docno, time in zip(docnos, times, strict=True)
    ]
    assert send(app_of(own), items=said)["stored"] == ["d4", "d5", "d1"]
    judged = {one.docno: one.judged_at for one in judged_by(own, "small", "first", acting())}
    assert judged["d4"] == at
    assert min(judged["d5"], judged["d1"]) >= begin


def test_what_can_never_be_stored_is_named_and_the_rest_is_stored(own: Store) -> None:
    said = [item("q1", "d5", 1, "good"), item("q1", "nothing", 1, "bad")]
    answer = send(app_of(own), items=said)
    assert answer["stored"] == ["good"]
    assert list(answer["refused"]) == ["bad"]
    assert "nothing" in answer["refused"]["bad"]


@pytest.mark.parametrize(
    "content",
    [
        {"collection": 1},
        {"items": {"a": 1}},
        {"items": ["x"]},
        {"items": [item("q1", "d5", 1, "")]},
        {"items": [{**item("q1", "d5", 1, "k"), "grade": True}]},
        {"items": [item("q1", "d5", 1, str(n)) for n in range(101)]},
        {"want": "many"},
        {"mode": "other"},
        {"action": "other"},
        {"action": "draft", "name": "x", "runs": "bm25"},
        {"action": "draft", "name": "x", "runs": ["bm25"], "order": "other"},
        {"action": "draft", "name": "x", "runs": ["bm25"], "judges": "ann", "overlap": "2"},
        {"action": "publish", "rule": "other"},
    ],
)
def test_a_malformed_request_is_refused_in_a_sentence(own: Store, content: dict[str, Any]) -> None:
    assert send(app_of(own), 400, **content)["problem"]
    assert list(own_grades(own, "small", "first", acting())) == []


def test_only_json_is_understood_which_no_other_site_can_send(own: Store) -> None:
    client = app_of(own).client
    body = json.dumps({"collection": "small", "draft": "first"})
    assert client.post("/judge", data=body, content_type="text/plain").status_code == 400
    cross = {"Sec-Fetch-Site": "cross-site"}
    assert client.post("/judge", json=json.loads(body), headers=cross).status_code == 403


@pytest.mark.parametrize("action", ["judge", "draft", "publish", "settings"])
def test_who_may_not_write_sends_nothing_and_sees_no_form(own: Store, action: str) -> None:
    app = app_of(own, store_to_write=nowhere)
    assert "may not" in send(app, 403, action=action)["problem"]
    assert "New draft" not in app.text("/c/small/judge")
    page = app.page("/c/small/judge?draft=first")["page"]["children"]
    assert "judge" not in ids_in(page)
    assert "Publish" not in text_of(page)


def test_a_judge_judges_and_does_nothing_else(own: Store) -> None:
    app = app_of(own, store_to_write=nowhere, store_to_judge=lambda _: own)
    assert send(app, items=[item("q1", "d5", 1, "k")])["stored"] == ["k"]
    for content in ({"mode": "inline"}, {"mode": "adjudicate"}, {"action": "publish"}):
        send(app, 403, **content)
    page = app.page("/c/small/judge?draft=first")["page"]["children"]
    assert "judge" in ids_in(page)
    assert "Disagreements" not in as_json(page)


# Adjudication, figures and publishing


def test_a_disagreement_is_listed_with_its_grades_until_it_is_adjudicated(own: Store) -> None:
    app = app_of(own)
    send(app, items=[item("q1", "d4", 0, "k1")])
    (document,) = send(app, mode="adjudicate", want=5)["documents"]
    assert {(one["grade"], one["comment"]) for one in document["grades"]} == {
        ("1", "a secret"),
        ("0", ""),
    }
    assert "Disagreements 1" in as_json(app.page("/c/small/judge?draft=first")["page"])
    send(app, mode="adjudicate", items=[item("q1", "d4", 2, "k2")])
    assert disagreements(own, "small", "first") == []
    assert send(app, mode="adjudicate", want=5)["progress"] == {"done": 1, "of": 1}


def test_the_figures_of_judges_and_a_published_version(own: Store) -> None:
    app = app_of(own)
    send(app, items=[item("q1", "d4", 0, "k1")])
    text = app.text("/c/small/judge?draft=first&view=figures")
    assert "ann 1 0 0 0 1 0.00" in text
    send(app, items=[item("q1", "d5", 0, "k2")])
    text = app.text("/c/small/judge?draft=first&view=figures")
    assert "2 of 3 documents judged, 1 of them by fewer than 2, 0 can't tell" in text
    assert send(app, 404, action="publish", reason=" ")["problem"].startswith("Say why")
    answer = send(app, action="publish", name="second", reason="more", rule="minimum")
    assert answer == {"href": "/c/small/judgments?qrels=judgments&other=second"}
    text = app.text("/c/small/judge")
    assert "second" in text
    assert text.startswith("small: 2 documents to grade in first.")  # it stays open
    assert " · last published as second" in app.text("/c/small/judge?draft=first")


def test_what_a_judge_has_not_sent_is_not_sent_as_an_adjudication(own: Store) -> None:
    app = app_of(own)
    views = ("one", "list", "judged", "adjudicate")
    pages = [
        app.page(f"/c/small/judge?draft=first&view={view}")["page"]["children"] for view in views
    ]
    outboxes = [json.loads(find(page, "judge")["data-judging"])["outbox"] for page in pages]
    assert len(set(outboxes[:3])) == 1
    assert outboxes[3] != outboxes[0]


def test_a_draft_is_proposed_of_runs_that_lack_judgments(tmp_path: Path) -> None:
    qrels = {"q1": {"d": 1, "x": 0}}
    runs = {
        name: {"q1": documents}
        for name, documents in {
            "judged": ["d", "x"],
            "best": ["d", "new"],
            "worse": ["x", "new"],
            "worst": ["new", "x"],
        }.items()
    }
    with Store.open(f"sqlite:///{tmp_path / 'holes.db'}") as store:
        sample_stores.add(store, tmp_path, "holes", qrels, runs)
        form = find_by(
            app_of(store).page("/c/holes/judge")["page"]["children"], {"control": "runs"}
        )
    assert form["value"] == ["best", "worse"]


def test_a_draft_is_proposed_of_a_run_of_which_nothing_is_judged(tmp_path: Path) -> None:
    runs = {"judged": {"q1": ["d", "x"]}, "new": {"q1": ["a", "b"]}}
    with Store.open(f"sqlite:///{tmp_path / 'new.db'}") as store:
        sample_stores.add(store, tmp_path, "new", {"q1": {"d": 1, "x": 0}}, runs)
        page = app_of(store).page("/c/new/judge")["page"]["children"]
    assert find_by(page, {"control": "runs"})["value"] == ["new"]


def test_what_one_judged_is_given_again_the_last_one_first(own: Store) -> None:
    app = app_of(own)
    send(app, items=[item("q1", "d4", 2, "k1")])
    send(app, items=[item("q1", "d5", None, "k2", state="cannot_tell", comment="in Greek")])
    given = send(app, want=5, review=True)["documents"]
    assert [(one["docno"], one["said"]) for one in given] == [
        ("d5", {"state": "cannot_tell", "grade": "", "comment": "in Greek", "passage": ""}),
        ("d4", {"state": "graded", "grade": "2", "comment": "", "passage": ""}),
    ]


# The forms of the page


def test_a_draft_is_made_of_the_unjudged_documents_of_runs(own: Store) -> None:
    answer = send(
        app_of(own),
        action="draft",
        name="pool, 2",
        runs=["bm25", "boolean"],
        depth="2",
        judges="ann, bob",
        others="yes",
    )
    assert answer == {"href": "/c/small/judge?draft=pool%2C%202"}
    draft = list_drafts(own, "small")[-1]
    # Not judged and at rank 1 or 2: d1 of q2, q3 and q4 and d2 of q3.
    assert (draft.name, draft.documents, draft.parent) == ("pool, 2", 4, "judgments")
    assert draft.pool == "depth 2 of bm25, boolean"
    assert draft.seed
    none = send(app_of(own), 404, action="draft", name="none", runs=["bm25"], depth="1")
    assert none["problem"].startswith(
        "Depth 1 of bm25: qrels 'judgments' or a draft has every document: take more ranks"
    )
    new = {"action": "draft", "runs": ["bm25", "boolean"]}
    problem = send(app_of(own), 404, **new, name="none", depth="2")["problem"]
    assert "qrels 'judgments' or a draft has every document" in problem
    send(app_of(own), **new, name="more", depth="9", others="yes")
    assert list_drafts(own, "small")[-1].documents == 4
    form = app_of(own).text("/c/small/judge")
    assert "This one continues judgments : it has" in form
    assert "Documents that other drafts have are left out, unless you choose otherwise." in form
    # ann has q2 and q4, so q3 remains for bob, and nothing for others.
    assert send(app_of(own), draft="pool, 2", want=9)["documents"] == []


def test_the_settings_of_a_collection_are_set_and_shown(own: Store) -> None:
    app = app_of(own)
    fields: dict[str, Any] = {
        "labels": "2 perfect\n0 off topic\n",
        "guidelines": "**Read** <script>",
        "link": "",
    }
    send(app, action="settings", **fields)
    page = app.page("/c/small/judge?draft=first")["page"]["children"]
    data = json.loads(find(page, "judge")["data-judging"])
    assert data["grades"] == [["0", "off topic"], ["2", "perfect"]]
    assert "**Read** <script>" in as_json(page)
    assert "dangerously_allow_html" not in as_json(page)


@pytest.mark.parametrize(
    "settings",
    [
        JudgingSettings({"x": "no grade"}),
        JudgingSettings({"nan": "no grade"}),
        JudgingSettings({"-1": "no judgment"}),
        JudgingSettings({"1": "x" * 81}),
        JudgingSettings(document_link="javascript:alert(1)//{docno}"),
        JudgingSettings(document_link="https://example.org/"),
        JudgingSettings(guidelines="x" * 50_001),
    ],
)
def test_settings_that_mean_nothing_are_refused(own: Store, settings: JudgingSettings) -> None:
    with pytest.raises(DataError):
        set_judging_settings(own, "small", settings)
    assert judging_settings(own, "small") == JudgingSettings()


# Judging in place


def test_an_unjudged_document_is_judged_where_it_is_seen(own: Store) -> None:
    app, query = app_of(own), "/c/small/query/q2?runs=bm25,tfidf"
    page = app.page(query)["page"]["children"]
    assert '"data-judge": "q2"' in as_json(page)
    send(app, mode="inline", items=[item("q2", "d1", 2, "k1")])
    assert [draft.name for draft in list_drafts(own, "small")] == ["first", "inline"]
    assert list_drafts(own, "small")[1].parent == "judgments"
    page = app.page(query)["page"]["children"]
    assert "grade grade-2 is-draft" in as_json(page)
    send(app, 404, mode="inline", items=[item("no such query", "d1", 2, "k2")])
    reader = app_of(own, store_to_write=nowhere)
    assert "data-judg" not in as_json(reader.page(query)["page"])


def test_an_unknown_draft_leads_to_the_others(own: Store) -> None:
    assert "There is no draft nothing in small." in app_of(own).text("/c/small/judge?draft=nothing")
