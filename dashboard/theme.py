"""Colours and type, in one place, for light and for dark.

The theme of the components, the template of the figures and the variables of the style sheet are
made from them.
"""

from __future__ import annotations

from typing import Any, Literal, cast

import plotly.graph_objects as go

Scheme = Literal["light", "dark"]

FONT = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif'
)
MONOSPACE = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace'

# Okabe and Ito's palette, which colour-blind readers can tell apart, with its yellow and black
# replaced (they vanish on white and on black), and lightened or darkened for each scheme.
SERIES: dict[Scheme, tuple[str, ...]] = {
    "light": (
        "#0072B2", "#D55E00", "#008F68", "#A8498D", "#B57A00", "#3A9BD9", "#5F6670", "#7A6A1C",
    ),
    "dark": (
        "#4FA9E3", "#F58A4B", "#2FC49A", "#E08FC5", "#F0B83F", "#9BD3F5", "#B4BBC5", "#CBBA62",
    ),
}  # fmt: skip
# Beyond the palette's length lines also differ by marker and dashes.
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star", "triangle-down", "cross")
DASHES = ("solid", "dash", "dot", "dashdot")

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
    },
}


def series_colour(index: int, scheme: Scheme) -> str:
    """Return the colour of the engine at this position of a comparison."""
    colours = SERIES[scheme]
    return colours[index % len(colours)]


def series_variable(index: int) -> str:
    """Return the same colour as a CSS variable, which follows the colour scheme."""
    return f"var(--series-{index % len(SERIES['light'])})"


def as_scheme(value: object) -> Scheme:
    """Return the colour scheme that a browser reported, light if it reported nothing known."""
    return "dark" if value == "dark" else "light"


def style_variables() -> str:
    """Return the style sheet that defines every colour as a variable, for both schemes."""

    def block(scheme: Scheme) -> str:
        lines = [f"--{name}:{colour}" for name, colour in TOKENS[scheme].items()]
        lines += [f"--series-{i}:{colour}" for i, colour in enumerate(SERIES[scheme])]
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


def template(scheme: Scheme) -> go.layout.Template:
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
        # On a phone a finger that scrolls the page must not drag within the figure.
        "fixedrange": True,
    }
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 13, "color": token["ink"]},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(SERIES[scheme]),
            "margin": {"l": 56, "r": 16, "t": 16, "b": 48},
            "xaxis": axis,
            "yaxis": axis,
            "dragmode": False,
            "hoverlabel": {
                "bgcolor": token["surface"],
                "bordercolor": token["line"],
                "font": {"family": FONT, "size": 13, "color": token["ink"]},
                "align": "left",
            },
            "modebar": {
                "bgcolor": "rgba(0,0,0,0)",
                "color": token["muted"],
                "activecolor": token["accent"],
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
    )


def grid_theme() -> dict[str, str]:
    """Return the theme of the grids: its colours are the style sheet's variables, so they follow.

    The grid's theme is given as a JavaScript expression; it holds constants of ours alone.
    """
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
    }
    text = ", ".join(f"{key}: '{setting}'" for key, setting in parameters.items())
    return cast(
        "dict[str, str]",
        {
            "function": f"themeQuartz.withParams({{{text}, fontSize: 14, headerFontSize: 13, "
            "spacing: 7, wrapperBorderRadius: 8})"
        },
    )
