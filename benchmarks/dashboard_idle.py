"""Open pages of a dashboard in Chromium, and write when the browser comes to rest.

    python benchmarks/dashboard_idle.py STORE [--visits 5] [--dry]

STORE is as for `dashboard_load.py`. A first visit is with an empty cache, a second one loads the
same page again with what the browser kept. A page is at rest after the last answer, long task (of
over 50 ms) and change of the page; the time is from asking for it. Bytes are those that travelled,
compressed. Chromium is found as for the tests (EVALSTORE_TEST_CHROMIUM, or one on the PATH).
The section 'The dashboard in a browser' of RESULTS.md is written anew, the others are left as they
are.
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

from dashboard_load import RESULTS, dashboard, views
from playwright.sync_api import Browser, Page, sync_playwright
from report import put_section

from evalstore.store import Store

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "browser"))
from chromium import MISSING, chromium, launch

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


def visit(page: Page, address: str) -> tuple[float, float]:
    """Load an address; returns the seconds until the browser rests, and the kilobytes."""
    received: list[float] = []
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", lambda one: received.append(one["encodedDataLength"]))
    page.goto(address, wait_until="commit")
    while True:
        page.wait_for_timeout(300)
        now, last = page.evaluate("() => [performance.now(), window.watched.last]")
        if now - last > QUIET:
            network.detach()
            return last / 1000, sum(received) / 1000


def visits(browser: Browser, address: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """A first and a second visit of an address."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    context.add_init_script(f"({WATCH})()")
    page = context.new_page()
    first, second = visit(page, address), visit(page, address)
    context.close()
    return first, second


def rows(browser: Browser, port: int, store: Store, times: int) -> list[str]:
    """The rows of the table: a page each."""
    table = []
    for name, view in views(store).items():
        if name not in PAGES:
            continue
        chance = random.Random(1)
        measured = [visits(browser, f"http://127.0.0.1:{port}{view(chance)}") for _ in range(times)]
        cells = [name]
        for number in (0, 1):
            cells += [
                f"{median(one[number][part] for one in measured):.{2 - part}f}" for part in (0, 1)
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
            f"Chromium {version} rests, and KB that travelled; medians of {given.visits} visits of "
            f"different views, 1440 pixels wide. Dashboard and browser share {os.cpu_count()} "
            f"processors; load average at the end: {os.getloadavg()[0]:.1f}.",
            "",
            "| page | first visit: s | KB | second visit: s | KB |",
            "|---|--:|--:|--:|--:|",
            *table,
            "",
        ]
    )


def main() -> None:
    """Serve, open, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("store", help="the store, as `evalstore --db` takes it")
    parser.add_argument("--visits", type=int, default=5)
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
        browser = launch(playwright, path)
        table = rows(browser, port, store, given.visits)
        version = browser.version
        browser.close()
    written = section(table, version, given)
    if given.dry:
        print(written)
    else:
        put_section(RESULTS, TITLE, written)


if __name__ == "__main__":
    main()
