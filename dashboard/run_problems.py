"""What became of the runs that an address names and that are not stored any more."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from dashboard import wording
from dashboard.address import Address
from dashboard.problems import PageProblem, WayOut
from evalstore.usecases.trace_run import TracedRun

MOST_SENTENCES = 3


def problem(runs: Mapping[str, TracedRun], way_on: Address | None = None) -> PageProblem:
    """The page that says what became of these runs, by the texts that the address has for them.

    Args:
        runs: those that are not stored.
        way_on: where to go next; the collection of one of the runs where None.
    """
    sentences = [what_became_of(text, run) for text, run in runs.items()]
    more = len(sentences) - MOST_SENTENCES
    if more > 0:
        rest = wording.count(more, "other run")
        sentences = [*sentences[:MOST_SENTENCES], f"The same is true of {rest}."]
    title = "Not in this store"
    if any(run.status != "unknown" for run in runs.values()):
        title = "A run of this link has changed"
        if len(runs) > 1:
            title = "Runs of this link have changed"
    removed = any(run.status == "removed" for run in runs.values())
    return PageProblem(
        title,
        " ".join(sentences),
        advice="`evalstore restore` brings removed runs back." if removed else "",
        **_way_on(runs, way_on),
    )


def what_became_of(text: str, traced: TracedRun) -> str:
    """A sentence on the run that an address names `text`."""
    run = f"The run “{wording.name(traced.name or text)}”"
    if traced.collection is not None:
        run += f" of collection “{wording.name(traced.collection)}”"
    match traced.status:
        case "removed":
            return f"{run} was removed on {_time(traced.at)}."
        case "replaced":
            return f"{run} was replaced on {_time(traced.at)} by another one of the same name."
        case "deleted":
            return f"{run} was deleted for good on {_time(traced.at)}."
        case "other" if traced.run is not None:
            return (
                f"The run that this link names ({wording.name(text)}) is not in this store: the "
                f"run “{wording.name(traced.run.name)}” of collection "
                f"“{wording.name(traced.run.collection)}” has other content."
            )
    return f"There is no run “{wording.name(text)}” in the store."


def _time(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d at %H:%M} UTC" if at else "an unknown date"


def _way_on(runs: Mapping[str, TracedRun], way_on: Address | None) -> WayOut:
    if way_on is not None:
        text = "Go on without them" if way_on.page == "compare" else "Go to the leaderboard"
        return {"link": way_on.href, "link_text": text}
    collections = [run.collection for run in runs.values() if run.collection]
    if not collections:
        return {}
    leaderboard = Address("leaderboard", min(collections)).href
    return {"link": leaderboard, "link_text": f"Runs of {wording.name(min(collections))}"}
