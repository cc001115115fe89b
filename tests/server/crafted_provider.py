"""A provider of logins on this machine that answers whatever a test wants, right or wrong."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from joserfc.jws import JWSRegistry
from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

CLIENT = "evalstore"
SECRET = "hush: a secret with %+&="
ALL_ALGORITHMS = list(JWSRegistry.algorithms)

MOVED = "-moved"
"""What is right at a path is right at the same path with this ending too, to be redirected to."""

Answer = Callable[[], Response]


@cache
def key_one() -> RSAKey:
    """The key of every crafted provider: making one takes time."""
    return RSAKey.generate_key(2048, {"kid": "one"})


@dataclass
class CraftedProvider:
    """Right in all it answers, until a test changes it.

    Attributes:
        issuer: its address.
        claims: of the ID token, in place of the right ones; None leaves one out.
        userinfo: the claims of UserInfo.
        answers: answers by path, in place of the right ones.
        key: signs ID tokens.
        header: of ID tokens.
        published: the keys that it tells; None: its own.
        asked: the paths that it was asked for.
    """

    issuer: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    key: Any = field(default_factory=key_one)
    header: dict[str, Any] = field(default_factory=lambda: {"alg": "RS256", "kid": "one"})
    published: list[Any] | None = None
    asked: list[str] = field(default_factory=list)
    forms: list[dict[str, str]] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def log_in(self, address: str) -> dict[str, str]:
        """What the browser brings back that was sent to an address: somebody logged in."""
        sent = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert address.startswith(f"{self.issuer}/authorize?")
        assert (sent["response_type"], sent["client_id"]) == ("code", CLIENT)
        assert sent["code_challenge_method"] == "S256"
        code = f"code-{len(self.codes)}"
        self.codes[code] = sent
        return {"code": code, "state": sent["state"]}

    def __call__(self, environ: Any, start: Any) -> Any:
        """Answer a request, as a WSGI app."""
        request = Request(environ)
        self.asked.append(request.path)
        right = {
            "/.well-known/openid-configuration": self._metadata,
            "/keys": self._keys,
            "/token": lambda: self._token(request),
            "/userinfo": lambda: self._userinfo(request),
        }
        right |= {f"{path}{MOVED}": answer for path, answer in right.items()}
        answer = self.answers.get(request.path) or right[request.path]
        return answer()(environ, start)

    def _metadata(self) -> Response:
        paths = {
            "authorization_endpoint": "/authorize",
            "token_endpoint": "/token",
            "jwks_uri": "/keys",
            "userinfo_endpoint": "/userinfo",
        }
        named = {name: f"{self.issuer}{path}" for name, path in paths.items()}
        return as_json({"issuer": self.issuer, **named, **self.metadata})

    def _keys(self) -> Response:
        keys = KeySet([self.key]).as_dict()["keys"] if self.published is None else self.published
        return as_json({"keys": keys})

    def _token(self, request: Request) -> Response:
        form = request.form.to_dict()
        self.forms.append(form)
        sent = self.codes.pop(form["code"], None)  # a code counts once
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        is_right = sent is not None and sent["code_challenge"] == challenge
        assert request.authorization is not None
        known = (request.authorization.username, request.authorization.password)
        if sent is None or not is_right or known != (CLIENT, SECRET):
            return as_json({"error": "invalid_grant", "error_description": "<b>no</b>"}, 400)
        assert form["redirect_uri"] == sent["redirect_uri"]
        answer = {"access_token": "an-access-token", "token_type": "Bearer", "expires_in": 60}
        return as_json({**answer, "id_token": self.id_token(sent["nonce"])})

    def id_token(self, nonce: str) -> str:
        """An ID token for a login that was begun with a nonce."""
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "sub": "7", "iat": now, "exp": now + 60}
        claims |= {"nonce": nonce, **self.claims}
        named = {name: value for name, value in claims.items() if value is not None}
        registry = JWSRegistry(algorithms=ALL_ALGORITHMS, strict_check_header=False)
        return jwt.encode(self.header, named, self.key, registry=registry)

    def _userinfo(self, request: Request) -> Response:
        assert request.headers["Authorization"] == "Bearer an-access-token"
        return as_json({"sub": "7", **self.userinfo})


def as_json(content: object, status: int = 200) -> Response:
    """An answer of JSON."""
    return Response(json.dumps(content), status, mimetype="application/json")


@contextmanager
def running() -> Iterator[CraftedProvider]:
    """A crafted provider that listens on a free port."""
    provider = CraftedProvider()
    server = make_server("127.0.0.1", 0, provider, threaded=True)
    provider.issuer = f"http://127.0.0.1:{server.port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
