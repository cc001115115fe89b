"""The checklist of a release: `.venv/bin/python .ci/release.py`, in a checkout of what is released.

It checks, the quick things first: one version everywhere, a section of CHANGELOG.md for it, no tag
of it, a clean tree, all tests (`.ci/run`), the same bytes of wheel and sdist from two builds, and
metadata that an index takes. It changes nothing and publishes nothing: at its end it prints the
commands that do. `--without-tests` is for trying it.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")


class NotReady(Exception):
    """What has to be done before the release."""


def run(*words: str | Path, environment: Mapping[str, str] | None = None) -> str:
    """The standard output of a program; NotReady with its last lines if it fails."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-20:])
        raise NotReady(f"{' '.join(map(str, words))} failed:\n{last}")
    return done.stdout


def version(root: Path = ROOT) -> str:
    """The version of evalstore/__init__.py, which the citation names too."""
    found = re.search(
        r'^__version__ = "(.*)"$', (root / "evalstore" / "__init__.py").read_text(), re.MULTILINE
    )
    if found is None or not VERSION.fullmatch(found[1]):
        raise NotReady("evalstore/__init__.py: write __version__ like 1.2.3 or 1.2.3rc1")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    if f"\nversion: {found[1]}\n" not in citation:
        raise NotReady(f"CITATION.cff: write `version: {found[1]}`")
    return found[1]


def check_changelog(number: str, root: Path = ROOT) -> None:
    """The newest section of CHANGELOG.md is that of the version, with a date, and not empty."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(r"^## (.*)\n((?:(?!## ).*\n?)*)", text, re.MULTILINE)
    wanted = rf"{re.escape(number)} \(\d{{4}}-\d\d-\d\d\)"
    if section is None or not re.fullmatch(wanted, section[1]):
        raise NotReady(f"CHANGELOG.md: let the first section be `## {number} (YYYY-MM-DD)`")
    if not section[2].strip():
        raise NotReady(f"CHANGELOG.md: say what changed in {number}")


def check_tag(number: str) -> None:
    """The version has no tag yet."""
    if run("git", "tag", "--list", f"v{number}").strip():
        raise NotReady(f"the tag v{number} exists: raise __version__ in evalstore/__init__.py")


def check_tree() -> None:
    """Nothing in the tree differs from the commit."""
    changed = run("git", "status", "--porcelain").rstrip()
    if changed:
        raise NotReady(f"the tree is not clean: commit or remove\n{changed}")


def check_tests() -> None:
    """All tests pass, as in CI."""
    run(ROOT / ".ci" / "run", environment={"CI": "true"})


def built(folder: Path) -> dict[str, str]:
    """The SHA-256 of wheel and sdist by name, built with the time of the commit.

    From a copy that git makes: a file of this checkout that is in no commit gets into neither.
    """
    source = folder / "source"
    run("git", "clone", "--quiet", "--no-hardlinks", ROOT, source)
    time = run("git", "log", "-1", "--format=%ct").strip()
    files = folder / "files"
    run(
        *(sys.executable, "-m", "build", "--no-isolation", "--outdir", files, source),
        environment={"SOURCE_DATE_EPOCH": time},
    )
    paths = sorted(files.iterdir())
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def check_builds(first: Path, second: Path) -> None:
    """Two builds have the same bytes."""
    hashes, again = built(first), built(second)
    if hashes != again:
        other = sorted(name for name in hashes if hashes[name] != again.get(name))
        raise NotReady(f"two builds differ: {', '.join(other)}")
    for name, of in hashes.items():
        print(f"  {of}  {name}")


def check_metadata(folder: Path) -> None:
    """The packages can be sent to an index; twine is no dependency, and is installed for this."""
    venv.create(folder / "twine", with_pip=True)
    program = folder / "twine" / "bin" / "python"
    run(program, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "twine>=6.1")
    run(program, "-m", "twine", "check", "--strict", *sorted((folder / "files").iterdir()))


def main() -> None:
    """Go through the checklist; stop at the first thing that is not done."""
    with tempfile.TemporaryDirectory() as name:
        first, second = (Path(name) / each for each in ("first", "second"))
        for folder in (first, second):
            folder.mkdir()
        number = version()
        steps: dict[str, Callable[[], None]] = {
            "changelog": lambda: check_changelog(number),
            "tag": lambda: check_tag(number),
            "clean tree": check_tree,
            "tests": check_tests,
            "two builds": lambda: check_builds(first, second),
            "metadata": lambda: check_metadata(first),
        }
        if "--without-tests" in sys.argv[1:]:
            del steps["tests"]
        print(f"evalstore {number}")
        for step, check in steps.items():
            print(f"{step} ...", flush=True)
            check()
    print(f"""ready; these commands release it:
git tag --annotate v{number} --message "evalstore {number}"
git push origin v{number}""")


if __name__ == "__main__":
    try:
        main()
    except NotReady as problem:
        sys.exit(f"not ready: {problem}")
