"""A worker takes jobs only where the folder of the files that are sent is the server's."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from team_server import PASSWORD, URL, Served

from evalstore.errors import EvalstoreError
from evalstore.server.jobs.uploads import Spool, change_limits, check_spool, mark_spool
from evalstore.server.jobs.worker import Worker
from evalstore.server.setup import set_up
from evalstore.store import Store


def test_the_folder_that_the_server_marked_is_taken_also_after_it_started_again(
    served: Served,
) -> None:
    spool = Worker.of(served.store).spool
    for _ in range(2):
        mark_spool(served.store, spool)
        check_spool(served.store, spool)


def test_before_the_server_has_marked_its_folder_any_is_taken(served: Served) -> None:
    check_spool(served.store, Worker.of(served.store).spool)


@pytest.mark.parametrize("content", [None, "", "0" * 32, "\udcff"])
def test_another_folder_is_refused(served: Served, tmp_path: Path, content: str | None) -> None:
    mark_spool(served.store, Worker.of(served.store).spool)
    other = Spool(tmp_path / "other")
    other.prepare()
    if content is not None:
        (other.folder / "of-server").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(EvalstoreError, match=r"other is not the folder where the server keeps"):
        check_spool(served.store, other)


def test_the_folder_of_another_store_is_not_marked(served: Served, tmp_path: Path) -> None:
    spool = Worker.of(served.store).spool
    mark_spool(served.store, spool)
    with (
        Store.open(f"sqlite:///{tmp_path / 'other.db'}") as other,
        pytest.raises(EvalstoreError, match="is the folder of another store's server"),
    ):
        mark_spool(other, spool)
    check_spool(served.store, spool)


def test_the_mark_is_no_file_that_was_sent(served: Served) -> None:
    spool = Worker.of(served.store).spool
    mark_spool(served.store, spool)
    assert list(spool.files()) == []


@pytest.mark.slow
def test_the_command_ends_with_1_and_says_what_to_do(served: Served, tmp_path: Path) -> None:
    mark_spool(served.store, Worker.of(served.store).spool)
    change_limits(served.store, {"spool": str(tmp_path / "elsewhere")})
    command = [sys.executable, "-m", "evalstore", "server", "worker", "--db", served.store.url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "evalstore server limits spool=FOLDER" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_a_store_with_the_secrets_of_a_server_is_read_by_its_account_alone(tmp_path: Path) -> None:
    file = tmp_path / "team.db"
    before = os.umask(0o022)
    try:
        with Store.open(f"sqlite:///{file}") as store:
            set_up(store, URL, "ann", PASSWORD)
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes
    assert set(modes.values()) == {0o600}
