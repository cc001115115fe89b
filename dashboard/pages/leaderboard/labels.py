"""Names beside the marks of a figure, placed so that none covers a mark or another name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]

CHARACTER, LINE = 7.6, 14.0
"""Pixels of a character and of a line of 12 px text."""
MARK = 5.0
"""Half of a mark."""
OFFSET = 1 + MARK / 0.8
"""From the middle of a mark to its text, as plotly.js sets it."""
PLACES = (
    *("middle right", "middle left", "top center", "bottom center"),
    *("top right", "top left", "bottom right", "bottom left"),
)
"""Where a text can stand, as plotly calls it, in the order of trying."""
ABOVE = ("top left", "top center", "middle left", *(place for place in PLACES if "right" in place))


def places(
    points: F64,
    lengths: Mapping[int, int],
    size: tuple[float, float],
    above: Collection[int] = (),
) -> dict[int, str]:
    """Where each text stands, by the row of its point; those without room are left out.

    Args:
        points: of all marks, float64, n x 2: pixels from the left and from below.
        lengths: characters of the texts by row, those that go first before others.
        size: width and height of the figure in pixels.
        above: the rows whose texts rather stand above and left of the mark than on its right.
    """
    place_of: dict[int, str] = {}
    boxes: list[tuple[float, float, float, float]] = []
    for row, length in lengths.items():
        x, y = points[row]
        others = np.delete(points, row, axis=0)
        for place in ABOVE if row in above else PLACES:
            box = _box(float(x), float(y), length * CHARACTER, place)
            if _inside(box, size) and not _covers(box, others) and not _meets(box, boxes):
                place_of[row] = place
                boxes.append(box)
                break
    return place_of


def _box(x: float, y: float, width: float, place: str) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a text at a place of the mark at x, y."""
    up, along = place.split()
    left = {"left": x - OFFSET - width, "center": x - width / 2, "right": x + OFFSET}[along]
    bottom = {"top": y + OFFSET, "middle": y - LINE / 2, "bottom": y - OFFSET - LINE}[up]
    return left, bottom, left + width, bottom + LINE


def _inside(box: tuple[float, float, float, float], size: tuple[float, float]) -> bool:
    left, bottom, right, top = box
    return left >= 0 and bottom >= 0 and right <= size[0] and top <= size[1]


def _covers(box: tuple[float, float, float, float], points: F64) -> bool:
    left, bottom, right, top = box
    x, y = points[:, 0], points[:, 1]
    across = (x > left - MARK) & (x < right + MARK)
    return bool((across & (y > bottom - MARK) & (y < top + MARK)).any())


def _meets(
    box: tuple[float, float, float, float], boxes: Sequence[tuple[float, float, float, float]]
) -> bool:
    left, bottom, right, top = box
    return any(
        left < other[2] and right > other[0] and bottom < other[3] and top > other[1]
        for other in boxes
    )
