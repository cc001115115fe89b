"""The path and the scheme of the public URL, for what is behind: a layer before the app.

The app has its own paths, without the prefix. A proxy in front takes the prefix off, or passes it
on: as no path of the app begins with the prefix, both are told apart by the path itself, and no
header of a request has a say in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dashboard.serving.sent_path import AS_SENT
from evalstore.server.public_url import PublicUrl


class AtPublicUrl:
    """A layer that takes the prefix off the path of a request, where it is there.

    Args:
        app: the WSGI app behind it.
        url: of the server.
    """

    def __init__(self, app: Callable[..., Iterable[bytes]], url: PublicUrl) -> None:
        self._app = app
        self._url = url

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request, as WSGI asks."""
        prefix = self._url.prefix
        environ["wsgi.url_scheme"] = self._url.scheme
        environ["SCRIPT_NAME"] = prefix
        path = environ.get("PATH_INFO", "")
        if prefix and _is_below(path, prefix):
            environ["PATH_INFO"] = path.removeprefix(prefix) or "/"
            for name in AS_SENT:
                sent = environ.pop(name, "")
                # A prefix with encoded letters in it: then the decoded path has to do.
                if _is_below(sent.partition("?")[0], prefix):
                    sent = sent.removeprefix(prefix)
                    environ[name] = sent if sent.startswith("/") else f"/{sent}"
        return self._app(environ, start_response)


def _is_below(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")
