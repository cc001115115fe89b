"""Looking up the keys of retrieved documents among those of judged ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from measure_samples import overall, qrels_of, run_of

from evalstore.formats import read_subtopic_qrels
from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import U64
from evalstore.measures.join import MOST_SHARING, Extras, MarkedKeys, join, match, numbers_among

LARGEST = 2**64 - 1
ZERO = np.zeros(1, np.int64)

SAME_HASH = "rtqq5bmcf1qognr:"
"""A query id that was chosen so that its hash is that of the query 101."""

KEYS: dict[str, list[int]] = {
    "one": [5],
    "the ends": [0, 1, LARGEST - 1, LARGEST],
    "without the largest": [0, 1, LARGEST - 1],
    "spread evenly": np.random.default_rng(3).integers(0, 2**64, 5000, np.uint64).tolist(),
    "some share their top bits": [*range(MOST_SHARING), 2**63, *range(2**62, 2**62 + 9)],
}
CHOSEN = [*range(7, 7 + 3 * MOST_SHARING), 2**63]


def marked(keys: list[int]) -> MarkedKeys:
    given: U64 = np.random.default_rng(4).permutation(np.array(keys, np.uint64))
    return MarkedKeys(given, np.argsort(given))


def places(judged: MarkedKeys, keys: list[int]) -> tuple[list[int], list[int]]:
    """Where `search` has the keys and their neighbours, and where a binary search has them."""
    near = [key + step for key in keys for step in (-1, 0, 1) if 0 <= key + step <= LARGEST]
    wanted = np.array([*near, 0, 2**63, LARGEST], np.uint64)[::-1]
    expected = np.searchsorted(np.sort(np.array(keys, np.uint64)), wanted)
    return judged.search(wanted).tolist(), expected.tolist()


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS.keys())
def test_a_key_is_found_where_a_binary_search_finds_it(keys: list[int]) -> None:
    judged = marked(keys)
    assert judged.most_sharing <= MOST_SHARING
    own, expected = places(judged, keys)
    assert own == expected


def test_keys_chosen_to_share_their_top_bits_are_found_by_a_binary_search() -> None:
    judged = marked(CHOSEN)
    assert judged.most_sharing > MOST_SHARING
    own, expected = places(judged, CHOSEN)
    assert own == expected


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
