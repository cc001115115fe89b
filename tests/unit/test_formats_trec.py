"""The table of what is refused and what is accepted, row by row; the same on both paths."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from evalstore.errors import FileError
from evalstore.formats import Qrels, ReadOptions, Run, read_qrels, read_run

WAYS = [
    ReadOptions(),
    ReadOptions(careful=True),
    ReadOptions(block=5),
    ReadOptions(block=5, careful=True),
    ReadOptions(block=64),
]
GOOD = b"q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\n"


@dataclass(frozen=True)
class Refused:
    """A file, the line that is to blame (0: none), and what the message says."""

    name: str
    content: bytes
    line: int
    says: str

    def __str__(self) -> str:
        return self.says[:40].replace(" ", "-") + "-" + self.name


R, Q = "a.run", "a.qrels"
REFUSED = [
    Refused(R, b"", 0, "the file is empty"),
    Refused(Q, b"", 0, "the file is empty"),
    Refused(R, b"\n  \n\t\r\n", 0, "no data lines, only blank lines or comments"),
    Refused(Q, b"# nothing\n\n", 0, "no data lines, only blank lines or comments"),
    Refused(R, GOOD + b"q1 Q0 d3 3 1.0\n", 3, "expected 6 columns, found 5; a line is: qid Q0"),
    Refused(R, GOOD + b"\n# c\nq1\n", 5, "expected 6 columns, found 1"),
    Refused(Q, b"q1 0 d1 1\nq1 0 d2\n", 2, "expected 4 columns, found 3; a line is: qid 0 docno"),
    Refused(Q, b"q1 0 d1 1 extra\n", 1, "expected 4 columns, found 5"),
    Refused(R, b"query iter docno rank sim run\n" + GOOD, 1, "'sim' is not a finite decimal "
            "number; a header row? remove it"),
    Refused(Q, b"topic iter docno rel\n", 1, "'rel' is not a finite decimal number; a header row?"),
    Refused(R, b"q1,Q0,d1,1,3.0,t\n", 1, "found 1: this looks like CSV"),
    Refused(Q, b"q1,0,d1,1\n", 1, "found 1: this looks like CSV"),
    Refused(R, b'{"q1": 3.0}\n', 1, "JSON lines, of no known format"),
    Refused(Q, b'[{"query_id": "q1"}]\n', 1, "JSON, of no known format"),
    Refused(R, b"q1 0 d1 1\n", 1, "found 4: this looks like a qrels (qid, iteration"),
    Refused(R, b"q1\td1\t3\n", 1, "found 3: this may be a run of MS MARCO (query id, docno, rank, "
            "separated by tabs), the format msmarco-run"),
    Refused(R, b"q1\td1\t0.5\n", 1, "found 3; a line is: qid Q0"),
    Refused(Q, GOOD, 1, "found 6: this looks like a run (qid, Q0"),
    Refused(R, GOOD + b"q1 Q0 d\xff 3 1.0 t\n", 3, "not UTF-8: recode the file, or give its enc"),
    Refused(R, "\ufeffq1 Q0 d1 1 1 t\n".encode("utf-16"), 1, "UTF-16 text: save it as UTF-8"),
    Refused(R, "q1 Q0 d1 1 1 t\n".encode("utf-16-le"), 1, "a NUL byte: this is not a text file"),
    Refused(R, GOOD + b"q1 Q0 d\x003 3 1.0 t\n", 3, "a NUL byte"),
    Refused(R, GOOD + b"q1 Q0 d\x1b[31m 3 1.0 t\n", 3, "control character 0x1b; remove it"),
    Refused(R, GOOD + b"q1 Q0 d\x0b3 3 1.0 t\n", 3, "control character 0x0b"),
    Refused(R, GOOD + b"q1 Q0 d\x7f 3 1.0 t\n", 3, "control character 0x7f"),
    Refused(R, GOOD + b"q1 Q0 d\xc2\x85 3 1.0 t\n", 3, "control character U+0085"),
    Refused(R, GOOD + b"q1 Q0 %s 3 1.0 t\n" % (b"d" * 1025), 3, "a docno of more than 1,024 bytes"),
    Refused(R, b"%s Q0 d 3 1.0 t\n" % (b"q" * 1025), 1, "a query id of more than 1,024 bytes"),
    Refused(R, GOOD + b"q1 Q0 d 3 1.0 %s\n" % (b"t" * 1025), 3, "a run tag of more than 1,024"),
    Refused(R, GOOD + b"x" * 65537 + b"\n", 3, "the line is longer than 64 KiB"),
    Refused(R, GOOD + b" " * 200_000, 3, "the line is longer than 64 KiB"),
    Refused(R, GOOD.replace(b"\n", b"\r"), 1, "a carriage return without a line feed: save"),
    Refused(R, GOOD + b"q1 Q0 a\rb 3 1.0 t\n", 3, "a carriage return without a line feed"),
    *(
        Refused(R, GOOD + b"q1 Q0 d3 3 %s t\n" % score, 3, f"score {score.decode()!r} is {why}")
        for score, why in [
            *((word, "not a finite decimal number") for word in (
                b"nan", b"NaN", b"-inf", b"Infinity", b"2,5", b"0x1p1", b"1_5", b"high", b"1e",
                b".", b"np.float64(2.5)", b"--1", b"1e5.0",
            )),
            (b"1e400", "out of range"),
            (b"-1e400", "out of range"),
        ]
    ),
    Refused(R, GOOD + b"q1 Q0 \xc3\xa9\xe2\x82\xac 3 \xc3\xa9 t\n", 3, "score 'é' is not"),
    Refused(R, GOOD + b"q1 Q0 d1 1 3.0 t\n", 3, "document 'd1' retrieved twice for query 'q1' "
            "(first on line 1)"),
    Refused(R, b"#\nb Q0 d 1 9 t\na Q0 d 1 8 t\nb Q0 e 2 7 t\na Q0 d 2 6 t\nb Q0 d 3 5 t\n", 5,
            "document 'd' retrieved twice for query 'a' (first on line 3)"),
    Refused(Q, b"q1 0 d1 1\nq1 0 d2 1\nq1 0 d1 0\n", 3, "document 'd1' graded 0 for query 'q1', "
            "but 1 on line 1"),
    Refused(Q, b"q1 0 d1 1\nq1 0 d1 1\nq1 0 d1 2\n", 3, "graded 2 for query 'q1', but 1 on line 1"),
    Refused(Q, b"q1 0 d1 relevant\n", 1, "grade 'relevant' is not a finite decimal number"),
    Refused(Q, b"q1 0 d1 nan\n", 1, "grade 'nan' is not a finite decimal number"),
    Refused(Q, b"q1 0 d1 1\nq1 0 d2 1e400\n", 2, "grade '1e400' is out of range"),
    Refused(Q, b"q1 0 d1 1\nq1 0 d2 -3e9\n", 2, "grade -3e+09 is out of range"),
    Refused(Q, b"q1 0 d1 a 1\nq1 0 d2 1\n", 2, "expected 5 columns, found 4; a line is: qid 0 "
            "docno stratum grade"),
    Refused(Q, b"q1 0 d1 a 1\nq1 0 d2 a high\n", 2, "grade 'high' is not a finite decimal number"),
    Refused(Q, b"q1 0 d1 a 1\nq1 0 d2 %s 1\n" % (b"s" * 1025), 2, "a stratum of more than 1,024"),
    Refused(Q, b"q1 0 d1 a 1\nq1 0 d2 a\x07 1\n", 2, "control character 0x07; remove it"),
    Refused(Q, b"q1 0 d1 a 1\nq2 0 d1 b 1\nq1 0 d1 b 1\n", 3, "document 'd1' in stratum 'b' of "
            "query 'q1', but in 'a' on line 1; keep one of the two"),
    Refused(Q, b"q1 0 d1 a 1\nq1 0 d1 a 0\n", 2, "document 'd1' graded 0 for query 'q1' and "
            "stratum 'a', but 1 on line 1"),
]  # fmt: skip


@pytest.mark.parametrize("options", WAYS, ids=str)
@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_refused_with_file_and_line(tmp_path: Path, case: Refused, options: ReadOptions) -> None:
    path = tmp_path / case.name
    for content in (case.content, gzip.compress(case.content)):
        path.write_bytes(content)
        with pytest.raises(FileError) as caught:
            _read(path, options)
        where = f"{path}:{case.line}: " if case.line else f"{path}: "
        assert str(caught.value).startswith(where)
        assert case.says in str(caught.value)
        assert str(caught.value).isprintable()


def test_of_several_flaws_the_first_in_the_file_is_told(tmp_path: Path) -> None:
    flaws = [b"short", b"q1 Q0 d3 3 high t", b"q1 Q0 d\x07 3 1 t", b"q1 Q0 d\xff 3 1 t",
             b"q1 Q0 %s 3 1 t" % (b"d" * 1025), b"x" * 70_000]  # fmt: skip
    path = tmp_path / "a.run"
    for flaw in flaws:
        others = [other for other in flaws if other != flaw]
        path.write_bytes(GOOD + flaw + b"\n" + b"\n".join(others) + b"\n")
        messages = set()
        for options in WAYS:
            with pytest.raises(FileError) as caught:
                read_run(str(path), options)
            assert caught.value.line == 3
            messages.add(str(caught.value))
        assert len(messages) == 1


@dataclass(frozen=True)
class Accepted:
    """A file, its (query, docno, score or grade), and what the warnings say, in their order."""

    why: str
    name: str
    content: bytes
    rows: list[tuple[str, str, float]]
    warns: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return self.why.replace(" ", "-")


BOTH = [("q1", "d1", 3.0), ("q1", "d2", 2.0)]
ODD = [
    "007",
    "1",
    "1.0",
    "9007199254740993",
    "NA",
    "__proto__",
    "all",
    "null",
    "q#3",
    "é",
    "e\u0301",
]
ACCEPTED = [
    Accepted("plain", R, GOOD, BOTH),
    Accepted("tabs", R, GOOD.replace(b" ", b"\t"), BOTH),
    Accepted("spaces and tabs", R,
             b" \t" + GOOD.replace(b" ", b" \t  ").replace(b"\n", b" \n"), BOTH),
    Accepted("tabs in one line", R, b"q1\tQ0\td1\t1\t3.0\tt\nq1 Q0 d2 2 2.0 t\n", BOTH),
    Accepted("Windows line ends", R, GOOD.replace(b"\n", b"\r\n"), BOTH),
    Accepted("last carriage return", R, GOOD.replace(b"\n", b"\r\n")[:-1], BOTH),
    Accepted("a tab before the line end", Q, b"1\t0\td\t1\t\r\n", [("1", "d", 1)]),
    Accepted("byte order mark", R, b"\xef\xbb\xbf" + GOOD, BOTH),
    Accepted("no final newline", R, GOOD[:-1], BOTH),
    Accepted("blank lines", R, b"\n \n" + GOOD.replace(b"\n", b"\n\r\n\t\n") + b"\n\n", BOTH),
    Accepted("comments", R, b"# a\n  # b 2 3 4 5 6\n#q Q0 d 1 2 t\n" + GOOD, BOTH),
    Accepted("a # in ids", R, b"q#1 Q0 #d 1 1 t#\n", [("q#1", "#d", 1.0)]),
    Accepted("odd ids", R, "".join(f"{i} Q0 {i} 1 1 t\n" for i in ODD).encode(),
             [(i, i, 1.0) for i in sorted(ODD, key=str.encode)]),
    Accepted("quotes and separators in ids", R,
             b'"a,b" Q0 c\'d;e|f 1 1 "t"\n"a,b" Q0 \\n%20 2 0 "t"\n',
             [('"a,b"', "c'd;e|f", 1.0), ('"a,b"', "\\n%20", 0.0)]),
    Accepted("Unicode spaces in ids", R, "q Q0 a\u2003b\u00a0c\u2028d 1 1 t\n".encode(),
             [("q", "a\u2003b\u00a0c\u2028d", 1.0)]),
    Accepted("ids of 1,024 bytes", R, b"q Q0 %s 1 1 t\n" % (b"d" * 1024), [("q", "d" * 1024, 1.0)]),
    Accepted("a line of 64 KiB", R, GOOD + b"#" * 65536, BOTH),
    Accepted("numbers", R, b"q Q0 a 1 +3. t\nq Q0 b 2 25E-1 t\nq Q0 c 3 .5 t\nq Q0 d 4 -0.0 t\n"
             b"q Q0 e 5 -1e-400 t\nq Q0 f 6 -2e1 t\n",
             [("q", "a", 3), ("q", "b", 2.5), ("q", "c", 0.5), ("q", "d", 0), ("q", "e", 0),
              ("q", "f", -20)]),
    Accepted("interleaved and unsorted", R,
             b"b Q0 x 1 1 t\na Q0 x 1 1 t\nb Q0 y 2 2 t\na Q0 y 2 3 t\na Q0 z 3 2 t\n",
             [("a", "y", 3), ("a", "z", 2), ("a", "x", 1), ("b", "y", 2), ("b", "x", 1)],
             ["a.run:1: the rank contradicts the scores in 2 lines; the order is by score"]),
    Accepted("ranks from 0, over the whole file", R,
             b"a Q0 x 0 2 t\na Q0 y 1 1 t\nb Q0 x 2 2 t\nb Q0 y 3 1 t\n",
             [("a", "x", 2), ("a", "y", 1), ("b", "x", 2), ("b", "y", 1)]),
    Accepted("ranks of a tie in any order", R, b"a Q0 x 2 2 t\na Q0 y 1 2 t\na Q0 z 3 1 t\n",
             [("a", "x", 2), ("a", "y", 2), ("a", "z", 1)]),
    Accepted("a rank within a tie against a higher score", R,
             b"a Q0 x 2 3 t\na Q0 y 3 2 t\na Q0 z 1 2 t\na Q0 w 2 1 t\n",
             [("a", "x", 3), ("a", "y", 2), ("a", "z", 2), ("a", "w", 1)],
             ["a.run:3: the rank contradicts the scores in 2 lines"]),
    Accepted("ranks that are none", R, b"a Q0 x first 2 t\na Q0 y 1.5 1 t\na Q0 z 3 0 t\n",
             [("a", "x", 2), ("a", "y", 1), ("a", "z", 0)],
             ["a.run:1: the rank is no whole number in 2 lines; it is ignored"]),
    Accepted("one rank that is none", R, b"a Q0 x - 2 t\n", [("a", "x", 2)],
             ["a.run:1: the rank is no whole number in 1 line; it is ignored"]),
    Accepted("extra columns", R, GOOD + b"q2 Q0 d 1 1 t (ID:7)\n\nq2 Q0 e 2 0 t a b\n",
             [*BOTH, ("q2", "d", 1), ("q2", "e", 0)],
             ["a.run:3: more than 6 columns in 2 lines; the rest of a line is ignored"]),
    Accepted("several run tags", R, GOOD + b"q2 Q0 d 1 2 u\nq2 Q0 e 2 1 v\nq2 Q0 f 3 0 u\n",
             [*BOTH, ("q2", "d", 2), ("q2", "e", 1), ("q2", "f", 0)],
             ["a.run:3: a second run tag, 'u' and 1 more; the run is taken as 't'"]),
    Accepted("the same judgment again", Q, b"q 0 a 1\nq 0 b 0\nq 0 a 1.0\nq 1 a 1\n",
             [("q", "a", 1), ("q", "b", 0)],
             ["a.qrels:3: 2 lines with a judgment that stands before; it counts once"]),
    Accepted("negative and decimal grades", Q, b"q 0 a -2\nq 0 b 0.5\nq 0 c -0\n",
             [("q", "a", -2), ("q", "b", 0.5), ("q", "c", 0)]),
    Accepted("qrels in any order", Q, b"b 0 x 1\na 0 x 2\nb 0 y 0\n",
             [("a", "x", 2), ("b", "x", 1), ("b", "y", 0)]),
]  # fmt: skip


@pytest.mark.parametrize("options", WAYS, ids=str)
@pytest.mark.parametrize("case", ACCEPTED, ids=str)
def test_accepted_with_the_same_arrays(
    tmp_path: Path, case: Accepted, options: ReadOptions
) -> None:
    path = tmp_path / case.name
    for content in (case.content, gzip.compress(case.content)):
        path.write_bytes(content)
        parsed = _read(path, options)
        assert _rows(parsed) == case.rows
        assert list(parsed.qids) == sorted(parsed.qids, key=str.encode)
        assert len(parsed.warnings) == len(case.warns)
        for warning, expected in zip(parsed.warnings, case.warns, strict=True):
            assert warning.startswith(f"{tmp_path}/{expected}")


def _read(path: Path, options: ReadOptions) -> Run | Qrels:
    return read_run(str(path), options) if path.suffix == ".run" else read_qrels(str(path), options)


def _rows(parsed: Run | Qrels) -> list[tuple[str, str, float]]:
    values = parsed.scores if isinstance(parsed, Run) else parsed.grades
    docnos = [docno.decode() for docno in parsed.docnos.to_pylist()]
    return [
        (qid, docnos[row], float(values[row]))
        for qid, start, length in zip(parsed.qids, parsed.starts, parsed.lengths, strict=True)
        for row in range(start, start + length)
    ]


def test_a_tag_is_the_first_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(b"b Q0 x 1 1 second.tag\na Q0 x 1 1 a\n")
    for options in WAYS:
        assert read_run(str(path), options).tag == "second.tag"


def test_messages_cut_long_words_and_escape_them(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(GOOD + ("q1 Q0 d3 3 \u200b%s t\n" % ("9x" * 400)).encode())
    with pytest.raises(FileError) as caught:
        read_run(str(path))
    assert r"score '\u200b9x9x" in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 200


def test_judgments_by_subtopic_given_as_a_qrels_are_told_to_be_such(tmp_path: Path) -> None:
    """To keep one of two grades, the usual advice, would destroy them."""
    path = tmp_path / "diversity.qrels"
    path.write_bytes(b"q1 1 d1 1\nq1 2 d1 0\nq1 2 d2 1\n")
    for options in WAYS:
        with pytest.raises(FileError, match=r":2: .*looks like judgments by subtopic") as caught:
            read_qrels(str(path), options)
        assert "keep one" not in str(caught.value)


def test_a_fifth_column_before_the_grade_is_the_stratum(tmp_path: Path) -> None:
    path = tmp_path / "sample.qrels"
    lines = ["# a sample", "q2 0 d1 b 2", "q1\t0  d\u00a01 a -1", "q1 0 d2 1 0.5", "q2 0 d1 b 2"]
    path.write_text("\n".join(lines), encoding="utf-8")
    for options in WAYS:
        qrels = read_qrels(str(path), options)
        assert qrels.to_dict() == {"q1": {"d\u00a01": -1, "d2": 0.5}, "q2": {"d1": 2}}
        assert qrels.strata is not None
        assert qrels.strata.to_pylist() == [b"a", b"1", b"b"]
        assert [warning.split(": ")[1] for warning in qrels.warnings] == [
            "1 line with a judgment that stands before; it counts once"
        ]
        again = tmp_path / "again.qrels"
        qrels.write(again)
        assert again.read_text(encoding="utf-8").splitlines() == [
            "q1 0 d\u00a01 a -1",
            "q1 0 d2 1 0.5",
            "q2 0 d1 b 2",
        ]
    path.write_text("q1 0 d1 1\n")
    assert read_qrels(str(path)).strata is None
