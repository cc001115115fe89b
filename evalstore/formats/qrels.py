"""Judgments in memory: which documents were judged for a query, and their grades."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
import pyarrow as pa

from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64, U64
from evalstore.formats.reading.lines import texts
from evalstore.formats.reading.source import path_text
from evalstore.formats.trec.columns import F64, counted

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Relevance judgments as arrays; the rows of query i are `starts[i] : starts[i] + lengths[i]`.

    Attributes:
        path: the file, as messages name it.
        qids: the query ids, sorted by bytes.
        lengths: int64, one per query; the queries stand one after the other.
        docnos: Arrow binary, n.
        grades: float64, n; negative means in the pool but not judged.
        warnings: what was accepted although it is odd, one sentence each, with file and line.
        read_keys: the `keys`, if reading has computed them.
        format: the name of the file's format (`registry`); empty for what was not read from a file.
        origin: what the file says of the model that judged (`store.models.Qrels.origin`); None for
            files that name none.
        strata: Arrow binary, n: the part of the pool that each document was drawn from, or not
            (grade -1), if a sample was judged; else None.
    """

    path: str
    qids: tuple[str, ...]
    lengths: I64
    docnos: pa.Array
    grades: F64
    warnings: tuple[str, ...] = ()
    read_keys: U64 | None = None
    format: str = field(default="", kw_only=True)
    origin: Mapping[str, object] | None = field(default=None, kw_only=True)
    strata: pa.Array | None = field(default=None, kw_only=True)
    _memo: dict[str, object] = field(default_factory=dict, init=False)

    def memo(self, key: str, build: Callable[[], T]) -> T:
        """The result of `build`, which depends on the judgments alone; computed once."""
        if key not in self._memo:
            self._memo[key] = build()
        return cast(T, self._memo[key])

    @cached_property
    def starts(self) -> I64:
        """The first row of every query: int64."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def keys(self) -> U64:
        """A hash of (query id, docno) per row: uint64, n."""
        if self.read_keys is not None:
            return self.read_keys
        return ids.row_keys(self.qids, self.lengths, self.docnos)

    @cached_property
    def row_query(self) -> I64:
        """The query of every judgment, an index into `qids`: int64, n."""
        return np.repeat(np.arange(len(self.qids)), self.lengths)

    @cached_property
    def best_first(self) -> I64:
        """The rows by query and then by grade, the highest first: int64, n."""
        return np.lexsort((-self.grades, self.row_query))

    @cached_property
    def by_key(self) -> I64:
        """The rows by key: int64, n."""
        return np.argsort(self.keys)

    def sorted_once(self) -> Qrels:
        """The same, with these orders computed, so that copies in other processes have them."""
        _ = self.best_first, self.by_key
        return self

    @classmethod
    def from_dict(cls, grades: Mapping[str, Mapping[str, float]], *, name: str = "qrels") -> Qrels:
        """Make judgments of `{qid: {docno: grade}}`, as pytrec_eval, ranx and BEIR have them.

        Args:
            grades: finite numbers. Ids are text; whole numbers are taken as their digits. A query
                without documents is as one that is not there.
            name: what messages call the judgments.

        Raises:
            DataError: what a qrels file could not hold either, with its keys.

        >>> Qrels.from_dict({"q1": {"d1": 1, "d2": 0}})
        <Qrels: 1 query, 2 judgments>
        """
        from evalstore.formats import memory  # noqa: PLC0415  (they make a Qrels)
        from evalstore.formats.trec import qrels  # noqa: PLC0415  (they make a Qrels)

        return qrels.qrels_of(memory.read_dict(grades, "qrels", name=name, tag=name))

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, name: str = "qrels") -> Qrels:
        """Make judgments of a data frame with a row for each document judged.

        Args:
            frame: the query id under `qid`, `query_id` or `q_id`; the document's under `docno` or
                `doc_id`; the grade under `grade`, `relevance`, `label` or `score`. Other columns
                are ignored. Ids are text or whole numbers, which are taken as their digits.
            name: what messages call the judgments.

        Raises:
            DataError: what a qrels file could not hold either (two grades for a document, a grade
                that is not finite, ...), with the row, counted from 0.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [2]})
        >>> Qrels.from_frame(frame).to_dict()
        {'q1': {'d1': 2.0}}
        """
        from evalstore.formats import memory  # noqa: PLC0415  (they make a Qrels)
        from evalstore.formats.trec import qrels  # noqa: PLC0415  (they make a Qrels)

        return qrels.qrels_of(memory.read_frame(frame, "qrels", name=name, tag=name))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The grades as `{qid: {docno: grade}}`."""
        from evalstore.formats import memory  # noqa: PLC0415  (needed by few)

        docnos = texts(self.docnos)
        return memory.to_dict(self.qids, self.starts, self.lengths, docnos, self.grades)

    def to_frame(self) -> pd.DataFrame:
        """The judgments as a frame of qid, docno and grade (float64), by query id (as bytes)."""
        import pandas as pd  # noqa: PLC0415  (only users of frames wait for it)

        return pd.DataFrame(
            {
                "qid": np.repeat(np.array(self.qids, object), self.lengths),
                "docno": texts(self.docnos),
                "grade": self.grades,
            }
        )

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the judgments into a file; gzip if its name ends in `.gz`.

        Args:
            path: the file: complete or not there at all; a file of that name is replaced.
            format: the name of a format, as `evalstore ingest --formats` lists them; if None, that
                of files whose name ends so, or else TREC lines.

        Raises:
            DataError: what the format can't hold, or there is none of that name.
            FileError: the file can't be written.
        """
        from evalstore.formats.any_format import write_file  # noqa: PLC0415  (imports readers)
        from evalstore.formats.lists import lists_of  # noqa: PLC0415  (it knows Qrels)

        write_file(lists_of(self), "qrels", os.fspath(path), format)

    def __repr__(self) -> str:
        queries, judgments = counted(len(self.qids), "query"), counted(len(self.grades), "judgment")
        return f"<Qrels: {queries}, {judgments}>"


def unparsed_grades(path: str, unparsed: Sequence[str], judgments: int) -> tuple[str, ...]:
    """The warning about answers of a model that are no grades, and so no judgments.

    `unparsed` are their places in the file.
    """
    if not unparsed:
        return ()
    of = counted(judgments, "answer")
    are = "is no grade" if len(unparsed) == 1 else "are no grades"
    more = "; ..." if len(unparsed) > MOST_PLACES else ""
    places = f"{'; '.join(unparsed[:MOST_PLACES])}{more}"
    number = f"{len(unparsed):,} of {of}"
    return (f"{path_text(path)}: {number} of the model {are}: not judged ({places})",)


MOST_PLACES = 5


@dataclass(frozen=True, eq=False, repr=False)
class SubtopicQrels(Qrels):
    """Judgments by subtopic, or by judgment group: a document may be judged in several of a query.

    Attributes:
        subtopics: Arrow binary, n: the second column of the file; the subtopic, or the judgment
            group (who judged).
    """

    subtopics: pa.Array = field(kw_only=True)
