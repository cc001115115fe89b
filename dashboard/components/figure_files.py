"""Figures as files: for the web and for editing, for slides, and for papers."""

from __future__ import annotations

import io
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from dashboard.page import File

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Form = Literal["svg", "png", "pdf"]

FORMS: Mapping[Form, str] = MappingProxyType(
    {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
)
"""The media types of the files that a figure can be had as, by suffix."""
DPI = 200
"""Pixels of a PNG to the inch, for slides: 1,280 x 800 of a figure of 6.4 x 4 inches."""


def figure_file(figure: Figure, name: str, form: Form) -> File:
    """A figure of matplotlib as a file; `name` is the file's without its suffix."""
    from dashboard.figures import static  # noqa: PLC0415  (slow, and needed for files alone)

    stream = io.BytesIO()
    static.save(figure, stream, form, DPI)
    return File(f"{name}.{form}", stream.getvalue(), FORMS[form])
