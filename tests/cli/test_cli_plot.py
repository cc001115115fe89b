"""`evalstore export figure`: a figure of runs in a file of four forms."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from nightly import one_in
from samples import BM25, HOSTILE, Program, add, write_qrels, write_run

from evalstore.cli.commands.figures import KINDS
from evalstore.store import Store

sys.path.append(str(Path(__file__).parents[1] / "dashboard"))
from page_reader import PageReader

pytestmark = pytest.mark.slow  # draws many figures

PAIR = ("bm25", "tfidf")
SIGNATURES = {
    "svg": b"<?xml",
    "png": b"\x89PNG\r\n\x1a\n",
    "pdf": b"%PDF-",
    "html": b"<!doctype html>",
}


# One library draws the pages, another one all other forms.
EACH = [(kind, suffix) for kind in KINDS for suffix in ("svg", "html")]


@pytest.mark.parametrize(("kind", "suffix"), [*EACH, ("scatter", "png"), ("scatter", "pdf")])
def test_every_kind_is_drawn_in_every_form(
    program: Program, stored: Path, kind: str, suffix: str
) -> None:
    runs = ("bm25",) if kind == "median" else PAIR
    if kind == "sweep":
        program("runs", "edit", "bm25", "--param", "k1=0.9")
        runs = (*PAIR, "--along", "k1")
    program("export", "figure", kind, *runs, "--output", f"f.{suffix}")
    assert (stored / f"f.{suffix}").read_bytes().startswith(SIGNATURES[suffix])
    assert sorted(path.name for path in stored.glob(".f*")) == []


def test_files_and_stored_runs_give_the_same_figure(program: Program, stored: Path) -> None:
    files = ("bm25.run", "tfidf.run", "--qrels", "test.qrels")
    for name, runs in (("a.svg", PAIR), ("b.svg", files)):
        program("export", "figure", "recall-precision", *runs, "--output", name)
    assert (stored / "a.svg").read_bytes() == (stored / "b.svg").read_bytes()


def test_the_difference_is_run_minus_baseline_and_the_first_run_is_the_baseline(
    program: Program, stored: Path
) -> None:
    # R-precision by hand, of q1, q2, q3: bm25 1/2, 1, 0; tfidf 1/2, 1/2, 1.
    for arguments, expected in (
        (PAIR, [0, -0.5, 1]),
        ((*PAIR, "--baseline", "tfidf"), [0, 0.5, -1]),
        (("bm25", "--baseline", "tfidf"), [0, 0.5, -1]),
        ((*PAIR, "--order", "difference"), [1, 0, -0.5]),
    ):
        program("export", "figure", "differences", *arguments, "--output", "f.html")
        read = PageReader((stored / "f.html").read_text("utf-8"))
        assert read.documents["figure-figure"]["data"][0]["y"] == expected


def test_size_and_resolution_are_those_asked_for(program: Program, stored: Path) -> None:
    asked = ("--width", "4", "--height", "3", "--dpi", "50")
    program("export", "figure", "scatter", *PAIR, *asked, "--output", "f.png")
    header = (stored / "f.png").read_bytes()[16:24]
    assert (int.from_bytes(header[:4]), int.from_bytes(header[4:])) == (200, 150)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("differences", "bm25", "tfidf", "--output", "f.jpg"),
            "--output ends in .jpg; there are .svg",
        ),
        (("differences", "bm25", "tfidf", "--output", "f"), "--output has no suffix"),
        (("differences", "bm25", "--output", "f.svg"), "differences takes two runs; got 1"),
        (("intervals", "bm25", "--output", "f.svg"), "intervals takes two runs or more; got 1"),
        (("median", "bm25", "tfidf", "--output", "f.svg"), "median takes one run; got 2"),
        (
            ("scatter", "bm25", "tfidf", "--test", "sign", "--output", "f.svg"),
            "--test means nothing for scatter",
        ),
        (
            ("recall-precision", "bm25", "-m", "AP", "--output", "f.svg"),
            "--measure means nothing for recall-precision",
        ),
        (("scatter", "bm25", "tfidf", "--dpi", "90", "--output", "f.html"), "--dpi means nothing"),
        (("scatter", *PAIR, "-m", "AP", "-m", "RR", "--output", "f.svg"), "drawn of one measure"),
        (("scatter", *PAIR, "-m", "P.5,10", "--output", "f.svg"), "drawn of one measure"),
        (("sweep", "--along", "b", "-m", "P.5,10", "--output", "f.svg"), "drawn of one measure"),
        (("median", "bm25.run", "--qrels", "test.qrels", "--output", "f.svg"), "of stored runs"),
    ],
)
def test_what_a_figure_does_not_take_is_a_usage_error(
    program: Program, stored: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert message in program("export", "figure", *arguments, status=2).stderr
    assert not list(stored.glob("f*"))


def test_queries_missing_from_a_run_are_warned_about(program: Program, stored: Path) -> None:
    done = program("export", "figure", "recall-precision", "bm25", "partial", "--output", "f.svg")
    assert done.stderr.startswith(
        "warning: 2 of 3 queries answered by both; q3 missing from partial"
    )


def test_runs_that_can_not_be_compared_are_not_drawn(program: Program, stored: Path) -> None:
    with Store.open(str(stored / "evalstore.db")) as store:
        add(store, stored, write_run(stored, BM25, "o.run", "o"), collection="other")
        add(store, stored, write_run(stored, {"q3": ["d6"]}, "q3.run", "q3"))
    for kind in ("recall-precision", "scatter", "intervals"):
        done = program("export", "figure", kind, "bm25", "o", "--output", "f.svg", status=1)
        assert "not comparable, because the runs are of different collections" in done.stderr
    done = program(
        *("export", "figure", "recall-precision", "partial", "q3", "--output", "f.svg"), status=1
    )
    assert "not comparable" in done.stderr
    assert not list(stored.glob("f*"))


def test_a_file_that_can_not_be_written_is_one_line(program: Program, stored: Path) -> None:
    done = program("export", "figure", "scatter", *PAIR, "--output", "none/f.svg", status=1)
    assert done.stderr == "none/f.svg: no such file or directory\n"


@pytest.mark.parametrize("suffix", one_in(4, SIGNATURES))
def test_hostile_names_are_drawn_as_text(program: Program, folder: Path, suffix: str) -> None:
    qids = [name.replace(" ", "_") for name in HOSTILE]
    qrels = write_qrels(folder, {qid: {"d": 1} for qid in qids})
    with Store.open(str(folder / "evalstore.db")) as store:
        for number, name in enumerate(HOSTILE):
            run = write_run(folder, {qid: ["d", f"e{number}"] for qid in qids}, f"{number}.run")
            add(store, folder, run, qrels=qrels, name=name, engine=name)
    program("export", "figure", "recall-precision", *HOSTILE, "--output", f"f.{suffix}")
    program("export", "figure", "differences", *HOSTILE[3:5], "--output", f"d.{suffix}")
    if suffix == "svg":
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in (folder / "f.svg").read_text("utf-8")


def test_a_sweep_is_a_point_a_run_and_a_line_a_value(program: Program, stored: Path) -> None:
    for run, parameters in (("bm25", ("k1=0.9", "b=1")), ("tfidf", ("k1=1.2", "b=1"))):
        program("runs", "edit", run, *(f"--param={each}" for each in parameters))
    program("runs", "edit", "partial", "--param=k1=1.2", "--param=b=none")
    done = program(
        "export", "figure", "sweep", "--along", "k1", "--lines", "b", "--output", "f.html"
    )
    assert done.stdout == "f.html\n"
    read = PageReader((stored / "f.html").read_text("utf-8"))
    traces = read.documents["figure-figure"]["data"]
    names = [trace["name"].strip("\u2068\u2069") for trace in traces if "lines" in trace["mode"]]
    assert names == ["b = 1"]
    assert done.stderr == "warning: partial does not answer all queries: left out\n"
    # AP by hand: bm25 7/9, tfidf 25/36.
    marks = {
        (text.strip("\u2068\u2069"), x): round(y, 4)
        for trace in traces
        if trace["mode"] == "markers+text"
        for text, x, y in zip(trace["text"], trace["x"], trace["y"], strict=True)
    }
    assert marks == {("bm25", 0.9): 0.7778, ("tfidf", 1.2): 0.6944}
    program("export", "figure", "sweep", "--output", "f.html", status=2)
    program("export", "figure", "scatter", *PAIR, "--along", "k1", "--output", "f.html", status=2)
    failed = program(
        "export", "figure", "sweep", "--along", "b", "partial", "--output", "f.html", status=1
    )
    assert failed.stderr == "none of these 1 runs has a number as parameter 'b'\n"
