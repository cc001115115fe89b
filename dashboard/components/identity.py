"""The colour and mark of each run that is shown: an engine keeps its own everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dashboard.theme import SLOTS, series_number


def identities(runs: Iterable[tuple[int, str]], slots: Mapping[str, int]) -> dict[int, int]:
    """The slot of each run, from 0 to 11, by the run's id, in the order of the runs.

    The newest run of an engine has that of the engine; where two engines share one, that of the
    older engine has it. Engines without one, and then the other runs, take the next one that is
    free and no shown engine's; where all twelve are taken they have their engine's. So no order of
    the runs and no further run of an engine changes the marks of the engines.

    Args:
        runs: id and engine; of an engine the newest run has the highest id.
        slots: by engine, the number stored for its collection.
    """
    engines = dict(runs)
    newest = {engine: run for run, engine in sorted(engines.items())}

    def turn(run: int) -> tuple[bool, int, str, int]:
        engine = engines[run]
        return run != newest[engine], slots.get(engine, 0), engine, -run

    in_turn = sorted(engines, key=turn)
    own = {run: series_number(slots.get(engine, 0)) for run, engine in engines.items()}
    taken: dict[int, int] = {}
    for run in in_turn:
        if own[run] not in taken.values():
            taken[run] = own[run]
    for run in in_turn:
        if run not in taken:
            after = ((own[run] + step) % SLOTS for step in range(SLOTS))
            free = (slot for slot in after if slot not in taken.values())
            taken[run] = next(free, own[run])
    return {run: taken[run] for run in engines}
