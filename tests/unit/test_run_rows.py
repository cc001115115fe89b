"""What is stored of a run and its values."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.prepare import prepare
from evalstore.formats import read_qrels
from evalstore.formats.sources import RunSource
from evalstore.measures.judged import CompatMode


@pytest.mark.parametrize("compat", get_args(CompatMode))
def test_a_hit_is_a_relevant_document_also_where_rounding_makes_ties(
    tmp_path: Path, compat: CompatMode
) -> None:
    run, qrels = tmp_path / "some.run", tmp_path / "some.qrels"
    run.write_text("q1 Q0 a 1 1.00000002 t\nq1 Q0 b 2 1.00000001 t\nq1 Q0 c 3 0.5 t\n")
    qrels.write_text("q1 0 a 1\nq1 0 c 1\n")
    request = IngestOptions(collection="c", compat=compat)
    rows = prepare(RunSource(str(run)), read_qrels(str(qrels)), request).evaluation
    ranks = dict(zip(rows.hit_docno.to_pylist(), rows.hit_rank.tolist(), strict=True))
    # As 32-bit floats the first two scores are the same, and b comes before a.
    assert ranks == {b"a": 2 if compat == "trec_eval-9" else 1, b"c": 3}
