"""A team's first day: set up, invite, add runs, compare, log out; and a page of another origin."""

from __future__ import annotations

import http.server
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from accessibility import issues, tab_stops
from free_ports import free_port
from pages.compare import Compare
from pages.leaderboard import Leaderboard
from pages.team import Account, Administration, Invitation, Login
from pages.upload import Upload
from playwright.sync_api import Browser, Page, expect

Open = Callable[..., Page]
PASSWORD = "correct horse battery"
PATIENCE = 300
FORM = """<!DOCTYPE html><title>Elsewhere</title>
<form method="post" action="{address}/admin/tokens/create">
<input name="name" value="stolen"><input name="role" value="administrator">
<input name="collection" value=""><input name="expires" value="">
<button>Win a prize</button></form>"""


QUERIES = range(1, 11)
QRELS = "".join(f"q{n} 0 d{n} 1\n" for n in QUERIES)
GOOD = "".join(f"q{n} Q0 d{n} 1 2.0 good\nq{n} Q0 e{n} 2 1.0 good\n" for n in QUERIES)
POOR = "".join(f"q{n} Q0 e{n} 1 2.0 poor\nq{n} Q0 d{n} 2 1.0 poor\n" for n in QUERIES)
"""Each query has one relevant document: first in one run, second in the other."""


@dataclass(frozen=True)
class Team:
    """A server that was just set up: its address and the first administrator's password."""

    address: str
    password: str


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("team")
    database = folder / "evalstore.db"
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    options = ("--public-url", address, "--admin", "ann")
    made = evalstore("server", "init", *options, "--db", str(database))
    password = made.stdout.removeprefix("password of ann: ").strip()
    command = program("server", "start", "--port", str(port), "--db", str(database))
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            assert address in server.stdout.readline()
            yield Team(address, password)
        finally:
            server.terminate()
            server.wait(PATIENCE)


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "evalstore", *arguments]


def evalstore(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(program(*arguments), check=True, capture_output=True, text=True)


def test_a_team_starts_with_nothing_adds_runs_compares_them_and_logs_out(
    team: Team, open_page: Open
) -> None:
    ann = open_page(team.address)
    expect(ann).to_have_title("Log in · evalstore")
    Login(ann).log_in("ann", team.password)
    expect(ann.get_by_title("Your account")).to_have_text("ann")
    # The dashboard makes no collections, which a program does.
    made = ann.request.post(
        f"{team.address}/api/v1/collections",
        data={"name": "news"},
        headers={"Origin": team.address},
    )
    assert made.status == 201
    link = Account(ann).to_administration().invite("contributor", "news")
    assert link.startswith(f"{team.address}/invitation?key=")

    bob = open_page(link)
    accept_invitation(bob)
    add_files(bob, team)
    compare_runs(bob)
    Account(bob).log_out()
    expect(bob).to_have_title("Log in · evalstore")
    bob.goto(f"{team.address}/c/news")
    expect(bob).to_have_title("Log in · evalstore")

    ann.goto(f"{team.address}/admin")
    page = Administration(ann)
    expect(page.section("Accounts").get_by_role("row").filter(has_text="bob")).to_contain_text(
        "contributor of news"
    )
    expect(page.section("Invitations")).to_contain_text("No invitation is open.")


def accept_invitation(bob: Page) -> None:
    """Choose a name and a password on the page of the link, and log in with them."""
    expect(bob.locator("main")).to_contain_text("invited as contributor of the collection news")
    assert issues(bob) == []
    Invitation(bob).accept("bob", PASSWORD)
    expect(bob.get_by_role("status")).to_contain_text("Your account is made")
    Login(bob).log_in("bob", PASSWORD)
    expect(bob.get_by_title("Your account")).to_have_text("bob")


def add_files(bob: Page, team: Team) -> None:
    """Go to the page of the new collection, and drop judgments and then runs there."""
    bob.get_by_role("link", name="Add runs to news").click()
    upload = Upload(bob)
    upload.settled()
    upload.kind("Judgments")
    expect(bob.get_by_label("Engine", exact=True)).to_be_hidden()
    upload.drop(("news.qrels", QRELS))
    expect(upload.row("news.qrels")).to_contain_text("judgments of 10 queries")
    upload.kind("Runs")
    bob.get_by_label("Engine", exact=True).fill("lucene")
    bob.get_by_label("Tags", exact=True).fill("nightly, k1=0.9")
    upload.drop(("good.run", GOOD), ("poor.run", POOR))
    for name in ("good", "poor"):
        row = upload.row(f"{name}.run")
        expect(row).to_contain_text("Stored")
        expect(row.get_by_role("link", name=name)).to_have_attribute("href", f"/c/news/run/{name}")
    upload.row("good.run").get_by_role("link", name="good").click()
    expect(bob.get_by_role("heading", name="good", exact=True)).to_be_visible()
    for given in ("lucene", "nightly"):
        expect(bob.locator("#page")).to_contain_text(given)


def compare_runs(bob: Page) -> None:
    """Tick both runs in the leaderboard, and read what may be said of them."""
    board = Leaderboard(bob)
    pages = bob.get_by_role("navigation", name="Pages")
    pages.get_by_role("link", name="Leaderboard").click()
    expect(board.runs).to_have_count(2)
    for name in ("good", "poor"):
        board.box(name).check()
    board.compare(2)
    compare = Compare(bob)
    compare.settled()
    assert sorted(compare.runs()) == ["good", "poor"]
    # Ten queries of ten say so.
    expect(compare.claim).to_have_text(
        re.compile("^(poor is worse than good|good is better than poor) on .* by ")
    )


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.nightly), 390])
def test_the_pages_of_administrators_are_for_all_screens_and_the_keyboard(
    team: Team, open_page: Open, width: int
) -> None:
    page = open_page(f"{team.address}/login?next=/admin", width=width)
    Login(page).log_in("ann", team.password)
    page.wait_for_url(f"{team.address}/admin")  # going elsewhere before would end the login
    for path in ("/admin", "/admin/accounts/1", "/account"):
        page.emulate_media(color_scheme="light")
        page.goto(team.address + path)
        assert issues(page) == []
        page.emulate_media(color_scheme="dark")
        assert issues(page, of_colours=True) == []
        assert all(stop["onScreen"] for stop in tab_stops(page))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_page_of_another_origin_can_not_send_a_form_to_the_server(
    team: Team, chrome: Browser, tmp_path: Path
) -> None:
    """Another port of the host is the same site: the browser sends the cookie along."""
    (tmp_path / "index.html").write_text(FORM.format(address=team.address), encoding="utf-8")
    with another_origin(tmp_path) as elsewhere, chrome.new_context() as context:
        page = context.new_page()
        page.goto(team.address)
        Login(page).log_in("ann", team.password)
        expect(page.get_by_title("Your account")).to_have_text("ann")
        page.goto(elsewhere)
        with page.expect_response("**/admin/tokens/create") as sent:
            page.get_by_role("button").click()
        assert "evalstore_session" in sent.value.request.all_headers()["cookie"]
        assert sent.value.status == 403
        page.goto(f"{team.address}/admin")
        expect(Administration(page).section("Tokens")).to_contain_text("No tokens.")


@contextmanager
def another_origin(folder: Path) -> Iterator[str]:
    """A web server over a folder, on another port."""
    handler = partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""
