"""Query and document texts, in the forms they come in."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from evalstore.errors import FileError
from evalstore.formats import ReadOptions, read_documents, read_queries

TOPICS = """<top>
<num> Number: 307
<title> Topic: New Hydro
 Projects

<desc> Description:
Identify them.
</top>

<top>
<num> 1.EC </num><desc> Only a description &amp; more </desc>
<narr> Narrative: x < y
</top>
"""
XML = """<?xml version="1.0"?><!-- <b> -->
<topics task="t" batch="1">
  <topic number="10" type="faceted">
    <query>obama &lt;family&gt; tree</query>
    <question>who</question>
  </topic>
  <topic number='2'>free text
 here</topic>
</topics>
"""
FORMS = {
    "tabs": ("q1\twhat is é\nq2\ta\tb\n", {"q1": "what is é", "q2": "a b"}),
    "order, comments, blanks": (
        "# c\n\n q10 \t x \r\n2\t\n 01\ty",
        {"q10": "x", "2": "", "01": "y"},
    ),
    "json": (
        '{"query_id": "1", "text": "a\\nb"}\n\n{"qid": 7, "query": "c"}\n'
        '{"_id": "x", "title": "d\\u0007e", "metadata": {"url": ""}}\n{"id": "y", "text": ""}\n',
        {"1": "a\nb", "7": "c", "x": "d e", "y": ""},
    ),
    "topics": (TOPICS, {"307": "New Hydro Projects", "1.EC": "Only a description & more"}),
    "xml": (XML, {"10": "obama <family> tree", "2": "free text here"}),
}
REFUSED = {
    "empty": ("", 0, "no queries: the file is empty"),
    "blank": ("\n\n", 0, "no queries: the file is empty"),
    "only comments": ("# a\n", 0, "no queries, only comments"),
    "spaces": ("q1\tx\nq2 what\n", 2, "no tab: a line is a query id, a tab and the text"),
    "short row": (
        "qid\ttext\tlang\n1\tx\n",
        2,
        "expected 3 columns as in the header row, found 2",
    ),
    "long row": (
        "qid\ttext\tlang\n1\tx\ty\tde\n",
        2,
        "expected 3 columns as in the header row, found 4",
    ),
    "column without a name": ("qid\ttext\t\tlang\n", 1, "an attribute without a name"),
    "two columns of a name": ("qid\ttext\tLang\tlang\n", 1, "two columns are named 'Lang'"),
    "operator in a name": ("qid\ttext\ta=b\n", 1, "attribute name 'a=b' holds one of = ! < >"),
    "only a header": ("qid\ttext\tlang\n", 0, "no queries, only comments"),
    "twice": ("a\tx\nb\tx\na\tx\n", 3, "query 'a' stands twice (first on line 1)"),
    "no id": ("\tx\n", 1, "no query id: it stands before the first tab"),
    "id with a blank": ("a b\tx\n", 1, "query id 'a b' holds blanks or control characters"),
    "id with an escape": ('{"qid": "a\\u001b[31m", "text": ""}', 1, r"query id 'a\x1b[31m' holds"),
    "half a character": ('{"qid": "a\\ud800", "text": ""}', 1, r"query id 'a\ud800' holds"),
    "long id": ("q" * 1025 + "\tx\n", 1, "a query id of more than 1,024 bytes"),
    "array": ('[{"qid": "1", "text": "x"}]', 1, "a JSON array: one object a line is expected"),
    "broken json": ('{"qid": "1", "text": "x"}\n{"qid": \n', 2, "not JSON (Expecting value)"),
    "no object": ('{"qid": "1", "text": "x"}\n7\n', 2, "not a JSON object"),
    "deep json": ('{"qid": ' + "[" * 100_000, 1, "not JSON (nested too deep)"),
    "long number": (
        '{"qid": ' + "1" * 5000 + "}",
        1,
        "not JSON (a value out of range)",
    ),
    "json without id": ('{"text": "x"}', 1, "no query id: one of query_id, qid, id"),
    "json without text": ('{"qid": "1"}', 1, "query '1' has no text: one of text, query, title"),
    "other tags": ("<html>\n<b>x</b>", 1, "tags, but no <top> or <topic> among them"),
    "topic without number": ("<top>\n<title> x </top>", 1, "no query id: a <num> or a number="),
    "topic without text": ("\n<top><num> 3 <narr> x </top>", 2, "topic '3' has no <title>"),
    "topic twice": (TOPICS + TOPICS, 14, "query '307' stands twice (first on line 1)"),
    "old Mac": ("a\tx\rb\ty\r", 1, "a carriage return without a line feed"),
    "nul": ("a\tx\nb\ty\0\n", 2, "a NUL byte"),
}


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
@pytest.mark.parametrize("form", FORMS)
def test_queries(tmp_path: Path, form: str, block: int) -> None:
    content, expected = FORMS[form]
    path = tmp_path / "queries"
    for data in (content.encode(), b"\xef\xbb\xbf" + content.encode()):
        for packed in (data, gzip.compress(data)):
            path.write_bytes(packed)
            queries = read_queries(str(path), ReadOptions(block=block))
            assert list(queries.items()) == list(expected.items())


@pytest.mark.parametrize("why", REFUSED)
def test_queries_refused(tmp_path: Path, why: str) -> None:
    content, line, says = REFUSED[why]
    path = tmp_path / "queries"
    path.write_text(content, newline="")
    with pytest.raises(FileError) as caught:
        read_queries(str(path))
    text = str(caught.value)
    assert text.startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert says in text
    assert text.isprintable()
    assert len(text) < len(str(path)) + 200


WITH_ATTRIBUTES = {
    "a header row names the columns of a file of tabs": (
        "qid\ttext\tlang\tlevel\n007\tx\tde\t01\nq2\ty\t\t 2.0 \nq3\tz\t\t\n",
        {"007": {"lang": "de", "level": "01"}, "q2": {"level": "2.0"}},
    ),
    "the text may be any column of a header row": (
        "# c\nQuery_ID\tlang\tTitle\n007\tde\tx\nq2\ten\ty\nq3\ten\tz\n",
        {"007": {"lang": "de"}, "q2": {"lang": "en"}, "q3": {"lang": "en"}},
    ),
    "text after further tabs is text where no header row names the columns": (
        "007\tx\tde\nq2\ty\nq3\tz\n",
        {},
    ),
    "every further key of a JSON object is an attribute, numbers and truth as text": (
        '{"qid": "007", "text": "x", "id": 7, "n": 12, "share": 0.5, "hard": true, "lang": ""}\n'
        '{"qid": "q2", "text": "y", "title": "t", "n": null, "small": 1e-7, "hard": false}\n'
        '{"qid": "q3", "text": "z", "lang": " a\\u0007b ", "big": 12345678901234567890}\n',
        {
            "007": {"id": "7", "n": "12", "share": "0.5", "hard": "true"},
            "q2": {"title": "t", "small": "1e-07", "hard": "false"},
            "q3": {"lang": "a b", "big": "12345678901234567890"},
        },
    ),
    "an object in a JSON object is one attribute a key": (
        '{"_id": "007", "text": "x", "metadata": {"url": "u", "n": 2}}\n'
        '{"_id": "q2", "text": "y", "metadata": {}}\n{"_id": "q3", "text": "z"}\n',
        {"007": {"metadata.url": "u", "metadata.n": "2"}},
    ),
    "what the tag of a topic says is its attributes": (
        "<topic number='007' type=\"faceted\" xml:lang='de'><query>x</query></topic>\n"
        "<topic id='q2' type='a &amp; b'><query>y</query></topic><top><num>q3<title>z</top>",
        {"007": {"type": "faceted", "xml:lang": "de"}, "q2": {"type": "a & b"}},
    ),
}


@pytest.mark.parametrize("rule", WITH_ATTRIBUTES)
def test_attributes_of_queries(tmp_path: Path, rule: str) -> None:
    content, expected = WITH_ATTRIBUTES[rule]
    path = tmp_path / "queries"
    path.write_text(content)
    queries = read_queries(str(path))
    assert list(queries) == ["007", "q2", "q3"]
    assert queries.attributes == expected
    assert queries.warnings == ()


def test_keys_that_hold_no_single_value_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "queries"
    path.write_text(
        '{"qid": "1", "text": "x", "tags": ["a"], "lang": "de"}\n'
        '{"qid": "2", "text": "x", "tags": ["b"], "m": {"a": {"b": 1}}, "n": NaN}\n'
        '{"qid": "3", "text": "x", "tags": [], "a<b": 1}\n'
    )
    queries = read_queries(str(path))
    assert queries.attributes == {"1": {"lang": "de"}}
    assert queries.warnings == (
        f"{path}:1: 'tags' holds no single value; left out in 2 queries",
        f"{path}:2: 'm.a' holds no single value; left out in 1 query",
        f"{path}:2: 'n' holds no single value; left out in 1 query",
        f"{path}:3: attribute name 'a<b' holds one of = ! < >, the operators of conditions; "
        "left out in 1 query",
    )


def test_queries_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "queries"
    path.write_bytes("1\tété\n".encode("latin-1"))
    with pytest.raises(FileError, match="queries:1: not UTF-8"):
        read_queries(str(path))
    assert read_queries(str(path), ReadOptions(encoding="latin-1")) == {"1": "été"}


def test_documents(tmp_path: Path) -> None:
    path = tmp_path / "docs"
    lines = '{"docno": "d1", "title": "T", "text": "x\\fy"}\n{"doc_id": 2, "contents": "z"}\n'
    path.write_bytes(gzip.compress(lines.encode()))
    documents = [(d.docno, d.title, d.text) for d in read_documents(str(path))]
    assert documents == [("d1", "T", "x y"), ("2", "", "z")]
    path.write_text("d1\tT\tx\ty\nd2\tz\n")
    documents = [(d.docno, d.title, d.text) for d in read_documents(str(path))]
    assert documents == [("d1", "T", "x\ty"), ("d2", "", "z")]


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("", 0, "no documents: the file is empty"),
        ("d1 x\n", 1, "no tab: a line is docno, text or docno, title, text"),
        ('{"docno": "d"}\n', 1, "no text: one of text, contents"),
        ('{"title": "d"}\n', 1, "no docno: one of docno, doc_id"),
        ("[]", 1, "a JSON array"),
        ("<doc>", 1, "XML: one JSON object a line"),
        ("d\tx\n" + "y" * ((16 << 20) + 1), 2, "the line is longer than 16 MiB"),
    ],
)
def test_documents_refused(tmp_path: Path, content: str, line: int, says: str) -> None:
    path = tmp_path / "docs"
    path.write_text(content)
    with pytest.raises(FileError) as caught:
        list(read_documents(str(path)))
    assert str(caught.value).startswith(f"{path}:{line}: " if line else f"{path}: ")
    assert says in str(caught.value)
