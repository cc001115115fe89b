"""The runs that a path stands for: files, files of several runs, folders of runs."""

from __future__ import annotations

import json
import os
import pickle
import re
from pathlib import Path

import pytest
from samples import BM25, run_text, write, write_qrels, write_run

from evalstore.errors import DataError, FileError
from evalstore.formats import ReadOptions, registry
from evalstore.formats.folders import plain
from evalstore.formats.sources import RunSource, read_source, run_sources

SCORES = {"q1": {"d7": 2.5, "d9": 1.5}}


def names(path: Path | str, *formats: str) -> list[str | None]:
    """The run's name, or the file's, of each source."""
    runs = run_sources(str(path), ReadOptions(formats=formats)).runs
    return [run.name or os.path.basename(run.path) for run in runs]


def refused(path: Path | str, *formats: str) -> str:
    with pytest.raises(DataError) as caught:
        run_sources(str(path), ReadOptions(formats=formats))
    message = str(caught.value)
    assert message.isprintable()
    return message.replace(f"{path}", "PATH")


def predictions(path: Path, *subsets: str, splits: tuple[str, ...] = ("test",)) -> Path:
    content = {subset: dict.fromkeys(splits, SCORES) for subset in subsets}
    path.write_text(json.dumps({"mteb_model_meta": {"model_name": "m"}, **content}))
    return path


# --- files ---------------------------------------------------------------------------------------


def test_a_file_is_one_run_even_where_it_cannot_be_read(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    assert run_sources(run).runs == (RunSource(run),)
    for path in ("-", str(tmp_path / "missing.run"), ""):
        assert run_sources(path).runs == (RunSource(path),)


def test_a_source_tells_the_format_of_its_file(tmp_path: Path) -> None:
    (one,) = run_sources(write_run(tmp_path)).runs
    assert one.format == "trec-run"
    parts = run_sources(str(predictions(tmp_path / "a.json", "de", "fr"))).runs
    assert [part.format for part in parts] == ["mteb-predictions"] * 2
    values = write(tmp_path / "values.txt", "runid\tall\tbm25\nmap\tall\t0.5\nP_5\tall\t0.4\n")
    assert [source.format for source in run_sources(values).runs] == ["trec-eval-output"]
    (missing,) = run_sources(str(tmp_path / "missing.run")).runs
    assert missing.format == ""


def test_the_format_that_options_name_counts_more_than_that_of_the_source(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "q1\td7\t1\nq1\td9\t2\n")
    (source,) = run_sources(path).runs
    assert source.format == "msmarco-run"
    with pytest.raises(FileError, match="expected 6 columns"):
        read_source(source, ReadOptions(formats=("trec-run",)))


def test_predictions_of_several_subsets_and_splits_are_a_run_each(tmp_path: Path) -> None:
    path = predictions(tmp_path / "Task_predictions.json", "de", "fr", splits=("dev", "test"))
    sources = run_sources(str(path))
    assert [run.name for run in sources.runs] == [
        "Task_de_dev",
        "Task_de_test",
        "Task_fr_dev",
        "Task_fr_test",
    ]
    assert sources.runs[1].label == f"{path} (de, test)"
    read = read_source(sources.runs[1])
    assert (read.to_dict(), read.format, read.tag) == (SCORES, "mteb-predictions", "m")
    assert "subset 'de', split 'test'" in read.warnings[0]


def test_predictions_of_one_split_are_named_after_the_file(tmp_path: Path) -> None:
    path = str(predictions(tmp_path / "Task_predictions.json", "default"))
    assert run_sources(path).runs == (RunSource(path),)


def test_a_part_that_is_gone_is_an_error_of_its_run(tmp_path: Path) -> None:
    path = predictions(tmp_path / "a.json", "de", "fr")
    source = run_sources(str(path)).runs[1]
    predictions(path, "de", "es")
    with pytest.raises(FileError, match=r"a\.json: there is no subset 'fr', split 'test'"):
        read_source(source)


def test_a_subset_that_stands_twice_is_refused(tmp_path: Path) -> None:
    twice = '{"de": {"test": {"q1": {"d1": 1}}}, "de": {"test": {"q1": {"d1": 2}}}}'
    (source,) = run_sources(write(tmp_path / "a.json", twice)).runs
    with pytest.raises(DataError, match="subset 'de' stands twice"):
        read_source(source)


# --- folders of run files ------------------------------------------------------------------------


def test_the_run_files_of_a_folder_come_in_natural_order(tmp_path: Path) -> None:
    for name in ("run10.run", "run2.run", "run1.txt"):
        write_run(tmp_path, BM25, name)
    predictions(tmp_path / "task.json", "a", "b")
    sources = run_sources(str(tmp_path))
    assert names(tmp_path) == ["run1.txt", "run2.run", "run10.run", "task_a_test", "task_b_test"]
    assert (sources.format, sources.warnings) == ("run-folder", ())


def test_what_is_no_run_is_left_out_and_named(tmp_path: Path) -> None:
    write_run(tmp_path)
    write_qrels(tmp_path)
    write(tmp_path / "notes.txt", "hello\n")
    write(tmp_path / ".hidden.run", run_text(BM25))
    (tmp_path / "older").mkdir()
    os.mkfifo(tmp_path / "pipe.run")
    assert run_sources(str(tmp_path)).warnings == (
        f"{tmp_path}: left out: pipe.run (links out of the folder, pipes, devices)",
        f"{tmp_path}: no runs, left out: notes.txt, test.qrels",
        f"{tmp_path}: folders within it are not read: older",
    )
    assert names(tmp_path) == ["bm25.run"]


def test_a_file_called_like_a_run_is_one_so_that_its_fault_is_told(tmp_path: Path) -> None:
    write(tmp_path / "bad.run.gz", "q1 d1 1\n")
    (source,) = run_sources(str(tmp_path)).runs
    with pytest.raises(FileError, match=r"bad\.run\.gz:1: expected 6 columns"):
        read_source(source)


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", json.dumps(SCORES)), ("a.csv", "qid,docno,score\nq1,d1,2\n")]
)
def test_what_may_be_judgments_as_well_is_asked_for(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path / name, text)
    (source,) = run_sources(str(tmp_path)).runs
    assert source.error is not None
    assert source.error.problem == "which format"
    with pytest.raises(FileError, match="this may be a run or judgments"):
        read_source(source)
    form = "run-json" if name == "a.json" else "run-frame"
    (source,) = run_sources(str(tmp_path), ReadOptions(formats=(form,))).runs
    assert source.error is None
    assert read_source(source, ReadOptions(formats=(form,))).format == form


def test_a_frame_with_ranks_is_a_run(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "qid,docno,rank,score\nq1,d1,1,2\n")
    assert read_source(run_sources(str(tmp_path)).runs[0]).format == "run-frame"


def test_a_folder_without_runs_is_refused_with_what_is_in_it(tmp_path: Path) -> None:
    assert refused(tmp_path) == "PATH: no runs in this folder (run-folder)"
    (tmp_path / "runs").mkdir()
    assert refused(tmp_path).endswith("; PATH: folders within it are not read: runs")


def test_a_folder_of_too_many_files_is_refused_before_they_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain, "MOST_ENTRIES", 3)
    for number in range(4):
        write_run(tmp_path, BM25, f"{number}.run")
    assert refused(tmp_path) == "PATH: more than 3 files: give fewer, or the files themselves"


def test_a_folder_that_may_not_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", denied)  # root may read every folder
    assert refused(tmp_path) == "PATH: permission denied"


def test_links_count_only_within_the_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        write_run(folder)
    (inside / "same.run").symlink_to("bm25.run")
    (inside / "out.run").symlink_to(outside / "bm25.run")
    (inside / "up.run").symlink_to("../outside/bm25.run")
    (inside / "gone.run").symlink_to("nowhere")
    (inside / "folder").symlink_to(outside, target_is_directory=True)
    (inside / "loop.run").symlink_to("loop.run")
    assert names(inside) == ["bm25.run", "same.run"]
    (warning,) = run_sources(str(inside)).warnings
    assert "folder, gone.run, loop.run, out.run, up.run" in warning


def test_names_of_files_are_escaped_in_messages(tmp_path: Path) -> None:
    folder = tmp_path / "a\x1b[31m"
    folder.mkdir()
    write(folder / "b\n\u202e", "hello\n")
    with pytest.raises(FileError) as caught:
        run_sources(str(folder))
    assert str(caught.value).isprintable()


def test_sources_go_to_other_processes(tmp_path: Path) -> None:
    write(tmp_path / "a.json", json.dumps(SCORES))
    (source,) = run_sources(str(tmp_path)).runs
    copy = pickle.loads(pickle.dumps(source))  # noqa: S301  (our own object)
    assert (copy.path, str(copy.error)) == (source.path, str(source.error))
    assert copy.error.problem == "which format"


# --- which format --------------------------------------------------------------------------------


def test_a_folder_of_two_formats_is_asked_for_and_the_one_named_is_taken(tmp_path: Path) -> None:
    write_run(tmp_path, BM25, "bm25.res.gz")
    write(tmp_path / "perquery.csv", "name,qid,measure,value\n")
    write(tmp_path / "parameters.csv", "run,k1\nbm25,0.9\n")
    message = "PATH: this may be parameter-folder or pyterrier-folder"
    assert refused(tmp_path) == message
    sources = run_sources(str(tmp_path), ReadOptions(formats=("parameter-folder",)))
    assert sources.runs[0].facts == {"parameters": {"k1": 0.9}}
    assert names(tmp_path, "run-folder") == ["bm25.res.gz"]


def test_a_format_of_folders_says_nothing_about_files(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    options = ReadOptions(formats=("pyterrier-folder",))
    assert read_source(run_sources(run, options).runs[0], options).format == "trec-run"


def test_every_module_with_a_format_of_folders_is_listed_and_documented() -> None:
    checkout = Path(__file__).parents[2]
    files = checkout.glob("evalstore/formats/folders/*.py")
    texts = [path.read_text("utf-8") for path in files]
    defined = re.compile(r"^(\w+) = FolderFormat\(", re.MULTILINE)
    defining = {name for text in texts for name in defined.findall(text)}
    assert defining == {line.partition(":")[2] for line in registry.FOLDER_FORMATS}
    page = (checkout / "docs" / "formats.md").read_text("utf-8")
    all_names = [form.name for form in registry.folder_formats()]
    assert [name for name in all_names if f"`{name}`" not in page] == []
