"""Notes and comments are Markdown; whoever wrote them, they run nothing and load nothing."""

from __future__ import annotations

from pathlib import Path

from chromium import PATIENCE
from playwright.sync_api import Browser, expect
from serving import serving

import evalstore as ev
from evalstore.store import Store
from evalstore.tracking.comments import comment_on_run

NOTE = """**Better** <script>window.pwned = 1</script> <img src=x onerror="window.pwned = 1">
[a](javascript:window.pwned=1) [b](JaVaScRiPt:alert(1)) [c](data:text/html,x) [d](vbscript:x)
[e](&#106;avascript:alert(1)) ![x](https://example.org/x.png) [f](https://example.org/)
"""


def stored(folder: Path, note: str) -> str:
    """The URL of a store with the run `n` of the collection `c`."""
    url = f"sqlite:///{folder / 'notes.db'}"
    with ev.open(url) as store:
        run = {"q1": {"d1": 1.0}}
        store.log_run(run, engine="e", collection="c", name="n", qrels={"q1": {"d1": 1}}, note=note)
    return url


def test_a_hostile_note_or_comment_runs_and_loads_nothing(chrome: Browser, tmp_path: Path) -> None:
    url = stored(tmp_path, NOTE)
    page = chrome.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    answered: list[str] = []
    page.on("response", lambda response: answered.append(response.url))
    with Store.open(url) as store, serving(store) as address:
        comment_on_run(store, "n", NOTE)
        page.goto(f"{address}/c/c/run/n")
        for text in (page.locator("#note"), page.locator("#comment-1 .note-text")):
            expect(text.locator("strong")).to_have_text("Better")
            links = [link.get_attribute("href") for link in text.locator("a").all()]
            assert links == ["javascript:void(0)"] * 5 + ["https://example.org/"]
            expect(text).to_contain_text("<script>window.pwned = 1</script>")
        assert page.evaluate("window.pwned") is None
        assert not [url for url in answered if not url.startswith(address)]
    page.context.close()


def test_a_comment_is_written_linked_and_deleted(chrome: Browser, tmp_path: Path) -> None:
    url = stored(tmp_path, "a note")
    page = chrome.new_context(viewport={"width": 1000, "height": 500}).new_page()
    page.set_default_timeout(PATIENCE)
    with Store.open(url) as store, serving(store) as address:
        page.goto(f"{address}/c/c/query/q1")
        field, note = page.get_by_label("Comment on this query"), page.locator("#comment-note")
        send = page.get_by_role("button", name="Comment", exact=True)
        send.click()
        expect(note).to_have_text("The comment is empty.")
        for number in (1, 2):
            field.fill(f"**{number}**")
            send.click()
            expect(page.locator(".comment.is-linked strong")).to_have_text(str(number))
            expect(page).to_have_url(f"{address}/c/c/query/q1?comment={number}")
            expect(field).to_have_value("")
        page.goto(f"{address}/c/c/query/q1")
        expect(page.locator(".comment")).to_have_count(2)
        page.locator("#comment-1 .comment-head a").click()
        expect(page.locator("#comment-1.is-linked")).to_be_in_viewport()
        page.goto(f"{address}/c/c/query/q1?comment=2")
        expect(page.locator("#comment-2.is-linked")).to_be_in_viewport()
        page.locator("#comment-2 summary").click()
        page.get_by_role("button", name="Delete for good").click()
        expect(page.locator(".comment")).to_have_count(1)
        expect(note).to_have_text("Deleted.")
        page.reload()
        expect(page.locator(".comment")).to_have_count(1)
    page.context.close()
