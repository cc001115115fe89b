"""Tries deploy/Containerfile without an engine: its steps in chroots of Debian's base.

Needs root, debootstrap and the internet: `python .ci/containerfile.py FOLDER`, where FOLDER is
empty or has the `base` of an earlier trial. After the last step the entry point makes the store of
a server and starts it. Unlike in an engine there are no layers, no limits and no own network.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
NOTHING_TO_DO = {"VOLUME", "EXPOSE"}
OWN_CERTIFICATES = Path("/own-certificates.crt")
OF_NETWORK = ("PIP_INDEX_URL", "http_proxy", "https_proxy")
PORT = 18_050
KEPT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}


@dataclass
class Stage:
    """A root folder, and the settings of the steps in it."""

    root: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(KEPT))
    user: str = "root"
    folder: str = "/"
    entry: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    def path(self, name: str) -> Path:
        """A path of the stage, from outside."""
        return self.root / os.path.join(self.folder, name).lstrip("/")

    def run(self, *command: str) -> None:
        """Run a program in the stage; it must succeed."""
        process = self.start(*command)
        if process.wait():
            sys.exit(f"{shlex.join(command)}: exit status {process.returncode}")

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a program in the stage."""
        outside = {name: os.environ[name] for name in OF_NETWORK if name in os.environ}
        outside |= dict.fromkeys(("PIP_CERT", "SSL_CERT_FILE"), str(OWN_CERTIFICATES))
        inside = f"cd {shlex.quote(self.folder)} && exec {shlex.join(command)}"
        program = ["/usr/sbin/chroot", f"--userspec={self.user}:{self.user}", str(self.root)]
        environment = {**outside, **self.environment}
        return subprocess.Popen([*program, "/bin/sh", "-c", inside], env=environment)


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """The instructions of a Containerfile with their arguments, without comments."""
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    for line in filter(None, map(str.strip, lines)):
        name, _, rest = line.partition(" ")
        yield name, rest.strip()


def base(folder: Path, image: str) -> Path:
    """Debian's base for an image like `debian:trixie-slim`, made once."""
    made = folder / "base"
    if not made.exists():
        release = re.fullmatch(r".*/debian:(\w+)-slim", image)
        if release is None:
            sys.exit(f"{image} is not Debian's base")
        subprocess.run(["debootstrap", "--variant=minbase", release[1], made], check=True)
    return made


def follow(text: str, folder: Path) -> Stage:
    """Take the steps of a Containerfile; the last stage."""
    stages: dict[str, Stage] = {}
    stage = Stage(folder)
    for name, rest in instructions(text):
        print(f"{name} {rest}", flush=True)
        words = shlex.split(rest)
        if name == "FROM":
            root = folder / f"stage-{len(stages) + 1}"
            subprocess.run(["cp", "--archive", base(folder, words[0]), root], check=True)
            shutil.copy("/etc/resolv.conf", root / "etc")
            # For a network whose proxy has a certificate of its own; part of no image.
            shutil.copy(CERTIFICATES, root / OWN_CERTIFICATES.relative_to("/"))
            stage = stages[words[-1] if "AS" in words else str(len(stages))] = Stage(root)
        elif name == "RUN":
            stage.run("sh", "-c", rest)
        elif name == "WORKDIR":
            stage.folder = rest
            stage.path(rest).mkdir(parents=True, exist_ok=True)
        elif name == "COPY":
            source = ROOT
            if words[0].startswith("--from="):
                source = stages[words.pop(0).removeprefix("--from=")].root
            *sources, target = words
            for each in sources:
                copy(source / each.lstrip("/"), stage.path(target))
        elif name == "ENV":
            key, _, value = rest.partition("=")
            stage.environment[key] = value
        elif name == "USER":
            stage.user = rest
        elif name == "ENTRYPOINT":
            stage.entry = json.loads(rest)
        elif name == "CMD":
            stage.command = json.loads(rest)
        elif name not in NOTHING_TO_DO:
            sys.exit(f"there is no step for {name}: write one")
    return stage


def copy(source: Path, target: Path) -> None:
    """Copy as COPY does: a folder's content, or a file into a folder."""
    if source.is_dir():
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore=ignored)
    else:
        shutil.copy(source, target)


def answers(server: subprocess.Popen[bytes]) -> bool:
    """Whether a server on PORT answers before it ends, and before a minute is over."""
    end = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < end:
        try:
            with urlopen(f"http://127.0.0.1:{PORT}/healthz") as answer:
                return bool(answer.status == HTTPStatus.OK)
        except OSError:
            time.sleep(0.5)
    return False


def main() -> None:
    """Take the steps, make a store and start the server."""
    folder = Path(sys.argv[1]).absolute()
    folder.mkdir(exist_ok=True)
    text = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    last = follow(text, folder)
    url = "https://eval.example.org"
    last.run(*last.entry, "server", "init", "--public-url", url, "--admin", "ann")
    server = last.start(*last.entry, *last.command, f"--port={PORT}")
    try:
        if not answers(server):
            sys.exit("the server does not answer")
    finally:
        server.terminate()
        status = server.wait()
    if status:
        sys.exit(f"the server ended with {status}")
    print("deploy/Containerfile: every step succeeded, and the server answered")


if __name__ == "__main__":
    main()
