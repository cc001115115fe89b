"""Names with slashes and percent signs, in addresses that are asked for directly."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from browserless import Browserless
from samples import BM25, add, write_run

from dashboard.address import Address
from dashboard.app import create_app
from dashboard.components.files import href
from evalstore.store import Store

NAMES = ("a/b", "a", "a%2Fb", "%41", "A", "50%", "../x", "..", "ü ?#")
"""Collections; the run of each is named by its place here."""


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browserless]:
    folder = tmp_path_factory.mktemp("names")
    with Store.open(f"sqlite:///{folder / 'store.db'}") as store:
        for number, name in enumerate(NAMES):
            run = write_run(folder, BM25, f"run{number}.run", "bm25")
            add(store, folder, run, collection=name)
        yield Browserless(create_app(store).server.test_client())


def addresses(name: str) -> list[str]:
    """The address of a collection as a link has it, and as programs write a name into a path."""
    link = Address("leaderboard", name).href
    looks_encoded = "%2F" in name or name == ".."
    return [link] if looks_encoded else [link, f"/c/{quote(name, safe='')}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_there_for_each_name(named: Browserless, name: str) -> None:
    for address in addresses(name):
        assert named.client.get(address).status_code == 200, address
        assert named.client.get(f"{address}/compare").status_code == 200, address
        assert named.client.get(f"{address}/nothing").status_code == 404, address


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_of_the_collection_that_its_address_names(named: Browserless, name: str) -> None:
    link = href(Address("leaderboard", name), "leaderboard.csv")
    for address in (link, *(f"/export{each}/leaderboard.csv" for each in addresses(name))):
        answer = named.client.get(address)
        assert answer.status_code == 200, address
        assert f"run{NAMES.index(name)}," in answer.text, address


@pytest.mark.parametrize("path", ["/c/a/b", "/c/a//b", "/c/a%2Fb/c", "/c//%2F/x"])
def test_a_slash_that_is_not_encoded_is_no_part_of_a_name(named: Browserless, path: str) -> None:
    assert named.client.get(path).status_code == 404
