"""Methods of the Python store: lists of runs, and statistics over all runs of a collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from evalstore.api.inputs import Opened, as_qrels
from evalstore.catalog.names import date_span, parse_conditions
from evalstore.comparison.qrels.changes import CHANGE_COLUMNS, QrelsChanges, qrels_changes
from evalstore.comparison.significance import Correction
from evalstore.errors import DataError
from evalstore.ingest.reevaluate import Choice, Reevaluated, read_or_name, reevaluate
from evalstore.leaderboard import run_list
from evalstore.leaderboard.power import COLUMNS as POWER_COLUMNS
from evalstore.leaderboard.power import PowerSettings, PowerTest
from evalstore.leaderboard.ranks import COLUMNS, RankSettings, RankTest
from evalstore.leaderboard.saved_ranks import save_ranks
from evalstore.leaderboard.table import Details, TextStyle
from evalstore.measures import Measure, named_measures
from evalstore.measures.notation import BOARD_MEASURES
from evalstore.tables.renderers import Format

if TYPE_CHECKING:
    from evalstore.api.inputs import QrelsLike


Measures = str | Measure | Iterable[str | Measure]


class ManyRuns(Opened):
    """The methods of `Store` for all runs of a collection."""

    def leaderboard_ranks(
        self,
        collection: str,
        *,
        measures: Measures = "AP",
        qrels: str | None = None,
        test: RankTest = "t",
        correction: Correction = "holm",
        alpha: float = 0.05,
        save: bool = False,
        baseline: str | None = None,
        no_baseline: bool = False,
    ) -> pd.DataFrame:
        """One row per measure and run: rank, rank group, intervals, judged share of the top 10.

        Columns: measure, rank (1 + the number of strictly better runs), rank_low and rank_high (the
        ranks that the tests of all pairs leave open), rank_group, engine, run, value, low and high
        (the interval of the value), judged_top_10 (a share, 0 to 1), difference (the value minus
        the baseline's; missing without one), verdict (on that difference). The best run of a
        measure comes first. Runs that share a letter of rank_group are not separated by the test. A
        measure that has no direction, or whose figure is no mean or sum, has no ranks: these
        columns are missing.

        Args:
            collection: its name.
            measures: objects or texts; those that are not stored are computed.
            qrels: the judgments; the default ones of the collection unless named.
            test: `t`, `wilcoxon`, `sign` or `randomization`, paired tests of all pairs of runs, or
                `tukey`, the randomised Tukey HSD with 5,000 permutations and its own correction.
            correction: `holm`, `bonferroni` or `bh`; not with `max-t` (t corrected by the largest t
                of all pairs) and `tukey`, which correct themselves.
            alpha: a corrected p below it separates two runs; intervals are of level 1 - alpha.
            save: whether the ranks are also stored, for the SQL view `leaderboard_ranks`.
            baseline: the name or id of the run that differences are to; if None the baseline of
                the collection, if it has one.
            no_baseline: whether the collection's baseline is not used.

        Raises:
            errors.NotFound: there is no such collection, qrels or baseline.
            errors.DataError: another test, correction or alpha; or what is to be saved has no
                ranks, or is not stored for every run.
        """
        database = self._writing() if save else None
        ranks = self._reader().leaderboard(
            collection,
            named_measures(measures),
            qrels,
            RankSettings(test, alpha, correction=correction),
            baseline=baseline,
            no_baseline=no_baseline,
        )
        if database is not None:
            save_ranks(database, ranks)
        rows = [
            {"measure": measure.measure, **run.row()}
            for measure in ranks.measures
            for run in measure.runs
        ]
        whole = dict.fromkeys(("rank", "rank_low", "rank_high"), "Int64")
        numbers = dict.fromkeys(("value", "low", "high", "judged_top_10", "difference"), "float64")
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype({**whole, **numbers})

    def power(
        self,
        collection: str,
        *,
        measures: Measures = BOARD_MEASURES,
        qrels: str | None = None,
        test: PowerTest = "bootstrap",
        alpha: float = 0.05,
        difference: float = 0.05,
        power: float = 0.8,
    ) -> pd.DataFrame:
        """One row per measure (index `measure`): its power with the existing runs and queries.

        Columns: runs, queries, pairs; share, the discriminative power: of all pairs of runs those
        whose achieved significance level is below alpha; sd, the standard deviation of the
        differences between two runs, pooled over all pairs (twice the residual variance of the
        two-way analysis of variance); queries_needed, of a paired t test for `difference`;
        detectable_difference, of the present queries; levels, all achieved significance levels, a
        float64 array, ascending.

        Args:
            collection: its name.
            measures: objects or texts; those that are not stored are computed.
            qrels: the judgments; the default ones of the collection unless named.
            test: `bootstrap`, Sakai's paired bootstrap test with 1,000 resamples, not corrected; or
                `tukey`, the randomised Tukey HSD with 5,000 permutations, which corrects.
            alpha: a level below it counts, and the size of the t test.
            difference: of two means, for the number of queries needed.
            power: the chance to find it.

        Raises:
            errors.NotFound: there is no such collection or qrels.
            errors.DataError: fewer than two runs, or an invalid argument.
        """
        settings = PowerSettings(test, alpha, difference, power)
        named = named_measures(measures)
        computed = self._reader().power(collection, named, qrels, settings)
        rows = [{**of.row(), "levels": of.levels} for of in computed.measures]
        frame = pd.DataFrame(rows, columns=[*POWER_COLUMNS, "levels"])
        numbers = dict.fromkeys(("share", "sd", "detectable_difference"), "float64")
        return frame.astype({"queries_needed": "Int64", **numbers}).set_index("measure")

    def agreement(
        self,
        collection: str,
        between: Literal["measures", "runs"] = "measures",
        *,
        measures: Measures = BOARD_MEASURES,
        qrels: str | None = None,
        runs: Sequence[str | int] = (),
        p: float = 0.9,
        k: int = 10,
        depth: int = 100,
    ) -> pd.DataFrame:
        """One row for each two measures, or runs, in both orders: how much they agree.

        Between measures, on the order of all runs of the collection by their aggregates (reversed
        if lower is better): a (for tau_ap the reference), b, runs, kendall_tau_b, tau_ap.
        Between runs, on the order of documents, as means over the queries that both answer: a, b,
        queries, rbo, kendall_tau_b (of the documents in both lists), overlap. NaN for none.

        Args:
            collection: its name.
            between: `measures` or `runs`.
            measures: objects or texts, two or more; those that are not stored are computed.
            qrels: the judgments of the measures; the default ones of the collection unless named.
            runs: names or ids, two or more; all if none is given.
            p: the parameter of the rank-biased overlap.
            k: the overlap is that of the top k.
            depth: the runs' lists are cut after this many documents.

        Raises:
            errors.NotFound: there is no such collection, qrels or run.
            errors.DataError: fewer than two measures or runs, or an invalid argument.
        """
        if between == "measures":
            named = named_measures(measures)
            result = self._reader().measure_agreement(collection, named, qrels)
        elif between == "runs":
            names = [str(run) for run in runs]
            result = self._reader().run_agreement(collection, names, p=p, k=k, depth=depth)
        else:
            raise DataError(f"between must be 'measures' or 'runs'; got {between!r}")
        frame = pd.DataFrame(result.rows(), columns=list(result.columns))
        return frame.astype(dict.fromkeys(result.coefficients, "float64"))

    def reevaluate(
        self,
        collection: str,
        qrels: QrelsLike,
        *,
        measures: Measures = BOARD_MEASURES,
        before: str | None = None,
        default_qrels: bool = False,
        allow_disjoint: bool = False,
        jobs: int = 1,
        scheduler: str | None = None,
    ) -> Reevaluation:
        """Evaluate every stored run of a collection under new judgments, and compare leaderboards.

        The judgments are stored as another qrels; each run gets the measures that it has under
        the earlier judgments, from its stored rankings. The earlier values stay. Each run is
        stored as a whole or not at all; after an interruption the same call continues.

        Args:
            collection: its name.
            qrels: the new judgments: a path, a dictionary, a frame, a `Qrels`; or the name of a
                stored qrels, if there is no such file.
            measures: the measures that are compared; missing ones are computed.
            before: the name of the stored judgments to compare with; if None the default ones of
                the collection, or the newest other ones if the new ones are the default.
            default_qrels: whether the new judgments become the default once every run is evaluated.
            allow_disjoint: whether the judgments may share no query with those of the collection,
                or with a run.
            jobs: how many processes evaluate.
            scheduler: the address of a Dask scheduler whose workers do it (docs/dask.md).

        Raises:
            errors.NotFound: there is no such collection or qrels.
            errors.DataError: judgments that can't be stored, or no judgments to compare with.
        """
        named = named_measures(measures)
        choice = Choice(before, default_qrels, allow_disjoint)
        database = self._reading()
        if isinstance(qrels, str):
            judgments = read_or_name(database, collection, qrels)
        else:
            judgments = as_qrels(qrels)
        done = reevaluate(database, collection, judgments, choice, jobs=jobs, scheduler=scheduler)
        changes = qrels_changes(database, collection, named, done.before, done.after)
        return Reevaluation(done, changes)

    def export_leaderboard(
        self,
        collection: str,
        format: Format,
        *,
        measures: Measures = BOARD_MEASURES,
        qrels: str | None = None,
        baseline: str | None = None,
        no_baseline: bool = False,
        groups: bool = False,
        intervals: bool = False,
        judged: bool = False,
        test: RankTest = "t",
        correction: Correction = "holm",
        alpha: float = 0.05,
        digits: int = 4,
        guard_formulas: bool = False,
        per_query: bool = False,
    ) -> str:
        """The leaderboard as text, as `evalstore export leaderboard` writes it.

        Args:
            collection: its name.
            format: `csv`, `tsv`, `json`, `markdown`, `latex` (needs the package booktabs) or
                `trec`.
            measures: objects or texts; those that are not stored are computed. The first one
                orders the runs.
            qrels: the judgments; the default ones of the collection unless named.
            baseline: the name or id of a run that all others are tested against; if None the
                baseline of the collection, and without one, or with `tukey`, all pairs.
            no_baseline: whether the collection's baseline is not to be used.
            groups: whether there are columns of rank groups, instead of superscripts.
            intervals: whether there are columns of the rank and its interval.
            judged: whether there is a column of the share of the top 10 that is judged.
            test: as in `leaderboard_ranks`; with a baseline not `tukey`.
            correction: as in `leaderboard_ranks`.
            alpha: a corrected p below it separates two runs.
            digits: the decimals of Markdown and LaTeX.
            guard_formulas: whether texts that a spreadsheet would take for a formula get an
                apostrophe in front, in CSV and TSV.
            per_query: whether TREC text also has the value of every query.

        Raises:
            errors.NotFound: there is no such collection, qrels or baseline.
            errors.DataError: another format, test or alpha, or a baseline without values.
        """
        written = self._reader().write_leaderboard(
            collection,
            named_measures(measures),
            qrels,
            RankSettings(test, alpha, correction=correction),
            Details(baseline, groups, intervals, judged, per_query, no_baseline),
            TextStyle(format, digits, guard_formulas),
        )
        return written.text


class Reevaluation:
    """The runs of a collection under the judgments before and after; `Store.reevaluate` makes it.

    `done` has the status of every run, `changes` the figures in the frames.
    """

    def __init__(self, done: Reevaluated, changes: QrelsChanges) -> None:
        self.done = done
        self.changes = changes

    @property
    def judgments(self) -> dict[str, int]:
        """The number of judgments that are `added`, `removed` and `changed` (another grade)."""
        return vars(self.changes.judgments)

    @property
    def values(self) -> pd.DataFrame:
        """One row per measure and run; the best run before comes first.

        Columns: measure, engine, run, before, after, difference (after - before), rank_before,
        rank_after (1 + the number of strictly better runs).
        """
        return pd.DataFrame(self.changes.rows(), columns=CHANGE_COLUMNS)

    @property
    def agreement(self) -> pd.DataFrame:
        """One row per measure: agreement between the leaderboards before and after.

        Columns: measure, runs, swapped (how many pairs of runs), kendall_tau_b, tau_ap (its
        reference is the order before). NaN if there is none.
        """
        rows = [
            (of.measure, len(of.runs), len(of.swapped), of.kendall_tau_b, of.tau_ap)
            for of in self.changes.measures
        ]
        return pd.DataFrame(rows, columns=("measure", "runs", "swapped", "kendall_tau_b", "tau_ap"))

    @property
    def swapped(self) -> pd.DataFrame:
        """One row per measure and pair of runs: `a` was better before, `b` is better after."""
        rows = [
            (of.measure, pair.a.run, pair.b.run)
            for of in self.changes.measures
            for pair in of.swapped
        ]
        return pd.DataFrame(rows, columns=("measure", "a", "b"))

    @property
    def runs(self) -> pd.DataFrame:
        """One row per run: run, engine, status (`evaluated`, `already evaluated`, ...), reason."""
        rows = [(run.run, run.engine, run.status, run.reason) for run in self.done.runs]
        return pd.DataFrame(rows, columns=("run", "engine", "status", "reason"))

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that are needed to read the figures, and warnings."""
        return (*self.done.warnings, *self.changes.every_note)

    def __repr__(self) -> str:
        """The collection and the two qrels."""
        return f"<Reevaluation of {self.done.collection}: {self.done.before} to {self.done.after}>"


LISTED_COLUMNS = (
    *("id", "collection", "engine", "run", "experiment", "date", "queries", "answered", "tags"),
    *("values_only", "date_is"),
)


class RunTable(pd.DataFrame):
    """A DataFrame with a row per run; `to_frame` is there as in other results."""

    def to_frame(self) -> pd.DataFrame:
        """The same as a plain DataFrame."""
        return pd.DataFrame(self)


class ListedRuns(Opened):
    """The methods of `Store` that list runs."""

    def runs(
        self,
        collection: str | None = None,
        *,
        measures: Measures = (),
        engine: str | None = None,
        experiment: str | None = None,
        tag: str | None = None,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        where: str | Iterable[str] = (),
        find: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        columns: Iterable[str] = (),
    ) -> RunTable:
        """One row per run (index `id`), with its names and the requested measures.

        Columns: collection, engine, run, experiment (or None), date (UTC; `date_is` says whether it
        is when the engine started or when the run was stored), queries (the number that the values
        are over), answered (the number that the run answers), tags, and one column per measure,
        named as in the request.

        Args:
            collection: only runs of the collection of that name.
            measures: objects or texts; those that are not stored are computed.
            engine: only runs of this engine.
            experiment: only runs of this experiment.
            tag: only runs that have this tag.
            since: only runs with a date from this one on, like `2026-06-01`, `2026-06` or `7d`.
            until: only runs with a date up to this one, all of its day or month.
            where: conditions on facts, all of which hold: `"k1>=0.9"`,
                `"header.method.name=BM25"`. A fact is named as in `StoredRun.facts`, names within
                others are joined by dots, and a parameter may be named alone. `=` and `!=` compare
                text or numbers, `<`, `<=`, `>` and `>=` compare numbers and dates.
            find: words, each of which is in a name, tag, note, parameter or header of the run.
            sort: a measure (the best first) or a column; a `-` in front reverses the order.
            limit: the maximum number of runs.
            columns: instead of all columns these: names of parameters (`k1`) or other facts
                (`commit`), of measures, or of columns.

        Raises:
            errors.NotFound: a collection, engine, experiment, tag or fact that no run has.
            errors.DataError: an invalid condition or date.
        """
        shown = run_list.read_columns(columns) if columns else None
        choice = run_list.Choice(
            collection=collection,
            engine=engine,
            experiment=experiment,
            tag=tag,
            since=_bound("since", since, 0),
            until=_bound("until", until, 1),
            where=parse_conditions(where),
            find=find,
            limit=limit,
            columns=() if shown is None else shown.facts,
        )
        if shown is None:
            return RunTable(self._list(choice, measures, sort).set_index("id"))
        rows = self._reader().list_runs(list(shown.measures.values()), choice, sort)
        ids = pd.Index([run.id for run in rows], name="id")
        return RunTable(map(shown.row, rows), ids, list(shown.names))

    def leaderboard(
        self,
        collection: str,
        *,
        measures: Measures = BOARD_MEASURES,
        qrels: str | None = None,
        sort: str | None = None,
    ) -> pd.DataFrame:
        """One row per run (index `run`) of a collection, one column per measure; best run first.

        Args:
            collection: its name.
            measures: objects or texts; those that are not stored are computed. The first one
                sorts, unless `sort` says otherwise.
            qrels: the judgments; the default ones of the collection unless named.
            sort: as in `runs`.

        Raises:
            errors.NotFound: there is no such collection or qrels.
        """
        named = named_measures(measures)
        by = sort if sort is not None or not named else str(next(iter(named.values())))
        choice = run_list.Choice(collection=collection, qrels=qrels)
        frame = self._list(choice, measures, by)
        return frame[["run", "engine", *named]].set_index("run")

    def _list(self, choice: run_list.Choice, measures: Measures, sort: str | None) -> pd.DataFrame:
        named = named_measures(measures) if measures != () else {}
        rows = self._reader().list_runs(list(named.values()), choice, sort)
        return listed_runs_frame(rows, named)


def _bound(name: str, date: str | datetime | None, end: int) -> datetime | None:
    """The start (0) or the end (1) of a date; a time without a zone is in UTC."""
    if isinstance(date, datetime):
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date
    return None if date is None else date_span(name, date)[end]


def listed_runs_frame(
    runs: Sequence[run_list.ListedRun], named: Mapping[str, Measure]
) -> pd.DataFrame:
    """One row per run: `LISTED_COLUMNS`, and one column per measure under its requested name."""
    columns: dict[str, list[Any]] = {
        name: [getattr(run, name) for run in runs] for name in LISTED_COLUMNS
    }
    for name, measure in named.items():
        columns[name] = [run.values.get(str(measure)) for run in runs]
    return pd.DataFrame(columns)
