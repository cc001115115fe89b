"""An app without a browser: its callbacks are posted to, and what they answer is read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from flask.testing import FlaskClient


@dataclass
class Browserless:
    """An app and its test client: posts to callbacks as a browser would."""

    client: FlaskClient

    def call(self, output: str, *, changed: str | None = None, **values: Any) -> dict[str, Any]:
        """Call the one callback with this output, `id.property`.

        Values are given by component id (with _ for -), or by id__property.
        """
        if not hasattr(self, "dependencies"):
            self.dependencies = self.client.get("/_dash-dependencies").get_json()
        given = {key.replace("_", "-"): value for key, value in values.items()}

        def asked(dependency: dict[str, str]) -> dict[str, Any]:
            key, exact = dependency["id"], f"{dependency['id']}--{dependency['property']}"
            return {**dependency, "value": given.get(exact, given.get(key))}

        named = set(given)
        matching = [
            callback
            for callback in self.dependencies
            if any(
                part.split("@")[0] == output for part in callback["output"].strip(".").split("...")
            )
            and named
            <= {
                name
                for d in callback["inputs"] + callback["state"]
                for name in (d["id"], f"{d['id']}--{d['property']}")
            }
        ]
        assert len(matching) == 1, [callback["output"] for callback in matching]
        callback = matching[0]
        outputs = [
            dict(zip(("id", "property"), part.rsplit(".", 1), strict=True))
            for part in callback["output"].strip(".").split("...")
        ]
        inputs = [asked(d) for d in callback["inputs"]]
        first = callback["inputs"][0]
        answer = self.client.post(
            "/_dash-update-component",
            json={
                "output": callback["output"],
                "outputs": outputs if callback["output"].startswith("..") else outputs[0],
                "inputs": inputs,
                "state": [asked(d) for d in callback["state"]],
                "changedPropIds": [changed or f"{first['id']}.{first['property']}"],
            },
        )
        if answer.status_code == 204:
            return {}
        assert answer.status_code == 200, answer.text
        whole = answer.get_json()
        response: dict[str, Any] = {**whole["response"], **whole.get("sideUpdate", {})}
        # None where the page is rendered anew.
        for component, properties in (response.get("changes") or {}).get("data") or []:
            key = (
                component
                if isinstance(component, str)
                else json.dumps(component, separators=(",", ":"), sort_keys=True)
            )
            response[key] = properties
        return response

    def page(self, address: str, scheme: str = "light") -> dict[str, Any]:
        """What the shell answers for an address."""
        return self.go(address, scheme=scheme)

    def go(
        self, address: str, on_screen: dict[str, Any] | None = None, scheme: str = "light"
    ) -> dict[str, Any]:
        """What the shell answers for an address while a page is on the screen.

        `on_screen` is `["rendered"]["data"]` of the answer for that page. What `update` of a page
        changes is in the answer beside the outputs of the callback.
        """
        path, _, search = address.partition("?")
        return self.call(
            "page.children",
            url__pathname=path,
            url__search=f"?{search}" if search else "",
            scheme=scheme,
            rendered=on_screen,
        )

    def follow(self, address: str) -> dict[str, Any]:
        """As `page`, going where redirects lead."""
        answer = self.page(address)
        while "redirect" in answer:
            answer = self.page(answer["redirect"]["data"])
        return answer

    def text(self, address: str) -> str:
        """All that the page at an address says, as one text."""
        return text_of(self.follow(address)["page"]["children"])


def text_of(component: Any) -> str:
    """All that a component says, words apart by one space."""
    return " ".join(" ".join(texts_in(component)).split()).replace(f" {BREAK} ", "")


BREAK = "\0"
"""A place within a word where a line may be broken."""


def texts_in(component: Any) -> list[str]:
    """Every text within a component, in order."""
    if isinstance(component, str):
        return [component]
    if isinstance(component, int | float):
        return [str(component)]
    if isinstance(component, list):
        return [text for part in component for text in texts_in(part)]
    if isinstance(component, dict) and component.get("type") == "Wbr":
        return [BREAK]
    if isinstance(component, dict):
        return texts_in((component.get("props") or {}).get("children"))
    return []


def find(component: Any, component_id: str) -> dict[str, Any]:
    """The properties of the component with this id."""
    properties = _find(component, component_id)
    assert properties is not None, component_id
    return properties


def find_by(component: Any, component_id: dict[str, str]) -> dict[str, Any]:
    """The properties of the component whose id is this dictionary."""
    properties = _find(component, component_id)
    assert properties is not None, component_id
    return properties


def _find(component: Any, component_id: str | dict[str, str]) -> dict[str, Any] | None:
    if isinstance(component, list):
        return next((f for part in component if (f := _find(part, component_id))), None)
    if isinstance(component, dict) and isinstance(props := component.get("props"), dict):
        return (
            props if props.get("id") == component_id else _find(props.get("children"), component_id)
        )
    return None


def as_json(thing: Any) -> str:
    """A component or response as the text that travels."""
    return json.dumps(thing, ensure_ascii=False)


def ids_in(component: Any) -> set[str]:
    """The ids of a component and of all within it."""
    if isinstance(component, list):
        return {id_ for part in component for id_ in ids_in(part)}
    if isinstance(component, dict) and isinstance(props := component.get("props"), dict):
        return ({str(props["id"])} if "id" in props else set()) | ids_in(props.get("children"))
    return set()
