"""Requests to a provider of logins: short, small, encrypted, and to no address but those it named.

Redirects are not followed: no endpoint of OpenID Connect that a server asks needs one.
"""

from __future__ import annotations

import io
import time
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter

from evalstore.client.address import is_loopback

SECONDS = 10.0
"""For a whole answer; 5 of them for a connection, and for each piece."""
SECONDS_OF_A_PIECE = 5.0
LARGEST_ANSWER = 1 << 20
"""Bytes: a set of keys has a few thousand."""


def is_safe(url: str, issuer: str) -> bool:
    """Whether a URL of a provider may be asked: https, or http where all is on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.scheme == "http":
        return is_loopback(host) and is_loopback(urlsplit(issuer).hostname or "")
    return parts.scheme == "https" and bool(host)


def restrict(session: requests.Session, issuer: str) -> None:
    """Let a session send nothing but short requests to safe URLs of a provider."""
    session.adapters.clear()
    session.mount("https://", _Adapter(issuer))
    session.mount("http://", _Adapter(issuer))
    # A proxy that the environment names, and its certificates, are not for this machine.
    session.trust_env = not is_loopback(urlsplit(issuer).hostname or "")


def get_json(issuer: str, url: str) -> dict[str, Any]:
    """The object of JSON at a URL of a provider.

    Raises:
        RequestException: it can't be had.
        ValueError: what is there is no such object.
    """
    with requests.Session() as session:
        restrict(session, issuer)
        answer = session.get(url, auth=_without_password, headers={"Accept": "application/json"})
        return json_of(answer)


def json_of(answer: requests.Response) -> dict[str, Any]:
    """The object of JSON in an answer.

    Raises:
        RequestException: the status is that of an error.
        ValueError: it has no such object.
    """
    answer.raise_for_status()
    content = answer.json()
    if not isinstance(content, dict):
        raise ValueError(f"{urlsplit(answer.url).path} has no object of JSON")
    return content


class _Adapter(HTTPAdapter):
    def __init__(self, issuer: str) -> None:
        super().__init__()
        self._issuer = issuer

    def send(  # type: ignore[override]  # what a session passes on beside these is not used
        self, request: requests.PreparedRequest, **options: Any
    ) -> requests.Response:
        """Send a request and read its answer, within the limits."""
        if not is_safe(str(request.url), self._issuer):
            raise requests.exceptions.InvalidURL("an address that is not https")
        end = time.monotonic() + SECONDS
        options |= {"stream": True, "timeout": SECONDS_OF_A_PIECE}
        answer = super().send(request, **options)
        with answer.raw:
            if answer.is_redirect:
                raise requests.exceptions.TooManyRedirects("it answers with a redirect")
            content = _read(answer.raw, end)
        answer.raw = io.BytesIO(content)
        return answer


def _read(raw: Any, end: float) -> bytes:
    """The content of an answer."""
    from urllib3.exceptions import HTTPError  # noqa: PLC0415  (its name is wanted here alone)

    content = b""
    while True:
        try:
            piece = raw.read1(65_536, decode_content=True)
        except HTTPError as error:
            raise requests.exceptions.ConnectionError(str(error)) from None
        if not piece:
            return content
        content += piece
        if len(content) > LARGEST_ANSWER:
            raise requests.exceptions.ContentDecodingError("its answer is too large")
        if time.monotonic() > end:
            raise requests.exceptions.ReadTimeout("its answer takes too long")


def _without_password(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """As `auth`: otherwise requests takes a password of ~/.netrc."""
    return request
