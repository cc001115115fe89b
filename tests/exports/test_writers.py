"""Every format holds the same table whatever the names are; the text of each read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest
from parsed_exports import (
    Rows,
    html_tags,
    latex_text,
    parsed_csv,
    parsed_latex,
    parsed_markdown,
    parsed_trec,
    parsed_tsv,
)
from samples import ESCAPE, HOSTILE

from evalstore.errors import DataError
from evalstore.formats.reading.source import printable
from evalstore.tables.renderers import FORMATS, export_text, latex, markdown
from evalstore.tables.table import Column, Export, Figure, Table

NAMES = (
    *HOSTILE,
    *(f"a{ESCAPE}b", "a\nb", "a\r\nb", "a\tb", "a\u2028b", "nul\x00l", "c1\x9bm", "a\ud800b"),
    *("a|b", "a\\|b", "\\", "a\\", "\\\\", "\\end{table}", "\\input{x}", "$x^2$", "100 % & more"),
    *("{", "}", "{}", "#1", "a_b_c", "_em_", "**bold**", "`code`", "``", "~~gone~~", "~", "^"),
    *(
        "[link](http://x.example)",
        "![image](x)",
        "<b>",
        "&lt;",
        "&amp;",
        "<!-- ",
        "http://x.example",
    ),
    *("www.x.example", "a@x.example", "@team", ":smile:", "*", "[5pt]", "-", "--", "---", "- item"),
    *("1. item", "2) item", "# heading", "> quote", "| --- |", "=", "+1", "-1", "@sum", "'quoted'"),
    *(
        "''",
        "``a''",
        "?`",
        "!`",
        ",,",
        "<<",
        ">>",
        '"',
        "a,b",
        'a","b',
        "ß",
        "Łódź",
        "ð",
        "日本",
        "ı",
    ),
    *("a  b", "\u00a0", "a\u00adb", "\ufeff", "%"),
)


def table_of(*names: str, **facts: object) -> Table:
    """A row a name: the name, a float, and a text that is the name again."""
    columns = (Column("run", "run", "text"), Column("AP", "AP"), Column("last", "last", "text"))
    rows = tuple((name, number / 3, name) for number, name in enumerate(names))
    return Table(columns, rows, **facts)  # type: ignore[arg-type]


def text_of(table: Table, shape: str, **options: object) -> str:
    return export_text(Export(table, {}, ()), shape, **options)  # type: ignore[arg-type]


READERS: dict[str, Callable[[str], Rows]] = {
    "csv": parsed_csv,
    "tsv": parsed_tsv,
    "markdown": parsed_markdown,
    "latex": parsed_latex,
}


def in_one_line(name: str) -> str:
    return printable(name)


def stripped(rows: Rows) -> Rows:
    """Spaces at the ends of a cell have no meaning in a document."""
    return [{heading: text.strip() for heading, text in row.items()} for row in rows]


@pytest.mark.parametrize("shape", ["csv", "tsv"])
def test_csv_and_tsv_give_names_back_byte_for_byte(shape: str) -> None:
    rows = READERS[shape](text_of(table_of(*NAMES), shape))
    assert [(row["run"], row["last"]) for row in rows] == [(name, name) for name in NAMES]
    assert [float(row["AP"]) for row in rows] == [number / 3 for number in range(len(NAMES))]


@pytest.mark.parametrize("shape", ["markdown", "latex"])
def test_documents_show_names_as_they_are_with_control_characters_escaped(shape: str) -> None:
    rows = stripped(READERS[shape](text_of(table_of(*NAMES), shape)))
    names = [in_one_line(name).strip() for name in NAMES]
    assert [(row["run"], row["last"]) for row in rows] == list(zip(names, names, strict=True))


@pytest.mark.parametrize("shape", READERS)
def test_a_name_changes_neither_rows_nor_columns_wherever_it_stands(shape: str) -> None:
    for name in NAMES:
        columns = (Column(name, name, "text"), Column("AP", "AP"))
        rows = ((name, 0.5), ("plain", 0.25))
        table = Table(columns, rows, name, name, (name, f"Judged: {name}"), (name,))
        values = [list(row.values())[1] for row in READERS[shape](text_of(table, shape))]
        assert values in (["0.5", "0.25"], ["0.5000", "0.2500"]), repr(name)


def test_no_name_is_markup_in_markdown() -> None:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark").enable("table")
    for name in NAMES:
        table = table_of(name, title=name, caption=(name, f"Bold: {name}"), notes=(name,))
        tags = html_tags(reader.render(markdown(table, 4)))
        assert tags <= {"p", "table", "thead", "tbody", "tr", "th", "td"}, repr(name)


def test_title_caption_and_notes_stand_in_documents_with_names_escaped() -> None:
    note = "partly: q_1 & q\\2 missing from {a}"
    table = table_of(
        "a",
        title="AP of b_1 and [c]",
        label="leaderboard b_1/Über [c]",
        caption=("Bold: the best",),
        notes=(note, "6 queries"),
    )
    text = latex(table, 4)
    short, caption = text.split(r"\caption[", 1)[1].split("}\n\\label{")[0].split("]{AP", 1)
    assert latex_text(short) == "AP of b_1 and [c]"
    assert latex_text(f"AP{caption}") == "AP of b_1 and [c]. Bold: the best."
    assert "\n\\label{tab:leaderboard-b-1-ber-c}\n" in text
    below = text.split("\\end{tabular}\n")[1]
    assert latex_text(below.split(r"\footnotesize ")[1].split("}\n\\end{table}")[0]) == (
        f"{note}. 6 queries."
    )
    assert markdown(table, 4).split("\n\n")[:4] == [
        "AP of b\\_1 and \\[c\\]",
        "partly: q\\_1 \\& q\\\\2 missing from \\{a\\}",
        "6 queries",
        "Bold: the best",
    ]


def test_best_cells_are_bold_and_marks_are_superscripts() -> None:
    table = table_of("a", "b", best=frozenset({(1, 1)}), marks={(1, 1): "ab", (0, 1): "†‡"})
    assert r"\textbf{0.3333}\textsuperscript{ab}" in latex(table, 4)
    assert r"0.0000\textsuperscript{\textdagger{}\textdaggerdbl{}}" in latex(table, 4)
    assert "**0.3333**<sup>ab</sup>" in markdown(table, 4)
    assert "0.0000<sup>†‡</sup>" in markdown(table, 4)


def test_pdflatex_gets_the_code_of_a_character_that_it_can_not_print() -> None:
    text = latex(table_of("owl 🦉"), 4)
    assert r"owl \unicodename{🦉}{U+1F989}" in text
    assert r"\providecommand{\unicodename}" in text
    assert "unicodename" not in latex(table_of("Łódź"), 4)


@pytest.mark.parametrize(
    ("value", "style", "digits", "written"),
    [
        (0.5, "number", 4, "0.5000"),
        (0.00005, "number", 4, "0.0001"),  # the double is a little above
        (0.125, "number", 2, "0.12"),  # halves that a double holds go to the even digit
        (0.375, "number", 2, "0.38"),
        (-0.25, "signed", 2, "-0.25"),
        (0.25, "signed", 2, "+0.25"),
        (0.00004, "p", 4, "<0.0001"),
        (0.0, "p", 2, "<0.01"),
        (0.04, "p", 2, "0.04"),
        (0.3, "p", 0, "0"),
        (1.0, "p", 4, "1.0000"),
        (7, "number", 4, "7"),
        (None, "number", 4, ""),
        ("text", "text", 4, "text"),
    ],
)
@pytest.mark.parametrize("shape", ["markdown", "latex"])
def test_documents_write_numbers_with_the_decimals_asked_for(
    shape: str, value: str | float | None, style: str, digits: int, written: str
) -> None:
    table = Table((Column("x", "x", "text"), Column("v", "v", style)), (("r", value),))  # type: ignore[arg-type]
    [row] = READERS[shape](text_of(table, shape, digits=digits))
    assert row["v"].strip() == written


def test_formulas_are_guarded_only_where_that_is_asked_for() -> None:
    names = ("=1+1", "+1", "-1", "@sum", "\tx", "\rx", "plain", "'")
    guarded = ["'=1+1", "'+1", "'-1", "'@sum", "'\tx", "'\rx", "plain", "'"]
    table = Table((Column("run", "run", "text"), Column("d", "d")), tuple((n, -0.5) for n in names))
    for shape in ("csv", "tsv"):
        plain = READERS[shape](text_of(table, shape))
        assert [row["run"] for row in plain] == list(names)
        safe = READERS[shape](text_of(table, shape, guard_formulas=True))
        assert [row["run"] for row in safe] == guarded
        assert {row["d"] for row in safe} == {"-0.5"}  # a number is no text


def test_columns_without_a_heading_are_in_files_only_and_those_without_a_name_in_documents() -> (
    None
):
    columns = (Column("a", "A", "text"), Column("b", None), Column(None, "C", "text"))
    table = Table(columns, (("x", 0.5, "y"),))
    assert parsed_csv(text_of(table, "csv")) == [{"a": "x", "b": "0.5"}]
    assert parsed_markdown(text_of(table, "markdown")) == [{"A": "x", "C": "y"}]
    assert parsed_latex(text_of(table, "latex")) == [{"A": "x", "C": "y"}]


def test_trec_text_has_four_columns_whatever_the_names() -> None:
    figures = tuple(Figure(name, name, name, 0.5, is_count=False) for name in NAMES)
    text = export_text(Export(table_of(), {}, figures), "trec")
    assert {tuple(key) for key in parsed_trec(text)} == {(in_one_line(n),) * 3 for n in NAMES}


def test_trec_text_has_four_decimals_and_whole_counts() -> None:
    figures = (
        Figure("bm25", "AP", None, 1 / 3, is_count=False),
        Figure("bm25", "NumRet", "q1", 60.0, is_count=True),
    )
    text = export_text(Export(table_of(), {}, figures), "trec")
    assert text == "bm25\tAP\tall\t0.3333\nbm25\tNumRet\tq1\t60\n"


@pytest.mark.parametrize("shape", FORMATS)
def test_a_table_without_rows_is_a_table(shape: str) -> None:
    text = export_text(Export(table_of(), {"pairs": []}, ()), shape)
    if shape in READERS:
        assert READERS[shape](text) == []


def test_what_is_no_format_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(DataError, match="there is no format 'latx'; did you mean 'latex'"):
        text_of(table_of(), "latx")
    with pytest.raises(DataError, match="the decimals must be between 0 and 17; got 18"):
        text_of(table_of(), "latex", digits=18)


def test_csv_ends_its_lines_with_a_line_feed() -> None:
    assert text_of(table_of("a"), "csv") == "run,AP,last\na,0.0,a\n"
    assert list(csv.reader(io.StringIO(text_of(table_of("a\nb"), "csv")))) == [
        ["run", "AP", "last"],
        ["a\nb", "0.0", "a\nb"],
    ]
