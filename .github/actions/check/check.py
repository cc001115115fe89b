"""The steps of the action: install evalstore, check the runs, and tell the result.

Inputs are variables CHECK_*, and are hostile: each is one argument of a program, after its option
and `=`. The exit status is that of `evalstore check`, or 2 if an input can't be used. That a
comment could not be written is a warning.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

CHECKOUT = Path(__file__).resolve().parents[3]
COULD_NOT_CHECK = 2
MOST_OF_COMMENT = 60_000
"""GitHub takes 65,536 characters."""
MOST_PAGES = 50
COLORS = {
    **{"passed": "brightgreen", "failed": "red", "undecided": "yellow"},
    **{"not comparable": "lightgrey", "error": "lightgrey"},
}
COLORS_OF_SVG = {"brightgreen": "#2f7d32", "red": "#b3261e", "yellow": "#8a6100"}
OTHER_COLOR = "#5f6368"
Environment = Mapping[str, str]


class InputError(Exception):
    """An input that can't be used; the message names it and the remedy."""


# --- the program ---------------------------------------------------------------------------------


def installed(inputs: Environment, folder: Path, environment: Environment) -> list[str]:
    """The command of evalstore, after its installation into a folder if it has to be installed."""
    version, extras = inputs["VERSION"], inputs["EXTRAS"].replace(" ", "")
    if version == "installed":
        return ["evalstore"]
    if not re.fullmatch(r"(\d[\w.!+-]*)?", version, re.ASCII):
        raise InputError(f"version: {version!r} is no version; give one like 1.0.0, or nothing")
    if not re.fullmatch(r"[a-z0-9,-]*", extras):
        raise InputError(f"extras: {extras!r} are no extras; give them like postgres,remote")
    if sys.version_info < (3, 11):  # noqa: UP036  (the runner's own Python may be older)
        raise InputError("evalstore needs Python 3.11 or later: use actions/setup-python before")
    venv.create(folder, with_pip=True)
    program = folder / ("Scripts" if os.name == "nt" else "bin")
    of_extras = f"[{extras}]" if extras else ""
    wanted = [f"evalstore{of_extras}=={version}"]
    if not version:
        wanted = [f"{CHECKOUT}{of_extras}", "--constraint", str(CHECKOUT / "constraints.txt")]
    pip = [str(program / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    with commands_stopped():
        done = subprocess.run([*pip, "--quiet", *wanted], env=environment, check=False)
    if done.returncode:
        raise InputError(f"evalstore could not be installed (pip ended with {done.returncode})")
    return [str(program / "evalstore")]


def arguments(inputs: Environment, summary: Path) -> list[str]:
    """The arguments of `evalstore check`; the store is in EVALSTORE_DB, for it may be secret."""
    words = ["check", f"--undecided={inputs['UNDECIDED']}", f"--markdown={summary}"]
    for name in ("BASELINE", "QRELS", "COLLECTION", "QUERIES"):
        if inputs[name]:
            words.append(f"--{name.lower()}={inputs[name]}")
    for name, option in (("REQUIRE", "--require"), ("FAIL_IF", "--fail-if")):
        words += [f"{option}={rule.strip()}" for rule in inputs[name].splitlines() if rule.strip()]
    if inputs["ALLOW_MISSING"] not in ("true", "false"):
        raise InputError(f"allow-missing: {inputs['ALLOW_MISSING']!r} is neither true nor false")
    if inputs["ALLOW_MISSING"] == "true":
        words.append("--allow-missing")
    if not inputs["RUN"]:
        raise InputError("run: name the run to check")
    return [*words, "--", inputs["RUN"]]


@contextmanager
def commands_stopped() -> Iterator[None]:
    """Let no line of what is printed meanwhile command the runner, as `::error::` else does."""
    word = secrets.token_hex(16)
    print(f"::stop-commands::{word}", flush=True)
    try:
        yield
    finally:
        print(f"\n::{word}::", flush=True)


def check(command: Sequence[str], environment: Environment, summary: Path) -> int:
    """Run the check, and write a summary if the check itself wrote none; the exit status."""
    with commands_stopped():
        done = subprocess.run(
            command, env=environment, stderr=subprocess.PIPE, encoding="utf-8", check=False
        )
        print(done.stderr, flush=True)
    if not summary.exists():
        summary.write_text(error_summary(done.stderr), encoding="utf-8")
    return done.returncode


def error_summary(message: str) -> str:
    """A summary in Markdown for a message; a longer fence than any inside can't be ended by it."""
    fence = "`" * (max((len(run) for run in re.findall("`+", message)), default=0) + 3)
    return f"## evalstore check: error\n\n{fence}text\n{message.strip()}\n{fence}\n"


def outcome_of(summary: str) -> str:
    """The outcome that the heading of a summary names."""
    heading = summary.partition("\n")[0].rpartition(": ")[2]
    return heading if heading in COLORS else "error"


# --- the badge -----------------------------------------------------------------------------------


def write_badge(path: Path, label: str, outcome: str) -> None:
    """Write the badge as JSON for the endpoint of shields.io, and as an SVG beside it."""
    color = COLORS[outcome]
    badge = {"schemaVersion": 1, "label": label, "message": outcome, "color": color}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(badge) + "\n", encoding="utf-8")
    path.with_suffix(".svg").write_text(
        svg(label, outcome, COLORS_OF_SVG.get(color, OTHER_COLOR)), encoding="utf-8"
    )


def svg(label: str, message: str, color: str) -> str:
    """A badge of two fields, each as wide as its text is set to be."""
    left, right = (7 * len(text) + 12 for text in (label, message))
    name, told = escape(_without_controls(label)), escape(message)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{name}: {told}"><rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{color}"/>'
        '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2}" y="14" textLength="{left - 12}">{name}</text>'
        f'<text x="{left + right / 2}" y="14" textLength="{right - 12}">{told}</text></g></svg>\n'
    )


def _without_controls(text: str) -> str:
    """The text without what XML can't hold and what turns the direction of a line."""
    return "".join(character if character.isprintable() else " " for character in text)


# --- the comment ---------------------------------------------------------------------------------


class NoRedirect(HTTPRedirectHandler):
    """A handler that follows no redirect: it would send the token on."""

    def redirect_request(self, *_: Any) -> None:
        """Return no further request."""


class Comments:
    """The comments of one pull request, through GitHub's REST API."""

    def __init__(self, environment: Environment, token: str, number: int) -> None:
        """Address the pull request of this number in the repository of the workflow."""
        self.api = environment["GITHUB_API_URL"]
        self.repository = f"/repos/{environment['GITHUB_REPOSITORY']}/issues"
        self.number = number
        self.token = token

    def write(self, marker: str, body: str) -> None:
        """Write the comment that begins with a marker, in place of the one written before."""
        written = {"body": f"{marker}\n{body}"}
        comment = self._own(marker)
        if comment is None:
            self._ask("POST", f"{self.repository}/{self.number}/comments", written)
        else:
            self._ask("PATCH", f"{self.repository}/comments/{comment}", written)

    def _own(self, marker: str) -> int | None:
        """The id of the comment that this token's account began with the marker.

        A comment of somebody else may have the marker, too: who wrote it could change it later.
        """
        try:
            login = self._ask("GET", "/user")["login"]
        except HTTPError:  # the token of a workflow or of an app belongs to no user
            login = None
        for page in range(1, MOST_PAGES + 1):
            address = f"{self.repository}/{self.number}/comments?per_page=100&page={page}"
            comments = self._ask("GET", address)
            for comment in comments:
                user = comment["user"] or {}
                is_own = user.get("type") == "Bot" if login is None else user.get("login") == login
                if is_own and (comment["body"] or "").startswith(marker):
                    return int(comment["id"])
            if len(comments) < 100:
                return None
        return None

    def _ask(self, method: str, address: str, body: object = None) -> Any:
        request = Request(  # noqa: S310  (the address is that of the runner's own GitHub)
            self.api + address,
            None if body is None else json.dumps(body).encode(),
            {
                "Authorization": f"Bearer {self.token}",
                "Accept": "application/vnd.github+json",
                "Content-Type": "application/json",
                "User-Agent": "evalstore-check",
                "X-GitHub-Api-Version": "2022-11-28",
            },
            method=method,
        )
        with build_opener(NoRedirect).open(request, timeout=60) as answer:
            return json.load(answer)


def comment(inputs: Environment, environment: Environment, summary: str) -> str:
    """Comment the pull request; a sentence that says what was done, or why nothing was."""
    event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = (event.get("pull_request") or {}).get("number")
    if number is None:
        return "no comment: this workflow does not run for a pull request"
    if not inputs["TOKEN"]:
        return "no comment: there is no token"
    name = hashlib.sha256(inputs["NAME"].encode()).hexdigest()[:16]
    marker = f"<!-- evalstore check {name} -->"
    try:
        Comments(environment, inputs["TOKEN"], int(number)).write(marker, shortened(summary))
    except HTTPError as error:
        if error.code in (401, 403, 404):
            return (
                f"no comment: the token may not write one (status {error.code}); it needs "
                "`permissions: pull-requests: write`, which pull requests from forks never get"
            )
        return f"::warning::no comment: GitHub answered with status {error.code}"
    except (OSError, HTTPException, ValueError) as error:
        return f"::warning::no comment: {type(error).__name__} at GitHub's API"
    return f"commented on pull request {int(number)}"


def shortened(summary: str, most: int = MOST_OF_COMMENT) -> str:
    """The lines of a summary that a comment can hold, and a sentence if some are left out."""
    if len(summary) <= most:
        return summary
    kept = summary[:most].rpartition("\n")[0]
    return f"{kept}\n\nThe summary of the workflow's run has the rest.\n"


# --- all of it -----------------------------------------------------------------------------------


def tell(file: str | None, text: str) -> None:
    """Append a text to a file of the runner, if it has one."""
    if file:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(text)


def output(environment: Environment, name: str, value: str) -> None:
    """Set an output of the step; no value can end the random delimiter."""
    delimiter = secrets.token_hex(16)
    file = environment.get("GITHUB_OUTPUT")
    tell(file, f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def main(environment: Environment) -> int:
    """Do all steps; the exit status."""
    prefix = "CHECK_"
    inputs = {
        name.removeprefix(prefix): value
        for name, value in environment.items()
        if name.startswith(prefix)
    }
    # Neither pip nor evalstore gets the token for comments.
    others = {name: value for name, value in environment.items() if not name.startswith(prefix)}
    if inputs["DB"]:
        others["EVALSTORE_DB"] = inputs["DB"]
    folder = Path(tempfile.mkdtemp(prefix="evalstore-", dir=environment.get("RUNNER_TEMP")))
    summary = folder / "summary.md"
    badge = Path(inputs["BADGE"] or folder / "badge.json")
    try:
        if badge.suffix != ".json":
            raise InputError("badge: give the path of a file that ends with .json")
        asked = arguments(inputs, summary)
        program = installed(inputs, folder / "venv", others)
        status = check([*program, *asked], others, summary)
    except InputError as error:
        with commands_stopped():
            print(error)
        summary.write_text(error_summary(str(error)), encoding="utf-8")
        badge, status = folder / "badge.json", COULD_NOT_CHECK
    text = summary.read_text(encoding="utf-8")
    outcome = outcome_of(text)
    write_badge(badge, inputs["NAME"], outcome)
    tell(environment.get("GITHUB_STEP_SUMMARY"), text)
    for name, value in (("outcome", outcome), ("summary", summary), ("badge", badge)):
        output(environment, name, str(value))
    print(comment(inputs, environment, text), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(os.environ))
