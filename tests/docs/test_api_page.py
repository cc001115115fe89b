"""docs/api.md is run: what it shows is what the server answers, over the files of the example."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from string import Template

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from evalstore.cli import cli
from evalstore.server.api.openapi import path_of
from evalstore.server.api.routes import OPERATIONS
from evalstore.server.app import create_server
from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_up
from evalstore.store import Store

pytestmark = pytest.mark.slow  # a server is made, and figures are computed

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
URL = "https://eval.example.org"
API = f"{URL}/api/v1"
CHANGING = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00"  # times
    r'|(?<="next": ")\w+|(?<="who": ")[^"]+|(?<="host": ")[^"]+|(?<="started_by": ")[^"]+'
)
"""What is another one each time."""


DIGITS = re.compile(r"\d+\.\d{7,}")
"""Of these the last ones depend on the processor."""


def comparable(text: str) -> str:
    """A text without what is another one each time."""
    return DIGITS.sub(lambda digits: f"{float(digits[0]):.6f}", CHANGING.sub("...", text))


def commands() -> list[tuple[str, str]]:
    """Each command of the page with what it prints."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


class Curl:
    """curl with the options of the page, without a network."""

    def __init__(self, client: FlaskClient, token: str) -> None:
        self._client, self._token = client, token

    def run(self, command: str) -> str:
        """Send the request; gives what is printed."""
        words = iter(shlex.split(Template(command).safe_substitute(API=API))[1:])
        headers, options, file, address, method = {}, {}, None, "", None
        for word in words:
            if word == "-H":
                header = next(words)
                name, _, value = (
                    ("Authorization", "", f" Bearer {self._token}")
                    if header == "@token"
                    else header.partition(":")
                )
                headers[name] = value.strip()
            elif word == "--json":
                options = {"data": next(words), "content_type": "application/json"}
            elif word == "-X":
                method = next(words)
            elif word == "-o":
                file = Path(next(words))
            else:
                address = word
        assert address.startswith(f"{API}/"), command
        answer = self._client.open(
            address.removeprefix(URL),
            base_url=URL,
            method=method or ("POST" if options else "GET"),
            headers=headers,
            buffered=True,
            **options,
        )
        if file is not None:
            file.write_bytes(answer.data)
            return ""
        return answer.text


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of the example in the current folder."""
    for file in (ROOT / "docs" / "example").iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("example")
def test_every_command_of_the_page_prints_what_it_says() -> None:
    (first, printed), *others = commands()
    done = CliRunner().invoke(cli, shlex.split(first)[1:], catch_exceptions=False)
    assert done.stdout == printed
    with Store.open("evalstore.db") as store:
        set_up(store, URL, "ann", "correct horse battery")
        token = create_token(store, "ci", "contributor")
        curl = Curl(create_server(store).test_client(), token)
        for command, expected in others:
            answer = curl.run(command)
            assert comparable(answer) == comparable(expected), command
    assert Path("bm25.parquet").read_bytes()[:4] == b"PAR1"


def test_the_page_has_a_command_for_every_operation() -> None:
    asked = "\n".join(command for command, _ in commands())
    for operation in OPERATIONS:
        path = path_of(operation).format(
            collection="helpdesk",
            run="bm25",
            blob="sha256:HEX",
            job="ID",
            qrels="qrels",
            draft="NAME",
        )
        named = re.escape(path.removeprefix("/api/v1"))
        in_text = f"`{path}`" in PAGE  # the description, and figures that change with each request
        assert re.search(rf'"\$API{named}[?"]', asked) or in_text, path
