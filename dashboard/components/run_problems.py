"""What became of the runs that an address names and that are not stored any more."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.problems import PageProblem, WayOut
from evalstore.catalog.links import TracedRun

MOST_SENTENCES = 3

Ways = Sequence[tuple[Address, str]]
"""Where to go on: addresses, each with the words of its link."""


def problem(runs: Mapping[str, TracedRun], ways_on: Ways = ()) -> PageProblem:
    """The page that says what became of these runs, by the texts that the address has for them.

    Args:
        runs: those that are not stored.
        ways_on: where to go next; the collection of one of the runs where empty.
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
    return PageProblem(
        title,
        " ".join(sentences),
        advice=_how_to_restore(runs),
        **_links(runs, ways_on),
    )


def _how_to_restore(runs: Mapping[str, TracedRun]) -> str:
    """The command that brings the removed ones of these runs back."""
    removed = {text: run for text, run in runs.items() if run.status == "removed"}
    names = [wording.clean(run.name or text) for text, run in removed.items()]
    if not names or len(names) > MOST_SENTENCES:
        return "`evalstore restore` brings removed runs back." if names else ""
    collections = {run.collection for run in removed.values() if run.collection}
    where = [f"--collection={wording.clean(name)}" for name in collections]
    # After -- a name that begins with a dash is no option.
    end = ["--"] if any(name.startswith("-") for name in names) else []
    command = shlex.join([*(where if len(where) == 1 else []), *end, *names])
    return f"`evalstore restore {command}` brings {'it' if len(names) == 1 else 'them'} back."


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


def _links(runs: Mapping[str, TracedRun], ways_on: Ways) -> WayOut:
    if ways_on:
        (address, text), *others = ways_on
        links = tuple((other.href, words) for other, words in others)
        return {"link": address.href, "link_text": text, "others": links}
    collections = [run.collection for run in runs.values() if run.collection]
    if not collections:
        return {}
    leaderboard = Address("leaderboard", min(collections)).href
    return {"link": leaderboard, "link_text": f"Runs of {wording.name(min(collections))}"}
