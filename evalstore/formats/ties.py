"""The order of a ranking: score descending, equal scores by docno descending as bytes.

As in trec_eval (form_res_rels.c). The rows of a run are sorted by score already.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evalstore.formats.reading import ids
from evalstore.formats.trec.table import batches

if TYPE_CHECKING:
    from evalstore.formats.run import Run


def rounded(run: Run) -> Run:
    """The run with its scores held as 32-bit floats, as trec_eval up to 9.0.8 does.

    Rounding keeps the order and makes more ties; scores out of range become the largest float32.
    """
    limit = np.finfo(np.float32).max
    scores = np.clip(run.scores, -limit, limit).astype(np.float32).astype(np.float64)
    return replace(run, scores=scores, is_settled=False)


def settled(run: Run, *, in_place: bool = False) -> Run:
    """The run with every tie in order: row k of a query is its document at rank k + 1.

    The rows of each query keep their places; tied scores are equal, so only documents move. With
    `in_place` the memory of `run` is used if possible, whose documents then move too.
    """
    if run.is_settled:
        return run
    n = len(run.scores)
    same = np.zeros(n + 1, bool)  # as the row above it in its own list
    same[1:n] = run.scores[1:] == run.scores[:-1]
    same[run.starts[run.lengths > 0]] = False
    tied = np.flatnonzero(same[:-1] | same[1:])
    if not len(tied):
        return replace(run, is_settled=True)
    docnos, keys = ids.changeable(run.docnos, in_place=in_place), run.read_keys
    if keys is not None and not (in_place and keys.flags.writeable):
        keys = keys.copy()
    for first, stop in batches(run.lengths[np.argsort(run.starts, kind="stable")]):
        rows = tied[slice(*np.searchsorted(tied, [first, stop]))]
        ties = np.cumsum(~same[rows])
        taken = rows[ids.order_descending(ties, docnos, rows)]
        if (rows != taken).any():
            every = np.arange(first, stop)
            every[rows - first] = taken
            ids.put(docnos, first, ids.take(docnos, every))
            if keys is not None:
                keys[rows] = keys[taken]
    return replace(run, docnos=docnos, read_keys=keys, is_settled=True)
