"""The rank groups of a leaderboard as lines: a lane for each letter, from its first to last run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MOST_LANES = 16
"""The most lanes in the width of the column."""
HAS, PASSES, NOTHING = "|", ":", " "
"""The parts of a line beside a run: of its group, of a group of runs above and below it, none."""


@dataclass(frozen=True)
class Lines:
    """The lines beside each run, by its id: a text with one of the parts for each lane.

    `lanes` is their number, and `left_out` that of groups for which there is no lane.
    """

    parts: Mapping[int, str]
    lanes: int = 0
    left_out: int = 0


def lines(groups: Sequence[tuple[int, str]]) -> Lines:
    """The lines of groups, given by the ids of runs and their letters, the best run first.

    A lane is used again for a group that begins two runs or more after another one's end.
    """
    spans: dict[str, tuple[int, int]] = {}
    for place, (_, letters) in enumerate(groups):
        for letter in letters:
            spans[letter] = (spans.get(letter, (place, place))[0], place)
    ends: list[int] = []
    lanes: dict[str, int] = {}
    for letter, (first, last) in sorted(spans.items(), key=lambda one: one[1]):
        lane = next((lane for lane, end in enumerate(ends) if end + 1 < first), len(ends))
        if lane == MOST_LANES:
            continue
        ends[lane:] = [last, *ends[lane + 1 :]]
        lanes[letter] = lane
    cells = [[NOTHING] * len(ends) for _ in groups]
    for letter, lane in lanes.items():
        first, last = spans[letter]
        for place in range(first, last + 1):
            cells[place][lane] = HAS if letter in groups[place][1] else PASSES
    parts = {run: "".join(cells[place]) for place, (run, _) in enumerate(groups)}
    return Lines(parts, len(ends), len(spans) - len(lanes))
