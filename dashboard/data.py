"""What the pages read: evalstore's use cases, with their errors turned into problems of a page."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from dashboard.links import CompareView, PageProblem, RunLink, RunsView, WayOut
from dashboard.measure_info import (
    canonical,
    comparison_default,
    leaderboard_default,
)
from dashboard.store_problems import linked_runs_problem, read
from evalstore.store import Store
from evalstore.usecases import compare
from evalstore.usecases.compare import Comparison, Outcome
from evalstore.usecases.leaderboard import (
    Leaderboard,
    collections,
    leaderboard,
    leaderboard_measures,
)


@dataclass(frozen=True)
class Board:
    """The leaderboard that a view asks for."""

    leaderboard: Leaderboard
    measures: tuple[str, ...]  # the columns
    collections: tuple[str, ...]
    qrels: tuple[str, ...]  # of this collection, the default first


@dataclass(frozen=True)
class Compared:
    """The comparison that a view asks for, and the view with every default filled in."""

    comparison: Comparison
    view: CompareView
    default: CompareView
    labels: dict[int, str]  # run id -> label, in the order asked

    @property
    def a(self) -> int:
        """The run id of engine A."""
        return _filled_in(self.view.a).id

    @property
    def b(self) -> int:
        """The run id of engine B."""
        return _filled_in(self.view.b).id

    @property
    def measure(self) -> str:
        """The chosen measure."""
        return self.view.measure or ""

    @property
    def links(self) -> dict[int, RunLink]:
        """Run id -> the run as an address names it."""
        return {link.id: link for link in self.view.runs}

    @property
    def has_texts(self) -> bool:
        """Whether the store knows the text of any of the queries."""
        return bool(self.comparison.queries["text"].notna().any())

    @property
    def pair(self) -> tuple[str, str]:
        """The labels of A and B."""
        return self.labels[self.a], self.labels[self.b]

    @property
    def pair_positions(self) -> tuple[int, int]:
        """The positions of A and B among the runs, which give them their colours."""
        order = list(self.labels)
        return order.index(self.a), order.index(self.b)


def _filled_in(run: RunLink | None) -> RunLink:
    assert run is not None, "filled in by `load_comparison`"  # noqa: S101 - an invariant, not input
    return run


def load_board(store: Store, view: RunsView) -> Board | None:
    """Return the leaderboard; None where the store holds no collection yet."""
    table = read(store, lambda: collections(store))
    if table.empty:
        return None
    collection = view.collection or _first_with_runs(table)
    stored = read(store, lambda: leaderboard_measures(store, collection, view.qrels))
    wanted = tuple(canonical(name) for name in view.measures)
    unknown = [name for name in wanted if name not in stored]
    if unknown:
        raise PageProblem(
            "This measure is not stored",
            f"No run of “{collection}” has values of “{unknown[0]}”.",
            advice=_stored_measures(stored),
            link=f"/{RunsView(collection, view.qrels).search()}",
            link_text="Show the usual measures",
        )
    columns = wanted or leaderboard_default(stored)
    names = tuple(str(name) for name in table["collection"])
    return Board(
        read(store, lambda: leaderboard(store, collection, view.qrels, columns)),
        columns,
        names,
        dict(zip(names, table["qrels"], strict=True)).get(collection, ()),
    )


def load_comparison(store: Store, view: CompareView) -> Compared:
    """Return the comparison that a view asks for.

    Raises:
        PageProblem: there is none, or the address names a run that is not stored any more.
    """
    numbers = [run.id for run in view.runs]
    way_out = _way_out_of_qrels(view)
    try:
        comparison = read(store, lambda: compare.comparison(store, numbers, view.qrels), way_out)
    except PageProblem:
        problem = linked_runs_problem(store, view)
        if problem is not None:
            raise problem from None
        raise
    hashes = dict(zip(comparison.runs["run_id"], comparison.runs["content_hash"], strict=True))
    named = [*view.runs, *(run for run in (view.a, view.b) if run is not None)]
    if not all(hashes.get(run.id, run.content).startswith(run.content) for run in named):
        problem = linked_runs_problem(store, view)
        if problem is not None:
            raise problem
    if not comparison.measures:
        raise PageProblem(
            "Nothing to compare on",
            "These runs have no measure in common.",
            advice="Ingest them again with the same measures.",
        )
    links = [RunLink.of(run, hashes[run]) for run in numbers]
    full = _with_defaults(replace(view, runs=tuple(links)), comparison)
    start = CompareView(full.runs, view.qrels)
    _check(full, comparison, start)
    labels = dict(zip(numbers, (str(label) for label in comparison.runs["label"]), strict=True))
    return Compared(comparison, full, _with_defaults(start, comparison), labels)


def _with_defaults(view: CompareView, comparison: Comparison) -> CompareView:
    """Return the view with what the address leaves out, and with the hashes of A and B."""
    link_of = {run.id: run for run in view.runs}
    a = None if view.a is None else link_of.get(view.a.id, view.a)
    b = None if view.b is None else link_of.get(view.b.id, view.b)
    # Of A and B the one that is left out is the first run that the other is not.
    if a is None:
        a = next(run for run in view.runs if run != b)
    if b is None:
        b = next(run for run in view.runs if run != a)
    return replace(
        view,
        measure=(
            canonical(view.measure) if view.measure else comparison_default(comparison.measures)
        ),
        a=a,
        b=b,
        sort=view.sort or "query",
    )


def _check(view: CompareView, comparison: Comparison, start: CompareView) -> None:
    """Refuse what the address asks for and these runs don't have."""
    way_out: WayOut = {"link": f"/compare{start.search()}", "link_text": "Compare these runs"}
    if view.measure not in comparison.measures:
        raise PageProblem(
            "This measure is not stored",
            f"Not every one of these runs has values of “{view.measure}”.",
            advice=_stored_measures(comparison.measures),
            **way_out,
        )
    for letter, run in (("A", view.a), ("B", view.b)):
        if run not in view.runs:
            raise PageProblem(
                f"Engine {letter} is not among the runs",
                f"The link takes run {run} for engine {letter}, but does not list it under runs.",
                **way_out,
            )
    if view.a == view.b:
        raise PageProblem(
            "A and B are the same run",
            f"The link takes run {view.a} for both engines of the difference.",
            **way_out,
        )
    if view.query is not None and view.query not in set(comparison.queries["qid"]):
        raise PageProblem(
            "This query is not in the comparison",
            f"“{view.query}” is not one of the {len(comparison.queries):,} queries.",
            **way_out,
        )


def load_values(store: Store, compared: Compared) -> pd.DataFrame:
    """Return the chosen measure's values: index qid, a column per run id."""
    return read(store, lambda: compare.per_query(store, compared.comparison, compared.measure))


def load_curves(store: Store, compared: Compared) -> pd.DataFrame:
    """Return interpolated precision at the recall levels, long: run_id, recall, precision."""
    return read(
        store, lambda: compare.recall_precision(store, compared.comparison, compared.view.query)
    )


def aggregates(compared: Compared) -> dict[int, float]:
    """Return the stored aggregate of the chosen measure by run id, in the order of the runs."""
    column = compared.comparison.aggregates[compared.measure]
    return {run: float(column.loc[run]) for run in compared.labels}


def pair_values(compared: Compared, values: pd.DataFrame) -> pd.DataFrame:
    """Return a row per query: qid, text, a, b, difference (A − B), in query order."""
    queries = compared.comparison.queries
    a = values[compared.a].reindex(queries["qid"]).to_numpy(dtype=float)
    b = values[compared.b].reindex(queries["qid"]).to_numpy(dtype=float)
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
    in_byte_order = pairs.sort_values("qid")  # as every average is summed
    return compare.outcome(in_byte_order["difference"].to_numpy(dtype=float))


def _first_with_runs(table: pd.DataFrame) -> str:
    with_runs = table[table["runs"] > 0]
    return str((table if with_runs.empty else with_runs)["collection"].iloc[0])


def _stored_measures(measures: tuple[str, ...]) -> str:
    first = ", ".join(measures[:12])
    return f"Stored are: {first}{', …' if len(measures) > 12 else '.'}" if measures else ""


def _way_out_of_qrels(view: CompareView) -> WayOut:
    """Return the link to the same runs under the qrels they share, where another was asked for."""
    if view.qrels is None:
        return {}
    return {
        "link": f"/compare{CompareView(view.runs).search()}",
        "link_text": "Compare them under the qrels they share",
    }
