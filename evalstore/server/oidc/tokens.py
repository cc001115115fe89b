"""ID tokens: signed sentences of a provider about who logged in."""

from __future__ import annotations

from typing import Any

from evalstore.errors import DataError

ALGORITHMS = frozenset(
    {
        *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
        *("ES256", "ES384", "ES512", "Ed25519"),
    }
)
"""Those with a public key. `none` proves nothing, and HS256 needs a secret that both sides know."""

KEY_TYPES = frozenset({"RSA", "EC", "OKP"})

LEEWAY = 60
"""Seconds by which the clocks of two machines may differ."""

LONGEST_SUBJECT = 1_000


class WrongToken(DataError):
    """An ID token proves nothing."""


class UnknownKey(WrongToken):
    """An ID token is signed by a key that is not among those given."""


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
    """The claims of an ID token, after its signature and all that OpenID Connect Core 3.1.3.7 says.

    Args:
        token: the ID token.
        keys: the provider's keys, as a JWK set.
        issuer: who must have made it.
        client_id: whom it must be for.
        nonce: what the login was begun with.
        access_token: what came with it.
        algorithms: those that the provider signs with; of these only ALGORITHMS count.
        now: the time in seconds; None for that of the clock.

    Raises:
        UnknownKey: it is signed by another key.
        WrongToken: otherwise.
    """
    from authlib.common.errors import AuthlibBaseError  # noqa: PLC0415  (as below)
    from authlib.oidc.core import CodeIDToken  # noqa: PLC0415  (only a login needs it)
    from joserfc import jwt  # noqa: PLC0415  (as above)
    from joserfc.errors import InvalidKeyIdError, JoseError  # noqa: PLC0415  (as above)
    from joserfc.jwk import KeySet  # noqa: PLC0415  (as above)
    from joserfc.jws import JWSRegistry  # noqa: PLC0415  (as above)

    allowed = sorted(algorithms & ALGORITHMS)
    if not allowed:  # with none given the library takes some of its own
        raise WrongToken(f"the ID token: signed by none of {', '.join(sorted(ALGORITHMS))}")
    registry = JWSRegistry(algorithms=allowed, strict_check_header=False)
    options = {
        "iss": {"essential": True, "value": issuer},
        "aud": {"essential": True, "value": client_id},
        "sub": {"essential": True},
    }
    given = {"nonce": nonce, "client_id": client_id, "access_token": access_token}
    try:
        key_set = KeySet.import_key_set({"keys": _public_keys(keys)})
        decoded = jwt.decode(token, key_set, registry=registry)
        claims = CodeIDToken(decoded.claims, decoded.header, options, given)
        claims.validate(now=now, leeway=LEEWAY)
    except InvalidKeyIdError as error:
        raise UnknownKey(f"the ID token: {error}") from None
    # What is crafted can be of any type anywhere, and the libraries look at it as it comes.
    except (JoseError, AuthlibBaseError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise WrongToken(f"the ID token: {type(error).__name__}: {error}") from None
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise WrongToken("the ID token: its subject is no name")
    return dict(claims)


def _public_keys(keys: dict[str, Any]) -> list[Any]:
    """The keys that sign, of the types that are understood.

    A secret among them (`oct`) would be one that everybody has read.
    """
    return [
        key
        for key in keys.get("keys", [])
        if isinstance(key, dict) and key.get("kty") in KEY_TYPES and key.get("use", "sig") == "sig"
    ]
