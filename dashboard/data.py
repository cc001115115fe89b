"""What the pages read: evalstore's use cases, with their errors turned into page-ready problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import pandas as pd

from dashboard.links import CompareView, PageProblem, RunsView
from dashboard.measure_info import (
    canonical,
    comparison_default,
    leaderboard_default,
)
from evalstore.errors import EvalstoreError, NotComparable, NotFound
from evalstore.store import Store
from evalstore.usecases import compare
from evalstore.usecases import leaderboard as browse
from evalstore.usecases.compare import Comparison, Outcome
from evalstore.usecases.leaderboard import Leaderboard

T = TypeVar("T")


@dataclass(frozen=True)
class Board:
    """The leaderboard a view asks for."""

    leaderboard: Leaderboard
    measures: tuple[str, ...]  # those shown
    collections: tuple[str, ...]
    qrels: tuple[str, ...]  # of this collection, newest first


@dataclass(frozen=True)
class Compared:
    """The comparison a view asks for, and the view with every default filled in."""

    comparison: Comparison
    view: CompareView
    default: CompareView
    labels: dict[int, str]  # run id -> label, in the order asked
    qrels: tuple[str, ...]  # of the collection, newest first

    @property
    def a(self) -> int:
        """The run id of engine A."""
        return _known(self.view.a)

    @property
    def b(self) -> int:
        """The run id of engine B."""
        return _known(self.view.b)

    @property
    def measure(self) -> str:
        """The chosen measure."""
        return self.view.measure or ""

    @property
    def has_texts(self) -> bool:
        """Whether the store knows what any of the queries asked."""
        return bool(self.comparison.queries["text"].notna().any())

    @property
    def sides(self) -> tuple[str, str]:
        """The labels of A and B."""
        return self.labels[self.a], self.labels[self.b]

    @property
    def places(self) -> tuple[int, int]:
        """The places of A and B in the order of the comparison."""
        order = list(self.labels)
        return order.index(self.a), order.index(self.b)


def _known(run_id: int | None) -> int:
    assert run_id is not None, "filled in by `compared`"  # noqa: S101 - an invariant, not input
    return run_id


def board(store: Store, view: RunsView) -> Board | None:
    """Return the leaderboard; None where the store holds no collection with runs yet."""
    table = _read(lambda: browse.collections(store))
    if table.empty:
        return None
    names = tuple(str(name) for name in table["collection"])
    collection = view.collection or _first_with_runs(table)
    stored = _read(lambda: browse.measures(store, collection, view.qrels))
    wanted = tuple(canonical(name) for name in view.measures)
    unknown = [name for name in wanted if name not in stored]
    if unknown:
        raise PageProblem(
            "This measure is not stored",
            f"No run of “{collection}” has values of “{unknown[0]}”.",
            advice=_stored(stored),
            link=f"/{RunsView(collection, view.qrels).search()}",
            link_text="Show the usual measures",
        )
    shown = wanted or leaderboard_default(stored)
    leaderboard = _read(lambda: browse.leaderboard(store, collection, view.qrels, shown))
    return Board(
        leaderboard,
        shown,
        names,
        _qrels_of(table, leaderboard.collection),
    )


def compared(store: Store, view: CompareView) -> Compared:
    """Return the comparison that a view asks for; raises PageProblem where there is none."""
    comparison = _read(lambda: compare.comparison(store, view.runs, view.qrels), _without(view))
    if not comparison.measures:
        raise PageProblem(
            "Nothing to compare on",
            "These runs have no measure in common.",
            advice="Ingest them again with the same measures.",
        )
    labels = {
        int(run): str(label)
        for run, label in zip(comparison.runs["run_id"], comparison.runs["label"], strict=True)
    }
    order = list(labels)
    back = CompareView(view.runs, view.qrels)
    default = replace(
        back,
        measure=comparison_default(comparison.measures),
        a=order[0],
        b=order[1],
        sort="query",
    )
    a = default.a if view.a is None else view.a
    # One side alone in the address: the other is the first run that is left.
    b = next(run for run in order if run != a) if view.b is None else view.b
    if view.a is None and a == b:
        a = next(run for run in order if run != b)
    full = replace(
        view,
        measure=canonical(view.measure) if view.measure else default.measure,
        a=a,
        b=b,
        sort=view.sort or default.sort,
    )
    _check(full, comparison, back)
    return Compared(
        comparison,
        full,
        default,
        labels,
        _qrels_of(_read(lambda: browse.collections(store)), comparison.collection),
    )


def _check(view: CompareView, comparison: Comparison, back: CompareView) -> None:
    """Refuse what the address asks for and these runs don't have."""
    link = {"link": f"/compare{back.search()}", "link_text": "Compare these runs"}
    if view.measure not in comparison.measures:
        raise PageProblem(
            "This measure is not stored",
            f"Not every one of these runs has values of “{view.measure}”.",
            advice=_stored(comparison.measures),
            **link,
        )
    for side, run in (("A", view.a), ("B", view.b)):
        if run not in view.runs:
            raise PageProblem(
                f"Engine {side} is not among the runs",
                f"The link takes run {run} for engine {side}, but does not list it under runs.",
                **link,
            )
    if view.a == view.b:
        raise PageProblem(
            "A and B are the same run",
            f"The link takes run {view.a} for both sides of the difference.",
            **link,
        )
    if view.query is not None and view.query not in set(comparison.queries["qid"]):
        raise PageProblem(
            "This query is not in the comparison",
            f"“{view.query}” is not one of the {len(comparison.queries):,} queries.",
            **link,
        )


def per_query(store: Store, found: Compared) -> pd.DataFrame:
    """Return the chosen measure's values: index qid, a column per run id."""
    return _read(lambda: compare.per_query(store, found.comparison, found.measure))


def curves(store: Store, found: Compared) -> pd.DataFrame:
    """Return interpolated precision at the recall levels, long: run_id, recall, precision."""
    return _read(lambda: compare.recall_precision(store, found.comparison, found.view.query))


def paired(found: Compared, values: pd.DataFrame) -> pd.DataFrame:
    """Return a row per query: qid, text, a, b, difference (A − B), in query order."""
    queries = found.comparison.queries
    a = values[found.a].reindex(queries["qid"]).to_numpy(dtype=float)
    b = values[found.b].reindex(queries["qid"]).to_numpy(dtype=float)
    return pd.DataFrame(
        {
            "qid": queries["qid"].to_numpy(),
            "text": queries["text"].to_numpy(),
            "a": a,
            "b": b,
            "difference": a - b,
        }
    )


def outcome(pairs: pd.DataFrame) -> Outcome:
    """Return how often A's value is the higher, the same, the lower, and by how much on average."""
    return compare.outcome(pairs["difference"].to_numpy(dtype=float))


def _first_with_runs(table: pd.DataFrame) -> str:
    with_runs = table[table["runs"] > 0]
    return str((table if with_runs.empty else with_runs)["collection"].iloc[0])


def _qrels_of(table: pd.DataFrame, collection: str) -> tuple[str, ...]:
    found = table.loc[table["collection"] == collection, "qrels"]
    return tuple(found.iloc[0]) if len(found) else ()


def _stored(measures: tuple[str, ...]) -> str:
    shown = ", ".join(measures[:12])
    return f"Stored are: {shown}{', …' if len(measures) > 12 else '.'}" if measures else ""


def _without(view: CompareView) -> dict[str, str]:
    """Return the way out of a qrels that was asked for and does not fit: the runs without it."""
    if view.qrels is None:
        return {}
    return {
        "link": f"/compare{CompareView(view.runs).search()}",
        "link_text": "Compare them under the qrels they share",
    }


def _read(read: Callable[[], T], way_out: dict[str, str] | None = None) -> T:
    try:
        return read()
    except NotFound as error:
        raise PageProblem("Not in this store", _sentence(error)) from error
    except NotComparable as error:
        raise PageProblem(
            "These runs can't be compared", _sentence(error), **way_out or {}
        ) from error
    except EvalstoreError as error:
        raise PageProblem("This can't be shown", _sentence(error)) from error


def _sentence(error: EvalstoreError) -> str:
    # An error is a line on a terminal first: there it starts small and has no full stop.
    text = str(error)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
