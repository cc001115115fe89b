"""Which files go together into one task."""

from __future__ import annotations

import os
from pathlib import Path

from evalstore.evaluation.dask_tasks import GROUP_BYTES, groups


def write(folder: Path, name: str, size: int) -> str:
    path = folder / name
    with path.open("wb") as file:
        file.truncate(size)
    return str(path)


def test_small_files_go_together_up_to_the_most(tmp_path: Path) -> None:
    paths = [write(tmp_path, f"{number}", 10) for number in range(5)]
    assert list(groups(paths, 2)) == [paths[:2], paths[2:4], paths[4:]]


def test_a_group_holds_no_more_bytes_than_a_task_should(tmp_path: Path) -> None:
    small, large = write(tmp_path, "small", 10), write(tmp_path, "large", GROUP_BYTES)
    assert list(groups([small, small, large, small], 9)) == [[small, small], [large], [small]]


def test_a_file_that_is_not_here_is_by_itself(tmp_path: Path) -> None:
    small, missing = write(tmp_path, "small", 10), str(tmp_path / "missing")
    assert list(groups([small, missing, small], 9)) == [[small], [missing], [small]]


def test_what_only_this_process_reads_is_by_itself(tmp_path: Path) -> None:
    small, pipe = write(tmp_path, "small", 10), str(tmp_path / "pipe")
    os.mkfifo(pipe)
    assert list(groups(["-", small, small, pipe, small], 9)) == [
        ["-"],
        [small, small],
        [pipe],
        [small],
    ]


def test_no_files_make_no_task() -> None:
    assert list(groups([], 9)) == []
