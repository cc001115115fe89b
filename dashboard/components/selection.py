"""The runs that an address names, as every page shows them: by name, with a colour and a mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.address import Address
from dashboard.components import controls, run_problems, wording
from dashboard.components.identity import identities
from dashboard.components.problems import PageProblem, Redirect
from dashboard.components.store_problems import read
from dashboard.page import View
from evalstore.catalog.linked_runs import LinkedRun, find_linked_runs
from evalstore.catalog.links import split_hash
from evalstore.comparison.baselines import baseline
from evalstore.store import Store

MOST_RUNS = 12
"""Runs that are compared at once: as many as there are colours and marks."""


HASH_LENGTH = 8
"""Characters of a content hash in a link: with four, two runs in a thousand would share theirs."""


@dataclass(frozen=True)
class Selection:
    """The runs that a page shows, in the order of its address.

    Attributes:
        collection: their collection.
        runs: those that are stored.
        slots: by run id, the slot of its colour and mark on this page.
    """

    collection: str
    runs: tuple[LinkedRun, ...]
    slots: Mapping[int, int]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(run.name for run in self.runs)

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the runs."""
        return tuple(run.id for run in self.runs)

    def run(self, name: str) -> LinkedRun:
        """The run of that name, which is one of the selection."""
        return next(run for run in self.runs if run.name == name)

    def label(self, run: LinkedRun, *, limit: int = 28) -> Any:
        """A run's mark and name, with a link to its page."""
        href = Address("run", self.collection, run.name).href
        return controls.engine(self.slots[run.id], run.name, href=href, limit=limit)


def select_runs(view: View, names: Sequence[str]) -> Selection:
    """The runs of the view's collection that are named, each once.

    Raises:
        PageProblem: a run is not stored any more, or there is no such collection.
        Redirect: a run has another name now; the address that has it.
    """
    collection = view.address.collection or ""
    linked = read(view.store, lambda: find_linked_runs(view.store, collection, names))
    if linked.lost:
        raise run_problems.problem(linked.lost, _ways_on(view.store, view.address, linked.lost))
    if linked.renamed:
        now = {text: run.name for text, run in linked.renamed.items()}
        raise Redirect(_with_names(view.address, now).href)
    slots = identities([(run.id, run.engine) for run in linked.runs], _slots(linked.runs))
    return Selection(collection, linked.runs, slots)


def baseline_first(view: View, names: Sequence[str]) -> tuple[str, ...]:
    """The names, that of the baseline first: the one asked for, or the collection's."""
    base, collection = view.address.one("base"), view.address.collection
    if not base and collection:
        stored = read(view.store, lambda: baseline(view.store, collection))
        base = "" if stored is None else stored.name
    if base in names:
        return (base, *(name for name in names if name != base))
    return tuple(names)


def check_most(address: Address, selection: Selection) -> None:
    """Refuse more runs than there are colours and marks.

    Raises:
        PageProblem: with the way to the first of them.
    """
    if len(selection.runs) > MOST_RUNS:
        raise PageProblem(
            f"At most {MOST_RUNS} runs can be told apart",
            f"This link names {len(selection.runs)} runs.",
            advice="The leaderboard shows any number of them.",
            link=address.changed(runs=selection.names[:MOST_RUNS], base=None, pair=None).href,
            link_text=f"Show the first {MOST_RUNS}",
        )


def with_hashes(store: Store, address: Address) -> Address:
    """The address with the start of a run's content hash behind each name of a stored run."""
    texts = _run_texts(address)
    if address.collection is None or not texts:
        return address
    collection = address.collection
    linked = read(store, lambda: find_linked_runs(store, collection, texts))
    hashes = {run.name: run.content_hash[:HASH_LENGTH] for run in linked.runs}
    return _with_names(address, {name: f"{name}~{start}" for name, start in hashes.items()})


def check_hashes(store: Store, address: Address) -> None:
    """Go on to the address without hashes, once they are known to be those of the stored runs.

    Raises:
        PageProblem: a name of the link means another run now, or none.
        Redirect: all runs are those that the link means.
    """
    texts = [text for text in _run_texts(address) if split_hash(text)[1]]
    if address.collection is None or not texts:
        return
    collection = address.collection
    linked = read(store, lambda: find_linked_runs(store, collection, texts))
    if linked.lost:
        raise run_problems.problem(linked.lost, _ways_on(store, address, linked.lost))
    whole_names = {run.name for run in linked.runs}
    now = {text: split_hash(text)[0] for text in texts if text not in whole_names}
    now |= {text: run.name for text, run in linked.renamed.items()}
    if now:
        raise Redirect(_with_names(address, now).href)


def _run_texts(address: Address) -> list[str]:
    """The runs that an address names, as it names them."""
    texts = [text for name in RUN_PARAMETERS for text in address.all(name)]
    if address.page == "run" and address.name is not None:
        texts.append(address.name)
    return list(dict.fromkeys(texts))


def _slots(runs: Sequence[LinkedRun]) -> dict[str, int]:
    return {run.engine: run.slot for run in runs}


def _ways_on(store: Store, address: Address, lost: Mapping[str, object]) -> run_problems.Ways:
    """The same page without the runs that are lost, and the leaderboard with the others ticked.

    Where one run of a comparison is left, it is compared with the collection's baseline.
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
    """The address with other names for some runs, wherever it names runs."""
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
