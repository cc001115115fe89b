"""The commit and the state of the checkout that a command runs in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from evalstore.catalog.origin import find_checkout


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", "-C", folder, *who, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("a = 1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "runs").mkdir()
    return tmp_path


def test_a_clean_checkout_has_its_commit(checkout: Path) -> None:
    commit = git(checkout, "rev-parse", "HEAD")
    assert find_checkout(checkout) == (commit, False)
    assert find_checkout(checkout / "runs") == (commit, False)


def test_a_changed_file_makes_it_dirty_and_an_unknown_file_does_not(checkout: Path) -> None:
    (checkout / "runs" / "bm25.run").write_text("q1 Q0 d1 1 1 bm25\n")
    assert find_checkout(checkout)[1] is False  # type: ignore[index]
    (checkout / "code.py").write_text("a = 2\n")
    assert find_checkout(checkout)[1] is True  # type: ignore[index]
    git(checkout, "add", ".")
    assert find_checkout(checkout)[1] is True  # type: ignore[index]


def test_what_is_no_checkout_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert find_checkout(tmp_path) is None
    assert find_checkout(tmp_path / "nowhere") is None
    git(tmp_path, "init", "-q")
    assert find_checkout(tmp_path) is None  # no commit yet


def test_without_git_there_is_none(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert find_checkout(checkout) is None
