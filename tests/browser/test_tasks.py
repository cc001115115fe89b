"""The tasks that people come with, each by its number of clicks from the Leaderboard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import Watched, kept_page
from pages.shell import Shell
from playwright.sync_api import BrowserContext, Locator, expect

BOARD = "/c/python-docs"


class Person(Shell):
    """Who counts what they click."""

    clicks = 0

    def click(self, target: Locator) -> None:
        """Click, and wait until the page has come to rest."""
        self.clicks += 1
        target.click()
        self.page.wait_for_timeout(100)
        self.settled()


@pytest.fixture(scope="module")
def demo(shared_context: BrowserContext, demo_site: str) -> Iterator[Watched]:
    with kept_page(shared_context, demo_site) as watched:
        yield watched


@pytest.fixture
def person(demo: Watched) -> Iterator[Person]:
    """Somebody at the Leaderboard of the demo."""
    person = Person(demo.page)
    person.page.set_viewport_size({"width": 1440, "height": 1000})
    person.go(BOARD)
    yield person
    demo.check()


def test_which_run_is_best_and_may_i_claim_it(person: Person) -> None:
    headline = person.page.locator("#board-headline")
    expect(headline).to_contain_text("No run is shown to be best on AP: ql-stem (0.3917)")
    assert person.clicks == 0


def test_the_documents_of_the_worst_query_of_a_run(person: Person) -> None:
    page = person.page
    person.click(page.get_by_role("link", name="ql-stem", exact=True).first)
    expect(page.locator("h1")).to_contain_text("ql-stem")
    person.click(page.locator("#run-extremes a[href*='/query/']").last)
    person.click(page.locator(".ranked-list a.docno").first)
    expect(page.locator(".opened-document .document-text")).to_be_visible()
    assert person.clicks == 3


def test_what_changed_between_two_versions(person: Person) -> None:
    page = person.page
    person.click(page.locator("#navigation").get_by_role("link", name="History"))
    worse = page.locator("a[href*='open=why']").filter(has_text="worse").first
    person.click(worse)
    why = page.locator("#section-why")
    expect(why).to_contain_text("commit")
    expect(why).to_contain_text("Relevant that left the top 10")
    assert person.clicks == 2


def test_a_run_found_by_its_parameter(person: Person) -> None:
    page = person.page
    person.click(page.get_by_placeholder("Find run, engine, tag, parameter"))
    page.keyboard.type("500")
    person.at("?find=500")
    expect(page.locator("#board-grid")).to_contain_text("ql-stem-2026-07")
    expect(page.locator("#board-grid")).not_to_contain_text("tfidf")
    assert person.clicks == 1


def test_a_figure_for_a_paper(person: Person) -> None:
    page = person.page
    person.go("/c/python-docs/compare?runs=bm25,ql-stem")
    person.click(page.locator("#export-menu summary"))
    with page.expect_download() as download:
        person.click(page.get_by_role("link", name="recall-precision.pdf"))
    assert download.value.suggested_filename.endswith(".pdf")
    assert person.clicks == 2


def test_what_a_figure_draws_is_saved_by_its_own_buttons(person: Person) -> None:
    page = person.page
    person.go("/c/python-docs/compare?runs=bm25,ql-stem&m=AP")
    buttons = page.locator("#histogram-figure .figure-buttons button")
    for form in ("PNG", "SVG", "CSV"):
        with page.expect_download() as download:
            buttons.filter(has_text=form).click()
        assert download.value.suggested_filename == f"histogram.{form.lower()}"
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0] == "series,x,y"
    assert len(lines) == 1 + 53
    assert lines[1].split(",")[:2] == ["q01", "q01"]
