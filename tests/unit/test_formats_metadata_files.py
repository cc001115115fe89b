"""The ir_metadata of a run in a file of its own: TIRA's, or the one given for a stored run."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import write

from evalstore.errors import FileError
from evalstore.formats.facts.ir_metadata import read_header, read_metadata

METADATA = """\
actor: {team: ir-team}
implementation: {source: {repository: "https://example.org/x", commit: 4f2a9c1}}
data: {test collection: {name: cranfield}}
method: {name: bm25, description: with stemming}
"""


def test_the_metadata_of_tira_are_facts(tmp_path: Path) -> None:
    path = write(tmp_path / "ir-metadata.yml", METADATA)
    facts, warnings = read_metadata(path)
    assert facts["header"]["actor"] == {"team": "ir-team"}
    assert facts["commit"] == "4f2a9c1"
    assert warnings == ()


@pytest.mark.parametrize("mark", ["", "# "])
def test_the_lines_that_mark_start_and_end_may_stand_in_a_file(tmp_path: Path, mark: str) -> None:
    text = f"{mark}ir_metadata.start\n{METADATA}{mark}ir_metadata.end\n"
    assert read_metadata(write(tmp_path / "m.yml", text)) == read_metadata(
        write(tmp_path / "n.yml", METADATA)
    )


def test_keys_that_tira_requires_and_that_are_missing_are_named(tmp_path: Path) -> None:
    text = METADATA.replace("ir-team", "ENTER_VALUE_HERE").replace("name: bm25, ", "")
    path = write(tmp_path / "ir-metadata.yml", text)
    facts, [warning] = read_metadata(path)
    assert facts["header"]["method"] == {"description": "with stemming"}
    assert warning == f"{path}: TIRA requires these keys, too: actor.team, method.name"


def test_metadata_that_are_no_yaml_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path / "ir-metadata.yml", "actor:\n\n  team: [\n  x: y: z\n")
    facts, [warning] = read_metadata(path)
    assert facts == {}
    assert warning.startswith(f"{path}:4: the YAML can't be read")


def test_a_file_of_metadata_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_metadata(str(tmp_path / "none.yml"))


def test_a_header_in_a_file_that_is_no_yaml_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "header.yml", "tag: a\nactor: b: c\n")
    with pytest.raises(FileError) as error:
        read_header(path)
    assert str(error.value).startswith(f"{path}:2: the YAML can't be read")


@pytest.mark.parametrize("line", ["# xxxxxxxxx\n" * 60_000, "\n" * 600_000 + "tag: a\n"])
def test_a_header_in_a_file_larger_than_512_kib_is_refused(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "header.yml", line)
    with pytest.raises(FileError, match="larger than 512 KiB"):
        read_header(path)
