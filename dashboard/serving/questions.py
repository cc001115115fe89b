"""What the callback of the pages is asked, without what its answer does not depend on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dashboard import address
from dashboard.components import ids
from dashboard.components.problems import PageProblem
from dashboard.page import Page

IN_ORDER = (
    (ids.URL, "pathname"),
    (ids.URL, "search"),
    (ids.SCHEME, "data"),
    (ids.RENDERED, "data"),
)
"""The inputs and the state of the callback."""


def question(body: bytes, pages: Mapping[str, Page]) -> bytes:
    """Return a text that is the same for requests that have the same answer.

    The browser sends what is on the screen. A page that is rendered anew needs nothing of it but
    the collection that links lead to; with the rest of it in the question, the page would be
    computed once for each page that people come from.

    Args:
        body: of a request to a callback; that of any other callback is returned as it is.
        pages: by kind.
    """
    try:
        asked = json.loads(body)
        given = [*asked["inputs"], *asked["state"]]
        if tuple((part["id"], part["property"]) for part in given) != IN_ORDER:
            return body
        path, search, _, on_screen = (part.get("value") for part in given)
        if path is None or not _is_anew(path, search, on_screen, pages):
            return body
        needed = None if on_screen is None else {"keep": on_screen.get("keep")}
    except (ValueError, KeyError, TypeError, AttributeError, PageProblem):
        return body
    return json.dumps({**asked, "state": needed, "changedPropIds": []}, sort_keys=True).encode()


def page_request(callbacks: Mapping[str, Mapping[str, Any]]) -> str:
    """The body of a request for a page, as Dash sends it, without the values.

    Args:
        callbacks: of the app, by their outputs.
    """
    page = f"{ids.PAGE}.children"
    output = next(name for name in callbacks if page in name.strip(".").split("..."))
    outputs = [part.rsplit(".", 1) for part in output.strip(".").split("...")]
    given = callbacks[output]
    return json.dumps(
        {
            "output": output,
            "outputs": [{"id": component, "property": name} for component, name in outputs],
            "inputs": given["inputs"],
            "changedPropIds": [f"{one['id']}.{one['property']}" for one in given["inputs"]],
            "state": given["state"],
        }
    )


def _is_anew(
    path: str, search: str | None, on_screen: Mapping[str, str] | None, pages: Mapping[str, Page]
) -> bool:
    """Whether a page is rendered whole, and not changed in parts."""
    now = address.parse(path, search)
    if now.page not in pages:  # a saved view among them
        return False
    if on_screen is None:
        return True
    return not pages[now.page].updates(now, address.parse_href(on_screen["href"]))
