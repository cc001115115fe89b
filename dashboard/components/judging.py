"""Judging from a page: what assets/pages/judge.js needs, and the unjudged mark as a button."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from dash import html

from dashboard.components import wording
from dashboard.components.problems import read
from dashboard.page import View
from evalstore.judging import assessors
from evalstore.judging.reading import grade_choices

Mode = Literal["judge", "adjudicate", "inline"]
INLINE = "inline"
"""The draft of a collection in which documents are judged where they are seen."""
IN_DRAFT = f"your grade in the draft {INLINE}: no qrels has it before the draft is published"


def settings(
    view: View, draft: str, mode: Mode, *, is_list: bool = False, is_review: bool = False
) -> str:
    """The data for the script that judges documents of a draft, as JSON.

    `outbox` is the name under which the browser keeps what is not sent yet. It differs by store,
    draft, user and mode, so that nothing is sent for another. `is_review` is for the documents that
    the user has judged.
    """
    store, collection = view.store, view.address.collection or ""
    grades = read(store, lambda: grade_choices(store, collection))
    own = json.dumps([store.name, collection, draft, assessors.acting(), mode])
    return json.dumps(
        {
            "collection": collection,
            "draft": draft,
            "mode": mode,
            "outbox": hashlib.sha256(own.encode()).hexdigest()[:16],
            "grades": grades,
            "isList": is_list or is_review,
            "isReview": is_review,
        }
    )


def in_place(view: View) -> dict[str, str]:
    """The attribute of an element in which unjudged documents can be judged; none if forbidden."""
    if not view.may_write(view.address.collection or ""):
        return {}
    return {"data-judging-here": settings(view, INLINE, "inline")}


def own_grades(view: View) -> dict[tuple[str, str], float] | None:
    """The user's grades of unjudged documents, by query and docno; None if they may not judge."""
    collection = view.address.collection or ""
    if not view.may_write(collection):
        return None
    return read(
        view.store, lambda: assessors.own_grades(view.store, collection, INLINE, assessors.acting())
    )


def unjudged(qid: str, docno: str, own: Mapping[tuple[str, str], float] | None) -> Any:
    """The unjudged mark of a document, as a button that opens the grades.

    With a grade in `own` it shows this; if `own` is None there is no button.
    """
    if own is None:
        return None
    grade = own.get((qid, docno))
    step = "none" if grade is None else f"{min(max(int(grade), 0), 3)} is-draft"
    return html.Button(
        "?" if grade is None else f"{grade:g}",
        type="button",
        className=f"grade grade-{step}",
        title="not judged: judge it here" if grade is None else IN_DRAFT,
        # A stop of the Tab key for each would be too many: G in its row opens it too.
        tabIndex=-1,
        **{
            "data-judge": qid,
            "data-docno": docno,
            "aria-haspopup": "true",
            "aria-expanded": "false",
            "aria-label": f"Judge {wording.name(docno, 80)}",
        },
    )
