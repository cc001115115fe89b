"""Retrieved documents whose id is the query's: collections whose queries are documents have them.

A query about a document would find that document first; such collections (ArguAna and Quora in
BEIR) count without it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalstore.errors import DataError
from evalstore.formats import ids
from evalstore.formats.run import Run
from evalstore.formats.source import path_text
from evalstore.formats.trec.messages import counted


def without_identical_ids(run: Run) -> Run:
    """The run without documents whose id is that of their query; the ranks below close up.

    A query that retrieved nothing else is as one that the run does not answer. A warning of the
    run says how many were left out; without any it is the same run.

    Raises:
        DataError: every document of the run has the id of its query.
    """
    qids = ids.column([qid.encode() for qid in run.qids])
    by_start = np.argsort(run.starts, kind="stable")
    codes = np.repeat(by_start, run.lengths[by_start])
    alike = np.flatnonzero(ids.hash_ids(run.docnos) == ids.hash_ids(qids)[codes])
    same = [row for row in alike.tolist() if run.docnos[row].as_py() == qids[codes[row]].as_py()]
    if not same:
        return run
    if len(same) == len(run.scores):
        raise DataError(f"{path_text(run.path)}: every document has the id of its query")
    kept = np.ones(len(run.scores), bool)
    kept[same] = False
    before = np.concatenate([[0], np.cumsum(kept)])
    starts, ends = before[run.starts], before[run.starts + run.lengths]
    answered = ends > starts
    rows = np.flatnonzero(kept)
    what = f"{counted(len(same), 'retrieved document')} whose id is the query's"
    warning = f"{path_text(run.path)}: {what} {'is' if len(same) == 1 else 'are'} left out"
    return replace(
        run,
        qids=tuple(q for q, there in zip(run.qids, answered.tolist(), strict=True) if there),
        starts=starts[answered],
        lengths=(ends - starts)[answered],
        docnos=ids.take(run.docnos, rows),
        scores=run.scores[rows],
        warnings=(*run.warnings, warning),
        read_keys=None if run.read_keys is None else run.read_keys[rows],
    )
