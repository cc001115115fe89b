"""Colours and type in one place, for light and for dark.

The theme of the components, the template of the figures and the variables of the style sheet are
made from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

Scheme = Literal["light", "dark"]

FONT = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif'
)
MONOSPACE = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace'

# Twelve colours for twelve engines, by the number (slot) of the engine in its collection. Any two
# are at least 0.06 apart in OKLab for readers with any kind of colour blindness, and all have a
# contrast of 3.3 or more with the surface. No greens: those are grades.
SERIES: dict[Scheme, tuple[str, ...]] = {
    "light": (
        "#0072b2", "#d55e00", "#461878", "#c0180a", "#113f46", "#c07696",
        "#5a6242", "#2733b4", "#947460", "#b267ed", "#621e16", "#68417a",
    ),
    "dark": (
        "#4fa9e3", "#f58a4b", "#8766bb", "#cb4838", "#c5f5fe", "#a3637f",
        "#d0ee5f", "#6b89f9", "#f3b48e", "#9a8aaa", "#c37d71", "#d1bbdb",
    ),
}  # fmt: skip
# Triangles are reserved for better and worse, and a diagonal cross for removing a run.
SYMBOLS = (
    "circle", "square", "diamond", "star", "cross", "pentagon",
    "hourglass", "bowtie", "circle-open", "square-open", "diamond-open", "star-open",
)  # fmt: skip
SLOTS = len(SYMBOLS)
DASHES = ("solid", "dash")
"""The line styles of the first six slots, and of the other six."""

TOKENS: dict[Scheme, dict[str, str]] = {
    "light": {
        "page": "#f6f7f9",
        "surface": "#ffffff",
        "surface-2": "#f1f3f6",
        "ink": "#1a1f27",
        "muted": "#58616e",
        "line": "#dfe3e8",
        "grid": "#e7eaee",
        "zero": "#6b7480",
        "tie": "#7d8793",
        "accent": "#0a63a8",
        "accent-soft": "#e4f0f9",
        "on-accent": "#ffffff",
        "warn": "#8a5a00",
        "comparable": "#2e7d32",
        "better": "#d9ebf7",
        "worse": "#fbe3d2",
        "worse-line": "#b34f00",
        "grade-0": "#eceff2",
        "grade-1": "#cfe8d4",
        "grade-2": "#93cca0",
        "grade-3": "#3f9a5c",
        "on-grade-3": "#ffffff",
    },
    "dark": {
        "page": "#12151a",
        "surface": "#1a1e25",
        "surface-2": "#232932",
        "ink": "#e7eaee",
        "muted": "#a3adba",
        "line": "#313945",
        "grid": "#2a313b",
        "zero": "#8b95a3",
        "tie": "#8b95a3",
        "accent": "#62b3ec",
        "accent-soft": "#1b3347",
        "on-accent": "#0b1520",
        "warn": "#f0b83f",
        "comparable": "#6fbf73",
        "better": "#1c3a52",
        "worse": "#4d3320",
        "worse-line": "#f58a4b",
        "grade-0": "#2a3038",
        "grade-1": "#1f3f2a",
        "grade-2": "#2b6a40",
        "grade-3": "#4fb06e",
        "on-grade-3": "#0b1a10",
    },
}


NO_ENGINE = -1
"""The slot of things drawn beside engines that are not engines, such as the median of runs."""


VERSIONS_APART = 1_024
"""The distance of the slots of an engine's versions: slot + 1,024 is the version before."""
SHADES = (0.0, 0.25, 0.4, 0.5)
"""The share of the surface in the colour of a version, from the newest on; then again from 0."""
VERSION_DASHES = ("dot", "dashdot", "longdash")


def version_slot(slot: int, newer: int) -> int:
    """The slot of a version of an engine with this slot, before `newer` newer ones."""
    return slot + VERSIONS_APART * newer


def series_number(slot: int) -> int:
    """The number of a slot's colour and mark, from 0 to 11, as in the style sheet."""
    return slot % VERSIONS_APART % SLOTS


def series_shade(slot: int) -> int:
    """The number of the shade of a version: 0 for the newest, and for every fourth one before."""
    return max(slot, 0) // VERSIONS_APART % len(SHADES)


def series_colour(slot: int, scheme: Scheme) -> str:
    """The colour of a slot."""
    if slot == NO_ENGINE:
        return TOKENS[scheme]["muted"]
    colour, share = SERIES[scheme][series_number(slot)], SHADES[series_shade(slot)]
    return _mixed(colour, TOKENS[scheme]["surface"], share) if share else colour


def series_symbol(slot: int) -> str:
    """The mark of a slot, by plotly's name."""
    return SYMBOLS[series_number(slot)]


def series_dash(slot: int) -> str:
    """The line style of a slot, by plotly's name.

    Twelve versions in a row have four shades and, after the newest, three line styles: no two of
    them have both in common.
    """
    version = max(slot, 0) // VERSIONS_APART
    if version > 0:
        return VERSION_DASHES[(version - 1) % len(VERSION_DASHES)]
    return DASHES[series_number(slot) * len(DASHES) // SLOTS]


def series_variable(slot: int) -> str:
    """The colour of a slot for style sheets, which follows the colour scheme."""
    variable, share = f"var(--series-{series_number(slot)})", SHADES[series_shade(slot)]
    return f"color-mix(in srgb, {variable}, var(--surface) {share:.0%})" if share else variable


def mark_class(slot: int) -> str:
    """The classes of the mark of a slot in the style sheet."""
    shade = series_shade(slot)
    return f"mark mark-{series_number(slot)}" + (f" version-{shade}" if shade else "")


HEAT_STEPS = 11
"""The number of steps of the ramp from surface to ink, which shows values from low to high."""
DARK_STEPS: dict[Scheme, range] = {"light": range(7, HEAT_STEPS), "dark": range(5)}
"""The steps on which text is white, with a contrast of 4.5 or more, as black on the others."""


def heat(step: int, scheme: Scheme) -> tuple[str, str]:
    """The colour of a step of the ramp (0 to 10), and the colour of text on it: black or white."""
    colour = _mixed(TOKENS[scheme]["surface"], TOKENS[scheme]["ink"], step / (HEAT_STEPS - 1))
    return colour, "#ffffff" if step in DARK_STEPS[scheme] else "#000000"


def _mixed(colour: str, other: str, share: float) -> str:
    """A colour with a share of another one."""
    ends = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(low + share * (high - low)):02x}" for low, high in ends)


def _channels(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def as_scheme(value: object) -> Scheme:
    """Return the colour scheme that a browser reported; light if the value is unknown."""
    return "dark" if value == "dark" else "light"


def colour_variables(scheme: Scheme) -> list[str]:
    """The definitions of the colours of a scheme, for a style sheet."""
    tokens = [f"--{name}:{colour}" for name, colour in TOKENS[scheme].items()]
    return tokens + [f"--series-{i}:{colour}" for i, colour in enumerate(SERIES[scheme])]


def style_variables() -> str:
    """Return the style sheet that defines every colour as a variable, for both schemes."""

    def block(scheme: Scheme) -> str:
        lines = colour_variables(scheme)
        for step in range(HEAT_STEPS):
            colour, text = heat(step, scheme)
            lines += [f"--heat-{step}:{colour}", f"--on-heat-{step}:{text}"]
        return ";".join([*lines, f"color-scheme:{scheme}"])

    return (
        f":root{{{block('light')};--font:{FONT};--mono:{MONOSPACE}}}"
        f'[data-mantine-color-scheme="dark"]{{{block("dark")}}}'
    )


def components_theme() -> dict[str, Any]:
    """Return the theme of the Mantine components."""
    return {
        "fontFamily": FONT,
        "fontFamilyMonospace": MONOSPACE,
        "headings": {"fontFamily": FONT, "fontWeight": "650"},
        "primaryColor": "brand",
        "primaryShade": {"light": 7, "dark": 4},
        "defaultRadius": "md",
        "cursorType": "pointer",
        "autoContrast": True,
        "colors": {
            "brand": [
                "#e8f3fb", "#d0e6f6", "#a3cdec", "#7fbde9", "#62b3ec",
                "#3a93d3", "#1a7abf", "#0a63a8", "#08528b", "#063f6b",
            ],
            "dark": [
                "#e7eaee", "#c3cad3", "#a3adba", "#7d8793", "#3d4653",
                "#313945", "#232932", "#1a1e25", "#161a20", "#12151a",
            ],
        },
    }  # fmt: skip


def template(scheme: Scheme) -> dict[str, Any]:
    """Return the template of all figures; their background is transparent, for cards and print."""
    token = TOKENS[scheme]
    axis = {
        "gridcolor": token["grid"],
        "linecolor": token["line"],
        "zerolinecolor": token["zero"],
        "zeroline": False,
        "ticks": "outside",
        "tickcolor": token["line"],
        "ticklen": 5,
        "tickfont": {"size": 12, "color": token["muted"]},
        "title": {"font": {"size": 13, "color": token["ink"]}, "standoff": 12},
        "automargin": True,
        # All ticks of an axis have as many decimals as their distance needs: 0.40, not 0.4.
        "tickformatstops": [
            {
                "name": format_,
                "dtickrange": [10.0**-digits, 0.99 * 10.0 ** (1 - digits)],
                "value": format_,
            }
            for digits in range(1, 5)
            for format_ in (f".{digits}f",)
        ],
        # On a phone, scrolling the page with a finger must not drag inside the figure.
        "fixedrange": True,
    }
    return {
        "layout": {
            "font": {"family": FONT, "size": 13, "color": token["ink"]},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(SERIES[scheme]),
            # Enough for most labels and titles of axes: if a figure needs more, plotly.js draws it
            # twice, first with this margin and then with a larger one.
            "margin": {"l": 64, "r": 16, "t": 16, "b": 60},
            "xaxis": axis,
            "yaxis": axis,
            "dragmode": False,
            "hoverlabel": {
                "bgcolor": token["surface"],
                "bordercolor": token["line"],
                "font": {"family": FONT, "size": 13, "color": token["ink"]},
                "align": "left",
            },
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "y": 1.02,
                "yanchor": "bottom",
                "font": {"size": 13, "color": token["ink"]},
                "bgcolor": "rgba(0,0,0,0)",
            },
        }
    }


def grid_theme() -> dict[str, str]:
    """The theme of the grids: a JavaScript expression with variables of the style sheet."""
    parameters = {
        "backgroundColor": "var(--surface)",
        "foregroundColor": "var(--ink)",
        "headerBackgroundColor": "var(--surface-2)",
        "headerTextColor": "var(--muted)",
        "borderColor": "var(--line)",
        "accentColor": "var(--accent)",
        "rowHoverColor": "var(--surface-2)",
        "selectedRowBackgroundColor": "var(--accent-soft)",
        "fontFamily": "var(--font)",
        "headerFontWeight": "600",
        # Makes the scroll bars of the grid as dark as those of the page.
        "browserColorScheme": "inherit",
    }
    text = ", ".join(f"{key}: '{setting}'" for key, setting in parameters.items())
    return cast(
        "dict[str, str]",
        {
            "function": f"themeQuartz.withParams({{{text}, fontSize: 14, headerFontSize: 13, "
            "spacing: 7, wrapperBorderRadius: 8})"
        },
    )


# The colour and mark of each shown run: an engine has the same ones everywhere


def identities(runs: Iterable[tuple[int, str, int]], slots: Mapping[str, int]) -> dict[int, int]:
    """The slot of each run by the run's id, in the order of the runs: its engine's, by version.

    The newest run of an engine has the engine's slot, from 0 to 11; the older ones its shades
    (`VERSIONS_APART`). If two engines have the same slot, the older engine gets it; the other one,
    and engines without a slot, get the next slot that is free and belongs to no shown engine, or
    share their own if all twelve are taken. So neither the order of the runs nor further runs
    change the marks of the engines, and a version has one shade whatever else is shown. `runs` are
    id, engine, and the number of newer runs of the engine in the collection; `slots` are the
    numbers stored for the engines.
    """
    shown = tuple(runs)
    in_turn = sorted(
        {engine for _, engine, _ in shown}, key=lambda name: (slots.get(name, 0), name)
    )
    own = {engine: series_number(slots.get(engine, 0)) for engine in in_turn}
    taken: dict[str, int] = {}
    for engine in in_turn:
        if own[engine] not in taken.values():
            taken[engine] = own[engine]
    for engine in in_turn:
        if engine not in taken:
            after = ((own[engine] + step) % SLOTS for step in range(SLOTS))
            free = (slot for slot in after if slot not in taken.values())
            taken[engine] = next(free, own[engine])
    return {run: version_slot(taken[engine], newer) for run, engine, newer in shown}
