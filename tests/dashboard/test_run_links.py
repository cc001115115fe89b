"""Links name runs by number and content: what a page says when a linked run has changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sample_stores
from browserless import Browserless, as_json

from dashboard.app import create_app
from evalstore.store import Store
from evalstore.usecases.change_runs import purge_runs, remove_runs
from evalstore.usecases.ingest import ingest
from evalstore.usecases.leaderboard import leaderboard
from evalstore.usecases.prepare_run import Request
from evalstore.usecases.store_qrels import store_qrels


@pytest.fixture
def own_store(tmp_path: Path) -> Iterator[Store]:
    """A store that the test may change."""
    with sample_stores.main(tmp_path) as store:
        yield store


@pytest.fixture
def own_app(own_store: Store) -> Browserless:
    return Browserless(create_app(own_store).server.test_client())


def link_to(store: Store, engine: str) -> str:
    runs = leaderboard(store, "small").runs.set_index("engine")
    return f"{runs.at[engine, 'run_id']}~{runs.at[engine, 'content_hash'][:8]}"


def addresses_in(page: object) -> list[str]:
    text = as_json(page)
    return [part.split('"')[0] for part in text.split('"href": "')[1:]]


def test_every_address_that_a_page_writes_names_runs_by_number_and_content(
    own_app: Browserless, own_store: Store
) -> None:
    bm25, tfidf = link_to(own_store, "bm25"), link_to(own_store, "tfidf")
    old = ",".join(link.partition("~")[0] for link in (bm25, tfidf))
    page = own_app.page(f"/compare?runs={old}")["page"]["children"]
    with_runs = [address for address in addresses_in(page) if "runs=" in address]
    assert with_runs
    assert all(f"runs={bm25},{tfidf}" in address for address in with_runs)


def test_a_removed_run_is_named_with_the_time_and_the_way_back(
    own_app: Browserless, own_store: Store
) -> None:
    links = [link_to(own_store, engine) for engine in ("bm25", "tfidf", "boolean")]
    remove_runs(own_store, ["bm25"])
    address = f"/compare?runs={','.join(links)}&a={links[0]}"
    said = own_app.text(address)
    assert "The run “bm25” of collection “small” was removed on 20" in said
    assert "`evalstore restore` brings removed runs back" in said
    assert "Compare the runs that are left" in said
    assert f'"href": "/compare?runs={links[1]},{links[2]}"' in as_json(own_app.page(address))


def test_a_replaced_run_is_named_with_a_link_to_the_new_one(
    own_app: Browserless, own_store: Store, tmp_path: Path
) -> None:
    before, other = link_to(own_store, "bm25"), link_to(own_store, "tfidf")
    (tmp_path / "again.run").write_text("q1 Q0 d3 1 9 tag\n")
    stored = store_qrels(own_store, "small", qrels_path=str(tmp_path / "judgments.qrels"))
    request = Request("small", engine="bm25", name="bm25", replace=True)
    ingest(own_store, request, [str(tmp_path / "again.run")], qrels=stored)
    address = f"/compare?runs={before},{other}"
    said = own_app.text(address)
    assert "The run “bm25” of collection “small” was replaced on 20" in said
    after = link_to(own_store, "bm25")
    assert after != before
    assert f'"href": "/compare?runs={after},{other}"' in as_json(own_app.page(address))


def test_a_purged_run_is_said_to_be_deleted(own_app: Browserless, own_store: Store) -> None:
    gone, other = link_to(own_store, "bm25"), link_to(own_store, "tfidf")
    remove_runs(own_store, ["bm25"])
    purge_runs(own_store, ["bm25"])
    said = own_app.text(f"/compare?runs={gone},{other}")
    assert "The run “bm25” of collection “small” was deleted for good on 20" in said


def test_a_number_that_means_another_run_by_now_is_never_shown_as_the_linked_one(
    own_app: Browserless, own_store: Store
) -> None:
    bm25, tfidf = link_to(own_store, "bm25"), link_to(own_store, "tfidf")
    number = bm25.partition("~")[0]
    said = own_app.text(f"/compare?runs={number}~00000000,{tfidf}")
    assert f"The run that this link names ({number}~00000000) is not in this store" in said
    assert f"number {number} is the run “bm25” of collection “small” here" in said
    # A and B are held to the same.
    wrong = own_app.text(f"/compare?runs={bm25},{tfidf}&a={number}~00000000")
    assert f"({number}~00000000) is not in this store" in wrong


def test_runs_that_have_other_numbers_after_a_store_was_built_anew_are_found(
    own_app: Browserless, own_store: Store
) -> None:
    bm25, tfidf = link_to(own_store, "bm25"), link_to(own_store, "tfidf")
    (one, content), (two, other) = (link.split("~") for link in (bm25, tfidf))
    address = f"/compare?runs={two}~{content},{one}~{other}"
    said = own_app.text(address)
    assert f"The run “bm25” of collection “small” has number {one} in this store" in said
    assert f'"href": "/compare?runs={bm25},{tfidf}"' in as_json(own_app.page(address))
