"""Folders with more than run files: tables of parameters, PyTerrier, TIRA."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path

import pytest
from samples import BM25, TFIDF, write, write_run

from evalstore.errors import DataError, FileError
from evalstore.formats import ReadOptions
from evalstore.formats.sources import RunSource, read_source, run_sources


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder of two runs."""
    write_run(tmp_path, BM25, "bm25.run")
    write_run(tmp_path, TFIDF, "tfidf.run.gz")
    return tmp_path


def parameters(path: Path) -> Mapping[str, object]:
    """The parameters of each run of a folder, by the name of its file."""
    sources = run_sources(str(path)).runs
    return {Path(s.path).name: s.facts.get("parameters") for s in sources if s.error is None}


def refused(path: Path) -> str:
    with pytest.raises(FileError) as caught:
        run_sources(str(path))
    return str(caught.value).replace(str(path), "FOLDER")


# --- a table of parameters -----------------------------------------------------------------------


@pytest.mark.parametrize("column", ["file", "run", "name", "Run"])
def test_the_other_columns_of_the_table_are_typed_parameters(runs: Path, column: str) -> None:
    table = f'{column},k1,stem,id,note\nbm25,0.9,true,007,"a, b"\ntfidf.run.gz,,,,\n'
    write(runs / "parameters.csv", table)
    assert run_sources(str(runs)).format == "parameter-folder"
    assert parameters(runs) == {
        "bm25.run": {"k1": 0.9, "stem": True, "id": "007", "note": "a, b"},
        "tfidf.run.gz": {},
    }


def test_beside_file_another_column_names_the_run(runs: Path) -> None:
    write(runs / "p.tsv", "name\tfile\tk1\nfirst\tbm25.run\t1\n\ttfidf\t2\n")
    sources = run_sources(str(runs)).runs
    assert [source.name for source in sources] == ["first", None]


def test_a_row_without_a_run_is_a_failed_run_that_names_the_line(runs: Path) -> None:
    write(runs / "p.csv", "run,k1\nbm25,1\n../bm25,2\ntfidf,3\n")
    missing = run_sources(str(runs)).runs[-1]
    with pytest.raises(FileError, match=r"p\.csv:3: no run '../bm25' in this folder"):
        read_source(missing)
    assert parameters(runs) == {"bm25.run": {"k1": 1}, "tfidf.run.gz": {"k1": 3}}


def test_a_run_without_a_row_is_read_with_a_warning(runs: Path) -> None:
    write(runs / "p.csv", "run,k1\nbm25,1\n")
    _, other = run_sources(str(runs)).runs
    assert other.facts == {}
    assert other.warnings == (f"{runs}/tfidf.run.gz: no row in p.csv, so no parameters",)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("run,k1\nbm25,1,2\n", "p.csv:2: expected 2 columns as in the first line, found 3"),
        ("run,k1\nbm25,1\nbm25.run,2\n", "p.csv:3: 'bm25.run' has a row already, on line 2"),
        ("run,k1\n,1\n", "p.csv:2: the column run is empty: it names the run"),
        ("run,k1,k1\nbm25,1,1\n", "p.csv:1: two columns are named 'k1'"),
        ("run,a=b\nbm25,1\n", "p.csv:1: 'a=b' is no name of a parameter"),
        ("run,name,k1\nbm25,x,1\n", "p.csv:1: which column names the run?"),
        ('run,k1\n"bm25,1\n', "p.csv:2: not CSV"),
        ("run,k1\nbm25," + "x" * 10_001 + "\n", "p.csv:2: a value of more than 10,000 characters"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_its_line(
    runs: Path, table: str, message: str
) -> None:
    write(runs / "p.csv", table)
    assert refused(runs).startswith(f"FOLDER/{message}")


def test_a_row_that_may_be_two_files_is_asked_for(runs: Path) -> None:
    write_run(runs, TFIDF, "bm25.txt")
    write(runs / "p.csv", "run,k1\nbm25,1\n")
    assert refused(runs) == "FOLDER/p.csv:2: 'bm25' may be bm25.run, bm25.txt: name the file"
    write(runs / "p.csv", "run,k1\nbm25.txt,1\nbm25.run,2\n")
    assert parameters(runs)["bm25.txt"] == {"k1": 1}


def test_of_two_tables_none_is_chosen(runs: Path) -> None:
    for name in ("a.csv", "b.tsv"):
        write(runs / name, "run,k1\nbm25,1\n")
    message = "one table of parameters is expected, and there are 2 (a.csv, b.tsv)"
    assert refused(runs) == f"FOLDER: {message}"


def test_a_csv_that_names_no_run_is_no_table(runs: Path) -> None:
    write(runs / "p.csv", "system,k1\nbm25,1\n")
    assert run_sources(str(runs)).format == "run-folder"


# --- PyTerrier -----------------------------------------------------------------------------------


def test_of_pyterrier_each_engine_is_named_after_its_file(tmp_path: Path) -> None:
    for name in ("dph.res.gz", "bm25.res.gz"):
        write_run(tmp_path, BM25, name, "pyterrier")
    write(tmp_path / "perquery.csv", "name,qid,measure,value\n")
    write(tmp_path / "aggregated.csv", "name,map\n")
    sources = run_sources(str(tmp_path))
    assert (sources.format, sources.warnings) == ("pyterrier-folder", ())
    assert [(run.name, run.engine) for run in sources.runs] == [("bm25", "bm25"), ("dph", "dph")]


class Hostile:
    """A pickle that makes a file when it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.path,))


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    mark = tmp_path.parent / f"{tmp_path.name}.opened"
    (tmp_path / "bm25.mod").write_bytes(pickle.dumps(Hostile(mark)))
    with pytest.raises(FileError, match="left out: bm25.mod .pickles are not opened"):
        run_sources(str(tmp_path))
    write_run(tmp_path, BM25, "dph.res.gz")
    sources = run_sources(str(tmp_path))
    assert [run.name for run in sources.runs] == ["dph"]
    assert "bm25.mod" in sources.warnings[0]
    assert not mark.exists()


# --- TIRA ----------------------------------------------------------------------------------------

METADATA = """actor:
  team: retrievers
implementation:
  source:
    repository: https://example.org/r
    commit: 4f2a9c1
data:
  test collection:
    name: cacm
method:
  name: bm25
  description: terms
"""


def tira(folder: Path, run: str = "run.txt", metadata: str = METADATA) -> Path:
    folder.mkdir(parents=True)
    write_run(folder, BM25, run)
    write(folder / "ir-metadata.yml", metadata)
    return folder


@pytest.mark.parametrize("file", ["run.txt", "run.txt.gz"])
def test_a_run_of_tira_is_named_after_its_folder_and_has_the_facts_of_its_metadata(
    tmp_path: Path, file: str
) -> None:
    sources = run_sources(str(tira(tmp_path / "fast", file)))
    assert sources.format == "tira-folder"
    (source,) = sources.runs
    assert (source.name, source.warnings, source.facts["commit"]) == ("fast", (), "4f2a9c1")
    assert source.facts["header"]["actor"] == {"team": "retrievers"}
    assert read_source(source).tag == "bm25"


def test_a_folder_of_folders_of_tira_is_a_run_each(tmp_path: Path) -> None:
    for name in ("run10", "run2"):
        tira(tmp_path / name)
    (tmp_path / "run2" / "run.txt").unlink()
    (tmp_path / "other").mkdir()
    sources = run_sources(str(tmp_path))
    assert [source.name for source in sources.runs] == ["run2", "run10"]
    with pytest.raises(DataError, match="run2: one of run.txt and run.txt.gz is expected, and the"):
        read_source(sources.runs[0])
    assert sources.warnings == (f"{tmp_path}: without ir-metadata.yml, left out: other/",)


def test_metadata_that_is_a_link_out_of_the_folder_is_not_read(tmp_path: Path) -> None:
    folder = tira(tmp_path / "in")
    (folder / "ir-metadata.yml").rename(tmp_path / "secret.yml")
    (folder / "ir-metadata.yml").symlink_to("../secret.yml")
    sources = run_sources(str(folder), ReadOptions())
    assert [source.facts for source in sources.runs] == [{}]


def test_a_source_is_the_path_of_its_file() -> None:
    assert Path(RunSource("a/b.run")) == Path("a/b.run")
