"""Measures and formats of other packages: found when needed, and left out if they are broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from evalstore import plugins
from evalstore.errors import MeasureError
from evalstore.formats import registry as formats
from evalstore.measures import parse
from evalstore.measures import registry as every_measure
from evalstore.measures.registry import _others, own_measures
from evalstore.plugins import of_other_packages


@pytest.fixture(autouse=True)
def _nothing_found_yet() -> Iterator[None]:
    _others.cache_clear()
    formats.other_formats.cache_clear()
    yield
    _others.cache_clear()
    formats.other_formats.cache_clear()


def install(folder: Path, package: str, group: str, *points: str) -> None:
    info = folder / f"{package}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (info / "entry_points.txt").write_text("\n".join((f"[evalstore.{group}]", *points)) + "\n")


def named(loaded: object) -> tuple[str, object]:
    if not callable(loaded):
        raise TypeError("not a function")
    return loaded.__name__, loaded


def test_a_broken_plugin_is_named_in_a_line_and_the_others_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install(tmp_path, "good", "measures", "sqrt = math:sqrt", "taken = math:exp")
    install(tmp_path, "bad", "measures", "gone = not_there:x", "pi = math:pi", "again = math:sqrt")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = of_other_packages("measures", named, {"exp"})
    assert set(found) == {"sqrt"}
    of = "one of its measures for evalstore, can't be used"
    assert {record.getMessage() for record in caplog.records} == {
        f"package bad: gone, {of}: ModuleNotFoundError: No module named 'not_there'",
        f"package bad: pi, {of}: TypeError: not a function",
        f"package good: taken, {of}: ValueError: another package has exp already",
        f"package good: sqrt, {of}: ValueError: another package has sqrt already",
    }


def test_what_is_no_measure_or_format_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install(tmp_path, "bad", "measures", "sqrt = math:sqrt")
    install(tmp_path, "worse", "formats", "sqrt = math:sqrt")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert list(every_measure()) == list(own_measures())
    assert formats.formats() == formats.own_formats()
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [
        "package bad",
        "package worse",
    ]


def test_they_are_looked_for_only_if_a_name_or_file_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def entry_points(group: str) -> list[object]:
        asked.append(group)
        return []

    monkeypatch.setattr(plugins, "entry_points", entry_points)
    parse("nDCG@10")
    parse("map_cut_10")
    formats.recognised("q1 Q0 d1 1 2.5 bm25\n", "run")
    formats.named_formats(["trec-run"])
    assert asked == []
    with pytest.raises(MeasureError):
        parse("Nothing@10")
    formats.recognised("nothing", "run")
    assert asked == ["evalstore.measures", "evalstore.formats"]
