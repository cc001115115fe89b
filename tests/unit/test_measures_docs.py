"""The texts about measures: docs/measures.md and `evalstore measures NAME`."""

from __future__ import annotations

import re

import measures_page
import pytest

from evalstore.errors import MeasureError
from evalstore.evaluation.measure_help import explain, listing
from evalstore.measures import registry


def test_the_page_is_current() -> None:
    page = measures_page.PAGE.read_text("utf-8")
    assert page == measures_page.markdown(), "docs/measures.md is out of date: run `make docs`"


def test_the_page_holds_every_measure() -> None:
    page = measures_page.markdown()
    for family, name, title in listing():
        assert f"\n## {family.capitalize()}\n" in page
        assert re.search(rf"^- `{re.escape(name)}[(@[`].*, \*{re.escape(title)}\*: ", page, re.M)
    assert [name for _, name, _ in listing()] == list(registry())


@pytest.mark.parametrize("name", registry())
def test_a_measure_explained(name: str) -> None:
    text = explain(name)
    descriptor = registry()[name]
    assert text.startswith(f"{name}: {descriptor.title}\n\n{descriptor.summary[:40]}")
    assert "Formula:" in text
    assert "Source:" in text
    assert max(map(len, text.split("\n"))) <= 88
    for parameter in descriptor.parameters:
        assert f"  {parameter.name}:" in text
    assert not re.search(r"\bnan\b", text)


def test_a_measure_explained_as_it_was_asked() -> None:
    assert "nDCG@3                  0.3801" in explain("nDCG")
    assert "RBP(p=0.5)@5  0.3854" in explain("RBP(p=0.5)@5")
    assert explain("map").startswith("AP: ")
    with pytest.raises(MeasureError, match="nDCG"):
        explain("nDGC")


@pytest.mark.parametrize("name", registry())
def test_a_descriptor_says_what_people_need(name: str) -> None:
    descriptor = registry()[name]
    for text in (descriptor.title, descriptor.summary, descriptor.advice, descriptor.formula):
        assert len(text) > 3
    assert descriptor.summary.endswith(".")
    assert descriptor.advice.endswith((".", ")"))
    assert descriptor.source
    assert (descriptor.aggregate == "own") == (descriptor.combine is not None)
    low, high = descriptor.bounds
    assert low < high
