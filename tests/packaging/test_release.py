"""The checklist of a release, the citation, and the templates of the project's pages."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import evalstore

CHECKOUT = Path(__file__).parents[2]
GITHUB = CHECKOUT / ".github"


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", CHECKOUT / ".ci" / "release.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout of version 1.2.3 that is ready."""
    for name, text in {
        "evalstore/__init__.py": '__version__ = "1.2.3"\n',
        "CITATION.cff": "type: software\nversion: 1.2.3\n",
        "CHANGELOG.md": "# Changelog\n\n## 1.2.3 (2027-01-02)\n\n**New.** It is.\n\n## 1.2.2 (x)\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_the_version_is_the_same_everywhere(release: ModuleType, root: Path) -> None:
    assert release.version(root) == "1.2.3"
    assert release.version() == evalstore.__version__
    citation = root / "CITATION.cff"
    citation.write_text("type: software\nversion: 1.2.30\n")
    with pytest.raises(release.NotReady, match=r"CITATION.cff: write `version: 1.2.3`"):
        release.version(root)
    (root / "evalstore" / "__init__.py").write_text('__version__ = "1.2.3.dev0"\n')
    with pytest.raises(release.NotReady, match="like 1.2.3"):
        release.version(root)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Changelog\n", "let the first section be"),
        ("## Unreleased\n\nNew.\n\n## 1.2.3 (2027-01-02)\n\nNew.\n", "let the first section be"),
        ("## 1.2.3\n\nNew.\n", "let the first section be"),
        ("## 1x2.3 (2027-01-02)\n\nNew.\n", "let the first section be"),
        ("## 1.2.3 (2027-01-02)\n\n## 1.2.2 (2026-01-02)\n\nOld.\n", "say what changed in 1.2.3"),
    ],
)
def test_the_changelog_begins_with_the_version(
    release: ModuleType, root: Path, text: str, told: str
) -> None:
    release.check_changelog("1.2.3", root)
    (root / "CHANGELOG.md").write_text(text)
    with pytest.raises(release.NotReady, match=told):
        release.check_changelog("1.2.3", root)


def test_a_failing_program_is_told_with_its_last_lines(release: ModuleType) -> None:
    with pytest.raises(release.NotReady, match=r"(?s)failed:.*no such thing"):
        release.run(sys.executable, "-c", "raise SystemExit('no such thing')")


@pytest.mark.nightly
@pytest.mark.packaging
@pytest.mark.skipif(not (CHECKOUT / ".git").exists(), reason="an sdist has no commit to build")
def test_two_builds_of_a_commit_have_the_same_bytes(
    release: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = tmp_path / "first", tmp_path / "second"
    for folder in folders:
        folder.mkdir()
    release.check_builds(*folders)
    names = [line.split()[1] for line in capsys.readouterr().out.splitlines()]
    version = evalstore.__version__
    assert names == [f"evalstore-{version}-py3-none-any.whl", f"evalstore-{version}.tar.gz"]


def test_the_citation_and_the_templates_can_be_read() -> None:
    citation = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version"} <= citation.keys()
    templates = sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml"))
    forms = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in templates]
    for form in (form for form in forms if "body" in form):
        assert {"name", "description"} <= form.keys()
        assert all(
            part["attributes"].get("label") or part["type"] == "markdown" for part in form["body"]
        )
    assert len(forms) == 3
