"""What a command that reads many lines sets for itself and for the processes that it starts."""

from __future__ import annotations

import gc
import os
import platform
from collections.abc import Iterator

import pytest

from evalstore.cli.commands.evaluate import MALLOPT, set_up_reading


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = gc.get_threshold()
    for variable in (*MALLOPT, "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(variable, "to be restored")
        monkeypatch.delenv(variable)
    yield
    gc.set_threshold(*before)


def test_processes_that_it_starts_keep_freed_memory_too() -> None:
    set_up_reading()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    if platform.libc_ver()[0] == "glibc":
        values = {variable: str(value) for variable, (_, value) in MALLOPT.items()}
        assert {variable: os.environ[variable] for variable in MALLOPT} == values


def test_what_the_user_has_set_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    monkeypatch.setenv("MALLOC_ARENA_MAX", "2")
    set_up_reading()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "4"
    assert os.environ["MALLOC_ARENA_MAX"] == "2"
