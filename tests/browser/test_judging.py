"""Judging in the browser: by keyboard alone, in place, and while connections break."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sample_stores
from accessibility import issues
from chromium import PATIENCE
from playwright.sync_api import Browser, Page, Route, expect
from serving import serving

from evalstore.catalog.chosen_qrels import kept_collection
from evalstore.ingest.documents import store_documents
from evalstore.judging.assessors import acting, assessors, own_grades
from evalstore.judging.drafts import PoolDocument, list_drafts, new_draft
from evalstore.store import Store

Open = Callable[..., Page]
SENDING = re.compile(r"//[^/]+/judge$")
QIDS, EACH = ("q1", "q2", "q3"), 10
DOCUMENTS = len(QIDS) * EACH
DRAFT = "/c/small/judge?draft=first"


@pytest.fixture
def drafted(tmp_path: Path) -> Iterator[Store]:
    """A store of its own, with a draft of 30 documents."""
    with sample_stores.main(tmp_path) as made:
        pool = [PoolDocument(qid, f"d{number:02d}") for qid in QIDS for number in range(EACH)]
        new_draft(made, "small", "first", documents=pool)
        documents = [(f"d{number:02d}", None, "the text") for number in range(EACH)]
        store_documents(made, kept_collection(made, "small").id, documents)
        yield made


@contextmanager
def unwatched(chrome: Browser) -> Iterator[Page]:
    """A page whose browser complains of the requests that fail."""
    context = chrome.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    context.close()


def docno(page: Page) -> str:
    return page.locator(".judge-document code").inner_text()


def test_by_keyboard_alone_documents_are_graded_put_off_undone_and_explained(
    drafted: Store, open_page: Open
) -> None:
    with serving(drafted) as address:
        page = open_page(address + DRAFT, width=390, height=844)
        expect(page.locator("#judge-query")).to_have_text("q1 how do I split a string")
        expect(page.get_by_text("0 of 30 documents judged by you")).to_be_visible()
        first, shown = docno(page), page.locator(".judge-document code")
        page.locator(".document-text").select_text()
        expect(page.get_by_text("The passage that decides:")).to_be_visible()
        held: list[Route] = []
        page.route(SENDING, lambda route: held.append(route))  # noqa: PLW0108  (Playwright asks its arguments)
        page.get_by_role("button", name="grade 2").click()
        expect(shown).not_to_have_text(first)
        second = docno(page)
        page.keyboard.press("c")
        asks = page.get_by_text("Write why you can't tell")
        expect(asks).to_be_visible()
        with page.expect_request_finished(lambda request: bool(SENDING.search(request.url))):
            for route in held:
                route.continue_()
            page.unroute(SENDING)
        page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 100))")
        expect(asks).to_be_visible()  # also when what was said before is stored
        page.keyboard.type("in a language that I do not read")
        page.keyboard.press("Enter")
        expect(page.get_by_text("2 of 30 documents judged by you")).to_be_visible()
        third = docno(page)
        page.keyboard.press("l")
        page.keyboard.press("0")
        page.keyboard.press("u")
        page.keyboard.press("1")
        expect(page.get_by_text("3 of 30 documents judged by you")).to_be_visible()
        assert issues(page) == []
        page.emulate_media(color_scheme="dark")
        assert issues(page, of_colours=True) == []
        fourth = docno(page)
        page.keyboard.press("2")
        expect(page.get_by_text("4 of 30 documents judged by you")).to_be_visible()
        page.reload()
        expect(page.get_by_text("4 of 30 documents judged by you")).to_be_visible()
        assert docno(page) not in {first, second, third, fourth}
        page.keyboard.press("u")
        expect(page.get_by_text("3 of 30 documents judged by you")).to_be_visible()
        assert docno(page) == fourth
        page.reload()
        expect(page.get_by_text("3 of 30 documents judged by you")).to_be_visible()
        assert docno(page) == fourth
        (figures,) = assessors(drafted, "small", "first")
        assert (figures.graded, figures.cannot_tell, figures.later) == (2, 1, 1)
        assert own_grades(drafted, "small", "first", acting())["q1", first] == 2.0
        with drafted.read() as connection:
            passages = connection.exec_driver_sql("SELECT docno, passage FROM assessment").all()
    assert [tuple(row) for row in passages if row.passage] == [(first, "the text")]


def test_what_one_judged_before_is_listed_and_corrected(drafted: Store, open_page: Open) -> None:
    with serving(drafted) as address:
        page = open_page(address + DRAFT)
        expect(page.get_by_text("0 of 30 documents judged by you")).to_be_visible()
        first = docno(page)
        for key, said in (("2", "1 of"), ("1", "2 of")):
            page.keyboard.press(key)
            expect(page.get_by_text(f"{said} 30 documents judged by you")).to_be_visible()
        page.reload()
        expect(page.get_by_text("2 of 30 documents judged by you")).to_be_visible()
        page.get_by_text("Judged", exact=True).click()
        expect(page.locator(".judge-said")).to_have_text(["Graded 1", "Graded 2"])
        page.locator(".judge-document").nth(1).click()
        page.keyboard.press("7")
        expect(page.get_by_text("There is no grade 7 here.")).to_be_visible()
        page.keyboard.press("0")
        expect(page.locator(".judge-said")).to_have_text(["Graded 1", "Graded 0: not relevant"])
        page.keyboard.press("u")
        expect(page.locator(".judge-said")).to_have_text(["Graded 1", "Graded 2"])
        page.keyboard.press("0")
        expect(page.locator(".judge-said")).to_have_text(["Graded 1", "Graded 0: not relevant"])
        page.get_by_text("One", exact=True).click()
        expect(page.get_by_text("2 of 30 documents judged by you")).to_be_visible()
        assert own_grades(drafted, "small", "first", acting())["q1", first] == 0.0
        (figures,) = assessors(drafted, "small", "first")
        assert (figures.graded, figures.repeats) == (2, 0)
        page.goto("about:blank")  # the page may still ask for something


def test_the_list_is_one_stop_of_the_tab_key_and_grades_what_has_the_focus(
    drafted: Store, open_page: Open
) -> None:
    with serving(drafted) as address:
        page = open_page(f"{address}{DRAFT}&view=list")
        cards = page.locator(".judge-document")
        expect(cards).to_have_count(EACH)
        cards.first.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("3")
        expect(cards.nth(1)).to_contain_text("Graded 3")
        expect(cards.nth(2)).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator(".judge-grade").first).to_be_focused()
        assert issues(page) == []


def test_the_list_begins_at_the_document_that_a_digit_grades(
    drafted: Store, open_page: Open
) -> None:
    with serving(drafted) as address:
        page = open_page(address + DRAFT, width=1000, height=400)
        for number in range(7):
            expect(page.get_by_text(f"{number} of 30 documents judged by you")).to_be_visible()
            page.keyboard.press("1")
        page.get_by_text("List", exact=True).click()
        current = page.locator(".judge-document.is-current")
        expect(current).to_be_in_viewport()
        expect(current.locator(".judge-said")).to_be_empty()
        page.keyboard.press("2")
        expect(page.locator(".judge-document").nth(7)).to_contain_text("Graded 2")
        expect(current).to_be_in_viewport()


def test_what_is_kept_without_a_connection_is_counted_by_document(
    drafted: Store, chrome: Browser
) -> None:
    with serving(drafted) as address, unwatched(chrome) as page:
        page.goto(address + DRAFT)
        expect(page.locator(".judge-document")).to_be_visible()
        page.route(SENDING, lambda route: route.abort())
        for key in ("1", "u", "2", "0", "u"):
            page.keyboard.press(key)
        kept = page.get_by_text("No connection. 1 judgment is kept in this browser.")
        expect(kept).to_be_visible()
        page.goto("about:blank")


def test_an_unjudged_document_is_graded_in_place(drafted: Store, open_page: Open) -> None:
    with serving(drafted) as address:
        page = open_page(f"{address}/c/small/query/q2?runs=bm25,tfidf")
        mark = page.locator("button[data-judge]").first
        row = page.locator(".ranked-row", has=mark)
        row.focus()
        page.keyboard.press("g")
        expect(page.get_by_role("group", name="Grade of d1")).to_be_visible()
        assert issues(page) == []
        page.keyboard.press("2")
        expect(mark).to_have_text("2")
        expect(mark).to_be_focused()
        page.reload()
        expect(mark).to_have_text("2")
        page.goto("about:blank")  # so that nothing is asked of a server that ends
    assert own_grades(drafted, "small", "inline", acting()) == {("q2", "d1"): 2.0}


@pytest.mark.parametrize("most", [30, pytest.param(100, marks=pytest.mark.nightly)])
def test_cut_connections_lose_nothing_and_nothing_is_stored_twice(
    drafted: Store, chrome: Browser, most: int
) -> None:
    cuts = due = 0

    def cut(route: Route) -> None:
        """Cut a request as long as cuts are due: every other one after the server has it."""
        nonlocal cuts
        if cuts >= due:
            route.continue_()
            return
        cuts += 1
        if cuts % 2:
            route.fetch()
        route.abort()

    with serving(drafted) as address, unwatched(chrome) as page:
        # The wait between two attempts ends when the browser says that it is online.
        page.add_init_script("setInterval(() => dispatchEvent(new Event('online')), 20)")
        page.goto(address + DRAFT)
        page.route(SENDING, cut)
        for number in range(1, DOCUMENTS + 1):
            expect(page.get_by_text(f"{number - 1} of 30 documents judged by you")).to_be_visible()
            expect(page.locator(".judge-document")).to_be_visible()
            due = most * number // DOCUMENTS
            page.keyboard.press("1")
            if number == DOCUMENTS // 2:
                page.reload()
            while cuts < due:
                page.wait_for_timeout(10)
        expect(page.get_by_text("There is nothing left for you to judge here.")).to_be_visible()
        page.wait_for_function("() => !Object.keys(localStorage).some((k) => k.includes('judged'))")
    assert cuts == most
    (draft,) = list_drafts(drafted, "small")
    assert draft.graded == DOCUMENTS
    (figures,) = assessors(drafted, "small", "first")
    assert (figures.graded, figures.repeats) == (DOCUMENTS, 0)
