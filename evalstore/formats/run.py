"""A run in memory: an engine's ranked answers to the queries of a collection."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64, U64
from evalstore.formats.reading.lines import texts
from evalstore.formats.reading.rows import valid_id
from evalstore.formats.ties import settled
from evalstore.formats.trec.columns import F64, counted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run as arrays of n rows, a row for each document retrieved.

    The rows of query i are `starts[i] : starts[i] + lengths[i]`: every query has one stretch of
    rows, and the stretches cover all rows without a gap, in any order of the queries. Within a
    stretch the score descends. Equal scores are in any order: `settled` and `ranks` put them in
    order (docno descending).

    Attributes:
        path: the file, as messages name it.
        tag: the run tag (the first if there are several).
        qids: the query ids, sorted by bytes.
        starts, lengths: int64, one per query.
        docnos: Arrow binary, n.
        scores: float64, n, finite.
        warnings: what was accepted although it is odd, one sentence each, with file and line.
        read_keys: the `keys`, if reading has computed them.
        is_settled: whether equal scores are known to be in order (`settled`).
        format: the name of the file's format (`registry`); empty for a run from memory.
        facts: what the file says of the run beside its ranking, by the names of the fields of
            `catalog.given_facts.GivenFacts`: `{"parameters": {"k1": 0.9}, "commit": "4f2a9c1"}`.
        times: the milliseconds that queries took, by query id, if the file has them.
        names: the names that the file itself gives, by kind: `run`, `engine`, `collection`,
            `experiment`.
    """

    path: str
    tag: str
    qids: tuple[str, ...]
    starts: I64
    lengths: I64
    docnos: pa.Array
    scores: F64
    warnings: tuple[str, ...] = ()
    read_keys: U64 | None = None
    is_settled: bool = False
    format: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def keys(self) -> U64:
        """A hash of (query id, docno) per row: uint64, n."""
        if self.read_keys is not None:
            return self.read_keys
        by_start = np.argsort(self.starts, kind="stable")
        qids = [self.qids[query] for query in by_start]
        return ids.row_keys(qids, self.lengths[by_start], self.docnos)

    @classmethod
    def from_dict(
        cls, scores: Mapping[str, Mapping[str, float]], *, name: str = "run", tag: str = "run"
    ) -> Run:
        """Make a run of `{qid: {docno: score}}`, as pytrec_eval, ranx and BEIR have it.

        Args:
            scores: finite numbers. Ids are text; whole numbers are taken as their digits. A query
                without documents is as one that is not there.
            name: what messages call the run.
            tag: the run tag that `write` writes.

        Raises:
            DataError: what a run file could not hold either, with its keys.

        >>> Run.from_dict({"q1": {"d1": 1.5, "d2": 2.5}}).to_dict()
        {'q1': {'d2': 2.5, 'd1': 1.5}}
        """
        from evalstore.formats import memory  # noqa: PLC0415  (they make a Run)
        from evalstore.formats.trec import run as trec_run  # noqa: PLC0415  (they make a Run)

        tag = valid_id(tag, "run tag")
        return trec_run.run_of(memory.read_dict(scores, "run", name=name, tag=tag))

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, name: str = "run", tag: str = "run") -> Run:
        """Make a run of a data frame with a row for each document retrieved.

        Args:
            frame: the query id under `qid`, `query_id` or `q_id`; the document's under `docno` or
                `doc_id`; and `score`. Other columns are ignored, `rank` too: the order is by
                score. Ids are text or whole numbers, which are taken as their digits.
            name: what messages call the run.
            tag: the run tag that `write` writes.

        Raises:
            DataError: what a run file could not hold either (a document twice in a query, a score
                that is not finite, ...), with the row, counted from 0.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"qid": [1, 1], "docno": ["d1", "d2"], "score": [1.5, 2.5]})
        >>> Run.from_frame(frame).to_dict()
        {'1': {'d2': 2.5, 'd1': 1.5}}
        """
        from evalstore.formats import memory  # noqa: PLC0415  (they make a Run)
        from evalstore.formats.trec import run as trec_run  # noqa: PLC0415  (they make a Run)

        tag = valid_id(tag, "run tag")
        return trec_run.run_of(memory.read_frame(frame, "run", name=name, tag=tag))

    def of_query(self, qid: str) -> Run:
        """The run with the ranking of one query alone, which is empty if there is none."""
        at, length = 0, 0
        if qid in self.qids:
            query = self.qids.index(qid)
            at, length = int(self.starts[query]), int(self.lengths[query])
        rows = slice(at, at + length)
        return replace(
            self,
            qids=(qid,),
            starts=np.zeros(1, np.int64),
            lengths=np.array([length]),
            docnos=self.docnos[rows],
            scores=self.scores[rows],
            read_keys=None if self.read_keys is None else self.read_keys[rows],
        )

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The scores as `{qid: {docno: score}}`, the best document of each query first."""
        from evalstore.formats import memory  # noqa: PLC0415  (they know Run)

        run = settled(self)
        return memory.to_dict(run.qids, run.starts, run.lengths, texts(run.docnos), run.scores)

    def to_frame(self) -> pd.DataFrame:
        """The run as a frame of qid, docno, rank (int64, from 1) and score (float64).

        Sorted by query id (as bytes) and rank.
        """
        import pandas as pd  # noqa: PLC0415  (only users of frames wait for it)

        run = settled(self)
        rows = ids.ranges(run.starts, run.lengths)
        return pd.DataFrame(
            {
                "qid": np.repeat(np.array(run.qids, object), run.lengths),
                "docno": texts(ids.take(run.docnos, rows)),
                "rank": rows - np.repeat(run.starts, run.lengths) + 1,
                "score": run.scores[rows],
            }
        )

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the run into a file; gzip if its name ends in `.gz`.

        Args:
            path: the file: complete or not there at all; a file of that name is replaced.
            format: the name of a format, as `evalstore ingest --formats` lists them; if None, that
                of files whose name ends so, or else TREC lines, ranks from 1.

        Raises:
            DataError: what the format can't hold, or there is none of that name.
            FileError: the file can't be written.
        """
        from evalstore.formats.any_format import write_file  # noqa: PLC0415  (imports readers)
        from evalstore.formats.lists import lists_of  # noqa: PLC0415  (it knows Run)

        write_file(lists_of(self), "run", os.fspath(path), format)

    def __repr__(self) -> str:
        queries, documents = counted(len(self.qids), "query"), counted(len(self.scores), "document")
        return f"<Run {self.tag!r}: {queries}, {documents}>"


# A run that is too large to be in memory as a whole


class NotInParts(Exception):
    """A file can't be read in parts: it has to be read as a whole, which reports what is wrong."""


@dataclass(frozen=True, eq=False)
class RunParts:
    """A large run, read a part at a time; the other attributes are those of the whole `Run`.

    Attributes:
        parts: the runs of some queries each, in the order of the file, no query in two of them;
            none has warnings. Each is read when it is iterated over, once. Raises `NotInParts` if
            something is odd or wrong.
    """

    path: str
    tag: str
    facts: Mapping[str, Any]
    parts: Iterator[Run]
    names: Mapping[str, str] = field(default_factory=dict)
    format: str = ""
