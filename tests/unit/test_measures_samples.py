"""Measures of stratified samples: by hand, as sample_eval.pl prints them, and on average."""

from __future__ import annotations

from math import log2
from pathlib import Path

import numpy as np
import pytest

from evalstore.errors import MeasureError
from evalstore.formats import Qrels, Run, read_qrels
from evalstore.measures import evaluate, parse
from evalstore.measures.join import match

E = 1e-5

# Three made-up queries: qid docno stratum grade. The strata 4-7 and 8-11 were drawn with a chance
# of 0.5. The runs have ties.
SAMPLE = """
1 d10 1-3 1; 1 d7 1-3 2; 1 d12 1-3 2; 1 d6 4-7 -1; 1 d4 4-7 0; 1 d8 4-7 1; 1 d16 4-7 -1
1 d3 8-11 1; 1 d9 8-11 2; 1 d14 8-11 1; 1 d2 8-11 2; 2 d11 1-3 0; 2 d7 1-3 1; 2 d16 1-3 0
2 d8 4-7 -1; 2 d14 4-7 1; 2 d6 4-7 0; 2 d1 4-7 1; 2 d9 8-11 -1; 2 d3 8-11 2; 2 d10 8-11 0
2 d13 8-11 0; 3 d1 1-3 0; 3 d9 1-3 0; 3 d13 1-3 0; 3 d15 4-7 0; 3 d14 4-7 0; 3 d6 4-7 1
3 d4 4-7 -1; 3 d10 8-11 0; 3 d12 8-11 -1; 3 d3 8-11 -1; 3 d11 8-11 -1
"""
RANKED = {
    "1": "d14 6 d1 6 d12 5 d2 5 d9 4 d5 4 d7 3 d10 3 d11 2 d3 2 d15 1 d8 1 d16 0",
    "2": "d6 6 d2 6 d4 5 d16 5 d3 4 d10 4 d8 3 d12 3 d13 2 d1 2 d15 1 d5 1 d9 0",
    "3": "d8 6 d15 6 d10 5 d4 5 d7 4 d6 4 d5 3 d14 3 d12 2 d3 2 d9 1 d1 1 d11 0",
}
RUN = {
    qid: dict(zip(words[::2], map(float, words[1::2]), strict=True))
    for qid, words in ((qid, text.split()) for qid, text in RANKED.items())
}


def sample(folder: Path, text: str) -> Qrels:
    """The judgments of a file; `text` has qid, docno, stratum and grade, separated by `;`."""
    rows = [row.split() for row in text.replace("\n", ";").split(";") if row.strip()]
    path = folder / "sample.qrels"
    path.write_text("".join(f"{q} 0 {d} {s} {g}\n" for q, d, s, g in rows))
    return read_qrels(str(path))


def values(qrels: Qrels, run: dict[str, dict[str, float]], measure: str) -> list[float]:
    parsed = parse(measure)
    return evaluate(match(Run.from_dict(run), qrels), [parsed])[parsed].tolist()


def ranked(docnos: str) -> dict[str, dict[str, float]]:
    return {"q": {docno: -float(rank) for rank, docno in enumerate(docnos.split())}}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [  # NIST's sample_eval.pl of 2011 with -q on these files, its printf changed to %.17g
        ("xinfAP", [0.7681370573212627, 0.10666853327733501, 0.16667166651667115]),
        ("infNDCG", [0.80340744699997302, 0.37108266321659361, 0.47494291614402961]),
    ],
)
def test_values_are_those_of_sample_eval(
    tmp_path: Path, measure: str, expected: list[float]
) -> None:
    found = values(sample(tmp_path, SAMPLE), RUN, measure)
    assert found == pytest.approx(expected, abs=1e-12)


# Of stratum b one of two documents was drawn; x is in no stratum.
BY_HAND = "q d1 a 1; q d2 a 0; q d3 b -1; q d4 b 2"
AT_4 = (1 + (1 + E) / (1 + 3 * E) + E / (3 * E)) / 4


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("xinfAP", (1 + 2 * AT_4) / 3),
        ("xinfAP(rel=2)", 2 * (1 + E / (1 + 3 * E) + 1 / 3) / 4 / 2),
        ("xinfAP@3", 1 / 3),
        ("infNDCG", (1 + 2 * 2 / log2(5)) / (2 + 2 / log2(3) + 1 / 2)),
        ("infNDCG@3", 1 / (2 + 2 / log2(3) + 1 / 2)),
        ("infNDCG@1", 1 / 2),
    ],
)
def test_a_judged_document_stands_for_its_share_of_the_stratum(
    tmp_path: Path, measure: str, expected: float
) -> None:
    qrels = sample(tmp_path, BY_HAND)
    assert values(qrels, ranked("d1 x d3 d4"), measure) == [pytest.approx(expected, abs=1e-12)]


def test_beyond_rank_1000_the_ideal_has_the_first_document_of_each_lower_grade(
    tmp_path: Path,
) -> None:
    """As in sample_eval.pl; with a cutoff it has none. One judged document stands for 1,500."""
    rest = "".join(f"; q x{i} a -1" for i in range(1499))
    qrels = sample(tmp_path, f"q d1 a 2; q d2 b 1; q d3 b 1{rest}")
    first = 2 * sum(1 / log2(rank + 1) for rank in range(1, 1001))
    assert values(qrels, ranked("d1"), "infNDCG") == pytest.approx([2 / (first + 1 / log2(1502))])
    assert values(qrels, ranked("d1"), "infNDCG@1000") == pytest.approx([2 / first])


def test_if_all_is_judged_they_are_ap_and_ndcg_but_for_the_smoothing(tmp_path: Path) -> None:
    qrels = sample(tmp_path, "q d1 s 1; q d2 s 0; q d3 s 2; q d4 s 0; q d5 s 1")
    run = ranked("d2 d1 x d3 d4")
    assert values(qrels, run, "xinfAP") == pytest.approx(values(qrels, run, "AP"), abs=3 * E)
    assert values(qrels, run, "infNDCG") == pytest.approx(values(qrels, run, "nDCG"), abs=1e-12)


@pytest.mark.parametrize("measure", ["xinfAP", "infNDCG"])
def test_nothing_relevant_or_judged_is_0(tmp_path: Path, measure: str) -> None:
    qrels = sample(tmp_path, "q d1 a 0; q d2 b -1; r d1 a 1; s d1 a -1")
    assert values(qrels, ranked("d1 d2"), measure) == [0.0, 0.0, 0.0]


def test_the_mean_over_samples_is_the_value_of_the_whole_pool(tmp_path: Path) -> None:
    draw, count = np.random.default_rng(3), 400
    grades = draw.choice([0, 1, 2], 100, p=[0.7, 0.2, 0.1])
    run = {f"d{i}": float(-i) for i in draw.permutation(140).tolist()}  # 40 are not in the pool
    rows = []
    for trial in range(count):
        drawn = {*range(20), *draw.choice(np.arange(20, 100), 32, replace=False).tolist()}
        rows += [
            f"q{trial} d{i} {'top' if i < 20 else 'rest'} {grades[i] if i in drawn else -1}"
            for i in range(100)
        ]
    qrels = sample(tmp_path, ";".join(rows))
    whole = Qrels.from_dict({"q": {f"d{i}": int(grade) for i, grade in enumerate(grades)}})
    for estimate, measure in (("xinfAP", "AP"), ("infNDCG", "nDCG")):
        found = values(qrels, dict.fromkeys(qrels.qids, run), estimate)
        [expected] = values(whole, {"q": run}, measure)
        assert np.mean(found) == pytest.approx(expected, abs=0.02)
        assert np.mean(values(qrels, dict.fromkeys(qrels.qids, run), measure)) < expected - 0.05


def test_judgments_without_strata_are_refused() -> None:
    with pytest.raises(MeasureError, match="xinfAP needs the strata of the judged sample"):
        values(Qrels.from_dict({"q": {"d1": 1}}), ranked("d1"), "xinfAP")


def test_a_part_of_the_queries_and_of_the_ranking_keeps_its_strata(tmp_path: Path) -> None:
    parsed, qrels = parse("xinfAP"), sample(tmp_path, SAMPLE)
    run = Run.from_dict({"2": RUN["2"]})
    common = match(run, qrels, common=True)
    every = values(qrels, RUN, "xinfAP")
    assert evaluate(common, [parsed])[parsed] == pytest.approx([every[1]])
    cut = match(Run.from_dict(RUN), qrels, depth=5)
    assert evaluate(cut, [parsed])[parsed].tolist() == values(qrels, RUN, "xinfAP@5")
