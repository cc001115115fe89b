"""A view is saved under a name by Copy link, opened from the leaderboard, and removed there."""

from __future__ import annotations

import re
from pathlib import Path

from chromium import PATIENCE
from pages.shell import Shell
from playwright.sync_api import Browser, expect
from serving import serving

import evalstore as ev
from evalstore.store import Store


def test_a_view_is_named_opened_and_removed(chrome: Browser, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'views.db'}"
    with ev.open(url) as store:
        run = {"q1": {"d1": 1.0}}
        store.log_run(run, engine="e", collection="c", name="n", qrels={"q1": {"d1": 1}})
    page = chrome.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    with Store.open(url) as store, serving(store) as address:
        page.goto(f"{address}/c/c/run/n?m=P@5")
        page.get_by_role("button", name="Copy link").click()
        box = page.locator("#link-box")
        box.get_by_label("Save this view as").fill("<b>first</b>")
        page.keyboard.press("Enter")
        expect(box).to_have_text("Saved: the leaderboard of the collection lists it.")
        page.goto(f"{address}/c/c")
        page.get_by_text("Saved views").click()
        views = page.locator(".saved-views")
        views.get_by_role("link", name="<b>first</b>").click()
        expect(page).to_have_url(re.compile(r"/c/c/run/n\?m=P%405$"))
        page.goto(f"{address}/c/c")
        Shell(page).at("/c/c")
        page.get_by_text("Saved views").click()
        views.get_by_role("button", name="Remove the saved view").click()
        expect(views).to_have_count(0)
        page.reload()
        expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
        expect(views).to_have_count(0)
    page.context.close()
