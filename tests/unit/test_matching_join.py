"""Looking up the keys of retrieved documents among those of judged ones."""

from __future__ import annotations

import numpy as np
import pytest
from measure_samples import qrels_of, run_of

from evalstore.formats.ids import U64
from evalstore.matching.join import MOST_SHARING, MarkedKeys, join

LARGEST = 2**64 - 1
RANDOM = np.random.default_rng(3)

KEYS: dict[str, list[int]] = {
    "one": [5],
    "the ends": [0, 1, LARGEST - 1, LARGEST],
    "without the largest": [0, 1, LARGEST - 1],
    "spread evenly": RANDOM.integers(0, 2**64, 5000, np.uint64).tolist(),
    "some share their top bits": [*range(MOST_SHARING), 2**63, *range(2**62, 2**62 + 9)],
    "more share them than hashes do": [*range(7, 7 + 3 * MOST_SHARING), 2**63],
}


def marked(keys: list[int]) -> MarkedKeys:
    given: U64 = np.array(RANDOM.permutation(np.array(keys, np.uint64)))
    return MarkedKeys(given, np.argsort(given))


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS.keys())
def test_a_key_is_found_where_a_binary_search_finds_it(keys: list[int]) -> None:
    near = [key + step for key in keys for step in (-1, 0, 1) if 0 <= key + step <= LARGEST]
    wanted = np.array([*near, 0, 2**63, LARGEST], np.uint64)
    expected = np.searchsorted(np.sort(np.array(keys, np.uint64)), wanted)
    assert marked(keys).search(wanted).tolist() == expected.tolist()


def test_rows_of_the_same_document_and_query_are_joined() -> None:
    run = run_of({"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "d": 1.0}})
    qrels = qrels_of({"2": {"d": 1, "b": 0}, "1": {"c": 1, "a": 0, "z": 1}})
    rows, judgments = join(run, MarkedKeys(qrels.keys, qrels.by_key), qrels.docnos)
    pairs = zip(
        run.docnos.take(rows).to_pylist(),
        qrels.docnos.take(judgments).to_pylist(),
        [qrels.qids[query] for query in qrels.row_query[judgments]],
        strict=True,
    )
    assert sorted(pairs) == [(b"a", b"a", "1"), (b"c", b"c", "1"), (b"d", b"d", "2")]


def test_nothing_is_joined_where_nothing_is_judged() -> None:
    run, qrels = run_of({"1": {"a": 1.0}}), qrels_of({"1": {"a": 1}})
    nothing = MarkedKeys(np.zeros(0, np.uint64), np.zeros(0, np.int64))
    assert [rows.tolist() for rows in join(run, nothing, qrels.docnos)] == [[], []]
