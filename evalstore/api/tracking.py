"""Methods of the Python store: baselines, experiments and the history of engines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import pandas as pd

from evalstore.api.comparison import Comparison, pairs_frame
from evalstore.api.evaluation import text_table
from evalstore.api.inputs import Opened
from evalstore.api.many_runs import Measures, listed_runs_frame
from evalstore.client.differences import Difference, diff_runs
from evalstore.comparison.significance import Test
from evalstore.errors import DataError
from evalstore.formats.reading.source import printable
from evalstore.measures import Measure, named_measures
from evalstore.tracking import experiments
from evalstore.tracking.history import COLUMNS


@dataclass(frozen=True)
class Experiment:
    """A named group of runs.

    Attributes:
        name: its name.
        question, conclusion: what it is to find out, and what was found out, in Markdown; None
            if not given.
        created_at: when it was made (UTC).
        runs: one row per run (index `id`), as in `Store.runs`, by collection, engine and name.
    """

    name: str
    question: str | None
    conclusion: str | None
    created_at: datetime
    runs: pd.DataFrame


class Tracking(Opened):
    """The methods of `Store` for baselines, experiments and runs over time."""

    def baseline(self, collection: str) -> str | None:
        """The name of the run that the others of a collection are compared with.

        None if no baseline was set, or while that run is marked as removed.

        Raises:
            errors.NotFound: there is no such collection.
        """
        return self._reader().baseline(collection)

    def set_baseline(self, run: str | None, collection: str | None = None) -> None:
        """Make a run the baseline of its collection, in place of any other.

        Args:
            run: its name, or its id as text; None for no baseline.
            collection: the name of its collection, if several have a run of that name, or if
                `run` is None.

        Raises:
            errors.NotFound: there is no such run or collection.
            errors.DataError: neither a run nor a collection is given.
        """
        if run is not None:
            self._changer().set_baseline(run, collection)
            return
        if collection is None:
            raise DataError("name the collection that is to have no baseline")
        listed = [stored.collection for stored in self._reader().baselines()]
        if collection in listed:
            self._changer().unset_baseline(collection)
        else:
            self.baseline(collection)  # raises if there is no such collection

    def history(
        self,
        engine: str,
        measure: str | Measure = "nDCG@10",
        *,
        collection: str | None = None,
        qrels: str | None = None,
        last: int | None = None,
        test: Test = "t",
        alpha: float = 0.05,
    ) -> pd.DataFrame:
        """The runs of an engine over time, one row per run, oldest first.

        Columns: run; at (UTC), when the engine started if that is recorded, else when the run
        was stored; value, the measure over all judged queries; difference, to the run before; low
        and high, its interval; p, of the paired test; level, below which p is a mark; change,
        `better`, `worse` or `not shown` (`higher` and `lower` if the measure has no direction);
        reference, the last run before that was shown to differ, else the first; and the same of
        the difference to it: reference_difference, reference_p, reference_level and
        reference_change, which finds a slow drift. The first run has no differences.

        Marks hold: later runs and `last` change none, since a level depends on the tests before
        it alone. At most a share `alpha` of the marks is expected to be false, however often one
        looks.

        Args:
            engine: its name.
            measure: object or text; computed if it is not stored.
            collection: its name, if the engine has runs in several.
            qrels: the judgments; the default ones of the collection unless named.
            last: only this many of the newest runs; all if None.
            test: `t`, `wilcoxon`, `sign` or `randomization`.
            alpha: the expected share of false marks, at most; intervals are of level 1 - alpha.

        Raises:
            errors.NotFound: there is no such engine, collection or qrels.
            errors.DataError: the text names several measures, or another test or alpha.
        """
        named = named_measures(measure)
        if len(named) != 1:
            raise DataError(f"a history is of one measure; {measure!r} is {len(named)}")
        (one,) = named.items()
        history = self._reader().history(
            engine, one, collection, qrels, last=last, test=test, alpha=alpha
        )
        frame = pd.DataFrame([run.row() for run in history.runs], columns=list(COLUMNS))
        frame["at"] = pd.to_datetime([run.at for run in history.runs], utc=True)
        texts = ("run", "at", "change", "reference", "reference_change")
        return frame.astype(dict.fromkeys(frame.columns.difference(list(texts)), "float64"))

    def diff(
        self,
        a: str | int,
        b: str | int,
        measures: Measures = ("AP", "nDCG@10"),
        *,
        collection: str | None = None,
        qrels: str | None = None,
    ) -> RunDifference:
        """The parameters, tags, commit, versions and costs in which two runs differ, and figures.

        Args:
            a: the name or id of a run.
            b: the name or id of the other run; differences of figures are b - a.
            measures: objects or texts; those that are not stored are computed.
            collection: the name of their collection, if several have runs of these names.
            qrels: the judgments, as in `compare`.

        Raises:
            errors.NotFound: a run or qrels that the store does not hold.
        """
        named = named_measures(measures)
        difference = diff_runs(
            self._reader(), str(a), str(b), named, collection=collection, qrels=qrels
        )
        return RunDifference(difference)

    def experiments(self) -> pd.DataFrame:
        """A row per experiment (index `experiment`): question, conclusion, runs, created_at (UTC).

        The rows are in natural order of the names; `runs` is a count.
        """
        columns = ("name", "question", "conclusion", "runs", "created_at")
        stored = self._reader().experiments()
        rows = [[getattr(experiment, name) for name in columns] for experiment in stored]
        return pd.DataFrame(rows, columns=columns).set_index("name").rename_axis("experiment")

    def experiment(self, name: str, measures: Measures = ()) -> Experiment:
        """An experiment, its texts and its runs.

        Args:
            name: its name.
            measures: objects or texts, of the runs; those that are not stored are computed.

        Raises:
            errors.NotFound: there is no such experiment.
        """
        named = named_measures(measures) if measures != () else {}
        group = self._reader().experiment_runs(name, list(named.values()))
        stored = group.experiment
        return Experiment(
            stored.name,
            stored.question,
            stored.conclusion,
            stored.created_at,
            listed_runs_frame(group.runs, named).set_index("id"),
        )

    def set_experiment(
        self, name: str, question: str | None = None, conclusion: str | None = None
    ) -> None:
        """Set the question and the conclusion of an experiment, which is made if missing.

        Args:
            name: its name.
            question: what it is to find out, in Markdown; None leaves it, an empty text removes it.
            conclusion: what was found out; None and an empty text have the same effect as above.

        Raises:
            errors.DataError: a name that can't be shown, or a text that is too long.
        """
        database = self._writing()
        if name in [experiment.name for experiment in experiments.experiments(database)]:
            experiments.edit_experiment(database, name, question, conclusion)
        else:
            experiments.new_experiment(database, name, question, conclusion)


@dataclass(frozen=True, repr=False)
class RunDifference:
    """The facts that differ between two runs, and the measures that moved; prints itself.

    `difference` has the same content as frozen objects.
    """

    difference: Difference

    @property
    def line(self) -> str | None:
        """A sentence that says how one run was derived from the other; None if it was not."""
        return self.difference.line

    @cached_property
    def facts(self) -> pd.DataFrame:
        """One row per fact that differs (index `fact`): a, b; None if a run lacks the fact."""
        facts = self.difference.facts
        values = {"a": [fact.a for fact in facts], "b": [fact.b for fact in facts]}
        names = pd.Index([fact.fact for fact in facts], name="fact", dtype="str")
        return pd.DataFrame(values, index=names, dtype=object)

    @cached_property
    def moved(self) -> pd.DataFrame:
        """One row per measure whose value differs on a query; columns as in `Comparison.pairs`."""
        return pairs_frame([pair.row() for pair in self.difference.moved])

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The names of the measures that have the same value on every query."""
        return self.difference.unchanged

    @property
    def comparison(self) -> Comparison:
        """The comparison of the values: whether the runs may be compared, figures, sentences."""
        return Comparison(self.difference.compared)

    def __repr__(self) -> str:
        """The facts that differ, and the comparison."""
        a, b = self.difference.a.name, self.difference.b.name
        values = self.facts.fillna("(none)").astype(str)
        rows = [tuple(row) for row in values.reset_index().to_numpy().tolist()]
        facts = text_table(["fact", a, b], rows) if rows else "no recorded fact differs"
        line = [printable(self.line)] if self.line else []
        return "\n".join([*line, facts, repr(self.comparison)])
