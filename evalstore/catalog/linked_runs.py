"""The runs that an address names: found by name and hash, with their engines and slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalstore.catalog.chosen_qrels import kept_collection
from evalstore.catalog.links import TracedRun, trace_named_runs
from evalstore.catalog.names import natural
from evalstore.store import Store
from evalstore.store.kept import bytes_of
from evalstore.store.queries.engine_slots import load_slots
from evalstore.store.queries.runs import engines_of, list_runs, list_values_only


@dataclass(frozen=True)
class LinkedRun:
    """A run that is stored, as a page shows it.

    Attributes:
        id: the run's id.
        name: unique in its collection.
        engine: the engine's name.
        content_hash: of its content.
        slot: the number of the engine in the collection, from 0.
    """

    id: int
    name: str
    engine: str
    content_hash: str
    slot: int


@dataclass(frozen=True)
class LinkedRuns:
    """What became of the runs that an address names.

    Attributes:
        runs: those that are stored, each once, in the order of the address.
        renamed: by the text of the address, those of them that have another name now.
        lost: by the text of the address, what became of the others.
    """

    runs: tuple[LinkedRun, ...]
    renamed: dict[str, LinkedRun]
    lost: dict[str, TracedRun]


def find_linked_runs(store: Store, collection: str, texts: Sequence[str]) -> LinkedRuns:
    """The runs of a collection that an address names: `bm25`, or `bm25~3f9a` with its hash.

    Raises:
        NotFound: there is no such collection.
    """
    with store.read() as connection:
        kept_collection(store, collection)
        slots = load_slots(connection, collection)
        traced = trace_named_runs(connection, collection, list(dict.fromkeys(texts)))
        stored = {
            text: trace.run
            for text, trace in traced.items()
            if trace.run is not None and trace.status in ("stored", "moved")
        }
        engines = engines_of(connection, [run.id for run in stored.values()])
    linked = {
        text: LinkedRun(
            run.id, run.name, engines[run.id], run.content_hash, slots.get(engines[run.id], 0)
        )
        for text, run in stored.items()
    }
    return LinkedRuns(
        tuple(dict.fromkeys(linked.values())),
        {text: linked[text] for text in linked if traced[text].status == "moved"},
        {text: trace for text, trace in traced.items() if text not in linked},
    )


def run_names(store: Store, collection: str) -> tuple[str, ...]:
    """The names of the active runs of a collection, in natural order."""

    def read() -> tuple[str, ...]:
        with store.read() as connection:
            runs = list_runs(connection, collection=collection)
        return tuple(sorted((run.name for run in runs), key=natural))

    return store.keep(("run names", collection), read, bytes_of)


def have_rankings(store: Store, run_ids: Sequence[int]) -> bool:
    """Whether all these runs have rankings, so that every measure of a ranking can be computed."""
    with store.read() as connection:
        return not list_values_only(connection, run_ids)


def engine_slots(store: Store, collection: str) -> dict[str, int]:
    """The slot of every engine of a collection, by the engine's name."""
    with store.read() as connection:
        return load_slots(connection, collection)
