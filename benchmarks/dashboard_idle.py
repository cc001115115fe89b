"""Open pages of a dashboard in Chromium, and write when the browser comes to rest.

    python benchmarks/dashboard_idle.py STORE [--visits 5] [--address URL] [--dry]

STORE is as for `dashboard_load.py`. A first visit is with an empty cache, a second one loads the
same page again with what the browser kept. A page is at rest after the last answer, long task (of
over 50 ms) and change of the page; the time is from asking for it. Beside it stands the processor
time of the page's main thread, which other work of the machine changes little. Bytes are those that
travelled, compressed. All pages are visited in turns, each with scroll bars that are shown, as on a
desktop, and with hidden ones that take no room, as in the tests: there phones and macOS let them
float, and AG Grid has other ones. Chromium is found as for the tests (EVALSTORE_TEST_CHROMIUM, or
one on the PATH).

The section 'The dashboard in a browser' of RESULTS.md is written anew, the others are left as they
are. With `--address`, once or several times, these pages (of another version that is being served)
are visited in turns with the others, and the section is only printed.
"""

# ruff: noqa: T201, S311  (a program that tells where it is; chance that need not be secret)

from __future__ import annotations

import argparse
import os
import random
import sys
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from dashboard_load import RESULTS, View, dashboard, views
from playwright.sync_api import Browser, Page, sync_playwright
from report import put_section

from evalstore.store import Store

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "browser"))
from chromium import FLAGS, MISSING, chromium

TITLE = "## The dashboard in a browser"
PAGES = ("home", "leaderboard", "compare", "query", "run")
QUIET = 1_500
"""Milliseconds without anything, after which a page is at rest."""

WATCH = """() => {
  const watched = window.watched = { last: performance.now() };
  const note = () => { watched.last = performance.now(); };
  new MutationObserver(note).observe(document, {
    subtree: true, childList: true, attributes: true, characterData: true,
  });
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) {
      watched.last = Math.max(watched.last, one.startTime + one.duration);
    }
  }).observe({ entryTypes: ["longtask", "resource"] });
}"""


BARS = {"shown": ["--hide-scrollbars"], "hidden": []}
"""By what becomes of scroll bars, the flags of Playwright that are left out."""

Visit = tuple[float, float, float]
"""Seconds until the browser rests, processor seconds of the main thread, kilobytes."""


def visit(page: Page, address: str) -> Visit:
    """Load an address, and wait until the browser rests."""
    received: list[float] = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    session.on("Network.loadingFinished", lambda one: received.append(one["encodedDataLength"]))
    page.goto(address, wait_until="commit")
    while True:
        page.wait_for_timeout(300)
        now, last = page.evaluate("() => [performance.now(), window.watched.last]")
        if now - last > QUIET:
            measured = session.send("Performance.getMetrics")["metrics"]
            worked = next(one["value"] for one in measured if one["name"] == "TaskDuration")
            session.detach()
            return last / 1000, worked, sum(received) / 1000


def visits(browser: Browser, address: str) -> tuple[Visit, Visit]:
    """A first and a second visit of an address."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    context.add_init_script(f"({WATCH})()")
    page = context.new_page()
    first, second = visit(page, address), visit(page, address)
    context.close()
    return first, second


def rows(browsers: dict[str, Browser], port: int, pages: dict[str, View], times: int) -> list[str]:
    """The rows of the table: for each page one by each browser, by what it does to scroll bars."""
    measured: dict[tuple[str, str], list[tuple[Visit, Visit]]] = {
        (name, bars): [] for name in pages for bars in browsers
    }
    chance = random.Random(1)
    for _ in range(times):
        for (name, bars), its in measured.items():
            address = pages[name](chance)
            of_store = address.startswith("/")
            whole = f"http://127.0.0.1:{port}{address}" if of_store else address
            its.append(visits(browsers[bars], whole))
    table = []
    for (name, bars), its in measured.items():
        cells = [name, bars]
        for number in (0, 1):
            cells += [
                f"{median(one[number][part] for one in its):.{digits}f}"
                for part, digits in enumerate((2, 2, 1))
            ]
        table.append(f"| {' | '.join(cells)} |")
        print(table[-1], flush=True)
    return table


def section(table: list[str], version: str, given: argparse.Namespace) -> str:
    """The section of the report."""
    return "\n".join(
        [
            TITLE,
            "",
            f"{datetime.now(UTC):%Y-%m-%d}, by `benchmarks/dashboard_idle.py`: seconds until "
            f"Chromium {version} rests, processor seconds of the page's main thread, and KB that "
            f"travelled; medians of {given.visits} visits of different views of "
            f"{Path(given.store).name}, in turns, 1440 pixels wide. Dashboard and "
            f"browser share {os.cpu_count()} processors; load average at the end: "
            f"{os.getloadavg()[0]:.1f}.",
            "",
            "| page | scroll bars | first visit: s | processor, s | KB | second visit: s "
            "| processor, s | KB |",
            "|---|---|--:|--:|--:|--:|--:|--:|",
            *table,
            "",
        ]
    )


def main() -> None:
    """Serve, open, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("store", help="the store, as `evalstore --db` takes it")
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--page", action="append", choices=PAGES, help="only this page; no writing")
    parser.add_argument(
        "--address", action="append", default=[], help="a page of another dashboard"
    )
    parser.add_argument("--dry", action="store_true", help="print the section, don't write it")
    given = parser.parse_args()
    path = chromium()
    if path is None:
        raise SystemExit(MISSING)
    with (
        Store.open(given.store, create=False) as store,
        dashboard(given.store) as port,
        sync_playwright() as playwright,
    ):
        browsers = {
            bars: playwright.chromium.launch(
                executable_path=path, args=list(FLAGS), ignore_default_args=left_out
            )
            for bars, left_out in BARS.items()
        }
        chosen = given.page or PAGES
        pages = {name: view for name, view in views(store).items() if name in chosen}
        pages |= {address: lambda _, address=address: address for address in given.address}
        table = rows(browsers, port, pages, given.visits)
        version = browsers["shown"].version
        for browser in browsers.values():
            browser.close()
    written = section(table, version, given)
    if given.dry or given.page or given.address:
        print(written)
    else:
        put_section(RESULTS, TITLE, written)


if __name__ == "__main__":
    main()
