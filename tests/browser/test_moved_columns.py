"""The order of a leaderboard's measures, changed in place: it stands in the address."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pages.leaderboard import Leaderboard
from playwright.sync_api import Locator, Page, expect

Open = Callable[..., Page]
BOARD = "/c/small?m=AP,RR,P@5"


@pytest.fixture
def board(visit: Open) -> Leaderboard:
    board = Leaderboard(visit(BOARD))
    expect(board.runs).to_have_count(3)
    return board


def drag(
    board: Leaderboard, header: Locator, to: Locator, share: float, until: str = "() => true"
) -> None:
    """Drag a header to a place within another: `share` of its width from the left.

    It is let go once `until` holds in the browser.
    """
    start, end = header.bounding_box(), to.bounding_box()
    assert start is not None
    assert end is not None
    mouse = board.page.mouse
    mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    mouse.down()
    middle = end["y"] + end["height"] / 2
    for part in (share + 0.2, share + 0.1, share):
        mouse.move(end["x"] + part * end["width"], middle, steps=8)
    board.wait_until(until)
    mouse.up()


def test_a_measure_that_is_dragged_keeps_its_place_in_the_address(
    board: Leaderboard, open_page: Open
) -> None:
    drag(board, board.header("P@5"), board.header("RR"), 0.2)
    board.at("?m=AP,P%405,RR")
    assert board.measures() == ["AP", "P@5", "RR"]
    again = Leaderboard(open_page(board.page.url))
    again.settled()
    expect(again.runs).to_have_count(3)
    assert again.measures() == ["AP", "P@5", "RR"]
    board.back()
    board.at(BOARD)
    assert board.measures() == ["AP", "RR", "P@5"]


def test_a_measure_that_is_dragged_to_the_front_leads(board: Leaderboard) -> None:
    board.go("/c/small?m=AP,RR,P@5&sort=-AP")
    drag(board, board.header("P@5"), board.header("AP"), 0.2)
    board.at("?m=P%405,AP,RR")
    assert board.measures() == ["P@5", "AP", "RR"]


def test_a_measure_that_stays_behind_the_others_goes_back_to_its_place(board: Leaderboard) -> None:
    columns = board.columns()
    place = columns.index("v2")
    answered = board.page.locator("#board-grid .ag-header-cell[col-id=answered]")
    is_away = f"() => {board.ORDER}.indexOf('v2') > {place}"
    drag(board, board.header("P@5"), answered, 0.7, is_away)
    board.wait_until(f"() => {board.ORDER}.join() === '{','.join(columns)}'")
    board.at(BOARD)


def test_the_keyboard_moves_a_measure_on_and_on(board: Leaderboard) -> None:
    page = board.page
    board.header("P@5").focus()
    page.keyboard.press("Shift+ArrowLeft")
    board.at("?m=AP,P%405,RR")
    expect(board.header("P@5")).to_be_focused()
    page.keyboard.press("Shift+ArrowRight")
    board.at("?m=AP,RR,P%405")
    expect(board.header("P@5")).to_be_focused()
    assert board.measures() == ["AP", "RR", "P@5"]
