"""The examples of docs/formats.md: what they show is what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evalstore.errors import DataError
from evalstore.formats import read_qrels, read_queries, read_run

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
EXAMPLE = re.compile(r"^ {4}\$ printf '(.*)' > (\S+)\n {4}(.+)$", re.MULTILINE)
READERS = {"run": read_run, "qrels": read_qrels, "tsv": read_queries, "jsonl": read_queries}


def examples() -> list[tuple[str, str, str]]:
    return EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))


def test_there_are_examples() -> None:
    assert len(examples()) >= 6
    assert PAGE.read_text(encoding="utf-8").count("$ printf") == len(examples())


@pytest.mark.parametrize(("content", "name", "message"), examples())
def test_an_example_says_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, name: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content.encode("latin-1").decode("unicode_escape").encode("latin-1"))
    try:
        result = READERS[name.partition(".")[2]](name)
        messages = list(getattr(result, "warnings", ()))
    except DataError as error:
        messages = [str(error)]
    assert messages == [message]
