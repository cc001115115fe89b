"""What the libraries of object stores and web servers raise, as sentences for people.

Their own texts are not shown: they hold URLs with signatures, and pages of XML.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator

BUSY = (408, 425, 429, *range(500, 600))
"""HTTP statuses that may be another one a moment later."""
DENIED = (401, 403)
MISSING = (404, 410)
UNRESOLVED = {"ClientConnectorDNSError"}
CERTIFICATE = {"ClientConnectorCertificateError", "ClientConnectorSSLError", "SSLError"}
NO_CREDENTIALS = {
    *("NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError"),
    *("CredentialUnavailableError", "ProfileNotFound"),
}
MISUSED = {"InvalidURL", "ParamValidationError", "InvalidUrlClientError", "NonHttpUrlClientError"}
MISSING_FILE = "no such file"


class BrokenError(Exception):
    """A connection ended before all was read, or a server asks to come again later."""


LIBRARIES = (
    *("aiobotocore", "aiohttp", "aiohttp_retry", "adlfs", "azure", "botocore", "fsspec", "gcsfs"),
    *("google", "requests", "s3fs", "urllib3", "yarl"),
)


def is_of_library(error: BaseException) -> bool:
    """Whether an error is about a file or a connection, and no mistake of this program."""
    known = isinstance(error, OSError | ValueError | BrokenError)
    return known or type(error).__module__.partition(".")[0] in LIBRARIES


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error tells, if any."""
    for one in _chain(error):
        response = getattr(one, "response", None)
        if isinstance(response, dict):
            status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        else:
            status = getattr(one, "status", None) or getattr(one, "status_code", None)
            if type(one).__module__.startswith(("gcsfs", "google")):
                status = status or getattr(one, "code", None)
        if isinstance(status, int) and 300 <= status < 600:
            return status
    return None


def what_is_wrong(error: BaseException) -> str | None:
    """What an error is about, where trying again would not help; else None."""
    chain = list(_chain(error))
    names = {cls.__name__ for one in chain for cls in type(one).__mro__}
    if redirect := _redirect(chain, names):
        return redirect
    status = status_of(error)
    unresolved = any(isinstance(one, socket.gaierror) for one in chain)
    sentences = {
        "no credentials for this object store: set those of its own tools": names & NO_CREDENTIALS,
        "the name of the host can't be resolved": unresolved or names & UNRESOLVED,
        "the certificate of the host is not valid": names & CERTIFICATE,
        MISSING_FILE: isinstance(error, FileNotFoundError) or status in MISSING,
        "access denied: check the credentials and the rights on the file": (
            isinstance(error, PermissionError) or status in DENIED
        ),
        "this is no URL that can be read": names & MISUSED or isinstance(error, ValueError),
        f"the server answers with status {status}": status is not None and status not in BUSY,
    }
    return next((sentence for sentence, is_so in sentences.items() if is_so), None)


def _redirect(chain: list[BaseException], names: set[str]) -> str | None:
    """Why a URL to which the server leads on is not read; None where the error is another one."""
    give = "give that of the file itself"
    if "TooManyRedirects" in names:
        return f"the server leads on from one URL to another without end: {give}"
    if "InvalidUrlRedirectClientError" in names:
        return f"the server leads on to what is no URL: {give}"
    if "NonHttpUrlRedirectClientError" in names:
        url = str(next(one.args[0] for one in chain if "NonHttpUrl" in type(one).__name__))
        scheme = url.partition(":")[0]
        return (
            f"the server leads on to a URL that is not read ({scheme}:): give one of https or http"
        )
    return None


def why_broken(error: BaseException) -> str:
    """What an error is about that trying again did not mend."""
    status = status_of(error)
    if isinstance(error, BrokenError):
        return str(error)
    if status is not None:
        return f"the server answers with status {status}"
    names = {cls.__name__ for one in _chain(error) for cls in type(one).__mro__}
    if names & {"ClientConnectorError", "EndpointConnectionError", "ConnectionRefusedError"}:
        return "can't connect to the server"
    if names & {"TimeoutError", "ServerTimeoutError", "ReadTimeoutError", "ConnectTimeoutError"}:
        return "the server does not answer in time"
    return "the connection broke"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and those that caused it."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
