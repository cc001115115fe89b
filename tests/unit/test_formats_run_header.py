"""A run file with a header: which lines are taken for it, and the whole file written and read."""

from __future__ import annotations

import gzip
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import BM25, run_text, write

from evalstore.errors import FileError
from evalstore.formats import ReadOptions, Run, read_run
from evalstore.formats.trec.run import read_run as read_trec_run
from evalstore.formats.trec.table import MOST_OPENING, OpeningLines

HEADER = "# made by hand\n\n# ir_metadata.start\n# tag: é\n# ir_metadata.end\n"


@pytest.mark.parametrize("block", [1, 2, 7, 16, 100, 1 << 20])
@pytest.mark.parametrize("careful", [False, True])
def test_the_header_is_the_same_however_the_file_is_read(
    tmp_path: Path, block: int, careful: bool
) -> None:
    path = write(tmp_path / "a.run", HEADER + run_text(BM25))
    run = read_trec_run(path, ReadOptions(block=block, careful=careful))
    assert run.facts == {"header": {"tag": "é"}}
    assert run.warnings == ()


def test_the_header_is_read_from_gzip_and_other_encodings(tmp_path: Path) -> None:
    text = HEADER + run_text(BM25)
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "b.run").write_bytes(text.encode("latin-1"))
    (tmp_path / "c.run").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    for name, encoding in (("a.run.gz", "utf-8"), ("b.run", "latin-1"), ("c.run", "utf-8")):
        run = read_run(str(tmp_path / name), ReadOptions(encoding=encoding))
        assert run.facts == {"header": {"tag": "é"}}


def test_comments_after_the_first_line_of_the_ranking_are_no_header(tmp_path: Path) -> None:
    run = read_run(write(tmp_path / "a.run", run_text(BM25) + HEADER))
    assert run.facts == {}
    assert run.warnings == ()


def test_a_warning_of_the_header_names_the_line_in_the_file(tmp_path: Path) -> None:
    text = "# a\n\n\n# ir_metadata.start\n#\n# mood: good\n# ir_metadata.end\n" + run_text(BM25)
    path = write(tmp_path / "a.run", text)
    [warning] = read_run(path).warnings
    assert warning.startswith(f"{path}:6: keys that the schema")


def test_a_file_of_a_header_only_is_refused_as_one_of_comments(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="only blank lines or comments"):
        read_run(write(tmp_path / "a.run", HEADER))


def test_any_number_of_comments_may_open_a_file(tmp_path: Path) -> None:
    text = "# a line of comment\n" * (MOST_OPENING // 10)
    run = read_run(write(tmp_path / "a.run", text + HEADER + run_text(BM25)))
    assert run.facts == {}
    assert len(run.scores) == 7


def test_of_a_file_without_comments_nothing_is_kept() -> None:
    opening = OpeningLines()
    assert list(opening.noted(iter([b"q1 Q0 d1 1 2 t\n", b"# a\n"]))) == [
        b"q1 Q0 d1 1 2 t\n",
        b"# a\n",
    ]
    assert opening.lines() == []


@given(
    st.dictionaries(
        st.text("ab:#-\"' \n\u2028é🦉", max_size=5),
        st.text("#:-\"'[]{}&*!|>%@` \n\t\u2028\u202e\ufeff01e.~é🦉", max_size=200)
        | st.sampled_from(["ir_metadata.end", "\n# ir_metadata.end\nq1 Q0 d9 1 9 x", "x" * 9_999])
        | st.integers(-9, 9)
        | st.lists(st.booleans() | st.none(), max_size=2),
        min_size=1,
        max_size=4,
    )
)
def test_a_run_written_with_any_header_is_read_as_the_same_run_and_header(
    header: dict[str, Any],
) -> None:
    run = replace(Run.from_dict({"q1": {"d1": 2.5, "d2": 1.5}}), facts={"header": header})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.run"
        run.write(path)
        again = read_run(str(path))
    assert again.facts == {"header": header}
    assert again.to_dict() == run.to_dict()
