"""Rows in files: data frames, judgments of BEIR and runs of MS MARCO.

Data frames are CSV or Parquet with the columns of PyTerrier, ir_measures, ranx and our own, which
are found as in frames in memory (`memory`).
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice, repeat
from typing import BinaryIO

import pyarrow as pa

from evalstore.errors import DataError
from evalstore.formats.lists import List, Lists
from evalstore.formats.memory import (
    DOCNO_COLUMNS,
    QID_COLUMNS,
    VALUE_COLUMNS,
    choose_column,
    read_frame,
)
from evalstore.formats.qrels import Qrels
from evalstore.formats.reading.lines import (
    Lines,
    csv_bytes,
    number_text,
    numbered_lines,
    tag_of_file,
    write_lines,
)
from evalstore.formats.reading.paths import is_url
from evalstore.formats.reading.remote import chunks
from evalstore.formats.reading.rows import (
    VALUE_NAMES,
    Content,
    Rows,
    check_width,
    csv_rows,
    first_cells,
    number,
    read_rows,
)
from evalstore.formats.reading.source import ReadOptions, path_text, printable, quoted, refuse
from evalstore.formats.registry import Format, Recognised, recognise_if
from evalstore.formats.run import Run
from evalstore.formats.trec.qrels import qrels_of
from evalstore.formats.trec.run import check_ranks, run_of, score_of_rank

MAGIC = "PAR1"
ROW_GROUP = 1 << 17
"""Rows of a row group of a Parquet file that is written, or a few more."""
MAX_PARQUET = 4 << 30
"""The most bytes of the columns of a Parquet file, which are in memory at once."""


def read_frame_file(path: str, options: ReadOptions, content: Content) -> Rows:
    """Read a file of a row for each document retrieved or judged; further columns are ignored."""
    if path != "-" and _is_parquet(path):
        return _read_parquet(path, options, content)
    return read_rows(path, _csv_rows(path, options, content), content)


def recognise(head: str, content: Content) -> Recognised | None:
    """Parquet by its magic number; CSV by a first line that names the columns needed."""
    if head.startswith(MAGIC):
        return Recognised(False, "a Parquet file")
    names = first_cells(head)
    needed = (QID_COLUMNS, DOCNO_COLUMNS, VALUE_COLUMNS[content])
    if all(any(name in names for name in some) for some in needed):
        return Recognised(False, "a first line that names the columns of a frame")
    return None


def _columns(path: str, names: list[str], content: Content) -> list[str]:
    where = path_text(path)
    columns = [
        choose_column(names, QID_COLUMNS, "query id", where),
        choose_column(names, DOCNO_COLUMNS, "docno", where),
        choose_column(names, VALUE_COLUMNS[content], VALUE_NAMES[content], where),
    ]
    if content == "qrels" and columns[2] == "score" and "rank" in names:
        raise DataError(f"{where}: columns rank and score: this looks like a run, not judgments")
    return columns


def _csv_rows(
    path: str, options: ReadOptions, content: Content
) -> Iterator[tuple[int, str, str, float]]:
    rows = csv_rows(path, options)
    _, names = next(rows)
    qid, docno, value = map(names.index, _columns(path, names, content))
    for line, cells in rows:
        check_width(path, line, cells, names)
        yield line, cells[qid], cells[docno], number(path, line, cells[value], content)


def write_csv(stream: BinaryIO, columns: Sequence[str], lists: Iterable[List]) -> None:
    """Write a line for each document; the columns are the query id, the docno, ..., the number."""
    stream.write(csv_bytes([columns]))
    for qid, docnos, values in lists:
        numbers = list(map(number_text, values))
        ranks = [range(1, len(docnos) + 1)] if "rank" in columns else []
        stream.write(csv_bytes(zip(repeat(qid), docnos, *ranks, numbers, strict=False)))


def _is_parquet(path: str) -> bool:
    if is_url(path):
        with closing(chunks(path)) as content:
            return next(content, b"").startswith(MAGIC.encode())
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC.encode()
    except (OSError, ValueError):
        return False  # the CSV reader reports why


def _seekable(path: str, limit: int) -> str | io.BytesIO:
    """The path, or the content of a URL, since Parquet is read from its end."""
    if not is_url(path):
        return path
    content = io.BytesIO()
    for chunk in chunks(path):
        if content.tell() + len(chunk) > limit:
            refuse(path, None, f"more than {limit:,} bytes of Parquet")
        content.write(chunk)
    content.seek(0)
    return content


def _read_parquet(path: str, options: ReadOptions, content: Content) -> Rows:
    """Read the three columns that count, in batches, up to a limit of their size in memory."""
    from pyarrow import parquet  # noqa: PLC0415  (needed by few)

    where, limit = path_text(path), min(options.max_bytes, MAX_PARQUET)
    try:
        with parquet.ParquetFile(_seekable(path, limit)) as file:
            columns = _columns(path, file.schema_arrow.names, content)
            batches, total = [], 0
            for batch in file.iter_batches(columns=columns):
                total += batch.nbytes
                if total > limit:
                    refuse(path, None, f"more than {limit:,} bytes in the columns {columns}")
                batches.append(batch)
    except (pa.ArrowException, OSError) as error:
        refuse(path, None, f"not a Parquet file that can be read ({printable(str(error))[:200]})")
    if not batches:
        refuse(path, None, "the file has no rows")
    frame = pa.Table.from_batches(batches).to_pandas()
    return read_frame(frame, content, name=where, tag=tag_of_file(path))


def write_parquet(
    stream: BinaryIO, columns: Sequence[str], lists: Iterable[List], *, whole: bool = False
) -> None:
    """Write a row for each document, a row group at a time; `whole` writes the numbers as int64."""
    from pyarrow import parquet  # noqa: PLC0415  (needed by few)

    kinds = {"rank": pa.int64(), columns[-1]: pa.int64() if whole else pa.float64()}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
    with parquet.ParquetWriter(stream, schema) as writer:
        for group in _groups(lists):
            arrays = {
                "qid": [qid for qid, docnos, _ in group for _ in docnos],
                "docno": [docno for _, docnos, _ in group for docno in docnos],
                "rank": [rank for _, docnos, _ in group for rank in range(1, len(docnos) + 1)],
                columns[-1]: [
                    int(value) if whole else value for _, _, values in group for value in values
                ],
            }
            rows = pa.table([arrays[name] for name in columns], schema=schema)
            writer.write_table(rows)


def _groups(lists: Iterable[List]) -> Iterator[list[List]]:
    """Lists of queries with about as many documents as a row group should have."""
    group: list[List] = []
    size = 0
    for one in lists:
        group.append(one)
        size += len(one[1])
        if size >= ROW_GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group


# Runs as data frames in files: CSV or Parquet, a row for each document retrieved


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name."""
    return run_of(read_frame_file(path, options or ReadOptions(), "run"))


RUN_COLUMNS = ("qid", "docno", "rank", "score")
QRELS_COLUMNS = ("qid", "docno", "label")


RUN_FRAME: Format[Run] = Format(
    name="run-frame",
    title="run as a data frame, CSV or Parquet: PyTerrier, ir_measures, ranx",
    content="run",
    extensions=(".csv", ".parquet"),
    example="qid,docno,rank,score\nq1,d7,1,2.5\nq1,d9,2,1.5\nq2,d7,1,3.25\n",
    recognise=partial(recognise, content="run"),
    read=read_run,
    writers={
        ".csv": lambda run, stream: write_csv(stream, RUN_COLUMNS, run.lists),
        ".parquet": lambda run, stream: write_parquet(stream, RUN_COLUMNS, run.lists),
    },
    lost="the run tag",
)


# Judgments as data frames in files: CSV or Parquet, a row for each document judged


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments."""
    return qrels_of(read_frame_file(path, options or ReadOptions(), "qrels"))


def write_qrels_parquet(qrels: Lists, stream: BinaryIO) -> None:
    """Write judgments as Parquet: qid and docno text, label int64, or float64 for decimal ones."""
    lists = list(qrels.lists)
    whole = all(grade.is_integer() for _, _, grades in lists for grade in grades)
    write_parquet(stream, QRELS_COLUMNS, lists, whole=whole)


QRELS_FRAME: Format[Qrels] = Format(
    name="qrels-frame",
    title="judgments as a data frame, CSV or Parquet: PyTerrier, ir_measures, ranx",
    content="qrels",
    extensions=(".csv", ".parquet"),
    example="qid,docno,label\nq1,d7,1\nq1,d9,0\nq2,d7,2\n",
    recognise=partial(recognise, content="qrels"),
    read=read_qrels,
    writers={
        ".csv": lambda qrels, stream: write_csv(stream, QRELS_COLUMNS, qrels.lists),
        ".parquet": write_qrels_parquet,
    },
)


# Judgments of BEIR, tab-separated

HEADER = ["query-id", "corpus-id", "score"]


def read_beir_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments; the first line names the columns."""
    return qrels_of(read_rows(path, _beir_rows(path, options or ReadOptions()), "qrels"))


def _beir_rows(path: str, options: ReadOptions) -> Iterator[tuple[int, str, str, float]]:
    lines = numbered_lines(path, options)
    for line, text in islice(lines, 1):
        if text.split("\t") != HEADER:
            refuse(path, line, "expected the columns query-id, corpus-id and score, named here")
    for line, qid, docno, word in _three_cells(path, lines, "query-id, corpus-id, score"):
        yield line, qid, docno, number(path, line, word, "qrels")


def _three_cells(path: str, lines: Lines, names: str) -> Iterator[tuple[int, str, str, str]]:
    for line, text in lines:
        cells = text.split("\t")
        if len(cells) != 3:
            what = f"{names}, separated by tabs"
            refuse(path, line, f"expected 3 columns ({what}), found {len(cells)}")
        yield line, cells[0], cells[1], cells[2]


def write_beir_qrels(qrels: Lists, stream: BinaryIO) -> None:
    """Write judgments; refuse grades and ids that BEIR would not read as they are."""
    stream.write(("\t".join(HEADER) + "\n").encode())
    for qid, docnos, grades in qrels.lists:
        quotes = next((word for word in (qid, *docnos) if word.startswith('"')), None)
        if quotes is not None:
            what = "begins with a quotation mark, which BEIR leaves out"
            raise DataError(f"the id {quoted(quotes)} {what}")
        for docno, grade in zip(docnos, grades, strict=True):
            if not grade.is_integer():
                raise DataError(
                    f"document {quoted(docno)} has grade {grade!r} for query {quoted(qid)}: BEIR "
                    "has whole numbers only"
                )
            stream.write(f"{qid}\t{docno}\t{int(grade)}\n".encode())


BEIR_QRELS: Format[Qrels] = Format(
    name="beir-qrels",
    title="judgments of BEIR, tab-separated with a header",
    content="qrels",
    extensions=(".tsv",),
    example="query-id\tcorpus-id\tscore\nq1\td7\t1\nq1\td9\t0\nq2\td7\t2\n",
    recognise=recognise_if(
        lambda head: head.lstrip("\n").partition("\n")[0].rstrip("\r").split("\t") == HEADER,
        "a first line query-id, corpus-id, score",
        certain=True,
    ),
    read=read_beir_qrels,
    writers={".tsv": write_beir_qrels},
    lost="decimal grades and ids that begin with a quotation mark: they are refused",
)


# Runs of MS MARCO: query id, docno and rank, tab-separated; there is no score


def read_msmarco_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; the score of a document is 1 / rank, as Pyserini converts such files."""
    lines = numbered_lines(path, options or ReadOptions())
    cells = _three_cells(path, lines, "query id, docno, rank")
    ranked = (
        (line, qid, docno, score_of_rank(path, line, word)) for line, qid, docno, word in cells
    )
    rows = read_rows(path, ranked, "run")
    run = run_of(rows)
    check_ranks(rows)
    return run


def write_msmarco_run(run: Lists, stream: BinaryIO) -> None:
    """Write a run; scores and tag are lost, the ranks are from 1."""
    ranked = ((qid, enumerate(docnos, 1)) for qid, docnos, _ in run.lists)
    write_lines(
        stream, ("".join(f"{qid}\t{docno}\t{rank}\n" for rank, docno in own) for qid, own in ranked)
    )


def _recognise_msmarco(head: str) -> Recognised | None:
    """Three columns of which the third counts 1, 2, 3, ... for each query.

    A file with other numbers, which may be scores or grades, is not recognised.
    """
    before, last = "", 0
    for line in filter(str.strip, head.split("\n")):
        cells = line.rstrip("\r").split("\t")
        if len(cells) != 3 or not cells[0]:
            return None
        if cells[0] != before:
            before, last = cells[0], 0
        last += 1
        if cells[2] != str(last):
            return None
    reason = "three columns, tabs between, the third counting from 1"
    return Recognised(True, reason) if last else None


MSMARCO_RUN: Format[Run] = Format(
    name="msmarco-run",
    title="run of MS MARCO, tab-separated: query id, docno, rank",
    content="run",
    extensions=(".tsv",),
    example="q1\td7\t1\nq1\td9\t2\nq2\td7\t1\n",
    recognise=_recognise_msmarco,
    read=read_msmarco_run,
    writers={"": write_msmarco_run},
    lost="the scores and the run tag",
)
