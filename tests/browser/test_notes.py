"""A note of a run is Markdown; whoever wrote it, it runs nothing and loads nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import PATIENCE
from playwright.sync_api import Browser, expect
from serving import serving

import evalstore as ev
from evalstore.store import Store

pytestmark = pytest.mark.browser

NOTE = """**Better** <script>window.pwned = 1</script> <img src=x onerror="window.pwned = 1">
[a](javascript:window.pwned=1) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](vbscript:x)
[e](&#106;avascript:alert(1)) ![x](https://example.org/x.png) [f](https://example.org/)
"""


def test_a_hostile_note_runs_and_loads_nothing(chrome: Browser, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'notes.db'}"
    with ev.open(url) as store:
        run = {"q1": {"d1": 1.0}}
        store.log_run(run, engine="e", collection="c", name="n", qrels={"q1": {"d1": 1}}, note=NOTE)
    page = chrome.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    answered: list[str] = []
    page.on("response", lambda response: answered.append(response.url))
    with Store.open(url) as store, serving(store) as address:
        page.goto(f"{address}/c/c/run/n")
        note = page.locator("#note")
        expect(note.locator("strong")).to_have_text("Better")
        links = [link.get_attribute("href") for link in note.locator("a").all()]
        assert links == ["javascript:void(0)"] * 5 + ["https://example.org/"]
        expect(note).to_contain_text("<script>window.pwned = 1</script>")
        assert page.evaluate("window.pwned") is None
        assert not [url for url in answered if not url.startswith(address)]
    page.context.close()
