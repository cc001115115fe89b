"""What a text that is typed into the choice of a measure names."""

from __future__ import annotations

from typing import Any

import pytest
from browserless import Browserless


def asked(app: Browserless, text: str) -> dict[str, Any]:
    answer = app.client.get("/typed-measure", query_string={"text": text})
    assert answer.status_code == 200
    content: dict[str, Any] = answer.get_json()
    return content


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("P@7", "P@7"),
        ("map", "AP"),
        ("ndcg_cut_10", "nDCG@10"),
        ("AP(rel=2)@50", "AP(rel=2)@50"),
        (" AP ", "AP"),
        ("p@7", "P@7"),
        ("ap(rel=2)", "AP(rel=2)"),
        ("MAP", "AP"),
    ],
)
def test_any_valid_name_in_any_case_is_an_option(app: Browserless, text: str, name: str) -> None:
    option = asked(app, text)
    assert (option["value"], option["label"]) == (name, name)
    assert option["title"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mapp", "no measure is called 'mapp'; did you mean 'map'?"),
        ("xyz", "no measure is called 'xyz'."),
        ("P", "P names 9 measures where one is wanted."),
        ("", "can't read"),
        ("<b>", "can't read"),
        ("a" * 9000, "a measure's name of 9000 characters"),
    ],
)
def test_what_is_no_measure_says_so(app: Browserless, text: str, says: str) -> None:
    content = asked(app, text)
    assert set(content) == {"problem"}
    assert content["problem"].startswith(says)
