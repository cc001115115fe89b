"""A real browser on the dashboard, with standing assertions: a clean console, one origin.

Needs Chromium: EVALSTORE_TEST_CHROMIUM, or one on the PATH. Without it these tests are skipped,
and fail where CI=true.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from chromium import MISSING, PATIENCE, chromium, launch
from pages.shell import Shell
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)
from serving import serving

from evalstore.store import Store

# The stores are made by the same functions that the tests without a browser use.
for folder in ("dashboard", "server"):
    sys.path.append(str(Path(__file__).parents[1] / folder))
import sample_stores


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test of this folder: two files without the mark ran with the fast tests."""
    item.add_marker("browser")


@pytest.fixture(scope="session")
def chrome() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        reason = f"NO CHROMIUM: the browser tests did not run. {MISSING}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        launched = launch(playwright, path)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with sample_stores.main(tmp_path_factory.mktemp("main")) as made:
        yield made


@pytest.fixture(scope="session")
def site(store: Store) -> Iterator[str]:
    with serving(store) as address:
        yield address


@pytest.fixture(scope="session")
def demo_site(built_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = shutil.copy(built_demo / "evalstore.db", tmp_path_factory.mktemp("demo"))
    with Store.open(file, create=False) as made, serving(made) as address:
        yield address


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with (
        sample_stores.hostile(tmp_path_factory.mktemp("hostile")) as made,
        serving(made) as address,
    ):
        yield address


@dataclass
class Watched:
    """A page, and what went wrong on it."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        # The page to add files asks for them before it sends any; the browser itself tells of the
        # answer that they are not there.
        of_api = "/api/v1/collections/" in message.location["url"]
        is_not_there = of_api and ("404" in message.text or "409" in message.text)
        if message.type in {"error", "warning"} and not is_not_there:
            self.complaints.append(f"console {message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        # Every dashboard of these tests is on this machine, whatever its port.
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            self.complaints.append(f"request to {request.url}")

    def check(self) -> None:
        """Nothing went wrong since the last check."""
        complaints = self.complaints.copy()
        self.complaints.clear()
        assert not complaints, complaints


@pytest.fixture(scope="session")
def shared_context(chrome: Browser, site: str) -> Iterator[BrowserContext]:
    """A browser that keeps the scripts that it has compiled, half the time of a first page.

    Its process keeps them while it has a page of this machine: one, which is no dashboard, stays.
    """
    context = chrome.new_context()
    context.new_page().goto(f"{site}/assets/no-such-file")
    yield context
    context.close()


EMPTY = "/healthz"
"""A page without scripts, from which one goes to the first page of a test."""
ELSEWHERE = "/measures/AP"
"""The page from which one goes to the pages that tests are about."""


@contextmanager
def kept_page(context: BrowserContext, site: str) -> Iterator[Watched]:
    """A page for several tests: loading a page takes four times as long as going to one."""
    watched = Watched(context.new_page())
    watched.page.set_default_timeout(PATIENCE)
    forget(
        context, watched.page, site
    )  # such as a colour scheme that a test of a file before chose
    watched.watch()
    watched.page.goto(site + ELSEWHERE)
    Shell(watched.page).settled()
    yield watched
    watched.page.close()


def go_to(page: Page, address: str, width: int, height: int) -> Shell:
    """Go to an address in a page that other tests have used; returns its page, come to rest."""
    page.unroute_all()
    page.mouse.move(0, 0)
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="light")
    shell = Shell(page)
    shell.go(ELSEWHERE)
    shell.go(address)
    shell.to_start()
    return shell


@pytest.fixture(scope="module")
def kept(shared_context: BrowserContext, site: str) -> Iterator[Watched]:
    """The page that the tests of a file share, of those that need none of their own."""
    with kept_page(shared_context, site) as watched:
        yield watched


@pytest.fixture
def visit(kept: Watched) -> Iterator[Callable[..., Page]]:
    """Goes to pages of `site` as a link does; at the end none of them may have complained.

    For tests that store nothing in the browser and are not about a first load: those open a page.
    So do tests of the links of the header, which keep what was chosen on pages before.
    """

    def go(address: str, width: int = 1440, height: int = 1000) -> Page:
        return go_to(kept.page, address, width, height).page

    yield go
    kept.page.unroute_all()
    kept.check()


def forget(context: BrowserContext, page: Page, address: str) -> None:
    """Empty what pages of this origin have stored: its next page is that of a first visit."""
    context.clear_cookies()
    origin = "/".join(address.split("/")[:3])
    session = context.new_cdp_session(page)
    stored = {"origin": origin, "storageTypes": "local_storage,indexeddb,service_workers"}
    session.send("Storage.clearDataForOrigin", stored)
    session.detach()


@pytest.fixture
def open_page(chrome: Browser, shared_context: BrowserContext) -> Iterator[Callable[..., Page]]:
    """Opens pages of any size and scheme; at the end none of them may have complained.

    The first is one of a browser that all tests share, the others are in browsers of their own.
    """
    opened: list[Watched] = []

    def open_one(
        address: str, width: int = 1440, height: int = 1000, scheme: str = "light"
    ) -> Page:
        is_shared = not opened and address.startswith("http:")
        context = shared_context if is_shared else chrome.new_context()
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        if is_shared:
            forget(context, page, address)
        watched = Watched(page)
        watched.watch()
        opened.append(watched)
        page.goto(address)
        return page

    yield open_one
    for watched in opened:
        watched.page.close()
        if watched.page.context is not shared_context:
            watched.page.context.close()
    for watched in opened:
        watched.check()
