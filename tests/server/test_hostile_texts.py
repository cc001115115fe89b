"""Names and texts that are scripts, links or formulas, in all that the server shows of them."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browserless import Browserless
from changed_runs import annotate, rename_run, tag_run
from samples import Grades, Rankings, add, write_qrels, write_run
from team_server import PASSWORD, Served
from werkzeug.test import TestResponse

from dashboard.pages import PAGES
from evalstore.catalog.given_facts import GivenFacts
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.formats import Queries
from evalstore.ingest.documents import store_documents
from evalstore.ingest.store_qrels import store_qrels
from evalstore.server.api.routes import COLLECTION, OPERATIONS, RUN
from evalstore.server.people.accounts import add_person
from evalstore.server.people.invitations import invite
from evalstore.server.people.tokens import create_token
from evalstore.store import Store
from evalstore.tracking.experiments import edit_experiment

pytestmark = pytest.mark.slow  # every text through every page and file

SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"
MARKDOWN = f"[a link](javascript:alert(1)) ![i](javascript:alert(1)) {SCRIPT}\n\n{IMAGE}"
FORMULA = "=1+1"
QID, DOCNO = SCRIPT, "@d<img/src=x/onerror=alert(1)>"
"""Ids of files have no spaces."""
QRELS_NAME = f"-1+{IMAGE}"
MARKUP = (SCRIPT, IMAGE, DOCNO)
GRADES: Grades = {QID: {DOCNO: 2, "d2": 1}, FORMULA: {"d4": 1}, "q3": {FORMULA: 3}}
RANKINGS: tuple[Rankings, Rankings] = (
    {QID: [DOCNO, FORMULA, "d2"], FORMULA: ["d4"], "q3": ["d8", FORMULA]},
    {QID: ["d3", DOCNO], FORMULA: ["d5", "d4"], "q3": [FORMULA]},
)
RUNS = (FORMULA, f"@sum {IMAGE}")
LINKS = ("href", "src", "link", "url")
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")

AT = f"/c/{quote(IMAGE, safe='')}"
PAIR = f"?runs={quote(RUNS[0])},{quote(RUNS[1])}"
PATHS = {
    "home": ("/", ""),
    "leaderboard": (AT, ""),
    "compare": (f"{AT}/compare", PAIR),
    "queries": (f"{AT}/queries", PAIR),
    "judgments": (f"{AT}/judgments", ""),
    "query": (f"{AT}/query/{quote(QID, safe='')}", PAIR),
    "run": (f"{AT}/run/{quote(FORMULA, safe='')}", ""),
    "history": (f"{AT}/history", ""),
    "measures": ("/measures/AP", ""),
    "sql": ("/sql", f"?s={quote('SELECT * FROM run')}"),
}
"""By page, its path and query over the hostile collection."""
SERVERS_PAGES = ("/admin", "/account", "/api", "/login")
FILES = [
    f"/export{path.rstrip('/')}/{name}{query}"
    for page in PAGES
    for path, query in [PATHS.get(page.kind, ("", ""))]
    for name in page.files
    if path and not name.endswith((".png", ".pdf"))
]
"""Without the figures that are drawn from what the SVG of the same name has."""


def fill(store: Store, folder: Path) -> None:
    """A collection whose every name and text is hostile."""
    qrels = write_qrels(folder, GRADES, f"{QRELS_NAME}.qrels")
    texts = Queries(dict.fromkeys(GRADES, f"{FORMULA} {SCRIPT}"), {QID: {SCRIPT: FORMULA}})
    stored = store_qrels(store, IMAGE, qrels_path=qrels, queries=texts)
    other = write_qrels(folder, {QID: {DOCNO: 1, FORMULA: 1}}, f"@{IMAGE}.qrels")
    store_qrels(store, IMAGE, qrels_path=other)
    store_documents(store, stored.collection_id, [(DOCNO, f"{SCRIPT}", MARKDOWN)])
    paths = [
        write_run(folder, run, f"{name}.run", name)
        for name, run in zip("ab", RANKINGS, strict=True)
    ]
    asked: dict[str, Any] = {"qrels": qrels, "collection": IMAGE}
    add(store, folder, *paths, engine=SCRIPT, experiment=FORMULA, **asked)
    edit_experiment(store, FORMULA, MARKDOWN, MARKDOWN)
    for before, name in zip(("a", "b"), RUNS, strict=True):
        rename_run(store, before, name, IMAGE)
        facts = GivenFacts(
            **{"note": MARKDOWN, "host": SCRIPT, "started_by": FORMULA, "command": MARKDOWN},
            parameters={SCRIPT: FORMULA, "@sum": SCRIPT},
        )
        annotate(store, name, facts, IMAGE)
        tag_run(store, name, [SCRIPT, FORMULA], collection=IMAGE)
    set_baseline(store, RUNS[1], IMAGE)
    add_person(store, IMAGE, "reader", IMAGE, PASSWORD)
    create_token(store, SCRIPT, "contributor", IMAGE)
    invite(store, "reader", f"{SCRIPT}2", IMAGE)


@pytest.fixture(scope="module")
def hostile(served_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over such a collection, and an administrator who is logged in; none changes it."""
    folder = tmp_path_factory.mktemp("hostile")
    shutil.copytree(served_files, folder, dirs_exist_ok=True)
    with Store.open(f"sqlite:///{folder / 'store.db'}") as store:
        fill(store, folder)
        served = Served(store)
        assert served.log_in().status_code == 303
        yield served


@pytest.fixture(scope="module")
def files(hostile: Served) -> dict[str, TestResponse]:
    """What is answered for each file: figures take long to draw."""
    return {path: hostile.get(path) for path in FILES}


def components_in(part: Any) -> Iterator[dict[str, Any]]:
    """Every component within what a callback answers."""
    if isinstance(part, dict):
        if {"props", "type", "namespace"} <= set(part):
            yield part
        for inner in part.values():
            yield from components_in(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from components_in(inner)


def test_no_document_of_html_has_them_as_markup(
    hostile: Served, files: dict[str, TestResponse]
) -> None:
    documents = 0
    accounts = re.findall(r'href="(/admin/accounts/[0-9]+)"', hostile.get("/admin").text)
    assert accounts
    pages = [f"{path}{query}" for path, query in PATHS.values()]
    answers = {path: hostile.get(path) for path in (*pages, *SERVERS_PAGES, *accounts)}
    for path, answer in (answers | files).items():
        assert answer.status_code == 200, path
        assert answer.headers["X-Content-Type-Options"] == "nosniff", path
        if answer.mimetype in {"text/html", "image/svg+xml"}:
            documents += 1
            assert not [text for text in MARKUP if text in answer.text], path
            assert '"javascript:' not in answer.text, path
    assert documents > len(PATHS)


def test_pages_show_them_as_text_and_lead_nowhere_else(hostile: Served) -> None:
    pages = Browserless(hostile.browser)
    seen = set()
    for path, query in PATHS.values():
        for component in components_in(pages.follow(f"{path}{query}")):
            seen.add(component["type"])
            properties = component["props"]
            assert component["type"] not in {"Iframe", "Script"}, path
            # Of Markdown there are notes alone: tests/browser/test_notes.py opens one.
            assert component["type"] != "Markdown" or properties["id"] == "note", path
            assert not [name for name in properties if "dangerously" in name.lower()], path
            for name in LINKS:
                link = properties.get(name)
                if isinstance(link, str) and link:
                    assert link.startswith(("/", "#", "https://", "?")), (path, link)
                    assert not link.startswith("//"), (path, link)
    assert "A" in seen


def test_no_cell_of_a_table_for_spreadsheets_is_a_formula(files: dict[str, TestResponse]) -> None:
    cells = 0
    for path, answer in files.items():
        if answer.mimetype != "text/csv":
            continue
        for row in csv.reader(io.StringIO(answer.text, newline="")):
            for cell in row:
                cells += FORMULA in cell
                assert not cell.startswith(FORMULA_SIGNS) or is_number(cell), (path, cell)
    assert cells > 0


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_the_api_answers_with_nothing_that_a_browser_takes_for_a_page(hostile: Served) -> None:
    """A link to the API can be sent to anybody, and names are in its answers as they are."""
    queries = {
        f"{COLLECTION}/leaderboard/text": "?format=csv",
        f"{COLLECTION}/comparison": "?" + "&".join(f"run={quote(run)}" for run in RUNS),
    }
    answered = 0
    for each in OPERATIONS:
        if each.method == "GET" and each.path.startswith((COLLECTION, RUN)):
            named = each.path.replace("<name:collection>", quote(IMAGE, safe=""))
            path = named.replace("<name:run>", quote(FORMULA, safe=""))
            for name in (path, f"{path}/{quote(IMAGE, safe='')}"):  # and what is not there
                asked = f"/api/v1{name}{queries.get(each.path, '')}"
                answer = hostile.get(asked, Accept="text/html,*/*;q=0.8")
                assert answer.mimetype in {"application/json", "application/problem+json"}, name
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                answered += answer.status_code == 200
    assert answered > 8


def test_no_name_of_a_file_breaks_its_header(files: dict[str, TestResponse]) -> None:
    for path, answer in files.items():
        assert answer.status_code == 200, (path, answer.text)
        disposition = answer.headers["Content-Disposition"]
        name = disposition.removeprefix('attachment; filename="').removesuffix('"')
        assert all(sign.isalnum() or sign in "@._-" for sign in name), path
