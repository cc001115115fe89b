"""Judgments under which some of a collection's runs were evaluated, and others were not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sample_stores
from browserless import Browserless, as_json, text_of
from leaderboard_page import body, claims_of

from dashboard.app import create_app
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.ingest.ingest import ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.judging.publish import edit_judgment

COMMAND = "`evalstore reevaluate --collection=small --qrels=deep`"


@pytest.fixture(scope="module")
def two_qrels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browserless]:
    """Three runs under `judgments`; one of them, bm25, also under `deep`."""
    folder: Path = tmp_path_factory.mktemp("qrels")
    with sample_stores.main(folder) as store:
        qrels = folder / "deep.qrels"
        qrels.write_text("q1 0 d1 1\nq2 0 d4 1\n")
        stored = store_qrels(store, "small", qrels_path=str(qrels))
        first = str(folder / "small-0.run")
        ingest(store, IngestOptions("small", engine="bm25", name="bm25"), [first], qrels=stored)
        yield Browserless(create_app(store).server.test_client())


def test_a_comparison_says_which_run_lacks_the_judgments_and_what_to_do(
    two_qrels: Browserless,
) -> None:
    page = body(two_qrels, "/c/small/compare?runs=bm25,tfidf&qrels=deep&m=AP")
    text = text_of(page)
    assert "tfidf is not evaluated under qrels 'deep'; all are under 'judgments'" in text
    assert f"{COMMAND} evaluates the rest" in text


def test_the_same_comparison_is_offered_under_judgments_that_all_runs_have(
    two_qrels: Browserless,
) -> None:
    page = body(two_qrels, "/c/small/compare?runs=bm25,tfidf&qrels=deep&m=AP")
    assert "Compare under judgments" in text_of(page)
    assert '"href": "/c/small/compare?runs=bm25,tfidf&m=AP"' in as_json(page)
    assert "◐ Comparable" in two_qrels.text("/c/small/compare?runs=bm25,tfidf&m=AP")


def test_a_leaderboard_counts_the_runs_that_have_values(two_qrels: Browserless) -> None:
    assert "1 of 3 runs has values under deep · 2 queries" in two_qrels.text("/c/small?qrels=deep")
    assert "3 runs · 5 queries" in two_qrels.text("/c/small")


def test_a_leaderboard_says_which_runs_have_no_values_and_what_to_do(
    two_qrels: Browserless,
) -> None:
    notes = text_of(claims_of(two_qrels, "/c/small?qrels=deep")["board-notes"]["children"])
    assert "2 of 3 runs have no values under qrels 'deep': boolean, tfidf" in notes
    assert f"{COMMAND} evaluates those that have rankings" in notes
    assert "left out" not in notes.lower()


def test_the_header_marks_judgments_of_several_origins(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        edit_judgment(store, "small", "judgments", "q1", "d1", None, reason="why", name="mine")
        edit_judgment(store, "small", "mine", "q1", "d77", 1, reason="why", name="mixed")
        app = Browserless(create_app(store).server.test_client())
        marked = {
            name: '"children": "mixed"' in as_json(app.page(f"/c/small?qrels={name}"))
            for name in ("judgments", "mine", "mixed")
        }
    assert marked == {"judgments": False, "mine": False, "mixed": True}
