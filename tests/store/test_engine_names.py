"""What an engine is called: the run tag, unless that is a program's default."""

from __future__ import annotations

from pathlib import Path

from leaderboard_frames import leaderboard
from samples import BM25, NOTHING_FOR_Q3, TFIDF, add, statuses, write, write_run

from evalstore.formats import ReadOptions
from evalstore.ingest.ingest import find_common_tag
from evalstore.store import Store


def test_where_all_files_carry_one_tag_each_engine_is_named_after_its_run(
    store: Store, tmp_path: Path
) -> None:
    files = [
        write_run(tmp_path, rankings, f"{name}.run", "STANDARD")
        for name, rankings in {"bm25": BM25, "tfidf": TFIDF}.items()
    ]
    assert find_common_tag(files, ReadOptions()) == "STANDARD"
    add(store, tmp_path, *files)
    runs = leaderboard(store, "test").runs
    assert runs[["engine", "run"]].to_numpy().tolist() == [["bm25", "bm25"], ["tfidf", "tfidf"]]


def test_a_given_engine_one_file_or_another_tag_leave_the_tag_as_the_engine(
    store: Store, tmp_path: Path
) -> None:
    same = [write_run(tmp_path, run, name, "x") for name, run in {"a": BM25, "b": TFIDF}.items()]
    add(store, tmp_path, *same, engine="mine")
    add(store, tmp_path, same[0], collection="one")
    other = write_run(tmp_path, NOTHING_FOR_Q3, "c", "y")
    add(store, tmp_path, *same, other, collection="two")
    assert set(leaderboard(store, "test").runs["engine"]) == {"mine"}
    assert set(leaderboard(store, "one").runs["engine"]) == {"x"}
    assert set(leaderboard(store, "two").runs["engine"]) == {"x", "y"}


def test_a_file_that_is_no_run_does_not_decide_what_names_engines(
    store: Store, tmp_path: Path
) -> None:
    same = [write_run(tmp_path, run, name, "x") for name, run in {"a": BM25, "b": TFIDF}.items()]
    bad = write(tmp_path / "bad", "q1 d1 1\n")
    files = (*same, bad, str(tmp_path / "nowhere"))
    assert statuses(add(store, tmp_path, *files)) == ["stored", "stored", "failed", "failed"]
    assert find_common_tag(files, ReadOptions()) == "x"
    assert set(leaderboard(store, "test").runs["engine"]) == {"a", "b"}


# --- the same again ----------------------------------------------------------------------------
