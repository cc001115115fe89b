"""The editor of the SQL page: typing, completion, running; and the text field without it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from accessibility import issues
from pages.shell import Shell
from playwright.sync_api import Locator, Page, Route, expect

Visit = Callable[..., Page]
SCRIPT = re.compile("/vendor/codemirror")
BEST = (
    "SELECT run, value FROM leaderboard WHERE collection = 'small' AND measure = 'AP' "
    "ORDER BY value DESC"
)


def statement(page: Page) -> Locator:
    """The field that is shown: that of the editor, or the text field."""
    return page.get_by_role("textbox", name="SQL statement: one SELECT")


@pytest.fixture
def editor(visit: Visit) -> Page:
    page = visit("/sql")
    expect(page.locator(".cm-editor")).to_be_visible()
    expect(page.locator("#sql-statement")).to_be_hidden()
    statement(page).focus()
    return page


def selected(page: Page, text: str) -> None:
    """Wait for the list whose selected name is this one."""
    expect(page.locator(".cm-tooltip [aria-selected]")).to_contain_text(text)


def test_views_and_columns_are_completed_and_ctrl_enter_runs_the_statement(editor: Page) -> None:
    editor.keyboard.type("SELECT * FROM lead")
    selected(editor, "leaderboard")
    expect(editor.locator(".cm-completionInfo")).to_have_text(
        "One figure per run, qrels and measure."
    )
    assert issues(editor) == []
    editor.emulate_media(color_scheme="dark")
    expect(editor.locator("html[data-mantine-color-scheme=dark]")).to_be_attached()
    assert issues(editor, of_colours=True) == []
    # Long after the list appeared: CodeMirror gives an Enter of the first moment to the text.
    editor.keyboard.press("Enter")
    expect(statement(editor)).to_have_text("SELECT * FROM leaderboard")
    editor.keyboard.type(" AS l WHERE l.collection = 'small' AND meas")
    selected(editor, "measure")
    editor.locator(".cm-tooltip [aria-selected]").click()
    editor.keyboard.type(" = 'AP'")
    expect(editor.locator(".tok-keyword").first).to_have_text("SELECT")
    editor.keyboard.type(" AND ru")
    selected(editor, "run")
    editor.keyboard.press("Control+Enter")
    expect(editor.locator(".cm-tooltip")).to_have_count(0)
    expect(editor.get_by_role("alert").last).to_contain_text("ru")
    assert editor.url.endswith("AND%20ru")


def test_the_example_that_is_seen_runs_where_nothing_is_written(editor: Page) -> None:
    editor.get_by_role("button", name="Run").click()
    expect(statement(editor)).to_have_text(
        "SELECT run, value FROM leaderboard WHERE measure = 'AP'"
    )
    expect(editor.locator("#sql-grid .ag-row").first).to_be_visible()


BESIDE = """() => {
  const [statement, questions] = [".sql-statement", ".sql-cookbook"].map((selector) =>
    document.querySelector(selector).getBoundingClientRect());
  return questions.left > statement.right;
}"""


def test_the_questions_are_below_the_editor_until_one_is_asked(editor: Page) -> None:
    assert not editor.evaluate(BESIDE)
    editor.get_by_role("link", name="On what do two qrels disagree?").click()
    expect(editor.locator("#sql-headline")).to_contain_text("On what do two qrels disagree?")
    assert editor.evaluate(BESIDE)
    expect(editor.get_by_role("link", name="Which run has the highest value?")).to_be_hidden()


def test_a_question_at_the_end_of_a_narrow_page_shows_its_answer(editor: Page) -> None:
    editor.set_viewport_size({"width": 390, "height": 700})
    editor.get_by_role("link", name="On what do two qrels disagree?").click()
    expect(editor.locator("#sql-headline")).to_contain_text("On what do two qrels disagree?")
    expect(editor.locator("#sql-headline")).to_be_in_viewport()


def test_the_reason_of_a_failure_is_above_the_statement(visit: Visit) -> None:
    page = visit("/sql?s=SELECT nothing FROM leaderboard")
    tops = [
        page.locator(selector).evaluate("x => x.getBoundingClientRect().top")
        for selector in ("#sql-headline", "#sql-answer [role=alert]", ".sql-statement")
    ]
    assert tops == sorted(tops)


def test_in_a_text_nothing_is_completed(editor: Page) -> None:
    editor.keyboard.type("SELECT 'lead")
    editor.keyboard.type("er' AS x FROM lead")
    selected(editor, "leaderboard")
    for _ in "' AS x FROM lead":
        editor.keyboard.press("Backspace")
    expect(editor.locator(".cm-tooltip")).to_have_count(0)


def test_tab_leaves_the_editor_also_over_an_open_list(editor: Page) -> None:
    editor.keyboard.type("SELECT ru")
    selected(editor, "run")
    editor.keyboard.press("Tab")
    expect(editor.locator("#sql-run")).to_be_focused()
    expect(editor.locator(".cm-tooltip")).to_have_count(0)
    editor.keyboard.press("Shift+Tab")
    expect(statement(editor)).to_be_focused()


def test_the_editor_follows_the_address_and_a_name_is_put_into_it(editor: Page) -> None:
    shell = Shell(editor)
    editor.keyboard.type("SELECT 1 AS one")
    editor.keyboard.press("Control+Enter")
    expect(editor.locator("#sql-grid .ag-row")).to_have_count(1)
    editor.get_by_role("link", name="Which run has the highest value?").click()
    expect(statement(editor)).to_contain_text("FROM leaderboard")
    shell.back()
    expect(statement(editor)).to_have_text("SELECT 1 AS one")
    shell.go("/measures")
    shell.back()
    expect(statement(editor)).to_have_text("SELECT 1 AS one")
    statement(editor).press("Control+End")
    editor.locator(".sql-schema summary", has_text="judgments").click()
    editor.get_by_role("button", name="judgments", exact=True).click()
    expect(statement(editor)).to_have_text("SELECT 1 AS onejudgments")
    expect(statement(editor)).to_be_focused()
    editor.keyboard.press("Control+z")
    expect(statement(editor)).to_have_text("SELECT 1 AS one")


def test_without_the_script_the_text_field_works_and_its_text_moves_into_the_editor(
    site: str, open_page: Visit
) -> None:
    page = open_page(site + "/measures/AP")
    shell = Shell(page)
    shell.settled()
    waiting: list[Route] = []
    # A function, as Playwright sets an attribute of it.
    page.route(SCRIPT, lambda route: waiting.append(route))  # noqa: PLW0108
    shell.go("/sql")
    field = page.locator("#sql-statement")
    field.fill(BEST)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#sql-grid .ag-row")).to_have_count(3)
    page.keyboard.type(" LIMIT 1")
    waiting[0].continue_()
    expect(page.locator(".cm-editor")).to_be_visible()
    expect(field).to_be_hidden()
    expect(statement(page)).to_be_focused()
    expect(statement(page)).to_have_text(f"{BEST} LIMIT 1")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#sql-grid .ag-row")).to_have_count(1)


def test_a_run_of_the_answer_leads_to_its_page_by_mouse_and_keyboard(visit: Visit) -> None:
    shell = Shell(visit(f"/sql?s={BEST}"))
    cell = shell.page.locator("#sql-grid [col-id=c0]", has_text="bm25")
    cell.get_by_role("link").click()
    shell.at("/run/bm25")
    shell.back()
    cell.click(position={"x": 85, "y": 15})
    shell.page.keyboard.press("Enter")
    shell.at("/run/bm25")
