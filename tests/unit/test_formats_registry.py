"""What holds for every registered format."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalstore.formats import Preferences, Qrels, Run, ties
from evalstore.formats.reading import ids
from evalstore.formats.reading.source import ReadOptions
from evalstore.formats.registry import Format, formats, recognised

FORMATS = pytest.mark.parametrize("form", formats(), ids=lambda form: form.name)
QUERY_IDS = {"red dress": ("q1",), "blue jeans": ("q2",)}
"""By the texts of queries in the examples."""
DOCS = Path(__file__).parents[2] / "docs" / "formats.md"


def everything(content: object) -> object:
    """What a file holds, comparable."""
    if isinstance(content, Run):
        content = ties.settled(content)
        order = np_rows(content)
        return (
            content.qids,
            ids.take(content.docnos, order).to_pylist(),
            list(content.scores[order]),
        )
    if isinstance(content, Qrels):
        return content.qids, content.docnos.to_pylist(), list(content.grades)
    if isinstance(content, Preferences):
        return content.qids, content.docnos.to_pylist(), list(content.levels)
    return list(content) if isinstance(content, Iterator) else content


def np_rows(run: Run) -> Any:
    return ids.ranges(run.starts, run.lengths)


@FORMATS
def test_an_example_is_recognised_as_its_format_and_no_other_of_the_same_content(
    form: Format[Any],
) -> None:
    assert [candidate for candidate, _ in recognised(form.example, form.content)] == [form]


@FORMATS
def test_of_all_formats_at_most_one_is_certain(form: Format[Any]) -> None:
    reasons = [candidate.recognise(form.example) for candidate in formats()]
    certain = [reason for reason in reasons if reason is not None and reason.certain]
    assert len(certain) <= 1
    assert all(reason.reason for reason in reasons if reason is not None)


@FORMATS
def test_an_example_is_read(form: Format[Any], tmp_path: Path) -> None:
    path = tmp_path / f"sample{form.extensions[0]}"
    path.write_bytes(gzip.compress(form.example.encode()))
    options = ReadOptions(query_ids=QUERY_IDS) if form.by_text else None
    content = everything(form.read(str(path), options or ReadOptions()))
    assert content
    path.write_text(form.example)
    assert everything(form.read(str(path), options)) == content


def test_names_are_unique_and_the_documentation_lists_them_all() -> None:
    names = [form.name for form in formats()]
    assert len(set(names)) == len(names)
    page = DOCS.read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    "head",
    ["", "\n\n", "# only a comment\n", "one two three\n", "a b c d e f\n", "\0\1\2", '{"a": '],
)
def test_what_is_nothing_in_particular_is_no_run_and_no_qrels(head: str) -> None:
    assert recognised(head, "run") == []
    assert recognised(head, "qrels") == []
