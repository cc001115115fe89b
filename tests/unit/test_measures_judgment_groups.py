"""Averages over judgment groups, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from measure_samples import qrels_of, run_of, values
from samples import write

from evalstore.errors import MeasureError
from evalstore.formats import read_judgment_groups
from evalstore.measures.join import Extras, match
from evalstore.measures.judged import Judged

RUN = run_of({"q": {"a": 9.0, "x": 8.0, "b": 7.0, "c": 6.0, "d": 5.0}, "r": {"a": 1.0}})
# Ann: a (rank 1), c (4) and m (missed) are relevant; Bob: b (3, grade 2); Cy found nothing.
JUDGES = """\
q ann a 1
q ann b 0
q ann c 1
q ann m 1
q bob a 0
q bob b 2
q cy b 0
q cy d -1
elsewhere ann a 1
"""


@pytest.fixture
def judged(tmp_path: Path):
    groups = read_judgment_groups(write(tmp_path / "judges", JUDGES))

    def joined(**options: object) -> Judged:
        qrels = qrels_of({"q": {"z": 1}, "r": {"a": 1}})
        return match(RUN, qrels, extras=Extras(judgment_groups=groups), **options)  # type: ignore[arg-type]

    return joined


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("GroupAP", ((1 + 2 / 4) / 3 + 1 / 3 + 0) / 3),
        ("GroupAP(rel=2)", (0 + 1 / 3 + 0) / 3),
        ("GroupP@1", (1 + 0 + 0) / 3),
        ("GroupP@3", (1 / 3 + 1 / 3 + 0) / 3),
        ("GroupP@10", (2 / 10 + 1 / 10 + 0) / 3),
        ("GroupRprec", (1 / 3 + 0 + 0) / 3),
        # k = 6 for Ann, 2 for Bob.
        ("GroupRprec(mult=2)", (2 / 6 + 0 + 0) / 3),
        # Left: a, b, c for Ann; a, b for Bob; b for Cy, as d is not judged.
        ("GroupAP(judged_only=True)", ((1 + 2 / 3) / 3 + 1 / 2 + 0) / 3),
        ("GroupP(judged_only=True)@2", (1 / 2 + 1 / 2 + 0) / 3),
    ],
)
def test_value(judged, measure: str, expected: float) -> None:
    """The second query has no judgment group: 0."""
    assert values(judged(), measure) == pytest.approx([expected, 0.0], abs=1e-15)


def test_a_depth_cuts_documents_that_only_the_groups_judge_too(judged) -> None:
    assert values(judged(depth=3), "GroupAP")[0] == pytest.approx((1 / 3 + 1 / 3) / 3)


def test_leaving_out_unjudged_documents_goes_by_the_judgments_of_each_group(judged) -> None:
    assert values(judged(judged_only=True), "GroupAP") == values(
        judged(), "GroupAP(judged_only=True)"
    )


def test_one_group_is_as_a_qrels(tmp_path: Path) -> None:
    path = write(tmp_path / "judges", "q 0 a 1\nq 0 c 2\nq 0 m 1\nr 0 b 1\n")
    qrels = qrels_of({"q": {"a": 1, "c": 2, "m": 1}, "r": {"b": 1}})
    table = match(RUN, qrels, extras=Extras(judgment_groups=read_judgment_groups(path)))
    for group, plain in [("GroupAP", "AP"), ("GroupP@3", "P@3"), ("GroupRprec", "Rprec")]:
        assert values(table, group) == pytest.approx(values(table, plain))


def test_without_judgment_groups_they_are_asked_for() -> None:
    with pytest.raises(MeasureError, match="GroupAP needs judgments by judgment group$"):
        values(match(RUN, qrels_of({"q": {"a": 1}})), "GroupAP")
