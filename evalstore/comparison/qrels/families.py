"""Bias by family of engines: whether a qrels favours the runs of a family, as of its own model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from evalstore.catalog.names import natural
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.unjudged.retrieved import grades_of, retrieved
from evalstore.measures.join import TOP
from evalstore.stats import Favour, group_favour, holm
from evalstore.tables.table import Value, finite

FAMILY_COLUMNS = (
    *("family", "runs", "documents", "bias", "favour", "low", "high", "p", "p_corrected"),
    "favoured",
)
"""The columns of `FamilyBias.row`."""


@dataclass(frozen=True)
class FamilyBias:
    """A family of engines, and how b grades the first 10 documents of its runs.

    Attributes:
        runs: the number of its runs that are compared.
        documents: the number of the documents judged in both that its runs have there.
        bias: their mean grade in b less that in a; NaN without any.
        favour: how many grades more b gives to them than to the documents of the other runs that
            have the same grade in a (`stats.group_favour`), with its interval and p.
        p_corrected: p by Holm's correction over the families; NaN if only another family is tested.
    """

    family: str
    runs: int
    documents: int
    bias: float
    favour: Favour
    p_corrected: float

    @property
    def favoured(self) -> bool:
        """Whether the favour is shown: positive, with a corrected p below 0.05."""
        return self.favour.favour > 0 and self.p_corrected < ALPHA

    @property
    def gets_less(self) -> bool:
        """Whether a negative favour is shown."""
        return self.favour.favour < 0 and self.p_corrected < ALPHA

    def row(self) -> tuple[Value, ...]:
        """The figures with the names of `FAMILY_COLUMNS`; None for NaN."""
        of = self.favour
        numbers = (self.bias, of.favour, of.low, of.high, of.p, self.p_corrected)
        counts = (self.family, self.runs, self.documents)
        return (*counts, *map(finite, numbers), "yes" if self.favoured else "no")


ALPHA = 0.05


def bias_by_family(
    under_a: LoadedRuns, under_b: LoadedRuns, families: Mapping[str, str]
) -> tuple[FamilyBias, ...]:
    """The bias of b by family, in natural order.

    Runs without a family count among the others of every family. None is given if no run has a
    family, if all have the same, or if the rankings are not known. If b is a model's whose family
    is known, and some run is of it, this family alone is tested.

    Args:
        under_a: the runs under a, whose rankings are read.
        under_b: the same runs under b.
        families: the family of each run, by its name.
    """
    names = [run.name for run in under_a.runs]
    known = sorted({families[name] for name in names if name in families}, key=natural)
    if not known or len({families.get(name) for name in names}) < 2:
        return ()
    if under_a.rankings is None or under_b.rankings is None:
        return ()
    read, qrels_a = under_a.rankings(TOP)
    qrels_b = under_b.rankings(TOP).qrels
    places = [number for number, run in enumerate(read) if run is not None]
    runs = [run for run in read if run is not None]
    qids = tuple(sorted({*qrels_a.qids} & {*qrels_b.qids}, key=str.encode))
    if not runs or not qids:
        return ()
    table = retrieved(runs, qrels_a, qids, TOP)
    in_a, in_b = table.grade, grades_of(qids, table.query, table.docnos, qrels_b)
    both = (in_a >= 0) & (in_b >= 0)  # NaN compares false
    documents = np.concatenate([own_documents for own_documents, _ in table.runs])
    run = np.repeat(places, [len(own_documents) for own_documents, _ in table.runs])
    documents, run = documents[both[documents]], run[both[documents]]
    found = []
    for family in known:
        group = np.array([families.get(name) == family for name in names], bool)
        favour = group_favour(
            in_a[documents], in_b[documents], table.query[documents], run, group, 1 - ALPHA
        )
        theirs = np.unique(documents[group[run]])
        bias = float((in_b - in_a)[theirs].mean()) if len(theirs) else float("nan")
        found.append(FamilyBias(family, int(group.sum()), len(theirs), bias, favour, float("nan")))
    own = (qrels_b.origin or {}).get("family")
    return _corrected(found, str(own) if own in known else None)


def _corrected(found: list[FamilyBias], own: str | None) -> tuple[FamilyBias, ...]:
    """The same with p corrected over the families that are tested."""
    tested = [one.favour.p for one in found if own in (None, one.family)]
    corrected = iter(holm(tested).tolist())
    return tuple(
        replace(one, p_corrected=next(corrected)) if own in (None, one.family) else one
        for one in found
    )
