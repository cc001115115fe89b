"""Files are sent and stored, over bad connections too; test_team_journey.py adds runs of a team."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from accessibility import issues, tab_stops
from chromium import PATIENCE
from conftest import forget
from cutting_proxy import CuttingProxy, proxy
from pages.upload import Upload
from playwright.sync_api import BrowserContext, Page, Request, expect
from samples import QRELS, qrels_text
from server_process import ServerProcess, serving

from evalstore.server.people.accounts import add_person
from evalstore.store import Store

PASSWORD = "correct horse battery"
GOOD = "q1 Q0 d1 1 2.0 {0}\nq1 Q0 d{1} 2 1.0 {0}\nq2 Q0 d4 1 1.0 {0}\nq3 Q0 d6 1 1.0 {0}\n"
MIB = 1 << 20
HOSTILE = "<img src=x onerror=alert(1)>&amp; a%2Fb #?'\" \u202e.run"


@pytest.fixture(scope="module")
def network() -> Iterator[CuttingProxy]:
    with proxy() as made:
        yield made


@pytest.fixture(scope="module")
def served(
    network: CuttingProxy, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    folder: Path = tmp_path_factory.mktemp("served")
    with serving(folder, f"http://127.0.0.1:{network.port}") as running:
        with Store.open(str(running.database)) as store:
            add_person(store, "rita", "reader", None, PASSWORD)
        network.start(running.port)
        yield running


class Opened(Upload):
    """A page of somebody who is logged in; the policy of the page allows no foreign script."""

    def __init__(self, page: Page, site: str) -> None:
        super().__init__(page)
        self.site = site
        self.violations: list[str] = []
        page.on("pageerror", lambda error: self.violations.append(str(error)))
        page.on(
            "console",
            lambda message: (
                self.violations.append(message.text)
                if "Content Security Policy" in message.text
                else None
            ),
        )
        page.on("dialog", lambda dialog: self.violations.append(dialog.message))

    def log_in(self, name: str) -> None:
        """Log in without the pages of the login, which test_team_journey.py tests."""
        answer = self.page.request.post(
            f"{self.site}/login",
            form={"name": name, "password": PASSWORD},
            headers={"Origin": self.site},
            max_redirects=0,
        )
        assert answer.status == 303


@pytest.fixture
def opened(
    shared_context: BrowserContext, served: ServerProcess, network: CuttingProxy
) -> Iterator[Opened]:
    page = Opened(shared_context.new_page(), f"http://127.0.0.1:{network.port}")
    page.page.set_default_timeout(PATIENCE)
    page.page.set_viewport_size({"width": 1440, "height": 1000})
    page.page.emulate_media(color_scheme="light")
    forget(shared_context, page.page, page.site)
    yield page
    page.page.close()
    assert page.violations == []


@pytest.fixture
def upload(opened: Opened) -> Opened:
    """The page to add files on, of an administrator."""
    opened.log_in("ann")
    opened.page.goto(f"{opened.site}/c/test/upload")
    expect(opened.page.get_by_text("Drop files here, or")).to_be_visible()
    return opened


def test_a_file_that_is_stored_is_not_sent_again(upload: Opened, network: CuttingProxy) -> None:
    content = GOOD.format("again", 5)
    upload.drop(("again.run", content))
    expect(upload.row("again.run")).to_contain_text("Stored")
    requests: list[str] = []
    upload.page.on("request", lambda request: requests.append(request.method))
    upload.page.reload()
    expect(upload.page.get_by_text("Drop files here, or")).to_be_visible()
    upload.drop(("again.run", content))
    expect(upload.row("again.run")).to_contain_text("Stored already")
    assert "PUT" not in requests


def test_a_file_whose_name_is_taken_says_what_to_do(upload: Opened) -> None:
    upload.drop(("taken.run", GOOD.format("taken", 8)))
    expect(upload.row("taken.run")).to_contain_text("Stored")
    upload.page.reload()
    expect(upload.page.get_by_text("Drop files here, or")).to_be_visible()
    upload.drop(("taken.run", GOOD.format("taken", 9)))
    expect(upload.row("taken.run")).to_contain_text(
        "a run named 'taken' with other content is in collection 'test': "
        "rename the file, then add it again"
    )


def large_run() -> bytes:
    """A run of two pieces: long names, so that few lines are enough; only d1 is judged."""
    name = "document" * 25
    lines = (
        f"q{q} Q0 {name}-{n} {n} {2000 - n} large" for q in range(1, 61) for n in range(1, 1001)
    )
    return ("q1 Q0 d1 0 3000 large\n" + "\n".join(lines) + "\n").encode()


NOTE_WHAT_IS_SHOWN = """() => {
    window.shown = "";
    new MutationObserver(() => { window.shown += document.body.innerText; }).observe(
        document.body, {childList: true, subtree: true, characterData: true});
}"""
"""A text that is on the page for a second can be missed by looking now and then."""


def first_byte(request: Request) -> list[int]:
    """Where the piece begins that a request sends; empty for all other requests."""
    content = re.match(r"bytes (\d+)-", request.headers.get("content-range", ""))
    return [int(content[1])] if content else []


def test_an_upload_goes_on_where_the_connection_broke(
    upload: Opened, network: CuttingProxy
) -> None:
    content = large_run()
    assert 12 * MIB < len(content) < 16 * MIB
    network.cut_at = network.sent + 11 * MIB
    begun: list[int] = []  # with which byte each piece begins
    upload.page.on("request", lambda request: begun.extend(first_byte(request)))
    upload.page.evaluate(NOTE_WHAT_IS_SHOWN)
    upload.choose(("large.run", content))
    expect(upload.row("large.run")).to_contain_text("Stored")
    assert network.cuts == 1
    assert "goes on in" in upload.page.evaluate("shown")
    # The server keeps what had come of the second piece, and the next one begins behind it.
    assert begun[:2] == [0, 8 * MIB]
    assert begun == sorted(begun)
    assert any(first % (8 * MIB) for first in begun)


def test_a_hostile_name_of_a_file_is_shown_as_it_is(upload: Opened) -> None:
    upload.choose((HOSTILE, GOOD.format("hostile", 7).encode()), ("bad\u0007.run", b"q1 Q0 d1\n"))
    row = upload.row(HOSTILE)
    expect(row).to_contain_text("Stored")
    row.get_by_role("link").click()
    expect(upload.page.get_by_role("heading", level=1)).to_contain_text(
        "<img src=x onerror=alert(1)>"
    )


def test_judgments_are_added_as_the_page_says(upload: Opened) -> None:
    upload.kind("Judgments")
    expect(upload.page.get_by_label("Engine", exact=True)).to_be_hidden()
    upload.drop(("new.qrels", qrels_text({**QRELS, "q4": {"d1": 1}})))
    expect(upload.row("new.qrels")).to_contain_text("judgments of 4 queries")
    expect(upload.row("new.qrels")).to_contain_text("shown under qrels 'test'")


def test_who_may_read_only_is_offered_no_upload(opened: Opened) -> None:
    opened.log_in("rita")
    opened.page.goto(opened.site)
    expect(opened.page.get_by_role("heading", name="Collections")).to_be_visible()
    expect(opened.page.get_by_role("link", name="Add runs")).to_have_count(0)
    opened.page.goto(f"{opened.site}/c/test")
    expect(opened.page.locator(".board")).to_be_visible()
    expect(opened.page.get_by_role("link", name="Add runs")).to_have_count(0)
    opened.page.goto(f"{opened.site}/c/test/upload")
    expect(opened.page.get_by_role("heading", name="Files can't be added here")).to_be_visible()


def refuse(upload: Opened, times: int) -> None:
    """Let the server fail to take the next runs."""
    refusal = {"detail": "the server has a fault"}
    upload.page.route(
        "**/api/v1/collections/*/runs",
        lambda route: route.fulfill(status=500, json=refusal),
        times=times,
    )


def test_only_a_file_that_may_be_taken_later_can_be_tried_again(upload: Opened) -> None:
    upload.drop(("broken.run", "q1 Q0 d1 1 1.0 t\nq1\n"), ("empty.run", ""))
    for name in ("broken.run", "empty.run"):
        expect(upload.row(name)).to_contain_text("Failed")
        expect(upload.row(name).get_by_role("button")).to_have_count(0)
    refuse(upload, 1)
    upload.drop(("later.run", GOOD.format("later", 11)))
    expect(upload.row("later.run")).to_contain_text("the server has a fault")
    upload.row("later.run").get_by_role("button", name="Try again").click()
    expect(upload.row("later.run")).to_contain_text("Stored")


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.nightly), 390])
def test_the_page_can_be_used_by_keyboard_and_screen_reader(upload: Opened, width: int) -> None:
    upload.page.set_viewport_size({"width": width, "height": 844})
    upload.drop(("fine.run", GOOD.format("fine", 9)), ("wrong.run", "q1 Q0 d1 1 1.0 t\nq1\n"))
    expect(upload.row("fine.run")).to_contain_text("Stored")
    expect(upload.row("wrong.run")).to_contain_text("wrong.run:2: expected 6 columns, found 1")
    refuse(upload, 1)
    upload.drop(("later.run", GOOD.format("later", 12)))
    expect(upload.row("later.run")).to_contain_text("the server has a fault")
    assert issues(upload.page) == []
    upload.page.emulate_media(color_scheme="dark")
    expect(upload.page.locator("html[data-mantine-color-scheme=dark]")).to_be_attached()
    assert issues(upload.page, of_colours=True) == []
    stops = [str(stop["name"]) for stop in tab_stops(upload.page)]
    assert any("upload-input" in name for name in stops)
    assert any("Try again: later.run" in name for name in stops)
    wide = upload.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wide


def test_the_hash_of_a_file_is_its_sha_256(upload: Opened) -> None:
    asked = """(length) => {
      const bytes = Uint8Array.from({ length }, (_, n) => (n * 7) % 251);
      return evalstoreSha256(new Blob([bytes]));
    }"""
    for length in (0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000_003, 2 * MIB):
        content = bytes(n * 7 % 251 for n in range(length))
        assert upload.page.evaluate(asked, length) == hashlib.sha256(content).hexdigest(), length
