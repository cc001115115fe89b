"""The server stops and comes back while a page is open: no figure stands under a wrong label."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sample_stores
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.browser


@contextmanager
def server_process(database: Path, port: int) -> Iterator[None]:
    """`evalstore dashboard` in a process of its own; it answers once this is entered."""
    program = [sys.executable, "-m", "evalstore", "--db", f"sqlite:///{database}"]
    with subprocess.Popen(
        [*program, "dashboard", "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert "dashboard at" in process.stdout.readline()
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_what_can_not_be_loaded_is_said_and_never_left_under_another_label(
    chrome: Browser, tmp_path: Path
) -> None:
    sample_stores.main(tmp_path).close()
    database, port = tmp_path / "main.db", free_port()
    # Not `open_page`: the browser itself complains of the requests that fail.
    context = chrome.new_context()
    context.set_default_timeout(20_000)
    page = context.new_page()
    notice = page.get_by_text("No connection to the dashboard.")
    rows = page.locator("#runs-grid .ag-center-cols-container .ag-row")

    with server_process(database, port):
        page.goto(f"http://127.0.0.1:{port}/?collection=small")
        expect(rows).to_have_count(3)
        expect(notice).to_be_hidden()

    page.locator("#runs-collection").click()
    page.get_by_role("option", name="other").click()
    expect(notice).to_be_visible()
    expect(rows.first).to_be_hidden()
    expect(page.locator("#runs-collection")).to_be_hidden()

    with server_process(database, port):
        expect(notice).to_be_hidden()
        expect(rows).to_have_count(3)
        expect(rows.first).to_be_visible()
        # The page is that of its address, and so is what the control says.
        expect(page).to_have_url(re.compile("collection=small$"))
        expect(page.locator("#runs-collection")).to_have_value("small")
        page.locator("#runs-collection").click()
        page.get_by_role("option", name="other").click()
        expect(rows).to_have_count(1)
        expect(page.locator("#runs-collection")).to_have_value("other")
    context.close()


def test_an_error_of_the_server_is_said_and_hides_what_may_be_wrong(
    chrome: Browser, site: str
) -> None:
    page = chrome.new_page()
    rows = page.locator("#runs-grid .ag-center-cols-container .ag-row")
    page.goto(f"{site}/?collection=small")
    expect(rows).to_have_count(3)
    page.route("**/_dash-update-component*", lambda route: route.fulfill(status=500))
    page.locator("#runs-collection").click()
    page.get_by_role("option", name="other").click()
    expect(page.get_by_text("The dashboard failed to answer.")).to_be_visible()
    expect(rows.first).to_be_hidden()
    page.unroute("**/_dash-update-component*")
    page.get_by_role("link", name="Load the page again").click()
    expect(rows).to_have_count(3)
    expect(rows.first).to_be_visible()
    expect(page.get_by_text("The dashboard failed to answer.")).to_be_hidden()
    page.close()


def test_a_page_on_which_nothing_is_asked_for_stays_readable(
    chrome: Browser, tmp_path: Path
) -> None:
    sample_stores.main(tmp_path).close()
    port = free_port()
    page = chrome.new_page()
    rows = page.locator("#runs-grid .ag-center-cols-container .ag-row")
    with server_process(tmp_path / "main.db", port):
        page.goto(f"http://127.0.0.1:{port}/?collection=small")
        expect(rows).to_have_count(3)
    page.locator("#runs-filter").fill("bm25")
    expect(rows).to_have_count(1)
    expect(rows.first).to_be_visible()
    page.close()
