"""The output of `trec_eval -q`: what is read of it, how it is recognised, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalstore.errors import FileError
from evalstore.formats import ReadOptions, read_run
from evalstore.formats.any_format import read_run_or_values
from evalstore.formats.lists import values_hash
from evalstore.formats.registry import recognised
from evalstore.formats.trec.values import TREC_EVAL_OUTPUT, PrintedValues


def read(folder: Path, text: str) -> PrintedValues:
    path = folder / "out.txt"
    path.write_text(text, encoding="utf-8")
    return TREC_EVAL_OUTPUT.read(str(path), None)


def test_the_values_of_queries_and_of_all_are_read_and_the_run_tag(tmp_path: Path) -> None:
    text = (
        "num_ret               \t10\t3\n"
        "map                   \t10\t0.5000\n"
        "relstring             \t10\t'1-0'\n"
        "relstring_20          \t10\t'1-0'\n"
        "num_ret               \t9\t0\n"
        "map                   \t9\t0.0000\n"
        "runid                 \tall\tSTANDARD\n"
        "num_ret               \tall\t3\n"
        "gm_map                \tall\t0.0022\n"
        "utility               \tall\t-710.0000\n"
    )
    values = read(tmp_path, text)
    assert values.tag == "STANDARD"
    assert values.qids == ("10", "9")
    assert values.values == {"num_ret": {"10": 3.0, "9": 0.0}, "map": {"10": 0.5, "9": 0.0}}
    assert values.aggregates == {"num_ret": 3.0, "gm_map": 0.0022, "utility": -710.0}


def test_lines_of_all_may_be_missing(tmp_path: Path) -> None:
    values = read(tmp_path, "map\tq1\t0.5\n")
    assert (values.tag, values.aggregates) == (None, {})


@pytest.mark.parametrize(
    "head",
    [
        "num_ret               \t301\t500\n",
        "my_own_measure        \t301\t500\nmy_own_measure        \t302\t5",
        "a_measure_with_a_very_long_name\t301\t0.1\nP_5                   \t301\t0.2\n",
        "map\t301\t0.5\n",
        "ndcg_cut_10\tall\t0.5\n",
        "x\t1\t2\niprec_at_recall_0.10\t1\t2\nmy_ow",
    ],
)
def test_a_measure_filled_up_to_22_characters_or_well_known_is_recognised(head: str) -> None:
    assert [form.name for form, _ in recognised(head, "run", "values")] == ["trec-eval-output"]


@pytest.mark.parametrize(
    "head",
    [
        "q1\td7\t0.5\n",
        "map 301 0.5\n",
        "map\t301\n",
        "maps\t301\t1\n",
        "query-id\tcorpus-id\tscore\n",
    ],
)
def test_three_columns_with_other_names_are_not_recognised(head: str) -> None:
    assert recognised(head, "values") == []


def test_a_run_of_ms_marco_whose_query_is_called_like_a_measure_is_asked_for() -> None:
    forms = {form.name for form, _ in recognised("map\td7\t1\nmap\td8\t2\n", "run", "values")}
    assert forms == {"msmarco-run", "trec-eval-output"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("map\tq1\t0.5\nmap\tq2\n", r"out\.txt:2: expected 3 columns .* found 2"),
        ("map\tq1\tnan\n", r"out\.txt:1: value 'nan' is not a finite decimal number"),
        ("map\tq1\t1_0\n", r"out\.txt:1: value '1_0' is not a finite decimal number"),
        ("map\tq1\t\n", r"out\.txt:1: value '' is not a finite decimal number"),
        ("\tq1\t1\n", r"out\.txt:1: no measure"),
        ("map\t \t1\n", r"out\.txt:1: no query id"),
        ("map\tq1\t0.5\nmap \tq1\t0.5\n", r"out\.txt:2: map of query 'q1' stands twice"),
        ("map\tall\t0.5\nmap\tall\t0.5\n", r"out\.txt:2: map of all queries stands twice"),
        ("map\tall\t0.5\n", r"out\.txt: no values of queries, only of all: .*trec_eval -q"),
        ("", r"out\.txt: no values: the file is empty"),
        (
            "map\tq1\t1\nP_5\tq1\t1\nmap\tq2\t1\n",
            r"out\.txt: no P_5 of query 'q2', which has other",
        ),
    ],
)
def test_what_is_no_such_output_is_refused_with_its_line(
    text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(FileError, match=message):
        read(tmp_path, text)


def test_where_a_run_is_needed_the_file_is_refused_for_what_it_is(tmp_path: Path) -> None:
    read(tmp_path, "map\tq1\t0.5\n")
    with pytest.raises(FileError, match="values without rankings, as trec_eval prints them"):
        read_run(str(tmp_path / "out.txt"))


def test_a_format_that_is_named_is_not_recognised_but_believed(tmp_path: Path) -> None:
    read(tmp_path, "own\tq1\t0.5\n")
    options = ReadOptions(formats=("trec-eval-output",))
    values = read_run_or_values(str(tmp_path / "out.txt"), options)
    assert isinstance(values, PrintedValues)
    assert values.format == "trec-eval-output"


def test_the_hash_of_values_tells_tags_measures_queries_and_values_apart_but_not_orders() -> None:
    values = {"AP": {"q1": 0.5, "q2": 0.0}, "P@5": {"q1": 0.2, "q2": 0.0}}
    turned = {"P@5": {"q2": -0.0, "q1": 0.2}, "AP": {"q2": 0.0, "q1": 0.5}}
    assert values_hash("a", values) == values_hash("a", turned)
    others = [
        values_hash("b", values),
        values_hash("a", {"AP": values["AP"]}),
        values_hash("a", {**values, "AP": {"q1": 0.5, "q3": 0.0}}),
        values_hash("a", {**values, "AP": {"q1": 0.5, "q2": 0.0001}}),
    ]
    assert len({values_hash("a", values), *others}) == 5
