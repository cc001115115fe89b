"""Renews constraints.txt: the newest versions that pip finds, for every supported Python.

pip resolves the requirements of pyproject.toml once for each version of Python, as if it ran
there, and downloads wheels only. A package whose newest version differs between them gets a line
for each. A Python that is newer than all of them is left without constraints: the versions of
today may have no wheels for it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
BEYOND = "3.15"

HEADER = f"""\
# Versions that are known to work together, for Python {PYTHONS[0]} to {PYTHONS[-1]}.
# `make constraints` renews this file; `make demo` and `make test` install with it.
"""


class NotResolvable(Exception):
    """pip found no versions; the message is pip's last error."""


def requirements(python: str) -> list[str]:
    """Return what evalstore needs to be built, to run and to be tested with one Python.

    Markers are evaluated here, as pip evaluates them for the Python that it runs on.
    """
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    own = project["name"] + "["  # an extra that names another one
    extras = [name for extra in project["optional-dependencies"].values() for name in extra]
    names = [*settings["build-system"]["requires"], *project["dependencies"], *extras]
    # hatchling builds an editable install with `editables`.
    asked = [Requirement(name) for name in names if not name.startswith(own)]
    applying = [
        each
        for each in asked
        if each.marker is None or each.marker.evaluate({"python_version": python})
    ]
    for each in applying:
        each.marker = None
    return [*map(str, applying), "editables"]


def newest(python: str) -> dict[str, str]:
    """Return the newest version of every package needed, by name, for one version of Python.

    Raises:
        NotResolvable: no index can be reached, or no versions fit together.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
        command += ["--quiet", "--retries=2", "--dry-run", "--ignore-installed"]
        command += ["--report", str(report)]
        command += ["--only-binary=:all:", "--python-version", python, "--target", folder]
        done = subprocess.run(
            [*command, *requirements(python)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            raise NotResolvable(" ".join(errors[-1:]) or done.stderr.strip())
        installed = json.loads(report.read_text(encoding="utf-8"))["install"]
    packages = (item["metadata"] for item in installed)
    return {normal(package["name"]): package["version"] for package in packages}


def normal(name: str) -> str:
    """Return a package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def lines(versions: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the constraints for versions given as {Python: {package: version}}."""
    written = []
    for name in sorted({name for packages in versions.values() for name in packages}):
        by_python = {python: packages.get(name) for python, packages in versions.items()}
        if len(set(by_python.values())) == 1:
            written.append(f'{name}=={by_python[PYTHONS[0]]} ; python_version < "{BEYOND}"')
            continue
        written += [
            f'{name}=={version} ; python_version == "{python}"'
            for python, version in by_python.items()
            if version
        ]
    return written


def main() -> None:
    """Write constraints.txt."""
    versions = {}
    for python in PYTHONS:
        print(f"resolving for Python {python} ...", flush=True)
        versions[python] = newest(python)
    CONSTRAINTS.write_text(HEADER + "\n".join(lines(versions)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except NotResolvable as problem:
        sys.exit(f"constraints.txt is as it was: {problem}")
