"""The action for pull requests, run as its step runs it, with a server in place of GitHub's API."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest
import yaml
from samples import TFIDF, write, write_qrels, write_run

CHECKOUT = Path(__file__).parents[2]
ACTION = CHECKOUT / ".github" / "actions" / "check"
BOT = {"login": "github-actions[bot]", "type": "Bot"}
SOMEBODY = {"login": "mallory", "type": "User"}

pytestmark = pytest.mark.slow  # the script is a process, and starts others


def action() -> dict[str, Any]:
    text = (ACTION / "action.yml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def variable(name: str) -> str:
    """The variable in which the script gets an input."""
    return "CHECK_" + name.upper().replace("-", "_")


@dataclass
class GitHub:
    """The comments of pull request 7, and the requests that came."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    login: str | None = None
    status: int = 200
    url: str = ""

    def answer(self, method: str, address: str, body: Any) -> tuple[int, object]:
        path, query = urlsplit(address).path, parse_qs(urlsplit(address).query)
        if path == "/user":
            return (403, {}) if self.login is None else (200, {"login": self.login})
        if self.status != 200:
            return self.status, {}
        if method == "GET":
            assert path == "/repos/o/r/issues/7/comments"
            start = 100 * (int(query["page"][0]) - 1)
            return 200, self.comments[start : start + 100]
        if method == "POST":
            assert path == "/repos/o/r/issues/7/comments"
            user = BOT if self.login is None else {"login": self.login, "type": "User"}
            self.comments.append({"id": len(self.comments) + 1, "user": user, **body})
            return 201, self.comments[-1]
        [one] = [c for c in self.comments if path == f"/repos/o/r/issues/comments/{c['id']}"]
        one.update(body)
        return 200, one


@pytest.fixture
def github() -> Iterator[GitHub]:
    known = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            known.asked.append(f"{self.command} {self.path}")
            known.tokens.add(self.headers["Authorization"])
            status, answer = known.answer(self.command, self.path, body)
            self.send_response(status)
            if status == 301:
                self.send_header("Location", f"{known.url}/elsewhere")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        do_GET = do_POST = do_PATCH = answer  # noqa: N815  (the names that the library asks for)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        known.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield known
        server.shutdown()
        thread.join(10)


@dataclass(frozen=True)
class Done:
    """The end of the step: its exit status and log, and the files that it wrote."""

    status: int
    log: str
    summary: str
    outputs: dict[str, str]


class Step:
    """The step of the action, in a folder with runs and judgments."""

    def __init__(self, folder: Path, api: str) -> None:
        self.folder, self.api = folder, api
        self.event: object = {"pull_request": {"number": 7}}
        # AP of tfidf is 25/36, of bm25 7/9.
        write_run(folder)
        write_run(folder, TFIDF, "tfidf.run", "tfidf")
        write_qrels(folder)
        self.program = folder / "bin" / "evalstore"
        self.program.parent.mkdir()
        write(self.program, f'#!/bin/sh\nexec "{sys.executable}" -m evalstore "$@"\n')
        self.program.chmod(0o755)

    def check_ends(self, outcome: str, status: int) -> None:
        """Replace evalstore, where only its end matters, by a program that starts at once."""
        summary = f"## evalstore check: {outcome}"
        text = (
            f'for word; do case $word in --markdown=*) echo "{summary}" >"${{word#*=}}"; esac; done'
        )
        write(self.program, f"#!/bin/sh\n{text}\nexit {status}\n")

    def __call__(self, path: str = str(CHECKOUT), **inputs: str) -> Done:
        described = action()
        given = {"run": "tfidf.run", "baseline": "bm25.run", "qrels": "test.qrels"}
        given |= {"version": "installed", "token": "t0ken", "fail_if": "AP drop > 0.05"} | inputs
        names = {name: str(one.get("default", "")) for name, one in described["inputs"].items()}
        given = {name: given.pop(name.replace("-", "_"), of) for name, of in names.items()}
        [step] = described["runs"]["steps"]
        files = {name: self.folder / name for name in ("summary", "outputs", "event.json")}
        for file in files.values():
            write(file, "")
        write(files["event.json"], json.dumps(self.event))
        environment = {
            **{variable(name): value for name, value in given.items()},
            "PATH": f"{self.folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": path,
            "GITHUB_ACTION_PATH": str(ACTION),
            "GITHUB_API_URL": self.api,
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_EVENT_PATH": str(files["event.json"]),
            "GITHUB_STEP_SUMMARY": str(files["summary"]),
            "GITHUB_OUTPUT": str(files["outputs"]),
            "RUNNER_TEMP": str(self.folder),
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it the other way round: no isolation
        }
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stdout, done.stdout
        outputs = re.findall(r"^(\w+)<<(\w+)\n(.*)\n\2$", files["outputs"].read_text(), re.M)
        return Done(
            done.returncode,
            done.stdout,
            files["summary"].read_text(),
            {name: value for name, _, value in outputs},
        )


@pytest.fixture
def step(tmp_path: Path, github: GitHub) -> Step:
    return Step(tmp_path, github.url)


def test_every_input_reaches_the_script_as_a_variable_and_none_a_shell() -> None:
    described = action()
    [one] = described["runs"]["steps"]
    assert "${{" not in one["run"]
    wanted = {variable(name): f"${{{{ inputs.{name} }}}}" for name in described["inputs"]}
    assert one["env"] == wanted
    script = (ACTION / "check.py").read_text(encoding="utf-8")
    assert [name for name in wanted if not re.search(rf"\W{name[6:]}\W", script)] == []
    assert all(one["value"].endswith(f".{name} }}}}") for name, one in described["outputs"].items())


def test_a_failed_check_fails_the_step_and_is_told_everywhere(step: Step, github: GitHub) -> None:
    done = step(badge="made/badge.json")
    assert done.status == 1
    assert "FAILED: AP drop > 0.05 (AP drop 0.0833)" in done.log
    assert done.log.endswith("commented on pull request 7\n")
    assert done.summary.startswith("## evalstore check: failed\n")
    first, second = (done.summary.index(f"### {name}") for name in ("Regressed queries", "Rules"))
    assert first < second
    [comment] = github.comments
    marker, _, body = comment["body"].partition("\n")
    assert re.fullmatch(r"<!-- evalstore check [0-9a-f]{16} -->", marker)
    assert body == done.summary == Path(done.outputs["summary"]).read_text()
    assert done.outputs["outcome"] == "failed"
    assert done.outputs["badge"] == "made/badge.json"
    badge = step.folder / "made" / "badge.json"
    assert json.loads(badge.read_text()) == {
        **{"schemaVersion": 1, "label": "evalstore"},
        **{"message": "failed", "color": "red"},
    }
    assert ET.parse(badge.with_suffix(".svg")).getroot().get("aria-label") == "evalstore: failed"
    assert github.tokens == {"Bearer t0ken"}


def test_the_comment_of_the_last_push_is_replaced_and_no_other(step: Step, github: GitHub) -> None:
    step.check_ends("failed", 1)
    step()
    own = github.comments[0]
    marker = own["body"].partition("\n")[0]
    copied = {"id": 900, "user": SOMEBODY, "body": f"{marker}\ncopied"}
    others = [{"id": 1000 + n, "user": SOMEBODY, "body": "+1"} for n in range(120)]
    github.comments[:] = [copied, *others, own]
    step.check_ends("passed", 0)
    passed = step()
    assert (passed.status, passed.outputs["outcome"]) == (0, "passed")
    assert own["body"] == f"{marker}\n{passed.summary}"
    assert copied["body"].endswith("copied")
    step(name="another")
    assert len(github.comments) == 123


def test_with_the_token_of_a_person_the_comments_of_bots_are_those_of_others(
    step: Step, github: GitHub
) -> None:
    step.check_ends("passed", 0)
    step()
    github.login = "ann"
    step()
    step()
    assert [comment["user"]["login"] for comment in github.comments] == [BOT["login"], "ann"]


@pytest.mark.parametrize(
    ("token", "event", "status", "sentence"),
    [
        ("", {"pull_request": {"number": 7}}, 200, "no comment: there is no token"),
        ("t", {"ref": "refs/heads/main"}, 200, "no comment: this workflow does not run for a pull"),
        ("t", {"pull_request": {"number": 7}}, 403, "no comment: the token may not write one"),
        ("t", {"pull_request": {"number": 7}}, 502, "::warning::no comment: GitHub answered with"),
        ("t", {"pull_request": {"number": 7}}, 301, "::warning::no comment: GitHub answered with"),
    ],
)
def test_without_a_comment_the_step_says_why_and_has_the_status_of_the_check(
    step: Step, github: GitHub, token: str, event: object, status: int, sentence: str
) -> None:
    step.event, github.status = event, status
    for outcome, expected in (("passed", 0), ("failed", 1)):
        step.check_ends(outcome, expected)
        done = step(token=token)
        assert done.status == expected
        assert done.log.splitlines()[-1].startswith(sentence)
    assert github.comments == []
    assert not any("elsewhere" in asked for asked in github.asked)


def test_an_api_that_can_not_be_reached_is_a_warning(step: Step) -> None:
    step.api = "http://127.0.0.1:9"
    step.check_ends("passed", 0)
    done = step()
    assert done.status == 0
    assert done.log.splitlines()[-1].startswith("::warning::no comment: ")


def test_rules_are_one_a_line_and_what_is_undecided_can_fail(step: Step) -> None:
    rules = "AP not worse by 0.1\n\n  AP same within 0.2 \n"
    done = step(fail_if="", require=rules, undecided="fail")
    assert (done.status, done.outputs["outcome"]) == (3, "undecided")
    assert step(fail_if="", require=rules).status == 0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("fail_if", "AP drop >> 1", "character 9"),
        ("run", "--help", "--help"),
        ("run", "", "run: name the run to check"),
        ("baseline", '$(touch made) `touch made`; touch made "', "touch made"),
        ("badge", "badge.png", "badge: give the path of a file that ends with .json"),
        ("version", "1 --index-url=https://example.org", "version: "),
        *(
            pytest.param(*case, marks=pytest.mark.nightly)
            for case in (
                ("run", "no.run", "no.run"),
                ("undecided", "perhaps", "perhaps"),
                ("allow_missing", "yes", "allow-missing: 'yes' is neither true nor false"),
                ("version", "1\n", "version: "),
                ("extras", "] @ https://example.org/x", "extras: "),
            )
        ),
    ],
)
def test_what_can_not_be_checked_is_status_2_with_a_comment_that_says_why(
    step: Step, github: GitHub, name: str, value: str, message: str
) -> None:
    done = step(**({"version": ""} if name == "extras" else {}), **{name: value})
    assert done.status == 2
    assert message in done.log
    [comment] = github.comments
    heading = comment["body"].splitlines()[1]
    assert heading in ("## evalstore check: error", "## evalstore check: not comparable")
    assert json.loads(Path(done.outputs["badge"]).read_text())["color"] == "lightgrey"
    assert not (step.folder / "made").exists()


def test_no_line_of_the_check_commands_the_runner(step: Step) -> None:
    write(step.program, "#!/bin/sh\necho ::error::x; echo ::error::y >&2\n")
    log = step().log
    word = re.search(r"^::stop-commands::(\w+)$", log, re.MULTILINE)
    assert word
    start, end = word.end(), log.index(f"\n::{word[1]}::\n")
    assert start < log.index("::error::x") < end
    assert start < log.index("::error::y") < end


def test_the_token_for_comments_reaches_no_other_program(step: Step) -> None:
    write(step.program, "#!/bin/sh\nenv\n")
    assert "t0ken" not in step(db="evalstore.db").log


def test_a_long_summary_is_cut_for_the_comment_alone(step: Step, github: GitHub) -> None:
    rules = "\n".join(f"AP drop > 0.{number:050}" for number in range(10, 900))
    done = step(fail_if=rules)
    assert len(done.summary) > 65_536
    [comment] = github.comments
    assert len(comment["body"]) < 65_536
    assert comment["body"].endswith("\n\nThe summary of the workflow's run has the rest.\n")


@pytest.mark.parametrize("name", ['"><script>alert(1)</script>', "\x01\u202e&", "מנוע"])
def test_a_hostile_name_is_text_on_the_badge(step: Step, name: str) -> None:
    step.check_ends("undecided", 3)
    badge = Path(step(name=name).outputs["badge"])
    assert json.loads(badge.read_text())["label"] == name
    shown = ET.parse(badge.with_suffix(".svg")).getroot()
    assert not [element for element in shown.iter() if element.tag.endswith("script")]


@pytest.mark.nightly
@pytest.mark.packaging
def test_without_a_version_the_checkout_of_the_action_is_installed(step: Step) -> None:
    step.program.unlink()
    done = step(sysconfig.get_path("purelib"), version="")
    assert done.status == 1
    assert "FAILED: AP drop > 0.05 (AP drop 0.0833)" in done.log
    assert list(step.folder.glob("evalstore-*/venv/bin/evalstore"))
