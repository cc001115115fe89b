"""Looking up the keys of retrieved documents among those of judged ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from measure_samples import overall, qrels_of, run_of

from evalstore.formats import read_subtopic_qrels
from evalstore.formats.reading import ids
from evalstore.measures.join import Extras, MarkedKeys, join, match, numbers_among

ZERO = np.zeros(1, np.int64)

SAME_HASH = "rtqq5bmcf1qognr:"
"""A query id that was chosen so that its hash is that of the query 101."""


def test_rows_of_the_same_document_and_query_are_joined() -> None:
    run = run_of({"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "d": 1.0}})
    qrels = qrels_of({"2": {"d": 1, "b": 0}, "1": {"c": 1, "a": 0, "z": 1}, "3": {"a": 1}})
    judged, lists = MarkedKeys(qrels.keys, qrels.by_key), numbers_among(run.qids, qrels.qids)
    assert [run.qids[number] if number >= 0 else None for number in lists] == [
        qid if qid in run.qids else None for qid in qrels.qids
    ]
    rows, judgments = join(run, judged, qrels.docnos, qrels.row_query, lists)
    pairs = zip(
        run.docnos.take(rows).to_pylist(),
        qrels.docnos.take(judgments).to_pylist(),
        [qrels.qids[query] for query in qrels.row_query[judgments]],
        strict=True,
    )
    assert sorted(pairs) == [(b"a", b"a", "1"), (b"c", b"c", "1"), (b"d", b"d", "2")]


def test_other_documents_are_not_joined_though_their_key_is_the_same() -> None:
    run = run_of({"1": {"a": 1.0}})
    other = qrels_of({"1": {"b": 1}}).docnos
    assert join(run, MarkedKeys(run.keys, ZERO), other, ZERO, ZERO)[0].tolist() == []


def test_rows_of_other_keys_near_theirs_are_not_joined() -> None:
    run = run_of({"1": {"a": 1.0}})
    others = MarkedKeys(run.keys + np.uint64(1), ZERO)
    assert join(run, others, run.docnos, ZERO, ZERO)[0].tolist() == []


def test_nothing_is_joined_where_nothing_is_judged() -> None:
    run, qrels = run_of({"1": {"a": 1.0}}), qrels_of({"1": {"a": 1}})
    nothing = MarkedKeys(np.zeros(0, np.uint64), np.zeros(0, np.int64))
    rows, judgments = join(run, nothing, qrels.docnos, np.zeros(0, np.int64), ZERO)
    assert (rows.tolist(), judgments.tolist()) == ([], [])


@pytest.mark.parametrize("first", ["101", SAME_HASH])
@pytest.mark.parametrize("own", [{"a": 2.0, "b": 1.0}, {"x": 1.0}, None])
def test_documents_of_a_query_chosen_to_have_the_hash_of_another_do_not_count_for_it(
    first: str, own: dict[str, float] | None
) -> None:
    hashes = ids.hash_ids(ids.column([b"101", SAME_HASH.encode()])).tolist()
    assert hashes[0] == hashes[1]
    rankings = {SAME_HASH: {"a": 5.0, "b": 3.0}} | ({} if own is None else {"101": own})
    rankings = dict(sorted(rankings.items(), key=lambda query: query[0] != first))
    qrels = qrels_of({"101": {"a": 1, "b": 1, "c": 0}})
    alone = match(run_of({"101": own or {}, "other": {"z": 1.0}}), qrels)
    judged = match(run_of(rankings), qrels)
    for measure in ("AP", "nDCG", "R@10", "RR", "P@1", "Bpref"):
        assert overall(judged, measure) == overall(alone, measure)


def test_nor_do_they_count_for_its_subtopics(tmp_path: Path) -> None:
    file = tmp_path / "subtopics.qrels"
    file.write_text("101 1 a 1\n101 2 b 1\n")
    extras = Extras(subtopics=read_subtopic_qrels(str(file)))
    qrels = qrels_of({"101": {"a": 1, "b": 1}})
    run = run_of({"101": {"x": 1.0}, SAME_HASH: {"a": 5.0, "b": 3.0}})
    judged = match(run, qrels, extras=extras)
    assert judged.subtopics is not None
    assert judged.subtopics.rank.tolist() == [0, 0]
