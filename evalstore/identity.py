"""What makes two runs, or two qrels, the same: a hash of their content, not of their bytes.

Spaces, line ends, the order of lines, the rank column and compression make no difference; a
document, an order, a score, a grade, a query id or the run tag does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from evalstore.trec import ids
from evalstore.trec.ids import I64
from evalstore.trec.layout import F64
from evalstore.trec.qrels import Qrels
from evalstore.trec.run import Run


def run_hash(run: Run) -> str:
    """The hash of a run whose ties are settled (`trec.order.settled`)."""
    return _hash([run.tag], run.qids, run.lengths, run.docnos, run.scores)


def qrels_hash(qrels: Qrels) -> str:
    """The hash of a qrels; the order of the judgments of a query makes no difference."""
    query = np.repeat(np.arange(len(qrels.qids)), qrels.lengths)
    order = ids.order_ascending(query, qrels.docnos)
    docnos = qrels.docnos.take(pa.array(order))
    return _hash([], qrels.qids, qrels.lengths, docnos, qrels.grades[order])


def _hash(
    tags: Iterable[str], qids: Iterable[str], lengths: I64, docnos: pa.Array, values: F64
) -> str:
    """SHA-256 over lines of text, then the lengths, the docnos with theirs, and the values."""
    at, data = ids.offsets_and_bytes(docnos)
    digest = hashlib.sha256("\n".join([*tags, "", *qids, ""]).encode())
    digest.update(lengths.astype("<i8").tobytes())
    digest.update(np.diff(at).astype("<i4").tobytes())
    digest.update(data[at[0] : at[-1]].tobytes())
    digest.update((values + 0.0).astype("<f8").tobytes())  # -0 is 0
    return digest.hexdigest()
