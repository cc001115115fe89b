"""The colour and mark of each run that is shown: an engine keeps its own everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dashboard.theme import SLOTS


def identities(runs: Iterable[tuple[int, str]], slots: Mapping[str, int]) -> dict[int, int]:
    """The slot of each run, from 0 to 11, by the run's id.

    It is that of the run's engine. Where a run before it has that slot, it takes the next free one,
    and no other run changes; where all twelve are taken it keeps its engine's.

    Args:
        runs: id and engine, in the order in which they are shown.
        slots: by engine, the number stored for its collection.
    """
    taken: dict[int, int] = {}
    for run_id, engine in runs:
        own = slots.get(engine, 0) % SLOTS
        after = [(own + step) % SLOTS for step in range(SLOTS)]
        free = [slot for slot in after if slot not in taken.values()]
        taken[run_id] = free[0] if free else own
    return taken
