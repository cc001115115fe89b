"""Requests to a server, repeated if the network breaks; addresses, kept tokens, error sentences."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote, urlsplit

from evalstore import errors
from evalstore.errors import DataError, EvalstoreError, MeasureError, NotFound, StoreError

if TYPE_CHECKING:
    import requests
    from requests import Response

ROOT = "/api/v1"
TRY_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed a little later."""
NOT_NOW = frozenset({429, 503})
"""Statuses that say that nothing was done."""

PATIENCE = 30.0
"""Seconds for which a request for data is repeated."""
LONGEST_PAUSE = 15.0
CONNECT_SECONDS = 10
ANSWER_SECONDS = 330
"""Seconds to wait for an answer: the server may compute a comparison for minutes."""
NOT_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST")
"""Words in OpenSSL's error for an answer that is not encrypted."""
LARGEST_PAGE = 1_000
"""Rows per page, the most that the API gives."""
SQL_ROWS = 100_000
"""The server's limit on the rows of an answer to SQL."""
SQL_SECONDS = 60
"""The server's limit on the seconds of a statement."""


class Server:
    """A server, and the token that is sent only to it.

    DataError for a text that can't be a token, StoreError if the token would be sent to another
    machine without encryption, unless `plain_http` allows that.
    """

    def __init__(
        self,
        address: Address,
        token: str | None = None,
        *,
        plain_http: bool = False,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare requests; nothing is sent. `pause` is a function that waits some seconds."""
        if token is not None:
            check_token(token)
        if token is not None and not (address.is_safe or plain_http):
            raise StoreError(
                f"{address} is not encrypted, so the token is not sent: everyone on the way could "
                "read it",
                problem="plain http",
            )
        self.address = address
        self.pause = pause
        self._token = token
        self._session: requests.Session | None = None

    def get(self, path: str, **parameters: Any) -> Any:
        """The JSON of an address; parameters that are None, False or empty are left out."""
        given = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in parameters.items()
            if value is not None and value is not False and value != []
        }
        return self._json(self.ask("GET", path, params=given))

    def post(self, path: str, **content: Any) -> Any:
        """Send JSON, and return the JSON of the answer."""
        return self._json(self.ask("POST", path, json=content))

    def change(self, method: str, path: str, **content: Any) -> Any:
        """Send a change as JSON, and return the JSON of the answer.

        It is repeated only if the server says that it can't make the change now: after a broken
        connection the change may be made already, and a second one would be refused.
        """
        body = None if method == "DELETE" else content
        try:
            answer = self.ask(method, path, again=NOT_NOW, after_breaks=False, json=body)
        except errors.NotComparable as error:  # a change compares nothing: a name is taken
            raise errors.Conflict(str(error), problem=error.problem) from None
        return self._json(answer)

    def pages(self, path: str, rows: str, **parameters: Any) -> Iterator[Any]:
        """The rows of all pages of a list; `rows` names them in the JSON."""
        cursor = None
        while True:
            limit = parameters.get("limit", LARGEST_PAGE)
            page = self.get(path, **{**parameters, "limit": limit, "cursor": cursor})
            yield from page[rows]
            cursor = page["next"]
            if cursor is None:
                return

    def ask(
        self,
        method: str,
        path: str,
        *,
        patience: float = PATIENCE,
        while_down: bool = False,
        accept: Collection[int] = (),
        again: Collection[int] = TRY_AGAIN,
        after_breaks: bool = True,
        **sent: Any,
    ) -> requests.Response:
        """Send a request that may be repeated; return an answer below status 300 or in `accept`.

        It is repeated for `patience` seconds after a status in `again`; with `after_breaks` also
        after a broken connection; with `while_down` also if there is none, for example while the
        server restarts. `sent` are arguments of `requests`. StoreError if the server is down,
        rejects the token, or is no evalstore server; other refusals raise the error that the store
        would raise.
        """
        end = time.monotonic() + patience
        delay = 0.5
        while True:
            try:
                answer = self.once(method, path, **sent)
            except Unreachable as error:
                may_pass = error.may_pass and after_breaks
                if not (may_pass or while_down) or time.monotonic() + delay > end:
                    raise
                wait = delay
            else:
                if answer.status_code < 300 or answer.status_code in accept:
                    return answer
                wait = seconds_to_wait(answer, delay)
                if answer.status_code not in again or time.monotonic() + wait > end:
                    raise self.http_error(answer)
            self.pause(wait)
            delay = min(2 * delay, LONGEST_PAUSE)

    def once(self, method: str, path: str, **sent: Any) -> requests.Response:
        """The answer to one request, whatever its status; Unreachable if there is none."""
        import requests  # noqa: PLC0415  (slow to import, and only needed for servers)

        if self._session is None:
            self._session = self._new_session()
        try:
            return self._session.request(
                method,
                f"{self.address}{ROOT}{path}",
                timeout=(CONNECT_SECONDS, ANSWER_SECONDS),
                allow_redirects=False,
                **sent,
            )
        except requests.exceptions.RequestException as error:
            raise Unreachable(self.address, error) from None

    def http_error(self, answer: requests.Response) -> EvalstoreError:
        """The error for an answer that refuses a request."""
        return error_of(answer, str(self.address), self._token is not None)

    def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _new_session(self) -> requests.Session:
        import requests  # noqa: PLC0415  (as above)

        session = requests.Session()
        session.auth = authorization(self._token)
        # A proxy of the environment is not used for this machine itself.
        session.trust_env = not self.address.is_loopback
        session.headers["Accept"] = "application/json"
        return session

    def _json(self, answer: requests.Response) -> Any:
        try:
            return answer.json()
        except ValueError:
            raise StoreError(
                f"{self.address} answers, and not as a server of evalstore does"
            ) from None

    def __repr__(self) -> str:
        """The address of the server."""
        return f"<Server {self.address}>"


class Unreachable(StoreError):
    """A server gave no answer; `may_pass` if the connection was there, and broke."""

    def __init__(self, address: Address, error: BaseException) -> None:
        reason, self.may_pass = _reason(error, address.scheme)
        super().__init__(f"{address} can't be reached: {reason}")


def check_token(token: str) -> None:
    """Raise DataError if a text can't be a token; the message does not contain the text."""
    if not token.strip():
        raise DataError("the token is empty")
    if "\n" in token.strip() or "\r" in token.strip():
        raise DataError("the token has a line break in it: give the line with the token alone")
    if " " in token.strip():
        raise DataError("the token has a space in it: give the token alone, as in `evs_...`")
    if not (token.isascii() and token.isprintable()):
        raise DataError("the token has characters that no token has")


def authorization(token: str | None) -> Callable[[Any], Any]:
    """The `auth` of a request: adds only the token, if any; no password of ~/.netrc is used."""

    def add(request: Any) -> Any:
        if token is not None:
            request.headers["Authorization"] = f"Bearer {token}"
        return request

    return add


def seconds_to_wait(answer: requests.Response, delay: float) -> float:
    """The seconds to wait: the answer's Retry-After, but at least `delay`."""
    text = answer.headers.get("Retry-After", "")
    return max(delay, min(int(text), 60)) if text.isascii() and text.isdigit() else delay


def in_path(name: str) -> str:
    """A name as part of a path; DataError for one that programs would treat as a folder."""
    if name in ("", ".", ".."):
        raise DataError(f"the name {name!r} can't stand in an address")
    return quote(name, safe="")


def _reason(error: BaseException, scheme: str) -> tuple[str, bool]:
    """The reason why there is no answer, and whether an existing connection broke."""
    import requests  # noqa: PLC0415  (as above)

    if isinstance(error, requests.exceptions.SSLError):
        if any(reason in repr(error) for reason in NOT_TLS):
            return "it does not speak https: give its address with http://, if it is meant", False
        return f"its certificate is not accepted ({_innermost(error)})", False
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return "it does not answer: check host and port", False
    if isinstance(error, requests.exceptions.Timeout):
        # A server without TLS keeps waiting for the end of a request that it does not understand.
        hint = ": check that it speaks https, and not http" if scheme == "https" else ""
        return f"it did not answer in time{hint}", False
    if isinstance(error, requests.exceptions.ConnectionError):
        text = _innermost(error)
        return text, "NewConnectionError" not in repr(error) and "NameResolution" not in repr(error)
    return "the connection broke", isinstance(error, requests.exceptions.ChunkedEncodingError)


def _innermost(error: BaseException) -> str:
    """The system's own message in an error that libraries have wrapped."""
    waiting: list[object] = [error]
    words = ""
    seen: list[int] = []
    while waiting:
        one = waiting.pop()
        if id(one) in seen or not isinstance(one, BaseException):
            continue
        seen.append(id(one))
        if isinstance(one, OSError) and one.strerror:
            words = one.strerror
        waiting += [one.__cause__, one.__context__, getattr(one, "reason", None), *one.args]
    return words.lower() or "the connection broke"


def measures_of(measures: Mapping[str, object]) -> Sequence[str]:
    """The full names of measures, each only once."""
    return list(dict.fromkeys(map(str, measures.values())))


# The address of a server

PORTS = {"http": 80, "https": 443}
EXAMPLE = "write it like https://eval.example.org"


@dataclass(frozen=True)
class Address:
    """A URL without query, user and fragment; every path begins with `prefix` (`/eval` or "")."""

    scheme: str
    host: str
    port: int
    prefix: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.prefix}"

    @property
    def authority(self) -> str:
        """The Host header that clients send: without the default port of the scheme."""
        return self.host if self.port == PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine itself."""
        return is_loopback(self.host.strip("[]"))

    @property
    def is_safe(self) -> bool:
        """Whether nobody on the way can read what is sent."""
        return self.scheme == "https" or self.is_loopback


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server at this host (IPv6 without brackets)."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_address(text: str) -> bool:
    """Whether a text is meant as the address of a server rather than a database."""
    return re.match(r"\s*https?:", text, re.IGNORECASE) is not None


def parse_address(text: str) -> Address:
    """The address of a server; StoreError if invalid, or with a name or password (never shown)."""
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise StoreError(f"the address of the server is no URL: {EXAMPLE}") from None
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise StoreError(
            f"the address of a server has neither a name, a password nor parameters: {EXAMPLE}",
            problem="token needed",
        )
    if parts.scheme not in PORTS or not is_host(host):
        raise StoreError(f"{text!r} is no address of a server: {EXAMPLE}")
    prefix = parts.path.rstrip("/")
    if not is_prefix(prefix):
        raise StoreError(f"{text!r}: the path of a server has letters, digits and - . _ ~ only")
    return Address(parts.scheme, bracketed(host), port or PORTS[parts.scheme], prefix)


def is_host(text: str) -> bool:
    """Whether a text in lower case can be the host of a server."""
    return re.fullmatch(r"[a-z0-9.:_-]+", text) is not None


def is_prefix(path: str) -> bool:
    """Whether a path without a slash at its end can be the prefix of all paths of a server."""
    is_plain = re.fullmatch(r"(/[A-Za-z0-9._~-]+)*", path)
    return is_plain is not None and not {".", ".."} & set(path.split("/"))


def bracketed(host: str) -> str:
    """A host in the form for URLs: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


# A server's refusals as the errors that a local store would raise

MEDIA_TYPE = "application/problem+json"
KINDS: dict[str, type[EvalstoreError]] = {
    "no rankings": errors.NoRankings,
    "no qrels": errors.QrelsMissing,
    "disjoint": errors.Disjoint,
    "run has name": errors.Conflict,
    "removed run has name": errors.Conflict,
}
"""Errors with their own class, by the kind of problem."""
STATUS: dict[int, type[EvalstoreError]] = {
    403: StoreError,
    404: NotFound,
    409: errors.NotComparable,
}


def error_of(answer: Response, address: str, has_token: bool) -> EvalstoreError:
    """The error for an answer that refuses, with the same sentence as a local store would give."""
    status = answer.status_code
    if status == 401:
        if has_token:
            what = "does not take this token: it is wrong, has expired or was revoked"
            return StoreError(f"{address} {what}", problem="token refused")
        what = "takes a token, and there is none for it"
        return StoreError(f"{address} {what}", problem="token needed")
    if 300 <= status < 400:
        to = answer.headers.get("Location", "another address")
        return StoreError(f"{address} leads to {to}: name that server, if it is meant")
    details = _details(answer)
    if details is None:
        return StoreError(f"{address} answers {status}, and not as a server of evalstore does")
    return error_from(status, details)


def error_from(status: int, details: dict[str, Any]) -> EvalstoreError:
    """The error for problem details."""
    message = str(details["detail"])
    problem = _problem(details)
    needs = details.get("needs")
    if isinstance(needs, str):
        return MeasureError(message, needs=needs, problem=problem)
    of_status = STATUS.get(status, StoreError if status >= 500 else DataError)
    return KINDS.get(str(problem), of_status)(message, problem=problem)


def _problem(details: dict[str, Any]) -> errors.Problem | None:
    """The kind of a problem; None if this program does not know it."""
    named = details.get("problem")
    return named if named in get_args(errors.Problem) else None


def _details(answer: Response) -> dict[str, Any] | None:
    """The problem details of an answer, or None."""
    if not answer.headers.get("Content-Type", "").startswith(MEDIA_TYPE):
        return None
    try:
        details = answer.json()
    except ValueError:
        return None
    has_sentence = isinstance(details, dict) and isinstance(details.get("detail"), str)
    return details if has_sentence else None


# The file with a person's tokens, one for each server; nobody else can read it


@dataclass(frozen=True)
class KeptTokens:
    """The tokens of a file; StoreError if it can't be read or written, or others can read it."""

    path: Path

    def find(self, address: Address) -> str | None:
        """The token for a server, or None."""
        return self._read().get(str(address))

    def keep(self, address: Address, token: str) -> None:
        """Store the token for a server, in place of any other."""
        self._write({**self._read(), str(address): token})

    def forget(self, address: Address) -> bool:
        """Delete the token for a server; False if there was none."""
        tokens = self._read()
        if tokens.pop(str(address), None) is None:
            return False
        self._write(tokens)
        return True

    def _read(self) -> dict[str, str]:
        try:
            with open(self.path, encoding="utf-8") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                if os.name == "posix" and mode & 0o077:
                    raise StoreError(
                        f"{self.path}: other accounts can read the tokens in it (mode {mode:04o}): "
                        "revoke them on the server, then `chmod 600` the file"
                    )
                tokens = json.load(file)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._error(error) from None
        except ValueError:
            tokens = None
        if not isinstance(tokens, dict) or not all(isinstance(t, str) for t in tokens.values()):
            raise StoreError(f"{self.path}: this is no file of tokens: remove it")
        return tokens

    def _write(self, tokens: dict[str, str]) -> None:
        """Replace the whole file; it never exists with a mode that lets others read it."""
        folder = self.path.parent
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            folder.chmod(0o700)
            descriptor, name = tempfile.mkstemp(dir=folder, prefix=".tokens-")  # mode 0600
            try:
                with open(descriptor, "w", encoding="utf-8") as file:
                    json.dump(tokens, file, indent=1)
                    file.write("\n")
                os.replace(name, self.path)
            except BaseException:
                os.unlink(name)
                raise
        except OSError as error:
            raise self._error(error) from None

    def _error(self, error: OSError) -> StoreError:
        return StoreError(f"{self.path}: {(error.strerror or str(error)).lower()}")
