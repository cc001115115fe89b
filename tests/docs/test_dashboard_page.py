"""docs/dashboard.md: its addresses are addresses, and its limits are those of the code."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from dashboard.address import parse
from dashboard.components import copy_link
from dashboard.components.selection import HASH_LENGTH
from dashboard.pages.sql import page, table
from evalstore.sql.ask import Limits

PAGE = (Path(__file__).parents[2] / "docs" / "dashboard.md").read_text(encoding="utf-8")
ADDRESSES = re.findall(r"`(/[^`]*)`", PAGE.split("## Addresses")[0])


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_of_the_page_is_one_of_the_dashboard(address: str) -> None:
    path, _, search = address.partition("?")
    assert unquote(parse(path, search).path) == path


def test_every_kind_of_page_is_listed() -> None:
    assert len(ADDRESSES) == 12


@pytest.mark.parametrize(
    "text",
    [
        f"more than {copy_link.LONG:,} characters",
        f"first {page.SHOWN.rows:,} rows",
        f"{page.SHOWN.bytes >> 20} MiB of values",
        f"up to {page.IN_FILE.bytes >> 20} MiB",
        f"after {page.COUNT_SECONDS:g} seconds",
        f"after {Limits().seconds:g} seconds",
        f"more than {table.LONGEST_TEXT:,} characters",
    ],
)
def test_a_limit_of_the_page_is_that_of_the_code(text: str) -> None:
    assert text in PAGE


def test_the_hashes_of_the_page_have_the_length_of_links() -> None:
    hashes = re.findall(r"~([0-9a-f]+)", PAGE.split("## Links")[1])
    assert {len(text) for text in hashes} == {HASH_LENGTH}
