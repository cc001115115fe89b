"""The pages are run: what they say a command prints is what the command prints."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from evalstore.cli import cli
from evalstore.store import Store

pytestmark = pytest.mark.slow  # every command of the page is run

ROOT = Path(__file__).parents[2]
PAGES = [("README.md", 2), ("docs/checking.md", 1), ("docs/tutorial.md", 5)]
PATIENCE = 300
DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
PROGRESS = re.compile(r"\[\d+/\d+, \d+%\] .*\n")


def sessions(page):
    """(command, expected output) of every console block, in the order of the text."""
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(ROOT / "docs" / "example", tmp_path / "example")


def start(command, folder):
    words = shlex.split(command)
    assert words[0] == "evalstore"
    return subprocess.Popen(
        [sys.executable, "-m", "evalstore", *words[1:]],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )


@pytest.mark.parametrize(("page", "least"), PAGES)
def test_every_command_of_a_page_prints_what_it_says(page, least, folder, monkeypatch):
    monkeypatch.chdir(folder)
    checked = 0
    for command, expected in sessions(ROOT / page):
        if command == "evalstore dashboard":
            continue
        program, *arguments = shlex.split(command)
        assert program == "evalstore"
        done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        printed = PROGRESS.sub("", done.output)
        assert DATE.sub("DATE", printed) == DATE.sub("DATE", expected), command
        checked += 1
    assert checked >= least


def test_the_dashboard_says_its_address(folder):
    Store.open(f"sqlite:///{folder / 'evalstore.db'}").close()  # makes one if there is none
    process = start("evalstore dashboard --port 0", folder)
    try:
        assert re.match(r"dashboard at http://127\.0\.0\.1:\d+ ", process.stdout.readline())
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def test_every_file_the_documents_link_to_is_there():
    broken = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if not target.startswith("http") and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []
