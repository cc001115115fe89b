"""Builds of this checkout, and environments that they are installed in."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path) -> str:
    """The standard output of a program that knows nothing of this process's settings."""
    kept = {"PATH", "HOME", "LANG", "TMPDIR", "PIP_INDEX_URL", "PIP_CERT", "SSL_CERT_FILE"}
    kept |= {name for name in os.environ if name.lower().endswith("_proxy")}
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(kind: str, folder: Path, source: Path = CHECKOUT) -> Path:
    """The wheel or sdist of a folder, by default this checkout, built without an index."""
    folder.mkdir(exist_ok=True)
    run(
        *(sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", folder),
        source,
        cwd=folder,
    )
    (file,) = folder.iterdir()
    return file


@dataclass(frozen=True)
class Installed:
    """An environment and an empty folder to be in."""

    root: Path
    folder: Path

    @property
    def scripts(self) -> Path:
        return self.root / ("Scripts" if os.name == "nt" else "bin")

    def run(self, program: str, *arguments: str) -> str:
        return run(self.scripts / program, *arguments, cwd=self.folder)

    @property
    def packages(self) -> Path:
        """The folder that packages are installed in."""
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        return Path(self.run("python", "-c", code).strip())


def environment(root: Path, folder: Path) -> Installed:
    """An environment without packages."""
    venv.create(root, with_pip=False)
    return Installed(root, folder)


def install(wheel: Path, root: Path) -> None:
    """Install a wheel into an environment, without its dependencies."""
    pip = ("-m", "pip", "--disable-pip-version-check", "--python", str(root))
    run(sys.executable, *pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=root)
