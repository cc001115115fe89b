"""Patterns for files, expanded here where the shell has not done so, and lists of paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalstore.errors import FileError
from evalstore.formats.reading.remote import matching_files
from evalstore.formats.reading.source import read_path_list


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    names = ("a1.run", "a2.run", "a10.run", ".hidden.run", "other.txt")
    deeper = ("runs/r2/x.gz", "runs/r10/x.gz", "runs/top.gz", "runs/.git/x.gz", "runs/r2/.x.gz")
    for name in (*names, *deeper):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("a*.run", ["a1.run", "a2.run", "a10.run"]),
        ("./a*.run", ["./a1.run", "./a2.run", "./a10.run"]),
        ("a?.run", ["a1.run", "a2.run"]),
        ("a[!1].run", ["a2.run"]),
        ("*.run", ["a1.run", "a2.run", "a10.run"]),
        (".*.run", [".hidden.run"]),
        ("runs/**/*.gz", ["runs/r2/x.gz", "runs/r10/x.gz", "runs/top.gz"]),
        ("**/x.gz", ["runs/r2/x.gz", "runs/r10/x.gz"]),
        ("**/**/x.gz", ["runs/r2/x.gz", "runs/r10/x.gz"]),
        ("runs/**", ["runs/r2/x.gz", "runs/r10/x.gz", "runs/top.gz"]),
        ("runs/*/x.gz", ["runs/r2/x.gz", "runs/r10/x.gz"]),
        ("runs/*", ["runs/top.gz"]),
        ("runs/r*", ["runs/r2", "runs/r10"]),
        ("**/r*", []),
        ("r*/top.gz", ["runs/top.gz"]),
        ("nothing/*", []),
        ("a1.run/*", []),
        ("-", ["-"]),
        ("missing.run", ["missing.run"]),
    ],
)
def test_a_pattern_stands_for_files_in_natural_order(
    folder: Path, pattern: str, files: list[str]
) -> None:
    assert matching_files(pattern) == files


def test_an_absolute_pattern_gives_absolute_paths(folder: Path) -> None:
    assert matching_files(f"{folder}/a?.run") == [f"{folder}/a1.run", f"{folder}/a2.run"]


def test_a_file_that_has_the_name_wins_over_the_pattern(folder: Path) -> None:
    (folder / "a[12].run").write_text("")
    assert matching_files("a[12].run") == ["a[12].run"]


def test_two_stars_follow_no_links_to_folders(folder: Path) -> None:
    (folder / "runs/r2/again").symlink_to(folder / "runs")
    assert matching_files("runs/**/top.gz") == ["runs/top.gz"]


def test_a_link_to_a_file_and_a_broken_link_match(folder: Path) -> None:
    (folder / "a3.run").symlink_to("a1.run")
    (folder / "a4.run").symlink_to("nowhere")
    assert matching_files("a[34].run") == ["a3.run", "a4.run"]


def test_a_folder_that_cannot_be_read_matches_nothing(folder: Path) -> None:
    assert matching_files("a1.run/**/x") == []


def test_a_list_has_a_path_on_each_line_and_empty_lines_are_left_out(folder: Path) -> None:
    (folder / "list").write_bytes(b"\xef\xbb\xbfa.run\r\n\n  \n b .run \na*.run")
    assert [tuple(path) for path in read_path_list("list")] == [
        ("a.run", 1),
        (" b .run ", 4),
        ("a*.run", 5),
    ]


def test_paths_may_be_separated_by_nul_and_then_hold_line_ends(folder: Path) -> None:
    (folder / "list").write_bytes(b"a\nb.run\0c.run\0")
    assert [path for path, _ in read_path_list("list")] == ["a\nb.run", "c.run"]


def test_a_path_of_a_list_that_is_not_utf_8_is_the_file_of_these_bytes(folder: Path) -> None:
    (folder / "list").write_bytes(b"caf\xe9.run\n")
    ((path, _),) = read_path_list("list")
    assert path.encode(errors="surrogateescape") == b"caf\xe9.run"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "list: no path in this list"),
        (b"\n \n", "list: no path in this list"),
        (b"a\n-\n", "list:2: - is standard input, which a list can't name"),
    ],
)
def test_a_list_without_paths_is_refused(folder: Path, content: bytes, message: str) -> None:
    (folder / "list").write_bytes(content)
    with pytest.raises(FileError) as error:
        read_path_list("list")
    assert str(error.value).startswith(message)
