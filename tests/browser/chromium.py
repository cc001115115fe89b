"""The Chromium that the tests and `make screenshots` drive."""

from __future__ import annotations

import os
import shutil

from playwright.sync_api import Browser, Playwright

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--mute-audio",
    "--process-per-site",  # pages of a context share what is compiled while one of them is open
)
PATIENCE = 120_000
"""Milliseconds until a test fails that waits: a busy machine may take seconds for a figure."""
MISSING = (
    "Install Chromium (Debian: apt-get install chromium-headless-shell) "
    "or name one in EVALSTORE_TEST_CHROMIUM."
)


def chromium() -> str | None:
    """The path of the browser; None where there is none.

    The headless shell comes first: it draws the same pages without the parts that show a window,
    which saves processor time.
    """
    named = os.environ.get("EVALSTORE_TEST_CHROMIUM")
    if named:
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def launch(playwright: Playwright, path: str) -> Browser:
    """Start the browser."""
    return playwright.chromium.launch(executable_path=path, args=list(FLAGS), timeout=PATIENCE)
