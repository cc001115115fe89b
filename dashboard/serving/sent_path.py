"""The path of a request as it was sent, in which names are still encoded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote_to_bytes

AS_SENT = ("REQUEST_URI", "RAW_URI")
"""Where servers keep the path and query as they were sent."""


def sent_path(environ: Mapping[str, Any]) -> str:
    """The path of a request of WSGI, for `address.parse`, which decodes it.

    WSGI has it decoded already: there a slash in a name can't be told from one between names, and
    a percent sign would be decoded twice. Servers keep the path as it was sent beside; where a
    layer before the app has changed the other one, that one counts.
    """
    sent = next((str(environ[name]) for name in AS_SENT if environ.get(name)), "").partition("?")[0]
    decoded = str(environ.get("PATH_INFO", "")).encode("latin-1")
    return sent if unquote_to_bytes(sent) == decoded else quote(decoded)
