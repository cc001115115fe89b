"""The files for containers, as far as no engine is needed: what they name exists."""

from __future__ import annotations

import json
import runpy
import shlex
import tomllib
from pathlib import Path

import yaml

from evalstore.cli import cli

CHECKOUT = Path(__file__).parents[2]
DEPLOY = CHECKOUT / "deploy"


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Containerfile, read as the script that tries them reads them."""
    script = runpy.run_path(str(CHECKOUT / ".ci" / "containerfile.py"))
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    return list(script["instructions"](text))


def check_command(words: list[str]) -> None:
    """The words are a command of `evalstore` with options that it has."""
    found = cli
    while words and hasattr(found, "commands"):
        found = found.get_command(None, words.pop(0))
    options = {option for parameter in found.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


def test_a_container_has_what_a_wheel_is_made_of() -> None:
    copied = {
        word
        for name, rest in instructions()
        if name == "COPY" and not rest.startswith("--from")
        for word in shlex.split(rest)[:-1]
    }
    assert [name for name in copied if not (CHECKOUT / name).exists()] == []
    hatch = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "hatch"
    ]
    wheel = hatch["build"]["targets"]["wheel"]
    assert {*wheel["packages"], *wheel["force-include"], "pyproject.toml"} <= copied


def test_the_commands_of_containers_are_commands_of_evalstore() -> None:
    [command] = [json.loads(rest) for name, rest in instructions() if name == "CMD"]
    check_command(command)
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert services.keys() == {"database", "server", "worker", "proxy"}
    check_command(list(services["worker"]["command"]))
    for name in ("server", "worker"):
        assert (DEPLOY / services[name]["build"]["context"] / "deploy" / "Containerfile").exists()
    shared = [services[name]["volumes"] for name in ("server", "worker")]
    assert shared[0] == shared[1]  # the worker reads the files that the server got
