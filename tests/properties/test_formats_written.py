"""Whatever a run or judgments hold, what a format writes is read back the same, or is refused."""

from __future__ import annotations

import gzip
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstore.errors import DataError
from evalstore.formats import Qrels, Run
from evalstore.formats.lists import lists_of
from evalstore.formats.registry import Format, formats

pytestmark = pytest.mark.slow  # many generated files

LETTERS = "aB19.-_#'\",;|\\%=+@{}[]é\u0301文\u00a0\u200b\u2028\ufeff\U0001f600"
ids = st.one_of(
    st.text(LETTERS, min_size=1, max_size=12),
    st.sampled_from(
        ["1", "01", "007", "1.0", "NA", "null", "nan", "all", "9007199254740993", "=1+1", '"', "\\"]
    ),
)
qids = ids.filter(lambda qid: not qid.startswith("#"))  # begins a comment in TREC files
scores = st.floats(allow_nan=False, allow_infinity=False)
grades = st.one_of(
    st.integers(-3, 4).map(float),
    st.floats(-(2.0**31) + 1, 2.0**31 - 1, allow_nan=False),
)
Table = Mapping[str, Mapping[str, float]]


def tables(values: st.SearchStrategy[float]) -> st.SearchStrategy[Table]:
    documents = st.dictionaries(ids, values, min_size=1, max_size=5)
    return st.dictionaries(qids, documents, min_size=1, max_size=4)


WRITTEN = [
    pytest.param(form, ending, id=f"{form.name}{ending}")
    for form in formats()
    for ending, write in form.writers.items()
    if next(end for end, writer in form.writers.items() if writer == write) == ending
]
"""Every format that is written, with an end of names for each function that writes it."""
IN_LINES = ("trec-run", "trec-qrels", "msmarco-run")


def made(form: Format[Any], table: Table) -> Run | Qrels:
    if form.content == "qrels":
        return Qrels.from_dict(table)
    return Run.from_dict(table, tag="a-tag")


def refused(form: Format[Any], table: Table) -> bool:
    """Whether docs/exporting.md says that the format can't hold these ids and numbers."""
    if form.name in IN_LINES:
        return min(table, key=str.encode).startswith("\ufeff")
    if form.name == "beir-qrels":
        words = [word for qid, documents in table.items() for word in (qid, *documents)]
        numbers = [grade for documents in table.values() for grade in documents.values()]
        whole = all(number.is_integer() for number in numbers)
        return not whole or any(word.startswith('"') for word in words)
    return False


def held(form: Format[Any], content: Run | Qrels) -> dict[str, Any]:
    """What a file of the format holds of a run or judgments."""
    if form.name == "msmarco-run":
        return {qid: list(documents) for qid, documents in content.to_dict().items()}
    return content.to_dict()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


@pytest.mark.parametrize(("form", "ending"), WRITTEN)
@given(data=st.data(), packed=st.booleans())
def test_what_is_written_is_read_back_the_same_or_refused(
    folder: Path, form: Format[Any], ending: str, data: st.DataObject, packed: bool
) -> None:
    table = data.draw(tables(grades if form.content == "qrels" else scores))
    content = made(form, table)
    suffix = ".gz" if packed and ending != ".parquet" else ""
    path = folder / f"{form.name}{ending}{suffix}"
    path.unlink(missing_ok=True)
    if refused(form, table):
        with pytest.raises(DataError):
            content.write(path, form.name)
        left = {other.name for other in folder.iterdir()}
        assert path.name not in left
        assert [name for name in left if name.startswith(".")] == []
        return
    content.write(path, form.name)
    assert path.read_bytes().startswith(b"\x1f\x8b") == path.name.endswith(".gz")
    before = path.read_bytes()
    back = form.read(str(path), None)
    assert held(form, back) == held(form, content)
    content.write(path, form.name)
    assert path.read_bytes() == before
    if form.content == "run" and not form.lost:
        assert back.tag == "a-tag"


@pytest.mark.parametrize(("form", "ending"), WRITTEN)
def test_the_sample_is_recognised_as_what_was_written(
    folder: Path, form: Format[Any], ending: str
) -> None:
    from evalstore.formats import any_format

    table = {"q1": {"d7": 2.0, "d9": 1.0}, "q2": {"d7": 3.0}}
    path = str(folder / "recognised")
    with open(path, "wb") as file:
        form.writers[ending](lists_of(made(form, table)), file)
    read = any_format.read_qrels if form.content == "qrels" else any_format.read_run
    assert read(path).format == form.name


def test_a_score_keeps_every_bit_in_every_format_with_scores(folder: Path) -> None:
    table = {"q": {"a": 0.1 + 0.2, "b": 5e-324, "c": 1.7976931348623157e308, "d": 2.0**53 + 2}}
    for form in formats():
        if form.content == "run" and form.name != "msmarco-run":
            for ending, write in form.writers.items():
                path = folder / f"bits{ending}"
                with path.open("wb") as file:
                    write(lists_of(Run.from_dict(table)), file)
                assert form.read(str(path), None).to_dict() == held(form, Run.from_dict(table))


def test_lists_that_are_written_are_read_one_after_the_other() -> None:
    """A run of any length is written with a few queries in memory: CSV, JSON, lines, row groups."""
    for form in formats():
        if form.content != "run":
            continue
        for write in form.writers.values():
            stream, most = io.BytesIO(), 0

            def lists(stream: io.BytesIO = stream) -> Any:
                nonlocal most
                for number in range(200):
                    yield f"q{number:03}", [f"d{i}" for i in range(2000)], [0.0] * 2000
                    most = max(most, number * 2000 if not stream.tell() else 0)

            from evalstore.formats.lists import Lists

            write(Lists(lists(), "tag"), stream)
            assert most <= 1 << 18, form.name


def test_gzip_of_parquet_is_refused_and_an_unknown_name_suggests_one(folder: Path) -> None:
    run = Run.from_dict({"q": {"d": 1.0}})
    with pytest.raises(DataError, match="leave .gz out"):
        run.write(folder / "a.parquet.gz")
    with pytest.raises(DataError, match="did you mean 'run-json'"):
        run.write(folder / "a", "run-jsn")
    with pytest.raises(DataError, match="judgments are written in"):
        Qrels.from_dict({"q": {"d": 1}}).write(folder / "a", "run-json")


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("a.JSON", b'{"q"'),
        ("a.csv", b"qid,docno,rank,score"),
        ("a.parquet", b"PAR1"),
        ("a.run", b"q Q0"),
        ("a.tsv", b"q Q0"),
        ("a", b"q Q0"),
        ("json", b"q Q0"),
    ],
)
def test_the_end_of_the_name_says_the_format_and_else_it_is_trec(
    folder: Path, name: str, begin: bytes
) -> None:
    Run.from_dict({"q": {"d": 1.0}}).write(folder / name)
    assert (folder / name).read_bytes().startswith(begin)


def test_a_file_of_the_name_stays_where_writing_is_refused(folder: Path) -> None:
    path = folder / "judged.tsv"
    Qrels.from_dict({"q": {"d": 1}}).write(path)
    before = path.read_bytes()
    with pytest.raises(DataError, match="grade 0.5 for query 'q': BEIR has whole numbers only"):
        Qrels.from_dict({"p": {"d": 1}, "q": {"d": 0.5}}).write(path)
    assert path.read_bytes() == before
    assert gzip.decompress(_packed(folder)) == before


def _packed(folder: Path) -> bytes:
    path = folder / "judged.tsv.gz"
    Qrels.from_dict({"q": {"d": 1}}).write(path)
    return path.read_bytes()
