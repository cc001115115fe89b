"""Saved ranks of a leaderboard, for SQL users: store and check them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby

from sqlalchemy import Connection

from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import load_stored_runs
from evalstore.comparison.significance import Pair, Settings
from evalstore.errors import DataError, EvalstoreError
from evalstore.leaderboard.ranks import (
    LeaderboardRanks,
    MeasureRanks,
    RankedRun,
    RankSettings,
    leaderboard_ranks,
    paired_test,
)
from evalstore.measures import named_measures, parse
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.evaluations import list_evaluations
from evalstore.store.queries.leaderboard import (
    Figures,
    ShownRank,
    list_figures,
    list_shown_ranks,
    save_leaderboard,
)

SAVED_TESTS = ("t", "tukey", "max-t")
CLOSE = 1e-9
"""The relative tolerance for recomputed figures: another processor may add in a different order."""


def save_ranks(store: Store, ranks: LeaderboardRanks) -> None:
    """Replace the saved ranks of a leaderboard, all or none of them, and record an event.

    The view `leaderboard_ranks` shows them until a run is added to the collection, evaluated under
    the qrels, removed or restored. DataError if a measure has no ranks or a run no stored values.
    """
    for measure in ranks.measures:
        if measure.not_separated is None:
            reason = next(iter(measure.notes or ranks.notes))
            raise DataError(f"nothing to save: {reason}")
    if ranks.settings.test not in SAVED_TESTS or ranks.settings.correction != "holm":
        raise DataError(
            "the ranks of this test are not saved: only those of the t test with Holm's "
            "correction, of Tukey's and of max-t"
        )

    claims = _claims(store, ranks)

    def work(connection: Connection) -> None:
        now = datetime.now(UTC)
        evaluations = list_evaluations(connection, None, ranks.collection)
        names = {of.run.id: of.run.name for of in evaluations if of.qrels.id == ranks.qrels_id}
        canonical = [measure.canonical for measure in ranks.measures]
        stored = list_figures(connection, ranks.qrels_id, canonical)
        for measure in ranks.measures:
            _check_stored(measure, names, stored[measure.canonical])
            figures = {
                run.run_id: _figures(run, claims.get((measure.measure, run.run_id)))
                for run in measure.runs
            }
            save_leaderboard(
                connection,
                ranks.qrels_id,
                measure.canonical,
                figures,
                test=ranks.settings.test,
                alpha=ranks.settings.alpha,
                family=measure.family,
                now=now,
            )
        details = {"measures": sorted(canonical)}
        events.log(connection, "rank", ranks.collection, ranks.qrels, now, **details)

    store.transact(work)


def _check_stored(
    measure: MeasureRanks, names: Mapping[int, str], stored: Mapping[int, float]
) -> None:
    """Refuse ranks that the view could not show, or whose values differ from the stored ones.

    `names` are those of the evaluated runs, `stored` their figures, by run id.
    """
    lacking = sorted(name for run_id, name in names.items() if run_id not in stored)
    if lacking:
        several = f" and {len(lacking) - 1:,} more runs" if len(lacking) > 1 else ""
        raise DataError(
            f"{measure.measure} is not stored for {lacking[0]}{several}, so its ranks can't be "
            "saved",
            problem="measure not stored",
        )
    if {run.run_id: run.value for run in measure.runs} != stored:
        raise DataError("the runs of the collection were changed meanwhile: try again")


def _claims(store: Store, ranks: LeaderboardRanks) -> dict[tuple[str, int], Pair]:
    """The claims on the baseline and each other run, as a comparison makes them."""
    base = ranks.baseline
    others = [run for run in ranks.measures[0].runs if base is None or run.run_id != base.id]
    if base is None or not others:
        return {}
    measures = {one.measure: parse(one.canonical) for one in ranks.measures}
    names = [base.name, *(run.run for run in others)]
    loaded = load_stored_runs(
        store, names, measures, collection=ranks.collection, qrels=ranks.qrels
    )
    test = paired_test(ranks.settings)
    settings = Settings(test, ranks.settings.correction, ranks.settings.alpha, tests=(test,))
    compared = compare_loaded(replace(loaded, baseline=0), measures, settings)
    id_of = {run.run: run.run_id for run in others}
    return {(pair.measure, id_of[pair.b]): pair for pair in compared.pairs}


def _figures(run: RankedRun, claim: Pair | None) -> Figures:
    """The figures of a run, with the claim on the baseline and it, if there is one."""
    assert run.rank is not None  # noqa: S101  (a measure without ranks is refused)
    assert run.rank_low is not None  # noqa: S101  (as above)
    assert run.rank_high is not None  # noqa: S101  (as above)
    return Figures(
        run.rank,
        run.rank_low,
        run.rank_high,
        run.rank_group,
        run.low,
        run.high,
        run.judged_top_10,
        *(() if claim is None else (claim.verdict, claim.reason, claim.sentence)),
        *(() if claim is None or claim.bounds is None else claim.bounds),
    )


def saved_rank_problems(store: Store) -> Iterator[str]:
    """Yield the errors in the saved ranks that the view shows, ignoring figures drawn at random.

    The verdicts are not recomputed: the baseline may be another one since.
    """
    with store.read() as connection:
        rows = list_shown_ranks(connection)
    for (collection, qrels, measure, test, alpha), group in groupby(
        rows, lambda row: (row.collection, row.qrels, row.measure, row.test, row.alpha)
    ):
        rows = list(group)
        what = f"saved ranks of collection {collection!r} under qrels {qrels!r}, {measure}"
        try:
            # The letters of a randomised test are not compared, so one permutation is enough.
            settings = RankSettings(test, alpha, resamples=1)
            named = named_measures([measure])
            ranks = leaderboard_ranks(store, collection, named, qrels, settings)
        except EvalstoreError as error:
            yield f"{what}: {error}"
            continue
        computed = {run.run: run for run in ranks.measures[0].runs}
        wrong = [row.run for row in rows if not _agrees(row, computed.get(row.run), len(rows))]
        if wrong:
            several = f" and {len(wrong) - 1:,} more runs" if len(wrong) > 1 else ""
            yield f"{what}: those of {wrong[0]!r}{several} are not what the values give"


def _agrees(row: ShownRank, run: RankedRun | None, runs: int) -> bool:
    if run is None or run.rank is None:
        return False
    figures = row.figures
    return (
        figures.rank == run.rank
        and 1 <= figures.rank_low <= figures.rank_high <= runs
        and (row.test != "t" or figures.rank_group == run.rank_group)
        and _same(figures.low, run.low)
        and _same(figures.high, run.high)
        and _same(figures.judged_top_10, run.judged_top_10)
    )


def _same(stored: float | None, computed: float | None) -> bool:
    if stored is None or computed is None:
        return stored is computed
    return math.isclose(stored, computed, rel_tol=CLOSE, abs_tol=CLOSE)
