"""The pages are run: what they say a command prints is what it prints on standard output."""

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
HOW_TO = (
    *("checking", "corrected-judgments", "course", "exporting", "history", "judging", "migration"),
    *("paper", "rag", "recommenders", "reporting", "search-engineer", "sweep", "team-lead"),
    "tutorial",
)
PAGES = ["README.md", *(f"docs/{page}.md" for page in HOW_TO)]
PATIENCE = 300
DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")


def sessions(page):
    """(command, expected output) of every console and sh block, in the order of the text.

    What a command of an sh block prints is not said: None.
    """
    text = page.read_text(encoding="utf-8")
    for kind, block in re.findall(r"```(console|sh)\n(.*?)```", text, re.DOTALL):
        if kind == "sh":
            yield from ((line, None) for line in block.splitlines())
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def write_files(page):
    """Write the files that a page shows, each after its name, into the current folder."""
    text = page.read_text(encoding="utf-8")
    for name, content in re.findall(r"`(\S+)`[^`\n]*:\n\n```text\n(.*?)```", text, re.DOTALL):
        Path(name).write_text(content, encoding="utf-8")


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


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_prints_what_it_says(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    write_files(ROOT / page)
    checked = 0
    for command, expected in sessions(ROOT / page):
        program, *arguments = shlex.split(command, comments=True)
        if command == "evalstore dashboard" or program == "make":
            continue
        if program != "evalstore":
            subprocess.run(command, shell=True, check=True)  # noqa: S602  (the page's own line)
            continue
        done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        if expected is None:
            assert done.exit_code == 0, (command, done.output)
        else:
            printed = (DATE.sub("DATE", done.stdout), done.exit_code)
            assert printed == (DATE.sub("DATE", expected), 0), (command, done.stderr)
        checked += 1
    assert checked


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
