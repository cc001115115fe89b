"""The agreement of two qrels: the documents judged in both, their grades, the relevant ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evalstore.comparison.qrels.documents import judged_documents
from evalstore.errors import DataError
from evalstore.formats import Qrels
from evalstore.stats import Interval
from evalstore.stats.grades import (
    agreement_of_tables,
    alpha_of_tables,
    bootstrap_intervals,
    kappa_of_tables,
)
from evalstore.stats.inputs import SEED, check_positive
from evalstore.tables.table import finite

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

OF_GRADES = (
    *("agreement", "kappa", "kappa_linear", "kappa_quadratic", "kappa_binary"),
    *("alpha_nominal", "alpha_ordinal", "alpha_interval", "bias", "relevant_overlap_both"),
)
"""The figures of the documents judged in both."""

FIGURES = (*OF_GRADES, "relevant_overlap")

QUERY_COLUMNS = (
    *("qid", "both", "only_a", "only_b", "agreement", "kappa", "kappa_binary", "bias"),
    "relevant_overlap",
)
"""The columns of `JudgmentAgreement.queries`."""

GRADE_COLUMNS = (
    *("grade", "a", "b", "same", "specific_agreement", "bias"),
    *("not_judged_in_b", "not_judged_in_a"),
)
"""The columns of `JudgmentAgreement.by_grade`."""

MOST_GRADES = 100
"""The most different grades; more would make large tables of hardly any document."""

RESAMPLES = 2_000


@dataclass(frozen=True)
class AgreementSettings:
    """Settings of the figures and their intervals.

    Attributes:
        level: the lowest relevant grade.
        confidence: the level of the intervals.
        resamples: the number of bootstrap resamples of the queries.
    """

    level: float = 1
    confidence: float = 0.95
    resamples: int = RESAMPLES
    seed: int = SEED

    def __post_init__(self) -> None:
        """Refuse a level that is not above 0."""
        check_positive("level", self.level)


@dataclass(frozen=True, eq=False)
class JudgmentAgreement:
    """The judgments of two qrels, document by document; negative grades count as not judged.

    Attributes:
        a, b: the names of the qrels.
        qids: the queries with a judgment in either, in natural order.
        grades: float64 (g), the grades that either gives, ascending.
        tables: int64 (q, g + 1, g + 1), the number of documents of each query by the place of their
            grade in a (rows) and in b (columns); the last place means not judged.
        figures: by the names of `FIGURES`; NaN if undefined. `bias` is the mean of the grade in b
            less that in a, `relevant_overlap` the share of the documents relevant in either that
            are relevant in both, where not judged counts as not relevant. The others are of the
            documents judged in both, as is the same share of these, `relevant_overlap_both`.
        intervals: the bootstrap intervals of the figures over queries; NaN if undefined.
    """

    a: str
    b: str
    qids: tuple[str, ...]
    grades: F64
    tables: I64 = field(repr=False)
    settings: AgreementSettings
    figures: Mapping[str, float]
    intervals: Mapping[str, Interval] = field(repr=False)

    @cached_property
    def table(self) -> I64:
        """The confusion table with the documents not judged: int64 (g + 1, g + 1)."""
        table: I64 = self.tables.sum(axis=0)
        return table

    @property
    def both(self) -> int:
        """The number of documents judged in both."""
        return int(self.table[:-1, :-1].sum())

    @property
    def only_a(self) -> int:
        """The number of documents judged in a alone."""
        return int(self.table[:-1, -1].sum())

    @property
    def only_b(self) -> int:
        """The number of documents judged in b alone."""
        return int(self.table[-1, :-1].sum())

    @property
    def grade_numbers(self) -> list[int | float]:
        """The grades, whole ones as int."""
        return [int(grade) if grade.is_integer() else grade for grade in self.grades.tolist()]

    @property
    def stricter(self) -> int:
        """The number of documents judged in both to which b gives the lower grade."""
        return int(np.tril(self.table[:-1, :-1], -1).sum())

    @property
    def milder(self) -> int:
        """The number of documents judged in both to which b gives the higher grade."""
        return int(np.triu(self.table[:-1, :-1], 1).sum())

    def by_grade(self) -> list[dict[str, int | float | None]]:
        """A row for each grade: how often a and b give it to documents judged in both, and agree.

        `specific_agreement` is 2 x same / (a + b); `bias` is the mean of b less the grade, over the
        documents to which a gives it.
        """
        table = self.table[:-1, :-1]
        rows: list[dict[str, int | float | None]] = []
        for place, grade in enumerate(self.grade_numbers):
            in_a, in_b = int(table[place].sum()), int(table[:, place].sum())
            same = int(table[place, place])
            moved = float(table[place] @ (self.grades - self.grades[place]))
            values = (
                *(grade, in_a, in_b, same),
                2 * same / (in_a + in_b) if in_a + in_b else None,
                moved / in_a if in_a else None,
                *(int(self.table[place, -1]), int(self.table[-1, place])),
            )
            rows.append(dict(zip(GRADE_COLUMNS, values, strict=True)))
        return rows

    def queries(self) -> list[dict[str, str | int | float | None]]:
        """A row for each query, in natural order; None if a figure is undefined."""
        tables = self.tables.astype(np.float64)
        places = np.flatnonzero(_occur(self.table))
        of_query = {
            **dict(
                zip(
                    OF_GRADES,
                    _of_grades(_of(tables, places), self.grades[places], self.settings.level),
                    strict=True,
                )
            ),
            "relevant_overlap": _overlap(_relevant(tables, self.grades, self.settings.level))[0],
            "both": self.tables[:, :-1, :-1].sum(axis=(1, 2)),
            "only_a": self.tables[:, :-1, -1].sum(axis=1),
            "only_b": self.tables[:, -1, :-1].sum(axis=1),
        }
        columns = [
            list(self.qids) if name == "qid" else of_query[name].tolist() for name in QUERY_COLUMNS
        ]
        rows = zip(*columns, strict=True)
        return [dict(zip(QUERY_COLUMNS, map(finite, row), strict=True)) for row in rows]

    def to_dict(self) -> dict[str, object]:
        """The judgments and figures for JSON; None for NaN."""
        return {
            **{"both": self.both, "only_a": self.only_a, "only_b": self.only_b},
            "grades": self.grade_numbers,
            "confusion": self.table[:-1, :-1].tolist(),
            **{name: finite(figure) for name, figure in self.figures.items()},
            "not_judged_in_a": self.table[-1, :-1].tolist(),
            "not_judged_in_b": self.table[:-1, -1].tolist(),
            "stricter": self.stricter,
            "milder": self.milder,
            "relevant_from": self.settings.level,
            "intervals": {
                name: None if np.isnan(ends.low) else list(ends)
                for name, ends in self.intervals.items()
            },
            "confidence": self.settings.confidence,
            "by_grade": self.by_grade(),
            "queries": self.queries(),
        }


def judgment_agreement(
    a: Qrels, b: Qrels, settings: AgreementSettings | None = None
) -> JudgmentAgreement:
    """Compare the judgments of two qrels; their paths are their names.

    DataError if no document is judged in both, or if there are more than `MOST_GRADES` grades.
    """
    settings = settings or AgreementSettings()
    qids, grades, tables = _tables(a, b)
    table = tables.sum(axis=0)
    if not table[:-1, :-1].any():
        shared = len(set(a.qids) & set(b.qids))
        queries = f"{shared:,} quer{'y' if shared == 1 else 'ies'}" if shared else "no query"
        raise DataError(
            f"{a.path} and {b.path} share {queries} and no judged document: there is nothing that "
            "both judged"
        )
    places = np.flatnonzero(_occur(table))
    own, level = grades[places], settings.level
    count = len(places)

    def of_grades(cells: F64) -> F64:
        return _of_grades(cells.reshape(-1, count, count), own, level)

    cells = _of(tables, places).reshape(len(qids), -1).astype(np.float64)
    relevant = _relevant(tables.astype(np.float64), grades, level)
    options = (settings.confidence, settings.resamples, settings.seed)
    figures = (
        *of_grades(cells.sum(axis=0)[None])[:, 0],
        _overlap(relevant.sum(axis=0)[None])[0, 0],
    )
    intervals = (
        *bootstrap_intervals(cells, of_grades, *options),
        *bootstrap_intervals(relevant, _overlap, *options),
    )
    return JudgmentAgreement(
        a=a.path,
        b=b.path,
        qids=qids,
        grades=grades,
        tables=tables,
        settings=settings,
        figures=dict(zip(FIGURES, map(float, figures), strict=True)),
        intervals=dict(zip(FIGURES, intervals, strict=True)),
    )


def _tables(a: Qrels, b: Qrels) -> tuple[tuple[str, ...], F64, I64]:
    """The queries, the grades, and the table of each query, as in `JudgmentAgreement`."""
    of = judged_documents(a, b)
    qids, first, second = of.qids, of.a, of.b
    grades = np.unique(np.concatenate([first[first >= 0], second[second >= 0]]))
    if len(grades) > MOST_GRADES:
        raise DataError(
            f"{a.path} and {b.path} have {len(grades):,} different grades, of {MOST_GRADES} at "
            "most: round them first"
        )
    width = len(grades) + 1
    places = [
        np.where(column >= 0, np.searchsorted(grades, column), len(grades))
        for column in (first, second)
    ]
    cells = (of.query * width + places[0]) * width + places[1]
    counts = np.bincount(cells, minlength=len(qids) * width * width)
    tables = counts.reshape(len(qids), width, width)
    some = tables.any(axis=(1, 2))
    return tuple(qids[number] for number in np.flatnonzero(some)), grades, tables[some]


def _occur(table: I64) -> npt.NDArray[np.bool_]:
    """Whether a document judged in both has each grade, bool (g): places are those of these."""
    both = table[:-1, :-1]
    return np.asarray(both.any(axis=0) | both.any(axis=1))


def _of(tables: F64 | I64, places: I64) -> F64:
    """The tables of some grades alone."""
    return np.asarray(tables[:, places[:, None], places], np.float64)


def _of_grades(tables: F64, grades: F64, level: float) -> F64:
    """The figures `OF_GRADES` of each table: float64 (figures, m) of m x g x g."""
    is_relevant = (grades >= level).astype(np.float64)
    kinds = np.stack([1 - is_relevant, is_relevant])
    binary = np.einsum("xi,mij,yj->mxy", kinds, tables, kinds)
    documents = tables.sum(axis=(1, 2))
    differences = (tables * (grades - grades[:, None])).sum(axis=(1, 2))
    bias = np.full(len(tables), np.nan)
    np.divide(differences, documents, out=bias, where=documents > 0)
    relevant = np.stack([binary[:, 1, 1], documents - binary[:, 0, 0]], axis=1)
    return np.stack(
        [
            agreement_of_tables(tables),
            kappa_of_tables(tables),
            kappa_of_tables(tables, "linear"),
            kappa_of_tables(tables, "quadratic"),
            kappa_of_tables(binary),
            alpha_of_tables(tables, grades),
            alpha_of_tables(tables, grades, "ordinal"),
            alpha_of_tables(tables, grades, "interval"),
            bias,
            _overlap(relevant)[0],
        ]
    )


def _relevant(tables: F64, grades: F64, level: float) -> F64:
    """The numbers of documents relevant in both, and in either: float64 (q, 2)."""
    relevant = np.append(grades >= level, False)
    both = tables[:, relevant][:, :, relevant].sum(axis=(1, 2))
    either = tables[:, relevant[:, None] | relevant].sum(axis=1)
    return np.stack([both, either], axis=1)


def _overlap(cells: F64) -> F64:
    """The overlap of the relevant: float64 (1, m) of m x 2."""
    share = np.full((1, len(cells)), np.nan)
    np.divide(cells[:, 0], cells[:, 1], out=share[0], where=cells[:, 1] > 0)
    return share
