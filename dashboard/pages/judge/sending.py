"""The path that assets/pages/judge.js sends to: what assessors say, and the forms of the page.

A request is a POST of JSON, which no other site can send. Its `action` is that of a form, or else
`judge`: then the answer has the next documents, without engine, rank or score.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import cycle
from typing import Any, cast

from flask import Flask, Response, jsonify, request

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.judging import INLINE, Mode
from dashboard.components.problems import PageProblem, read, sentence
from dashboard.page import StoreToWrite
from dashboard.pages.query.movement import READ, marked, query_words
from evalstore.catalog.chosen_qrels import kept_collection
from evalstore.comparison.loading import load_stored_runs
from evalstore.comparison.ranked_query import load_document_texts
from evalstore.comparison.unjudged.pool import ORDERS
from evalstore.errors import DataError, EvalstoreError
from evalstore.judging.assessors import Disagreement, acting, disagreements, judged_by
from evalstore.judging.drafts import (
    RULES,
    Assessment,
    assess,
    documents_in_drafts,
    list_drafts,
    new_draft,
    next_documents,
    pool_of_runs,
)
from evalstore.judging.publish import publish
from evalstore.judging.reading import (
    JudgingSettings,
    judging_settings,
    queries_to_read,
    set_judging_settings,
)
from evalstore.store import Store
from evalstore.store.queries.drafts import Kind, Rule, State

PATH = "/judge"
MOST_WANTED = 60
"""The most documents in an answer: the browser asks again."""
MOST_ITEMS = 100
"""The most that is said in a request; it has at most `dashboard.app.LARGEST_REQUEST` bytes."""
MOST_DOCUMENTS = 100_000
WRAPPED = re.compile(r"^(\S[^\n]{38,}\S)[ \r]*\n(?!\d+[.)]\s)(?=[\w(\"'])", re.MULTILINE)
"""The end of a full line: none that is short, or before a blank, indented or listed line."""

Content = Mapping[str, Any]


def register(server: Flask, store_to_write: StoreToWrite, store_to_judge: StoreToWrite) -> None:
    """Add the path; `store_to_judge` is for who says something of assigned documents."""

    @server.post(PATH)
    def judge() -> tuple[Response, int]:
        content = request.get_json(silent=True)  # None unless the type of the content is JSON
        if not isinstance(content, dict):
            return jsonify(problem="Send an object of JSON."), 400
        try:
            action = _text(content, "action") or "judge"
            if action in FORMS:
                store, collection = _allowed(store_to_write, content)
                return jsonify(href=FORMS[action](store, collection, content).href), 200
            if action != "judge":
                raise PageProblem("", f"There is no action {wording.name(action)}.", status=400)
            mode = _text(content, "mode") or "judge"
            if mode not in ("judge", "adjudicate", "inline"):
                raise PageProblem("", f"There is no mode {wording.name(mode)}.", status=400)
            may = store_to_judge if mode == "judge" else store_to_write
            store, collection = _allowed(may, content)
            return jsonify(_judge(store, collection, cast("Mode", mode), content)), 200
        except PageProblem as problem:
            return jsonify(problem=problem.sentence), problem.status


def _allowed(store_to: StoreToWrite, content: Content) -> tuple[Store, str]:
    collection = _text(content, "collection")
    store = store_to(collection)
    if store is None:
        sentence = "You may not do that here: ask who administers the server for a role."
        raise PageProblem("Not allowed", sentence, status=403)
    return store, collection


def _text(content: Content, name: str) -> str:
    text = content.get(name) or ""
    if not isinstance(text, str):
        raise PageProblem("", f"{name} is a text.", status=400)
    return text.replace("\r\n", "\n")


def _number(content: Content, name: str, usual: int, least: int, most: int) -> int:
    given = str(content.get(name) or usual).strip()
    if not (given.isascii() and given.isdigit() and least <= int(given[:9]) <= most):
        raise PageProblem("", f"{name} is a number from {least:,} to {most:,}.", status=400)
    return int(given)


# What an assessor says, and the documents to judge next


def _judge(store: Store, collection: str, mode: Mode, content: Content) -> dict[str, Any]:
    """The answer to the browser: keys of what is stored or refused, documents, and progress."""
    draft, who = _text(content, "draft"), acting()
    items = content.get("items") or []
    if not isinstance(items, list) or len(items) > MOST_ITEMS:
        raise PageProblem("", f"Send at most {MOST_ITEMS} items.", status=400)
    said = [_assessment(item, mode) for item in items]
    if mode == "inline" and said:
        draft = INLINE
        read(store, lambda: queries_to_read(store, collection, (one.qid for one in said)))
        _make_inline(store, collection)
    stored, refused = _store(store, collection, draft, who, said, mode)
    answer: dict[str, Any] = {"stored": stored, "refused": refused}
    wanted = _number(content, "want", 0, 0, 10**8)
    if mode != "inline" and wanted:
        review = content.get("review") is True and mode == "judge"
        most = min(wanted, MOST_WANTED)
        answer |= _documents(store, collection, draft, who, mode, most, review=review)
    return answer


def _assessment(item: object, mode: Mode) -> Assessment:
    if not isinstance(item, dict):
        raise PageProblem("", "An item is an object.", status=400)
    grade = item.get("grade")
    if grade is not None and (isinstance(grade, bool) or not isinstance(grade, int | float)):
        raise PageProblem("", "A grade is a number.", status=400)
    key = _text(item, "key")
    if not key:
        raise PageProblem("", "An item has a key.", status=400)
    kind: Kind = "adjudicator" if mode == "adjudicate" else "person"
    return Assessment(
        _text(item, "qid"),
        _text(item, "docno"),
        None if grade is None else float(grade),
        cast("State", _text(item, "state")),
        _text(item, "comment") or None,
        _text(item, "passage") or None,
        key,
        kind,
        _time(item.get("at")),
    )


def _time(at: object) -> datetime | None:
    """The time of an item, in milliseconds as browsers count them; None if it is none."""
    try:
        return datetime.fromtimestamp(float(cast("float", at)) / 1000, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _store(
    store: Store, collection: str, draft: str, who: str, said: list[Assessment], mode: Mode
) -> tuple[list[str], dict[str, str]]:
    """Store what was said; returns the keys of what is stored, and of what never can be, with why.

    If an item of several is refused, each is stored by itself.
    """
    if not said:
        return [], {}
    rules = {"new": mode == "inline", "given": mode == "judge"}
    try:
        return assess(store, collection, draft, who, said, **rules), {}
    except DataError as error:
        if len(said) == 1:
            return [], {said[0].key or "": sentence(error)}
    except EvalstoreError:
        read(store, lambda: assess(store, collection, draft, who, said, **rules))
    stored: list[str] = []
    refused: dict[str, str] = {}
    for one in said:
        keys, no = _store(store, collection, draft, who, [one], mode)
        stored += keys
        refused |= no
    return stored, refused


def _make_inline(store: Store, collection: str) -> None:
    """Make the draft of what is judged where it is seen, if there is none."""
    if any(draft.name == INLINE for draft in read(store, lambda: list_drafts(store, collection))):
        return
    qrels = kept_collection(store, collection).qrels
    parent = qrels[0].name if qrels else None
    pool = "judged where they were seen"
    read(store, lambda: new_draft(store, collection, INLINE, parent=parent, pool=pool))


def _documents(
    store: Store,
    collection: str,
    draft: str,
    who: str,
    mode: Mode,
    wanted: int,
    *,
    review: bool = False,
) -> dict[str, Any]:
    """The next documents with their queries, and how far the assessor is.

    For a `review` they are those that the assessor judged last, with what was said of them.
    """
    given: dict[tuple[str, str], Disagreement] = {}
    if mode == "adjudicate":
        found = read(store, lambda: disagreements(store, collection, draft))
        given = {(one.qid, one.docno): one for one in found}
        keys = list(given)
    else:
        to_judge = read(
            store, lambda: next_documents(store, collection, draft, who, MOST_DOCUMENTS)
        )
        keys = [(one.qid, one.docno) for one in to_judge]
    own = read(
        store, lambda: judged_by(store, collection, draft, who, adjudicated=mode == "adjudicate")
    )
    said = {(one.qid, one.docno): one for one in own} if review else {}
    shown = list(said if review else keys)[:wanted]
    docnos = list(dict.fromkeys(docno for _, docno in shown))
    texts = read(store, lambda: load_document_texts(store, collection, docnos, READ))
    settings = read(store, lambda: judging_settings(store, collection))
    qids = [qid for qid, _ in shown]
    queries = {
        query.qid: query for query in read(store, lambda: queries_to_read(store, collection, qids))
    }
    words = {qid: query_words(query.text) for qid, query in queries.items()}
    documents = []
    for qid, docno in shown:
        title, text = texts.get(docno, ("", ""))
        document = {
            "qid": qid,
            "docno": docno,
            "title": "" if title == docno else wording.name(title, 400),
            "text": list(marked(wording.lines(WRAPPED.sub(r"\1 ", text)), words[qid])),
            "cut": len(text) >= READ,
            "link": settings.link(docno),
        }
        if mode == "adjudicate":
            document["grades"] = [
                {"who": one.assessor, "grade": f"{one.grade:g}", "comment": one.comment or ""}
                for one in given[qid, docno].given
            ]
        if (one := said.get((qid, docno))) is not None:
            document["said"] = {
                "state": one.state,
                "grade": "" if one.grade is None else f"{one.grade:g}",
                "comment": wording.lines(one.comment or ""),
                "passage": wording.lines(one.passage or ""),
            }
        documents.append(document)
    return {
        "documents": documents,
        "queries": {
            qid: {"text": query.text or "", "description": query.description or ""}
            for qid, query in queries.items()
        },
        "progress": {"done": len(own), "of": len(own) + len(keys)},
    }


# The forms: each returns the address to go to


def _new_draft(store: Store, collection: str, content: Content) -> Address:
    """Make a draft of the unjudged documents of runs."""
    name = _text(content, "name").strip()
    runs = content.get("runs") or []
    if not isinstance(runs, list) or not all(isinstance(run, str) for run in runs):
        raise PageProblem("", "runs is a list of names.", status=400)
    order = _text(content, "order") or "depth"
    if order not in ORDERS:
        raise PageProblem("", f"There is no order {wording.name(order)}.", status=400)
    depth = _number(content, "depth", 10, 1, 10_000)
    overlap = _number(content, "overlap", 1, 1, 100)
    most = _number(content, "most", MOST_DOCUMENTS, 1, MOST_DOCUMENTS)
    judges = [one for text in _text(content, "judges").split(",") if (one := text.strip())]
    if judges and overlap > 1:
        raise PageProblem(
            "", "A document that is assigned has one judge: leave out the names.", status=400
        )
    qrels = _text(content, "qrels") or None
    rule = _rule(content)

    def make() -> None:
        load = partial(load_stored_runs, store, runs, collection=collection, qrels=qrels)
        measure = _text(content, "measure")
        apart = _text(content, "others") != "yes"
        others = documents_in_drafts(store, collection) if apart else set()
        pool, drawn, parent = pool_of_runs(
            load, depth, order, measure=measure, budget=most, without=others
        )
        # The judges take turns with the queries.
        judge_of = dict(zip(dict.fromkeys(one.qid for one in pool), cycle(judges)))
        new_draft(
            store,
            collection,
            name,
            parent=parent,
            documents=[one._replace(assigned=judge_of.get(one.qid)) for one in pool],
            rule=rule,
            overlap=overlap,
            seed=secrets.randbelow(1 << 31),
            pool=drawn,
        )

    read(store, make)
    return Address("judge", collection, None, {"draft": (name,)})


def _rule(content: Content) -> Rule:
    rule = _text(content, "rule") or "majority"
    if rule not in RULES:
        raise PageProblem("", f"There is no rule {wording.name(rule)}.", status=400)
    return rule


def _publish(store: Store, collection: str, content: Content) -> Address:
    """Make a qrels of a draft; returns the comparison with the qrels that it continues."""
    made = read(
        store,
        lambda: publish(
            store,
            collection,
            _text(content, "draft"),
            _text(content, "name").strip() or None,
            reason=_text(content, "reason"),
            rule=_rule(content),
            default=_text(content, "default") == "yes",
        ),
    )
    name, parent = made.qrels.name, made.qrels.parent
    if parent is None:
        return Address("leaderboard", collection, None, {"qrels": (name,)})
    return Address("judgments", collection, None, {"qrels": (parent,), "other": (name,)})


def _settings(store: Store, collection: str, content: Content) -> Address:
    """Set the labels of grades, the link and the guidelines of a collection."""
    labels: dict[str, str] = {}
    for line in _text(content, "labels").split("\n"):
        grade, _, label = line.strip().partition(" ")
        if grade:
            labels[grade] = label
    settings = JudgingSettings(labels, _text(content, "link"), _text(content, "guidelines"))
    read(store, lambda: set_judging_settings(store, collection, settings))
    return Address("judge", collection)


FORMS: Mapping[str, Callable[[Store, str, Content], Address]] = {
    "draft": _new_draft,
    "publish": _publish,
    "settings": _settings,
}
