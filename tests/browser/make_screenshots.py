"""Makes screenshots of every page of the demo: light and dark, wide and narrow.

They go to build/screenshots/, and those that README.md shows also to docs/screenshots/. Run it
with `make screenshots`; it needs Chromium.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from chromium import MISSING, chromium, launch
from demo_pages import DEMO_PAGES
from pages.shell import Shell
from PIL import Image
from playwright.sync_api import Browser, ViewportSize, sync_playwright
from serving import serving

from evalstore.demo.store import build_store
from evalstore.store import Store

ROOT = Path(__file__).parents[2]
ALL, SHOWN = ROOT / "build" / "screenshots", ROOT / "docs" / "screenshots"
IN_README = (
    "leaderboard-light-1440",
    "compare-light-1440",
    "query-light-1440",
)
HEIGHTS = {1440: 1000, 390: 844}
ROWS = "() => !document.querySelector('#board-grid') || document.querySelector('.board .engine a')"
"""Whether the leaderboard, if there is one, has its rows, which come last."""
LARGEST = 150_000
"""Bytes of a picture in the repository."""


def make(browser: Browser, address: str, name: str) -> None:
    """Make the screenshots of a page, loaded once at each width, as people do."""
    for width, height in HEIGHTS.items():
        viewport = ViewportSize(width=width, height=height)
        context = browser.new_context(color_scheme="light", viewport=viewport)
        page = context.new_page()
        page.goto(address)
        shell = Shell(page)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.wait_for_timeout(1000)  # figures and grids take their size
            shell.settled()
            page.wait_for_function(ROWS)
            page.screenshot(path=ALL / f"{name}-{scheme}-{width}.png")
        context.close()


def publish() -> None:
    """Copy the pictures that the README shows.

    Raises:
        SystemExit: one is too large for the repository.
    """
    SHOWN.mkdir(exist_ok=True)
    for name in IN_README:
        picture = ALL / f"{name}.png"
        if not picture.exists():
            sys.exit(f"{picture.name}: no such page, see tests/browser/demo_pages.py")
        small = SHOWN / picture.name
        # A palette makes them half as large. This one keeps the colours of small marks, and kmeans
        # those of large areas.
        exact, none = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
        reduced = Image.open(picture).convert("RGB").quantize(256, exact, kmeans=1, dither=none)
        reduced.save(small, optimize=True)
        if small.stat().st_size > LARGEST:
            sys.exit(f"{small.name} has {small.stat().st_size:,} bytes; at most {LARGEST:,}")


def main() -> None:
    """Make all screenshots."""
    path = chromium()
    if path is None:
        sys.exit(MISSING)
    ALL.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(f"sqlite:///{Path(folder) / 'demo.db'}") as store,
        sync_playwright() as playwright,
    ):
        build_store(store)
        browser = launch(playwright, path)
        with serving(store) as site:
            for name, address in DEMO_PAGES.items():
                make(browser, site + address, name)
        browser.close()
    publish()
    sys.stdout.write(f"{ALL}: {len(list(ALL.glob('*.png')))} screenshots; README's in {SHOWN}\n")


if __name__ == "__main__":
    main()
