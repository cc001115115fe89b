"""Pages that are generated from the program are current."""

from __future__ import annotations

import commands_page
import json_page
import messages_page
import pytest


@pytest.mark.parametrize(
    "module",
    [commands_page, json_page, messages_page],
    ids=["commands", "json", "messages"],
)
def test_the_page_is_what_the_program_says(module):
    written = module.PAGE.read_text(encoding="utf-8")
    assert module.page() == written, f"{module.PAGE.name} is out of date: run `make docs`"


def test_the_help_of_the_program_has_at_most_28_commands():
    assert len(commands_page.cli.list_commands(None)) <= 28
