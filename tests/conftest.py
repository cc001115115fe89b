"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from evalstore.store import Store

# A time limit for one example would fail on a busy machine; no test asserts a time.
settings.register_profile("evalstore", deadline=None)
settings.load_profile("evalstore")


@pytest.fixture(autouse=True)
def _no_settings_of_the_developer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database named in the environment is not for tests to write into."""
    monkeypatch.delenv("EVALSTORE_DB", raising=False)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store; tests/store has its own, on every database."""
    with Store.open(f"sqlite:///{tmp_path / 'store.db'}") as opened:
        yield opened
