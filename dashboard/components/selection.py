"""The runs that an address names, shown the same way on every page: name, colour and mark."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dashboard.address import Address
from dashboard.components import controls, wording
from dashboard.components.problems import PageProblem, Redirect, read
from dashboard.page import View
from dashboard.theme import identities
from evalstore.catalog.links import (
    LinkedRun,
    TracedRun,
    find_linked_runs,
    run_names,
    split_hash,
)
from evalstore.comparison.choosing.baselines import baseline
from evalstore.leaderboard.positions import find_leaderboard, oldest_run, role_of_oldest
from evalstore.measures import Measure
from evalstore.store import Store
from evalstore.store.queries.leaderboard import LeaderboardRun

MOST_RUNS = 12
"""The most runs that can be compared at once: the number of colours and marks."""

HASH_LENGTH = 8
"""Characters of a content hash in a link: with four, 2 of 1,000 runs would share their hash."""


@dataclass(frozen=True)
class Selection:
    """The runs of a page in the order of its address, the slots of their colours by id, and labels.

    The labels are those of `labels_of`.
    """

    collection: str
    runs: tuple[LinkedRun, ...]
    slots: Mapping[int, int]
    labels: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(run.name for run in self.runs)

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the runs."""
        return tuple(run.id for run in self.runs)

    def run(self, name: str) -> LinkedRun:
        """The run of that name, which must be in the selection."""
        return next(run for run in self.runs if run.name == name)

    def short(self, name: str) -> str:
        """The label of a run."""
        return self.labels.get(name) or wording.name(name, wording.LONGEST_LABEL)

    def label(self, run: LinkedRun) -> Any:
        """A run's mark and name, with a link to its page."""
        href = Address("run", self.collection, run.name).href
        return controls.engine(self.slots[run.id], run.name, self.short(run.name), href=href)


def select_runs(view: View, names: Sequence[str]) -> Selection:
    """Find the named runs in the view's collection, each once.

    Raises PageProblem if a run is not stored any more, and Redirect if it was renamed.
    """
    collection = view.address.collection or ""
    linked = read(view.store, lambda: find_linked_runs(view.store, collection, names))
    if linked.lost:
        raise problem(linked.lost, _ways_on(view.store, view.address, linked.lost))
    if linked.renamed:
        now = {text: run.name for text, run in linked.renamed.items()}
        raise Redirect(_with_names(view.address, now).href)
    labels = labels_of(view.store, collection, [run.name for run in linked.runs])
    return Selection(collection, linked.runs, slots_of(linked.runs), labels)


def labels_of(store: Store, collection: str, names: Collection[str]) -> dict[str, str]:
    """The labels of runs by name, the same on every page.

    A long name keeps what differs from all names of the collection.
    """
    if all(len(name) <= wording.LONGEST_LABEL for name in names):
        return wording.labels(names)
    return wording.labels({*names, *read(store, lambda: run_names(store, collection))})


def slots_of(runs: Collection[LinkedRun | LeaderboardRun]) -> dict[int, int]:
    """The slots of the runs of a view, by id."""
    stored = {run.engine: run.slot for run in runs}
    return identities([(run.id, run.engine, run.newer) for run in runs], stored)


def baseline_of(view: View) -> str:
    """The name of the baseline of the address, or else of the collection; empty without any."""
    base, collection = view.address.one("base"), view.address.collection or ""
    if base:
        return base
    stored = read(view.store, lambda: baseline(view.store, collection))
    return "" if stored is None else stored.name


def reference_of(view: View, measure: Measure) -> str:
    """The name of the baseline, or else of the oldest run, which the leaderboard proposes as one.

    It is empty if fewer than two runs have figures.
    """
    return reference_and_role(view, measure)[0]


def reference_and_role(view: View, measure: Measure) -> tuple[str, str]:
    """The name of the run that differences are to, and its role: baseline, or `role_of_oldest`."""
    chosen = baseline_of(view)
    if chosen:
        return chosen, "baseline"
    store, address = view.store, view.address
    collection, qrels = address.collection or "", address.one("qrels") or None
    oldest = read(
        store, lambda: oldest_run(store, find_leaderboard(store, collection, qrels), measure)
    )
    return ("", "") if oldest is None else (oldest.name, role_of_oldest(oldest))


def with_first(names: Iterable[str], first: str) -> tuple[str, ...]:
    """The names, with one of them first if it is among them."""
    return tuple(sorted(names, key=lambda name: name != first))


def check_most(address: Address, selection: Selection) -> None:
    """Raise PageProblem if there are more runs than colours and marks."""
    if len(selection.runs) > MOST_RUNS:
        raise PageProblem(
            f"At most {MOST_RUNS} runs can be told apart",
            f"This link names {len(selection.runs)} runs.",
            advice="The leaderboard shows any number of them.",
            link=address.changed(runs=selection.names[:MOST_RUNS], base=None, pair=None).href,
            link_text=f"Show the first {MOST_RUNS}",
        )


def with_hashes(store: Store, address: Address) -> Address:
    """Add the start of the content hash to each name of a stored run in an address."""
    texts = _run_texts(address)
    if address.collection is None or not texts:
        return address
    collection = address.collection
    linked = read(store, lambda: find_linked_runs(store, collection, texts))
    hashes = {run.name: run.content_hash[:HASH_LENGTH] for run in linked.runs}
    return _with_names(address, {name: f"{name}~{start}" for name, start in hashes.items()})


def check_hashes(store: Store, address: Address) -> None:
    """Check that the names in a link with hashes still mean the same runs.

    Raises PageProblem if a name means another run now, or none; otherwise raises Redirect to the
    address without hashes.
    """
    texts = [text for text in _run_texts(address) if split_hash(text)[1]]
    if address.collection is None or not texts:
        return
    collection = address.collection
    linked = read(store, lambda: find_linked_runs(store, collection, texts))
    if linked.lost:
        raise problem(linked.lost, _ways_on(store, address, linked.lost))
    whole_names = {run.name for run in linked.runs}
    now = {text: split_hash(text)[0] for text in texts if text not in whole_names}
    now |= {text: run.name for text, run in linked.renamed.items()}
    if now:
        raise Redirect(_with_names(address, now).href)


def _run_texts(address: Address) -> list[str]:
    """The runs that an address names, as written there."""
    texts = [text for name in RUN_PARAMETERS for text in address.all(name)]
    if address.page == "run" and address.name is not None:
        texts.append(address.name)
    return list(dict.fromkeys(texts))


def _ways_on(store: Store, address: Address, lost: Mapping[str, object]) -> Ways:
    """Links to the same page without the lost runs, and to the leaderboard with the rest ticked.

    If only one run of a comparison is left, it is compared with the collection's baseline.
    """
    left = {
        name: tuple(text for text in address.all(name) if text not in lost)
        for name in RUN_PARAMETERS
    }
    kept = left["runs"]
    without = address.changed(**left)
    ticked = {"runs": kept, "qrels": address.all("qrels")}
    board = Address("leaderboard", address.collection, None, ticked), "Go to the leaderboard"
    go_on = "Go on without it" if len(lost) == 1 else "Go on without them"
    if address.page == "leaderboard":
        return ((without, go_on),)
    if not kept or address.name in lost:
        return (board,)
    if address.page != "compare" or len(kept) > 1:
        return (without, go_on), board
    collection = address.collection or ""
    base = read(store, lambda: baseline(store, collection))
    if base is None or base.name == split_hash(kept[0])[0]:
        return (board,)
    compared = without.changed(runs=(base.name, *kept), base=None, pair=None)
    return (compared, f"Compare with the baseline {wording.name(base.name, 24)}"), board


def _with_names(address: Address, now: Mapping[str, str]) -> Address:
    """Replace the names of some runs everywhere in an address."""
    parameters = {
        name: tuple(now.get(text, text) for text in texts) if name in RUN_PARAMETERS else texts
        for name, texts in address.parameters.items()
    }
    name = address.name
    if address.page == "run" and name is not None:
        name = now.get(name, name)
    return Address(address.page, address.collection, name, parameters)


RUN_PARAMETERS = ("runs", "base", "pair")
"""The parameters that name runs."""


# The problem of an address with runs that are not stored any more

MOST_SENTENCES = 3

Ways = Sequence[tuple[Address, str]]
"""Addresses to continue with, each with its link text."""


def problem(runs: Mapping[str, TracedRun], ways_on: Ways) -> PageProblem:
    """A page that explains what happened to these runs, given by their texts in the address."""
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
    (way_on, text), *others = ways_on
    return PageProblem(
        title,
        " ".join(sentences),
        advice=_how_to_restore(runs),
        link=way_on.href,
        link_text=text,
        others=tuple((other.href, words) for other, words in others),
    )


def _how_to_restore(runs: Mapping[str, TracedRun]) -> str:
    """The command that restores the removed ones among these runs."""
    removed = {text: run for text, run in runs.items() if run.status == "removed"}
    names = [wording.clean(run.name or text) for text, run in removed.items()]
    if not names or len(names) > MOST_SENTENCES:
        return "`evalstore runs restore` brings removed runs back." if names else ""
    collections = {run.collection for run in removed.values() if run.collection}
    where = [f"--collection={wording.clean(name)}" for name in collections]
    # After --, a name that begins with a dash is not read as an option.
    end = ["--"] if any(name.startswith("-") for name in names) else []
    command = shlex.join([*(where if len(where) == 1 else []), *end, *names])
    return f"`evalstore runs restore {command}` brings {'it' if len(names) == 1 else 'them'} back."


def what_became_of(text: str, traced: TracedRun) -> str:
    """A sentence on what happened to the run that an address calls `text`."""
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
