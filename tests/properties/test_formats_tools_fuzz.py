"""Damaged files of Quepid, OpenSearch, `_rank_eval`, rank_llm, DPR: read, or one fit message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalstore.errors import DataError
from evalstore.formats import ReadOptions, Run, read_judgment_groups, read_qrels, read_run
from evalstore.formats.queries import ids_by_text
from evalstore.formats.registry import formats

pytestmark = pytest.mark.slow  # many generated files

MANY = 3 * settings().max_examples  # most of what is damaged fails in the same way

TOOLS = Path(__file__).parents[1] / "unit" / "files_of_tools"
FILES = [path.read_bytes() for path in sorted(TOOLS.iterdir()) if path.suffix != ".md"]
QUERIES = {"q1": "red dress", "q2": 'jeans, "blue"', "q3": "-socks"}
READERS: list[Any] = [read_run, read_qrels, read_judgment_groups]
NAMES = [form.name for form in formats() if form.content in ("run", "qrels")]
PIECES = [b"NaN", b"1e999", b"null", b'"', b"{", b"]", b",", b"\n", b"\r", b"\0", b"\x1b", b"\xff"]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A file of a tool with some bytes replaced, cut out or put in."""
    data = bytearray(draw(st.sampled_from(FILES)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 12))
        data[at : at + cut] = draw(st.one_of(st.binary(max_size=6), st.sampled_from(PIECES)))
    return bytes(data)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "file"


@given(data=damaged(), form=st.sampled_from([None, *NAMES]))
@settings(max_examples=MANY)
def test_a_result_or_a_printable_line(path: Path, data: bytes, form: str | None) -> None:
    path.write_bytes(data)
    named = () if form is None else (form,)
    options = ReadOptions(query_ids=ids_by_text(QUERIES), formats=named)
    for read in READERS:
        try:
            content = read(str(path), options)
        except DataError as error:
            text = str(error)
            assert text.isprintable()
            assert len(text) < 1000
            assert text.startswith(str(path))
        else:
            assert len(content.docnos) == content.lengths.sum() > 0
            if isinstance(content, Run):
                assert content.to_dict()
