"""Shell completion: commands, options, files, measures and the names in the store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from samples import Fill, add, write_run

from evalstore.catalog.queries import tag_queries
from evalstore.cli import cli
from evalstore.store import Store


def offered(*words: str, before: str = "evalstore") -> list[str]:
    """What is offered for the last of the words."""
    environment = {
        "_EVALSTORE_COMPLETE": "zsh_complete",
        "COMP_WORDS": " ".join([before, *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = CliRunner().invoke(cli, prog_name="evalstore", env=environment, catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    items = [(lines[at], lines[at + 1]) for at in range(0, len(lines) - 2, 3)]
    return [value if kind == "plain" else kind for kind, value in items]


@pytest.fixture
def stored(copied: Callable[[Fill], Path]) -> None:
    """A store with one run."""
    copied(fill)


def fill(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder), experiment="june")
    tag_queries(store, "test", {"q1": {"lang": "de"}, "q2": {"lang": "en"}})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("run",), ["runs"]),
        (("runs", "re"), ["restore"]),
        (("runs", "--so"), ["--sort"]),
        (("ingest", "b"), ["file"]),
        (("evaluate", "b"), ["file"]),
        (("ingest", "--qrels", "x"), ["file"]),
        (("runs", "-m", "ndcgr"), ["nDCGrel"]),
        (("measures", "rpr"), ["Rprec"]),
        (("runs", "rm", "b"), ["bm25"]),
        (("export", "run", "BM"), ["bm25"]),
        (("export", "run", "bm25", "--format", "r"), ["run-json", "run-frame"]),
        (("export", "qrels", "t"), ["test"]),
        (("export", "qrels", "test", "--qrels", "t"), ["test"]),
        (("export", "qrels", "test", "--format", "b"), ["beir-qrels"]),
        (("export", "comparison", "BM"), ["bm25"]),
        (("export", "leaderboard", "t"), ["test"]),
        (("export", "leaderboard", "test", "--baseline", "b"), ["bm25"]),
        (("explain", "bm"), ["bm25"]),
        (("explain", "other."), ["file"]),
        (("runs", "--collection", "t"), ["test"]),
        (("runs", "--qrels", "t"), ["test"]),
        (("queries", "--collection", "t"), ["test"]),
        (("queries", "untag", "--collection", "test", "l"), ["lang", "length"]),
        (("compare", "--by", "la"), ["lang"]),
        (("compare", "--where", "lang="), ["lang=de", "lang=en"]),
        (("history", "BM"), ["bm25"]),
        (("runs", "baseline", "b"), ["bm25"]),
        (("runs", "baseline", "--unset", "--collection", "t"), ["test"]),
        (("experiments", "show", "j"), ["june"]),
        (("leaderboard", "test", "--baseline", "b"), ["bm25"]),
        (("runs", "restore", "b"), []),
        (("runs", "rm", "--db", "evalstore.db", "b"), ["bm25"]),
        (("--db", "evalstore.db", "runs", "rm", "b"), ["bm25"]),
    ],
)
def test_the_shell_is_offered(stored: None, words: tuple[str, ...], expected: list[str]) -> None:
    assert offered(*words) == expected


@pytest.mark.parametrize("db", ["missing.db", "sqlite://two", "mysql://host/x", "text.db"])
def test_a_store_that_can_not_be_read_offers_nothing(folder: Path, db: str) -> None:
    (folder / "text.db").write_text("no database")
    before = set(folder.iterdir())
    assert offered("--db", db, "runs", "rm", "b") == []
    assert set(folder.iterdir()) == before
