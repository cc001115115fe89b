"""Qrels, in Python: compared with others, with the runs under them, and with runs left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from evalstore.api.evaluation import new_frame
from evalstore.api.inputs import Opened, as_qrels, named_runs
from evalstore.client.two_qrels import (
    compare_stored_qrels,
    repeats_of_stored_qrels,
    reuse_of_stored_qrels,
)
from evalstore.comparison.qrels.agreement import (
    FIGURES,
    GRADE_COLUMNS,
    QUERY_COLUMNS,
    RESAMPLES,
    AgreementSettings,
)
from evalstore.comparison.qrels.compared import ComparedQrels, compare_given_qrels
from evalstore.comparison.qrels.families import FAMILY_COLUMNS
from evalstore.comparison.qrels.leaderboards import CLAIM_COLUMNS, RUN_COLUMNS
from evalstore.comparison.qrels.leaderboards import QUERY_COLUMNS as SHARE_COLUMNS
from evalstore.comparison.qrels.repeats import Repeats, repeats_of_given_qrels
from evalstore.comparison.qrels.reuse import COLUMNS, DEPTH, Reuse, leave_one_out_given
from evalstore.measures import Measure, parse
from evalstore.stats.inputs import SEED

if TYPE_CHECKING:
    import pandas as pd

    from evalstore.api.inputs import QrelsLike, Runs


class QrelsComparison:
    """Two qrels compared: a, then b; negative grades count as not judged.

    Attributes:
        sentence: what may be concluded.
        notes: sentences on the runs and queries.
    """

    def __init__(self, compared: ComparedQrels) -> None:
        """Wrap the result of a comparison."""
        self._compared = compared
        self.sentence = compared.sentence
        self.notes = list(compared.every_note)

    @property
    def confusion(self) -> pd.DataFrame:
        """The number of documents by grade in a (index) and in b (columns), or "not judged"."""
        names = [*self._compared.judgments.grade_numbers, "not judged"]
        return new_frame(self._compared.judgments.table, names, names)

    @property
    def figures(self) -> pd.DataFrame:
        """The value, low and high of each figure (index): agreement, kappa, kappa_linear, ..."""
        of = self._compared.judgments
        rows = [(of.figures[name], *of.intervals[name]) for name in FIGURES]
        return new_frame(rows, ("value", "low", "high"), list(FIGURES))

    @property
    def by_grade(self) -> pd.DataFrame:
        """A row for each grade: how often a and b give it, how often both do, and the bias."""
        return new_frame(self._compared.judgments.by_grade(), GRADE_COLUMNS)

    @property
    def per_query(self) -> pd.DataFrame:
        """A row for each query: counts, agreement, kappa, bias, overlap of the relevant."""
        return new_frame(self._compared.judgments.queries(), QUERY_COLUMNS)

    @property
    def runs(self) -> pd.DataFrame:
        """A row for each run, the best under a first: figures and ranks under a and b."""
        boards = self._compared.leaderboards
        rows = [] if boards is None else boards.run_rows()
        return new_frame(rows, RUN_COLUMNS)

    @property
    def claims(self) -> pd.DataFrame:
        """A row for each pair of runs whose difference is shown under a or b: what became of it."""
        boards = self._compared.leaderboards
        rows = [] if boards is None else boards.claim_rows()
        return new_frame(rows, CLAIM_COLUMNS)

    @property
    def queries(self) -> pd.DataFrame:
        """A row for each query that changes the runs unequally, the one that does most first.

        `share` is its part, from 0 to 1; `a` and `b` are the mean values of the runs.
        """
        boards = self._compared.leaderboards
        return new_frame([] if boards is None else list(boards.queries), SHARE_COLUMNS)

    @property
    def families(self) -> pd.DataFrame:
        """A row for each stated family of engines: whether b favours its runs.

        Of the documents judged in both that the runs of the family have in the first 10 ranks:
        `bias` is the mean grade in b less that in a; `favour` how many grades more b gives than to
        the documents of the other runs with the same grade in a, with its interval and p
        (`stats.group_favour`); `p_corrected` is by Holm's correction over the families.
        """
        return new_frame(self._compared.family_rows(), FAMILY_COLUMNS)

    def to_dict(self) -> dict[str, object]:
        """All of it, as `evalstore qrels diff --format json` prints it."""
        return self._compared.to_dict()

    def __repr__(self) -> str:
        return f"<QrelsComparison: {self.sentence}>"


def compare_qrels(
    a: QrelsLike,
    b: QrelsLike,
    runs: Runs | None = None,
    measure: str | Measure = "nDCG@10",
    *,
    baseline: str | None = None,
    families: Mapping[str, str] | None = None,
    level: float = 1,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> QrelsComparison:
    """Compare two qrels: do the judges agree, and would it change what is said of runs.

    Args:
        a: judgments, as `evaluate` takes them; the reference of tau-AP.
        b: the other judgments.
        runs: two runs or more to rank under both, as `evaluate` takes them.
        measure: of the leaderboards: an object or text.
        baseline: the run with which claims compare all others; None for all pairs.
        families: of the runs, by name, as those of the models they are built on: `families` of the
            result says whether b favours one.
        level: the lowest relevant grade.
        confidence: the level of the intervals, by a bootstrap over queries.
        resamples: of the bootstrap.
        seed: of its random numbers.

    Raises:
        errors.DataError: no document is judged in both; a single run; an unknown baseline.
        errors.MeasureError: an unknown measure, or one on which no difference is tested.

    >>> import evalstore as ev
    >>> a, b = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 1, "d2": 1, "d3": 1}}
    >>> ev.compare_qrels(a, b).to_dict()["confusion"]
    [[0, 1], [0, 1]]
    """
    settings = AgreementSettings(level, confidence, resamples, seed)
    named = {} if runs is None else named_runs(runs)
    first, second = as_qrels(a), as_qrels(b)
    chosen = parse(measure)
    return QrelsComparison(
        compare_given_qrels(
            *(first, second, named, str(measure), chosen, settings),
            baseline=baseline,
            families=families,
        )
    )


def qrels_repeats(
    qrels: Iterable[QrelsLike],
    runs: Runs | None = None,
    measure: str | Measure = "nDCG@10",
    *,
    baseline: str | None = None,
    level: float = 1,
) -> Repeats:
    """Compare repeats of one judge, as of a model that is asked again: what changes.

    The result has the share of documents with one grade in all, the variance of grades, the spread
    of the figures of runs, and how often each difference of two runs is shown.

    Args:
        qrels: two judgments or more, as `evaluate` takes them.
        runs: runs to rank under each, as `evaluate` takes them.
        measure: of the runs: an object or text.
        baseline: the run with which claims compare all others; None for all pairs.
        level: the lowest relevant grade.

    Raises:
        errors.DataError: fewer than two qrels, no document that all judge, or an unknown baseline.
        errors.MeasureError: an unknown measure, or one on which no difference is tested.

    >>> import evalstore as ev
    >>> first, second = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 1, "d2": 1}}
    >>> ev.qrels_repeats([first, second]).same
    0.5
    """
    named = {} if runs is None else named_runs(runs)
    given = [as_qrels(one) for one in qrels]
    return repeats_of_given_qrels(
        given, named, str(measure), parse(measure), level, baseline=baseline
    )


class LeftOutRuns:
    """The runs, each with its group left out of the pool; see `leave_one_out`.

    Attributes:
        sentence: what the figures say.
        notes: sentences on the runs.
    """

    def __init__(self, found: Reuse) -> None:
        """Wrap the figures."""
        self._found = found
        self.sentence = found.sentence
        self.notes = list(found.notes)

    @property
    def runs(self) -> pd.DataFrame:
        """A row for each run, the best before first.

        Columns: run, group, unique (relevant documents that only the group found), before, after,
        difference, rank_before and rank_after.
        """
        return new_frame(self._found.rows(), COLUMNS)

    def to_dict(self) -> dict[str, object]:
        """All of it, as `evalstore qrels reuse --format json` prints it."""
        return self._found.to_dict()

    def __repr__(self) -> str:
        return f"<LeftOutRuns: {self.sentence}>"


def leave_one_out(
    qrels: QrelsLike,
    runs: Runs,
    measure: str | Measure = "nDCG@10",
    *,
    by: str = "engine",
    depth: int = DEPTH,
    level: float = 1,
) -> LeftOutRuns:
    """Evaluate each run as if its group had not been in the pool: do the judgments serve others.

    The relevant documents that only one group has in its first `depth` count as not judged.

    Args:
        qrels: judgments, as `evaluate` takes them.
        runs: runs of two groups or more, as `evaluate` takes them.
        measure: an object or text, whose aggregate is a mean over queries.
        by: runs of equal tag are a group (`engine`), or each run is one (`run`).
        depth: of the pool, at least 1.
        level: the lowest relevant grade.

    Raises:
        errors.DataError: a single group, or another `by`.
        errors.MeasureError: an unknown measure, or one that is no mean of this kind.

    >>> import evalstore as ev
    >>> qrels = {"q1": {"d1": 1, "d2": 1}}
    >>> runs = {"a": {"q1": {"d1": 2.0, "d2": 1.0}}, "b": {"q1": {"d1": 1.0}}}
    >>> ev.leave_one_out(qrels, runs, "P@2", by="run").runs["after"].tolist()
    [0.5, 0.5]
    """
    chosen = parse(measure)
    return LeftOutRuns(
        leave_one_out_given(
            *(as_qrels(qrels), named_runs(runs), str(measure), chosen),
            by=by,
            depth=depth,
            level=level,
        )
    )


class QrelsOfStore(Opened):
    """The methods of `Store` for qrels and what runs make of them."""

    def qrels_repeats(
        self,
        qrels: Sequence[str],
        measure: str | Measure = "nDCG@10",
        *,
        collection: str | None = None,
        baseline: str | None = None,
        level: float = 1,
    ) -> Repeats:
        """Compare stored repeats of one judge, and the runs evaluated under all of them.

        Args:
            qrels: two names or more; see `ev.qrels_repeats`.
            measure: of the runs: an object or text.
            collection: their collection, if several have qrels of these names.
            baseline: a run, by name or id; None for the collection's baseline, else all pairs.
            level: the lowest relevant grade.

        Raises:
            errors.NotFound: a qrels, collection or run that the store does not hold.
            errors.DataError: as by `ev.qrels_repeats`, or qrels of different collections.
            errors.MeasureError: as by `ev.qrels_repeats`.
        """
        of_measure = (str(measure), parse(measure), level)
        return repeats_of_stored_qrels(
            self._reader(), qrels, collection, *of_measure, baseline=baseline
        )

    def compare_qrels(
        self,
        a: str,
        b: str,
        measure: str | Measure = "nDCG@10",
        *,
        collection: str | None = None,
        baseline: str | None = None,
        families: Mapping[str, str] | None = None,
        level: float = 1,
        confidence: float = 0.95,
        resamples: int = RESAMPLES,
        seed: int = SEED,
    ) -> QrelsComparison:
        """Compare two stored qrels, and the leaderboards of the runs under them.

        The runs are those evaluated under both. See `ev.compare_qrels`.

        Args:
            a: the name of a qrels, the reference.
            b: the name of the other one.
            measure: an object or text.
            collection: their collection, if several have qrels of these names.
            baseline: a run, by name or id; None for the collection's baseline, else all pairs.
            families: of the runs, by the name of the run or engine; None for the parameters
                `family` of the runs.
            level: the lowest relevant grade.
            confidence: the level of the intervals.
            resamples: of the bootstrap over queries.
            seed: of its random numbers.

        Raises:
            errors.NotFound: a qrels, collection or run that the store does not hold.
            errors.DataError: the qrels are of different collections, or share no judged document.
            errors.MeasureError: as by `ev.compare_qrels`.
        """
        settings = AgreementSettings(level, confidence, resamples, seed)
        chosen = parse(measure)
        return QrelsComparison(
            compare_stored_qrels(
                *(self._reader(), a, b, collection, str(measure), chosen, settings),
                baseline=baseline,
                families=families,
            )
        )

    def leave_one_out(
        self,
        collection: str,
        measure: str | Measure = "nDCG@10",
        *,
        qrels: str | None = None,
        by: str = "engine",
        depth: int = DEPTH,
        level: float = 1,
    ) -> LeftOutRuns:
        """Evaluate each stored run as if its group had not been in the pool.

        See `ev.leave_one_out`.

        Args:
            collection: whose runs.
            measure: an object or text.
            qrels: the judgments; None for the default ones.
            by: runs of equal engine are a group, each run is (`run`), or those with an equal fact,
                like the parameter `team`.
            depth: of the pool, at least 1.
            level: the lowest relevant grade.

        Raises:
            errors.NotFound: a collection or qrels that the store does not hold.
            errors.DataError: a single group.
            errors.MeasureError: as by `ev.leave_one_out`.
        """
        return LeftOutRuns(
            reuse_of_stored_qrels(
                *(self._reader(), collection, qrels, str(measure), parse(measure)),
                by=by,
                depth=depth,
                level=level,
            )
        )
