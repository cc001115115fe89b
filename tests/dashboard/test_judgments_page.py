"""The Judgments page: two qrels beside each other, and what each makes of the runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import sample_stores
from browserless import Browserless, as_json, find, find_by, text_of
from samples import write_qrels

from dashboard.app import create_app
from evalstore.catalog.annotate import RunChange, apply_change
from evalstore.catalog.collections import new_collection
from evalstore.catalog.given_facts import GivenFacts
from evalstore.client.any_store import LocalStore
from evalstore.client.two_qrels import reuse_of_stored_qrels
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.ingest.ingest import ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.measures import parse
from evalstore.store import Store

STRICT = {
    "q1": {"d1": 1, "d2": 0, "d3": 0, "d7": 2},
    "q2": {"d4": 1},
    "q3": {"d6": 3},
    "q4": {"d1": 1},
}
# Judged in both: q1 d1 (2, 1), d2 (1, 0), d3 (0, 0), q2 d4 (1, 1), q3 d6 (3, 3). In judgments
# alone: q2 d5, q4 d7, d8, q5 d9. In strict alone: q1 d7, q4 d1.
MANY = [f"q{number}" for number in range(1, 11)]


def add_qrels(
    store: Store, folder: Path, collection: str, name: str, grades: Mapping[str, Mapping[str, int]]
) -> None:
    """Store a further qrels, and evaluate the runs of `sample_stores.add` under it."""
    path = write_qrels(folder, {qid: dict(of) for qid, of in grades.items()}, f"{name}.qrels")
    stored = store_qrels(store, collection, qrels_path=path)
    for run in sorted(folder.glob(f"{collection[:5]}-*.run")):
        engine = run.read_text().splitlines()[0].split()[-1]
        ingest(store, IngestOptions(collection, engine=engine), [str(run)], qrels=stored)


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Store]:
    """The sample store, with the qrels `strict` beside `judgments` in `small`."""
    with sample_stores.main(tmp_path) as store:
        add_qrels(store, tmp_path, "small", "strict", STRICT)
        yield store


@pytest.fixture
def turned(tmp_path: Path) -> Iterator[Browserless]:
    """Two runs of which one qrels shows the one to be better, and another qrels the other."""
    with Store.open(f"sqlite:///{tmp_path / 't.db'}") as store:
        runs = {
            "one": {qid: ["x", "z", "y"] for qid in MANY},
            "two": {qid: ["y", "z", "x"] if n % 3 else ["y", "x"] for n, qid in enumerate(MANY)},
        }
        first = {qid: {"x": 1, "y": 0} for qid in MANY}
        sample_stores.add(store, tmp_path, "turn", first, runs)
        add_qrels(store, tmp_path, "turn", "other", {qid: {"x": 0, "y": 1} for qid in MANY})
        yield browserless(store)


def browserless(store: Store) -> Browserless:
    return Browserless(create_app(store).server.test_client())


def body(app: Browserless, address: str) -> Any:
    return app.page(address)["page"]["children"]


def boards_of(app: Browserless, address: str) -> dict[str, Any]:
    """What follows once the page is on the screen."""
    key = find(body(app, address), "judgments-key")["data"]
    return app.call("judgments-boards.children", judgments_key=key)


def rows_of(app: Browserless, file: str) -> list[list[str]]:
    answer = app.client.get(f"/export/c/small/judgments/{file}")
    assert answer.status_code == 200, answer.text
    return list(csv.reader(io.StringIO(answer.text)))


def test_the_agreement_comes_first_and_the_runs_once_it_is_on_the_screen(
    turned: Browserless,
) -> None:
    address = "/c/turn/judgments?m=RR"
    page = body(turned, address)
    agree = (
        "Do conclusions depend on the judgments? Runs are compared… "
        "0 % of the 20 documents that both judged have the same grade"
    )
    assert text_of(find(page, "judgments-headline")["children"]).startswith(agree)
    later = boards_of(turned, address)
    sentence = "Conclusions depend on the judgments: the one difference on RR is shown by both "
    assert text_of(later["judgments-headline"]["children"]).startswith(sentence)
    # Known by now, they come with the page.
    again = body(turned, f"{address}&show=lost")
    assert find(again, "judgments-key")["data"] is None
    assert text_of(find(again, "judgments-headline")["children"]).startswith(sentence)
    assert "There is none." in text_of(find(again, "judgments-boards")["children"])


def test_runs_have_both_ranks_and_a_claim_leads_to_compare_under_either_qrels(
    turned: Browserless,
) -> None:
    boards = boards_of(turned, "/c/turn/judgments?m=RR")["judgments-boards"]["children"]
    text = text_of(boards)
    assert "one 1.0000 1 −1 2 0.3333" in text
    assert "kept 0 lost 0 new 0 turned 1" in text
    assert "turned two against one ▼" in text
    compare = '"/c/turn/compare?{}m=RR&runs=one,two&base=one"'
    assert compare.format("") in as_json(boards)
    assert compare.format("qrels=other&") in as_json(boards)
    kept = boards_of(turned, "/c/turn/judgments?m=AP&show=kept")["judgments-boards"]["children"]
    assert "There is none." in text_of(kept)


def test_a_cell_opens_its_documents_by_query(two: Store) -> None:
    app = browserless(two)
    first = app.page("/c/small/judgments")
    assert find(first["page"]["children"], "judgments-documents").get("children") is None
    answer = app.go("/c/small/judgments?cell=1,none", first["rendered"]["data"])
    assert "page" not in answer
    listed = answer["judgments-documents"]["children"]
    assert text_of(listed) == "3 documents: grade 1 in a, not judged in b q2 d5 q4 d7 q5 d9"
    assert '"/c/small/query/q4?doc=d7"' in as_json(listed)
    in_b = body(app, "/c/small/judgments?cell=none,2")
    assert '"/c/small/query/q1?qrels=strict&doc=d7"' in as_json(in_b)


@pytest.mark.parametrize("cell", ["none,none", "7,1", "1", "x,y,z"])
def test_a_cell_that_the_matrix_does_not_have_is_closed(two: Store, cell: str) -> None:
    page = body(browserless(two), f"/c/small/judgments?cell={cell}")
    assert find(page, "judgments-documents").get("children") is None


def test_the_queries_that_differ_most_lead_to_the_query_under_either_qrels(two: Store) -> None:
    page = body(browserless(two), "/c/small/judgments")
    text = text_of(page)
    assert text.index("q1 how do I split a string 3 0 1 33 %") < text.index("q4 0 2 1 –")
    for href in ("/c/small/query/q1", "/c/small/query/q1?qrels=strict"):
        assert f'"{href}"' in as_json(page)


def test_files_have_the_matrix_the_figures_and_the_rows(two: Store) -> None:
    app = browserless(two)
    assert rows_of(app, "confusion.csv") == [
        ["a \\ b", "0", "1", "2", "3", "not judged"],
        ["0", "1", "0", "0", "0", "0"],
        ["1", "1", "1", "0", "0", "3"],
        ["2", "0", "1", "0", "0", "1"],
        ["3", "0", "0", "0", "1", "0"],
        ["not judged", "0", "1", "1", "0", "0"],
    ]
    assert rows_of(app, "figures.csv")[1:5] == [
        *(["both", "5", "", ""], ["only_a", "4", "", ""], ["only_b", "2", "", ""]),
        ["agreement", "0.6", *rows_of(app, "figures.csv")[4][2:]],
    ]
    assert rows_of(app, "documents.csv?cell=none,2") == [
        ["qid", "docno", "a", "b"],
        ["q1", "d7", "", "2.0"],
    ]
    assert len(rows_of(app, "documents.csv")) == 1 + 11
    assert {row[0] for row in rows_of(app, "runs.csv")[1:]} == {"bm25", "tfidf", "boolean"}
    answer = app.client.get("/export/c/other/judgments/confusion.csv")
    assert (answer.status_code, answer.text) == (
        404,
        "This page compares two qrels; there are fewer here.\n",
    )


def test_the_file_of_claims_has_the_measure_and_both_differences(turned: Browserless) -> None:
    answer = turned.client.get("/export/c/turn/judgments/claims.csv?m=RR")
    assert answer.headers["Content-Disposition"].endswith('_RR_claims.csv"')
    head, (measure, *_, in_a, in_b) = csv.reader(io.StringIO(answer.text))
    assert (head[0], *head[-2:]) == ("measure", "difference_a", "difference_b")
    assert (measure, float(in_a) < 0 < float(in_b)) == ("RR", True)


def chosen(app: Browserless, address: str) -> tuple[str, str]:
    page = app.page(address)["page"]["children"]
    return tuple(find_by(page, {"control": name})["value"] for name in ("qrels", "other"))


def test_without_a_choice_the_default_qrels_is_compared_with_the_first_other_one(
    two: Store, tmp_path: Path
) -> None:
    app = browserless(two)
    text = app.text("/c/other/judgments")
    assert text.startswith("other has one qrels; this page compares two.")
    assert "reevaluate --collection=other --qrels FILE" in text
    store_qrels(two, "small", qrels_path=write_qrels(tmp_path, {"q1": {"d1": 3}}, "third.qrels"))
    app = browserless(two)
    assert chosen(app, "/c/small/judgments") == ("judgments", "third")
    assert chosen(app, "/c/small/judgments?qrels=strict") == ("strict", "judgments")
    assert chosen(app, "/c/small/judgments?qrels=strict&other=strict") == ("strict", "judgments")
    assert chosen(app, "/c/small/judgments?other=third") == ("judgments", "third")
    assert "3 qrels" in app.text("/c/small")
    unknown = app.text("/c/small/judgments?other=strct")
    assert "has no qrels 'strct'; did you mean 'strict'?" in unknown


def test_each_engine_is_left_out_where_it_is_asked_for(two: Store) -> None:
    app = browserless(two)
    for address in ("/c/other/judgments", "/c/small/judgments", "/c/small/judgments?other=strict"):
        assert "Leave each engine out" in app.text(address)
    assert "Leave each" not in app.text("/c/small/judgments?other=strict&open=reuse")
    text = app.text("/c/small/judgments?other=strict&m=GMAP&open=reuse")
    assert "GMAP is no mean over queries that a judgment could move." in text
    assert "Which grades do they give?" in text  # the page beside the card stays
    found = reuse_of_stored_qrels(LocalStore(two), "small", "judgments", "AP", parse("AP"))
    page = app.page("/c/small/judgments?m=AP&open=reuse")["page"]["children"]
    assert found.sentence in text_of(page)
    for of in found.runs:
        assert f"{of.run}{of.unique}{of.before:.4f}{of.after:.4f}" in text_of(page).replace(" ", "")


def test_what_can_not_be_compared_is_said_with_a_way_on(two: Store, tmp_path: Path) -> None:
    path = write_qrels(tmp_path, {"q1": {"d77": 1}}, "far.qrels")
    store_qrels(two, "small", qrels_path=path)
    app = browserless(two)
    text = app.text("/c/small/judgments?other=far")
    assert "share 1 query and no judged document" in text
    assert "Choose another pair" in text
    later = boards_of(app, "/c/small/judgments?other=strict&base=nobody")
    assert "There is no run 'nobody' in collection 'small'." in text_of(
        later["judgments-boards"]["children"]
    )


def test_the_navigation_leads_there_where_the_collection_has_qrels(two: Store) -> None:
    new_collection(two, "bare")
    app = browserless(two)
    judged = app.page("/c/small")
    assert "/c/small/judgments" in as_json(judged["navigation"])
    # Links that follow a choice on the page still have it.
    ticked = app.go("/c/small?runs=bm25", judged["rendered"]["data"])
    assert "/c/small/judgments?runs=bm25" in as_json(ticked["navigation"])
    assert "judgments" not in as_json(app.page("/c/bare")["navigation"])
    assert "this page compares two" in app.text("/c/bare/judgments")


def test_families_of_engines_are_the_parameter_of_their_runs(two: Store) -> None:
    address = "/c/small/judgments"
    app = browserless(two)
    boards = boards_of(app, address)["judgments-boards"]["children"]
    assert "Does b favour a family" not in text_of(boards)
    apply_change(two, "bm25", RunChange(facts=GivenFacts(parameters={"family": "<b>"})), "small")
    boards = boards_of(browserless(two), address)["judgments-boards"]["children"]
    assert "Does b favour a family of engines?" in text_of(boards)
    assert "<b> 5" in text_of(boards)
