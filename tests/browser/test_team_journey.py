"""A team's first day: set up, log in, invite, compare, log out; and a page of another origin."""

from __future__ import annotations

import http.server
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
from pages.team import Account, Administration, Invitation, Login
from playwright.sync_api import Browser, Page, expect
from samples import TFIDF, add, write_run

from evalstore.store import Store

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
PASSWORD = "correct horse battery"
PATIENCE = 300
FORM = """<!DOCTYPE html><title>Elsewhere</title>
<form method="post" action="{address}/admin/tokens/create">
<input name="name" value="stolen"><input name="role" value="administrator">
<input name="collection" value=""><input name="expires" value="">
<button>Win a prize</button></form>"""


@dataclass(frozen=True)
class Team:
    """A server that was just set up: its address, its store, the first administrator's password."""

    address: str
    database: Path
    password: str


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("team")
    database = folder / "evalstore.db"
    with Store.open(str(database)) as store:
        run = write_run(folder)
        add(store, folder, run, write_run(folder, TFIDF, "tfidf.run", "tfidf"))
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    options = ("--public-url", address, "--admin", "ann")
    made = evalstore("server", "init", *options, "--db", str(database))
    password = made.stdout.removeprefix("password of ann: ").strip()
    command = program("serve", "--port", str(port), "--db", str(database))
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            assert address in server.stdout.readline()
            yield Team(address, database, password)
        finally:
            server.terminate()
            server.wait(PATIENCE)


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "evalstore", *arguments]


def evalstore(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(program(*arguments), check=True, capture_output=True, text=True)


def test_a_team_is_invited_compares_runs_and_logs_out(team: Team, open_page: Open) -> None:
    ann = open_page(team.address)
    expect(ann).to_have_title("Log in · evalstore")
    Login(ann).log_in("ann", team.password)
    link = Account(ann).to_administration().invite("reader", "test")
    assert link.startswith(f"{team.address}/invitation?key=")

    bob = open_page(link)
    expect(bob.locator("main")).to_contain_text("invited as reader of the collection test")
    assert issues(bob) == []
    Invitation(bob).accept("bob", PASSWORD)
    expect(bob.get_by_role("status")).to_contain_text("Your account is made")
    Login(bob).log_in("bob", PASSWORD)
    expect(bob.get_by_title("Your account")).to_have_text("bob")
    bob.goto(f"{team.address}/c/test/compare?runs=bm25,tfidf")
    compare = Compare(bob)
    compare.settled()
    assert compare.runs() == ["bm25", "tfidf"]
    Account(bob).log_out()
    expect(bob).to_have_title("Log in · evalstore")
    bob.goto(f"{team.address}/c/test")
    expect(bob).to_have_title("Log in · evalstore")

    ann.goto(f"{team.address}/admin")
    page = Administration(ann)
    expect(page.section("Accounts").get_by_role("row").filter(has_text="bob")).to_contain_text(
        "reader of test"
    )
    expect(page.section("Invitations")).to_contain_text("No invitation is open.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_pages_of_administrators_are_for_all_screens_and_the_keyboard(
    team: Team, open_page: Open, width: int, scheme: str
) -> None:
    page = open_page(f"{team.address}/login?next=/admin", width=width, scheme=scheme)
    Login(page).log_in("ann", team.password)
    page.wait_for_url(f"{team.address}/admin")  # going elsewhere before would end the login
    for path in ("/admin", "/admin/accounts/1", "/account"):
        page.goto(team.address + path)
        assert issues(page) == []
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
