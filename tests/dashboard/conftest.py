"""What the dashboard's tests share: small stores, and an app over them without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sample_stores
from browserless import Browserless
from leaderboard_frames import leaderboard

from dashboard.app import create_app
from evalstore.store import Store


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with sample_stores.main(tmp_path_factory.mktemp("main")) as made:
        yield made


@pytest.fixture(scope="session")
def hostile_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with sample_stores.hostile(tmp_path_factory.mktemp("hostile")) as made:
        yield made


@pytest.fixture
def empty_store(tmp_path: Any) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'empty.db'}") as made:
        yield made


@pytest.fixture(scope="session")
def ids_of(store: Store) -> dict[str, int]:
    """Run ids by engine."""
    ids: dict[str, int] = {}
    for collection in ("small", "other"):
        runs = leaderboard(store, collection).runs
        ids |= dict(zip(runs["engine"], runs["run_id"].astype(int), strict=True))
    return ids


@pytest.fixture(scope="session")
def link_of(store: Store) -> dict[str, str]:
    """By engine, its run as the dashboard writes it into addresses."""
    links: dict[str, str] = {}
    for collection in ("small", "other"):
        for run in leaderboard(store, collection).runs.to_dict("records"):
            links[run["engine"]] = f"{run['run_id']}~{run['content_hash'][:8]}"
    return links


@pytest.fixture
def app(store: Store) -> Browserless:
    return Browserless(create_app(store).server.test_client())


@pytest.fixture
def hostile_app(hostile_store: Store) -> Browserless:
    return Browserless(create_app(hostile_store).server.test_client())


@pytest.fixture
def empty_app(empty_store: Store) -> Browserless:
    return Browserless(create_app(empty_store).server.test_client())
