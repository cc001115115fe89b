"""The dashboard below a path of its host: nothing that a browser asks for leaves it."""

from __future__ import annotations

import re

from conftest import Watched
from pages.shell import Shell
from playwright.sync_api import Browser, expect
from serving import serving

from evalstore.store import Store

LINKS = """() => [...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href"))"""


def test_pages_scripts_and_files_are_below_the_path(chrome: Browser, store: Store) -> None:
    with serving(store, "/team/eval") as site:
        context = chrome.new_context()
        watched = Watched(context.new_page())
        watched.watch()
        page, asked = watched.page, []
        page.on("request", lambda request: asked.append(request.url))
        shell = Shell(page)
        page.goto(site)
        shell.settled()
        for name in (
            "Leaderboard",
            "Compare",
            "Queries",
            "Judgments",
            "Judge",
            "History",
            "SQL",
            "Measures",
        ):
            page.get_by_role("navigation", name="Pages").get_by_role(
                "link", name=name, exact=True
            ).click()
            expect(page.locator("[aria-current=page]").first).to_have_text(name)
            shell.settled()
            outside = [
                href
                for href in page.evaluate(LINKS)
                if href.startswith("/") and not href.startswith("/team/eval/")
            ]
            assert outside == [], name
        page.goto(f"{site}/c/small")
        shell.settled()
        page.locator("#export-menu summary").click()
        with page.expect_download() as download:
            page.locator("#export-menu a[data-file]").first.click()
        assert re.match(rf"{site}/export/c/small/[a-z.]+", download.value.url)
        assert [url for url in asked if not re.match(rf"{site}(/|$)|blob:|data:", url)] == []
        context.close()
        assert watched.complaints == []
