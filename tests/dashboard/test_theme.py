from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from dashboard import theme


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_every_ground(scheme: theme.Scheme) -> None:
    token = theme.TOKENS[scheme]
    for text, ground in itertools.product(
        ("ink", "muted", "accent"), ("page", "surface", "surface-2")
    ):
        assert contrast(token[text], token[ground]) >= 4.5, (text, ground)
    assert contrast(token["on-accent"], token["accent"]) >= 4.5
    assert contrast(token["accent"], token["accent-soft"]) >= 4.5
    assert contrast(token["warn"], token["surface"]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_and_bars_stand_out_from_their_ground(scheme: theme.Scheme) -> None:
    for colour in (*theme.SERIES[scheme], theme.TOKENS[scheme]["tie"]):
        assert contrast(colour, theme.TOKENS[scheme]["surface"]) >= 3, colour


def test_both_schemes_name_the_same_colours() -> None:
    assert theme.TOKENS["light"].keys() == theme.TOKENS["dark"].keys()
    assert len(theme.SERIES["light"]) == len(theme.SERIES["dark"]) == len(theme.SYMBOLS)


def test_every_colour_of_the_style_sheet_is_defined() -> None:
    sheet = Path(theme.__file__).parent / "assets" / "evalstore.css"
    used = set(re.findall(r"var\(--([a-z0-9-]+)", sheet.read_text(encoding="utf-8")))
    used |= set(re.findall(r"var\(--([a-z0-9-]+)", theme.grid_theme()["function"]))
    defined = set(re.findall(r"--([a-z0-9-]+):", theme.style_variables()))
    own = set(re.findall(r"^ *--([a-z0-9-]+):", sheet.read_text(encoding="utf-8"), re.MULTILINE))
    own |= set(re.findall(r"[{;] *--([a-z0-9-]+):", sheet.read_text(encoding="utf-8")))
    assert used <= defined | own


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_every_step_of_the_ramp(scheme: theme.Scheme) -> None:
    steps = [theme.heat(step, scheme) for step in range(theme.HEAT_STEPS)]
    assert [contrast(colour, text) >= 4.5 for colour, text in steps] == [True] * 11
    token = theme.TOKENS[scheme]
    assert (steps[0][0], steps[-1][0]) == (token["surface"], token["ink"])


def test_every_step_of_the_ramp_has_a_class() -> None:
    css = (Path(theme.__file__).parent / "assets" / "evalstore.css").read_text(encoding="utf-8")
    for step in range(theme.HEAT_STEPS):
        assert (
            f".heat-{step} {{ background: var(--heat-{step}); color: var(--on-heat-{step}); }}"
            in css
        )


def test_every_slot_has_a_mark() -> None:
    css = (Path(theme.__file__).parent / "assets" / "evalstore.css").read_text(encoding="utf-8")
    marks = {int(number) for number in re.findall(r"\.mark-(\d+) ", css)}
    assert marks == {theme.series_number(slot) for slot in range(30)}


def test_a_mark_of_an_older_version_has_the_shade_of_its_line_and_can_be_seen() -> None:
    css = (Path(theme.__file__).parent / "assets" / "evalstore.css").read_text(encoding="utf-8")
    faint = re.findall(r"\.version-(\d) \{ opacity: ([.\d]+); \}", css)
    assert {int(number): 1 - float(share) for number, share in faint} == {
        number: pytest.approx(share) for number, share in enumerate(theme.SHADES) if number
    }
    for scheme in ("light", "dark"):
        surface = theme.TOKENS[scheme]["surface"]
        for slot in range(theme.SLOTS):
            oldest = slot + (len(theme.SHADES) - 1) * theme.VERSIONS_APART
            assert contrast(theme.series_colour(oldest, scheme), surface) > 1.65, (scheme, slot)
