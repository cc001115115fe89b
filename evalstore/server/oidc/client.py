"""Logins at providers: where to send the browser, and the identity of a person who comes back.

This is OpenID Connect with the authorization code flow, PKCE and a nonce. Authlib makes the
requests and checks the claims. Below: limits of requests to providers, and checks of ID tokens.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter

from dashboard.serving.slots import slot
from evalstore.client.connection import authorization, is_loopback
from evalstore.errors import DataError, EvalstoreError, MissingExtra
from evalstore.server.oidc.providers import Provider

SECONDS_KEPT = 3_600.0
"""Seconds for which the addresses and keys of a provider are cached."""
SECONDS_OF_FAILURE = 5.0
"""Seconds until the next request to a provider that did not answer; logins fail meanwhile."""
SECONDS_BETWEEN_KEYS = 30.0
"""Seconds between requests for keys, if a token names an unknown one."""
AT_ONCE = 4
"""Maximum of logins at once in a process: each keeps a thread until the provider answers."""
SECONDS_TO_WAIT = 2.0
MOST_KEPT = 100


class LoginFailed(EvalstoreError):
    """A login at a provider failed; `str()` is for the person, without text from outside.

    Attributes:
        reason: the cause, for the log.
        is_down: whether the login may work later without any change.
    """

    def __init__(self, sentence: str, reason: str, *, is_down: bool = False) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.is_down = is_down


@dataclass(frozen=True)
class Attempt:
    """A login that has started, as the browser keeps it until it comes back.

    Attributes:
        state: a text that comes back from the provider through the browser.
        nonce: a text that is in the ID token.
        verifier: proves that the same client started the login and asks for the token (PKCE).
    """

    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True)
class Identity:
    """A person as a provider knows the person; an unknown name is empty."""

    issuer: str
    subject: str
    name: str
    groups: frozenset[str]


@dataclass
class _Kept:
    """Cached metadata and keys of a provider, or the failure of a request for them."""

    until: float
    metadata: dict[str, Any]
    failure: LoginFailed | None = None
    keys: dict[str, Any] | None = None
    keys_at: float = 0.0


@dataclass(frozen=True)
class Client:
    """Sends requests to providers, and caches their metadata for a while."""

    clock: Callable[[], float] = time.monotonic
    _kept: dict[str, _Kept] = field(default_factory=dict)
    _free: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(AT_ONCE)
    )

    def address(self, provider: Provider, callback: str, attempt: Attempt) -> str:
        """The address where the browser logs in; LoginFailed if the provider does not answer."""
        with self._turn(provider):
            metadata = self._metadata(provider).metadata
        with _session(provider, metadata, callback) as session:
            url, _ = session.create_authorization_url(
                metadata["authorization_endpoint"],
                state=attempt.state,
                nonce=attempt.nonce,
                code_verifier=attempt.verifier,
            )
        return str(url)

    def identity(
        self, provider: Provider, callback: str, attempt: Attempt, answer: Mapping[str, str]
    ) -> Identity:
        """The person whose browser came back; `answer` has the parameters that it brought.

        The caller has checked the state. LoginFailed if the provider did not let the person in,
        can't be reached, or its answer proves nothing.
        """
        if "error" in answer:
            # The description is not shown, because anyone who makes a link can write one.
            reason = f"{answer['error']}: {answer.get('error_description', '')}"
            raise LoginFailed(f"{provider.name} did not log you in", reason)
        if answer.get("iss", provider.issuer) != provider.issuer:
            raise _wrong(provider, f"the answer is of the issuer {answer['iss']!r}")
        if not answer.get("code"):
            raise _wrong(provider, "the answer has no code")
        with self._turn(provider):
            kept = self._metadata(provider)
            with _session(provider, kept.metadata, callback) as session:
                claims = self._claims(provider, kept, session, attempt, answer["code"])
        name, groups = claims.get("preferred_username"), claims.get(provider.groups_claim)
        listed = groups if isinstance(groups, list) else [groups]  # or one name instead
        return Identity(
            issuer=provider.issuer,
            subject=claims["sub"],
            name=name if isinstance(name, str) else "",
            groups=frozenset(group for group in listed if isinstance(group, str)),
        )

    def _claims(
        self, provider: Provider, kept: _Kept, session: Any, attempt: Attempt, code: str
    ) -> dict[str, Any]:
        """The claims of the ID token, and claims of UserInfo that the token lacks."""
        from authlib.common.errors import AuthlibBaseError  # noqa: PLC0415  (only a login needs it)

        endpoint = kept.metadata["token_endpoint"]
        try:
            with _requests_to(provider):
                answer = session.fetch_token(endpoint, code=code, code_verifier=attempt.verifier)
                id_token, access_token = answer.get("id_token"), answer.get("access_token")
        except AuthlibBaseError as error:
            raise _wrong(provider, f"no token for the code: {error}") from None
        if not isinstance(id_token, str) or not isinstance(access_token, str):
            raise _wrong(provider, "the answer to the code has no ID token or no access token")
        claims = self._checked(provider, kept, attempt, id_token, access_token)
        wanted = {provider.groups_claim, "preferred_username"}
        asked = kept.metadata.get("userinfo_endpoint")
        if asked is None or wanted <= claims.keys():
            return claims
        try:
            with _requests_to(provider):
                more = json_of(session.get(asked))
        except AuthlibBaseError as error:
            raise _wrong(provider, f"UserInfo: {error}") from None
        if more.get("sub") != claims["sub"]:
            raise _wrong(provider, "UserInfo is about somebody else")
        return {**{name: more[name] for name in wanted & more.keys()}, **claims}

    def _checked(
        self, provider: Provider, kept: _Kept, attempt: Attempt, id_token: str, access_token: str
    ) -> dict[str, Any]:
        """The claims of a valid ID token; the keys are loaded again if its key is unknown."""
        named = kept.metadata.get("id_token_signing_alg_values_supported")
        listed = {each for each in named if isinstance(each, str)} if named else ALGORITHMS

        def check() -> dict[str, Any]:
            return claims_of(
                id_token,
                self._keys(provider, kept),
                issuer=provider.issuer,
                client_id=provider.client_id,
                nonce=attempt.nonce,
                access_token=access_token,
                algorithms=frozenset(listed),
            )

        try:
            try:
                return check()
            except UnknownKey:
                if self.clock() < kept.keys_at + SECONDS_BETWEEN_KEYS:
                    raise
                kept.keys = None
                return check()
        except WrongToken as error:
            raise _wrong(provider, str(error)) from None

    def _metadata(self, provider: Provider) -> _Kept:
        """The metadata of a provider: its addresses."""
        kept = self._kept.get(provider.issuer)
        if kept is None or kept.until < self.clock():
            url = provider.issuer.rstrip("/") + "/.well-known/openid-configuration"
            try:
                with _requests_to(provider):
                    metadata = _fit(provider, get_json(provider.issuer, url))
                kept = _Kept(self.clock() + SECONDS_KEPT, metadata)
            except LoginFailed as failure:
                kept = _Kept(self.clock() + SECONDS_OF_FAILURE, {}, failure)
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[provider.issuer] = kept
        if kept.failure is not None:
            raise LoginFailed(str(kept.failure), kept.failure.reason, is_down=True)
        return kept

    def _keys(self, provider: Provider, kept: _Kept) -> dict[str, Any]:
        if kept.keys is None:
            with _requests_to(provider):
                kept.keys = get_json(provider.issuer, kept.metadata["jwks_uri"])
            kept.keys_at = self.clock()
        return kept.keys

    def _turn(self, provider: Provider) -> AbstractContextManager[None]:
        sentence = f"{provider.name} takes long to answer: try again in a minute"
        refusal = LoginFailed(sentence, "too many logins at once", is_down=True)
        return slot(self._free, refusal, SECONDS_TO_WAIT)


@contextmanager
def _requests_to(provider: Provider) -> Iterator[None]:
    """Turn the errors of a request to a provider into LoginFailed."""
    try:
        yield
    # Older releases of Authlib treat an answer that is not an object as if it were one.
    except (requests.RequestException, ValueError, TypeError, AttributeError) as error:
        sentence = f"{provider.name} can't be reached now: try again in a minute"
        reason = f"{type(error).__name__}: {error}"
        raise LoginFailed(sentence, reason, is_down=True) from None


def _session(provider: Provider, metadata: Mapping[str, Any], callback: str) -> Any:
    """A session of Authlib for one login."""
    try:
        from authlib.integrations.requests_client import OAuth2Session  # noqa: PLC0415  (as above)

        secret = provider.secret()
    except ImportError:
        missing = MissingExtra("the server", "server", "authlib")
        raise _not_set_up(provider, str(missing)) from None
    except DataError as error:
        raise _not_set_up(provider, str(error)) from None
    methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    post = "client_secret_basic" not in methods and "client_secret_post" in methods
    session = OAuth2Session(
        provider.client_id,
        secret,
        token_endpoint_auth_method="client_secret_post" if post else "client_secret_basic",
        scope=provider.scopes,
        redirect_uri=callback,
        code_challenge_method="S256",
        leeway=0,  # an access token is used at once, however short its life
    )
    restrict(session, provider.issuer)
    return session


def _fit(provider: Provider, metadata: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a provider; ValueError if it is of another issuer or lacks an address."""
    if metadata.get("issuer") != provider.issuer:
        raise ValueError(f"it names itself {metadata.get('issuer')!r}, not {provider.issuer!r}")
    needed = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    named = [*needed, *(name for name in ("userinfo_endpoint",) if metadata.get(name) is not None)]
    for name in named:
        url = metadata.get(name)
        if not isinstance(url, str) or not is_safe(url, provider.issuer):
            raise ValueError(f"its {name} is {url!r}")
    for name in ("id_token_signing_alg_values_supported", "token_endpoint_auth_methods_supported"):
        if not isinstance(metadata.get(name, []), list):
            raise ValueError(f"its {name} is no list")
    return metadata


def _wrong(provider: Provider, reason: str) -> LoginFailed:
    return LoginFailed(f"what {provider.name} answered is not right: log in again", reason)


def _not_set_up(provider: Provider, reason: str) -> LoginFailed:
    sentence = f"the login at {provider.name} is not set up right: tell an administrator"
    return LoginFailed(sentence, reason, is_down=True)


# Requests to a provider of logins: short, small, encrypted, and only to addresses that it named.
#
# Redirects are not followed: no endpoint of OpenID Connect that a server calls needs one.

SECONDS = 10.0
"""Seconds for a whole answer; for a connection, and for each piece, it is 5."""
SECONDS_OF_A_PIECE = 5.0
LARGEST_ANSWER = 1 << 20
"""Maximum bytes of an answer: a set of keys has a few thousand."""


def is_safe(url: str, issuer: str) -> bool:
    """Whether a URL of a provider may be used: https, or http if all is on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.scheme == "http":
        return is_loopback(host) and is_loopback(urlsplit(issuer).hostname or "")
    return parts.scheme == "https" and bool(host)


def restrict(session: requests.Session, issuer: str) -> None:
    """Let a session send only short requests to safe URLs of a provider."""
    session.adapters.clear()
    session.mount("https://", _Adapter(issuer))
    session.mount("http://", _Adapter(issuer))
    # A proxy and certificates that the environment names are not meant for this machine.
    session.trust_env = not is_loopback(urlsplit(issuer).hostname or "")


def get_json(issuer: str, url: str) -> dict[str, Any]:
    """The JSON object at a URL of a provider; RequestException or ValueError if there is none."""
    with requests.Session() as session:
        restrict(session, issuer)
        answer = session.get(url, auth=authorization(None), headers={"Accept": "application/json"})
        return json_of(answer)


def json_of(answer: requests.Response) -> dict[str, Any]:
    """The JSON object in an answer; RequestException or ValueError if there is none."""
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
    from urllib3.exceptions import HTTPError  # noqa: PLC0415  (only needed here)

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


# ID tokens: signed statements of a provider about the person who logged in

ALGORITHMS = frozenset(
    {
        *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
        *("ES256", "ES384", "ES512", "Ed25519"),
    }
)
"""Algorithms with a public key: `none` proves nothing, HS256 needs a secret of both sides."""

KEY_TYPES = frozenset({"RSA", "EC", "OKP"})

LEEWAY = 60
"""Seconds by which the clocks of two machines may differ."""

LONGEST_SUBJECT = 1_000


class WrongToken(DataError):
    """An ID token proves nothing."""


class UnknownKey(WrongToken):
    """An ID token is signed with a key that is not among the given ones."""


def claims_of(
    token: str,
    keys: dict[str, Any],
    *,
    issuer: str,
    client_id: str,
    nonce: str,
    access_token: str,
    algorithms: frozenset[str] = ALGORITHMS,
    now: int | None = None,
) -> dict[str, Any]:
    """The claims of an ID token, after checking its signature and OpenID Connect Core 3.1.3.7.

    Of the provider's `algorithms` only those in `ALGORITHMS` count; `now` is in seconds, None means
    the clock. Raises UnknownKey if the key is another one, else WrongToken.
    """
    from authlib.common.errors import AuthlibBaseError  # noqa: PLC0415  (as below)
    from authlib.oidc.core import CodeIDToken  # noqa: PLC0415  (only a login needs it)
    from joserfc import jwt  # noqa: PLC0415  (as above)
    from joserfc.errors import InvalidKeyIdError, JoseError  # noqa: PLC0415  (as above)
    from joserfc.jwk import KeySet  # noqa: PLC0415  (as above)
    from joserfc.jws import JWSRegistry  # noqa: PLC0415  (as above)

    allowed = sorted(algorithms & ALGORITHMS)
    if not allowed:  # without a list the library would use its own
        raise WrongToken(f"the ID token: signed by none of {', '.join(sorted(ALGORITHMS))}")
    # A secret among the public keys (`oct`) would be one that everybody can read.
    public = [
        key
        for key in keys.get("keys", [])
        if isinstance(key, dict) and key.get("kty") in KEY_TYPES and key.get("use", "sig") == "sig"
    ]
    registry = JWSRegistry(algorithms=allowed, strict_check_header=False)
    options = {
        "iss": {"essential": True, "value": issuer},
        "aud": {"essential": True, "value": client_id},
        "sub": {"essential": True},
    }
    given = {"nonce": nonce, "client_id": client_id, "access_token": access_token}
    try:
        key_set = KeySet.import_key_set({"keys": public})
        decoded = jwt.decode(token, key_set, registry=registry)
        claims = CodeIDToken(decoded.claims, decoded.header, options, given)
        claims.validate(now=now, leeway=LEEWAY)
    except InvalidKeyIdError as error:
        raise UnknownKey(f"the ID token: {error}") from None
    # A crafted token can have any type anywhere, and the libraries do not check types.
    except (JoseError, AuthlibBaseError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise WrongToken(f"the ID token: {type(error).__name__}: {error}") from None
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise WrongToken("the ID token: its subject is no name")
    return dict(claims)
