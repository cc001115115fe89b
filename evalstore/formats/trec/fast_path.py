"""The fast path: Arrow's CSV reader on a regular block (the same single separator everywhere)."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv

from evalstore.formats import ids
from evalstore.formats.trec.columns import F64, I64, Columns, Layout
from evalstore.formats.trec.text_checks import count_lines

N = TypeVar("N", bound=np.generic)
CODED = pa.dictionary(pa.int32(), pa.binary())
FEW_ROWS = 20_000
"""So many different words are numbered in less time than it takes to load Arrow's functions."""


def read_regular(block: bytes, layout: Layout) -> Columns | None:
    """The columns of a regular block; None where the block may be irregular.

    Regular are blocks with one and the same single separator between the columns, and with a
    number where there should be one. What is left to check is ids that are too long and grades
    that are out of range.
    """
    first = block[: block.find(b"\n") + 1 or None]
    separator = "\t" if b"\t" in first else " "
    if (b" " if separator == "\t" else b"\t") in block:
        return None
    line_count = count_lines(block)
    table = arrow_table(block, layout, separator)
    if table is None or table.num_rows != line_count or line_count == 0:
        return None
    columns = table_columns(table, layout)
    empty = ids.lengths(flat_column(table, "aside")).min() == 0 or b"" in columns.tags
    empty |= ids.lengths(columns.docnos).min() == 0
    if empty or any(qid[:1] in (b"", b"#") for qid in columns.qids):
        return None
    return columns if np.isfinite(columns.values).all() else None


def arrow_table(
    block: bytes, layout: Layout, separator: str, kinds: dict[str, pa.DataType] | None = None
) -> pa.Table | None:
    """Arrow's table of a block, or None where a line or a value is not as it should be.

    `kinds` says which columns are to be of another type than the layout has them.
    """
    types = dict.fromkeys(layout.names, pa.binary())
    types[layout.value] = pa.float64()
    if layout.ranked:
        types["rank"] = pa.int64()
    types |= kinds or {}
    try:
        return pyarrow.csv.read_csv(
            pa.py_buffer(block),
            pyarrow.csv.ReadOptions(
                column_names=list(layout.names), use_threads=False, block_size=len(block) + 1
            ),
            pyarrow.csv.ParseOptions(
                delimiter=separator, quote_char=False, double_quote=False, escape_char=False
            ),
            pyarrow.csv.ConvertOptions(
                column_types=types, null_values=[], strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowInvalid:
        return None


def table_columns(table: pa.Table, layout: Layout) -> Columns:
    """The columns of a table with numbers where the layout has them."""
    ranks = numbers(flat_column(table, "rank"), np.int64) if layout.ranked else None
    return to_columns(table, layout, numbers(flat_column(table, layout.value), np.float64), ranks)


def to_columns(table: pa.Table, layout: Layout, values: F64, ranks: I64 | None) -> Columns:
    """The columns of a table of one line a row, at least one; its numbers are given apart."""
    qids, codes, starts = stretches(flat_column(table, "qid"))
    return Columns(
        qids=qids,
        stretch_codes=codes,
        stretch_starts=starts,
        docnos=flat_column(table, "docno"),
        values=values,
        line_count=table.num_rows,
        ranks=ranks,
        tags=_first_rows(flat_column(table, "tag")) if layout.ranked else {},
        subtopics=flat_column(table, "aside") if layout.second else None,
    )


def flat_column(table: pa.Table, name: str) -> pa.Array:
    """A column as one array."""
    column = table.column(name)
    if column.num_chunks == 1:
        return column.chunk(0)
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    return pa.concat_arrays(column.chunks)


def numbers(column: pa.Array, dtype: type[N]) -> npt.NDArray[N]:
    """A column of numbers without nulls, uncopied (Arrow's own `to_numpy` imports pandas)."""
    return np.frombuffer(column.buffers()[1], dtype)[column.offset :][: len(column)]


def stretches(words: pa.Array) -> tuple[list[bytes], I64, I64]:
    """The runs of one and the same word in a column (n > 0).

    Returns:
        (distinct, codes, starts): the distinct words in order of appearance; per stretch (int64)
        which of them it is, and its first row.
    """
    turns = ids.turns(words, most=len(words) // 16)
    if turns is None:  # almost as many words as rows
        distinct, every = _numbered(words) if len(words) <= FEW_ROWS else _encoded(words)
        starts = np.concatenate([[0], np.flatnonzero(every[1:] != every[:-1]) + 1])
        return distinct, every[starts], starts
    starts = np.concatenate([[0], turns])
    distinct, codes = _numbered(ids.take(words, starts))
    return distinct, codes, starts


def _numbered(words: pa.Array) -> tuple[list[bytes], I64]:
    """The distinct words in order of appearance, and for each word (int64) which of them it is."""
    numbers_by_word: dict[bytes, int] = {}
    codes = [numbers_by_word.setdefault(word, len(numbers_by_word)) for word in words.to_pylist()]
    return list(numbers_by_word), np.array(codes, np.int64)


def _encoded(words: pa.Array) -> tuple[list[bytes], I64]:
    """As `_numbered`, by Arrow: faster once its functions are loaded."""
    coded = words.dictionary_encode()
    return coded.dictionary.to_pylist(), numbers(coded.indices, np.int32).astype(np.int64)


def _first_rows(words: pa.Array) -> dict[bytes, int]:
    """The distinct words in order of appearance, with the row each appears in first."""
    distinct, codes, starts = stretches(words)
    _, first = np.unique(codes, return_index=True)
    return dict(zip(distinct, starts[first].tolist(), strict=True))
