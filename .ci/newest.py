"""Tests evalstore with the newest versions of its dependencies, where an index can be reached.

Says so and succeeds where none can, or where the newest versions are those of constraints.txt.
The tests run in an environment of their own, .venv-newest.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib.metadata import distributions
from pathlib import Path

from constraints import ROOT, NotResolvable, newest, normal

ENVIRONMENT = ROOT / ".venv-newest"
TESTS = ["tests/unit", "tests/store", "tests/dashboard"]
QUICK = "not slow and not browser and not packaging"


def run(*words: str | Path) -> None:
    """Run a program without constraints; it must succeed."""
    environment = {key: value for key, value in os.environ.items() if "CONSTRAINT" not in key}
    subprocess.run([str(word) for word in words], check=True, cwd=ROOT, env=environment)


def main() -> None:
    """Install the newest versions and run the quick tests with them."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    try:
        wanted = newest(python)
    except NotResolvable as problem:
        print(f"newest versions: not tested, pip can't find them: {problem}")
        return
    installed = {normal(package.name): package.version for package in distributions()}
    newer = {name: v for name, v in wanted.items() if installed.get(name, v) != v}
    if not newer:
        print("newest versions: the installed ones are the newest, nothing more to test")
        return
    print("newest versions: testing", *(f"{name} {newer[name]}" for name in sorted(newer)))
    venv.create(ENVIRONMENT, with_pip=True, clear=True)
    program = ENVIRONMENT / "bin" / "python"
    pip = (program, "-m", "pip", "--quiet", "--disable-pip-version-check")
    run(*pip, "install", *(f"{name}=={version}" for name, version in wanted.items()))
    run(*pip, "install", "--no-deps", "--no-build-isolation", "-e", ROOT)
    spread = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
    run(program, "-m", "pytest", *spread, "-m", QUICK, *TESTS)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        sys.exit(f"newest versions: failed: {' '.join(map(str, failed.cmd))[:200]}")
