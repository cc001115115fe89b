"""ID tokens, right and forged: what counts as proof of who logged in."""

from __future__ import annotations

import base64
import hmac
import json
from typing import Any

import pytest
from crafted_provider import ALL_ALGORITHMS, key_one
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey, RSAKey
from joserfc.jws import JWSRegistry

from evalstore.server.oidc.client import ALGORITHMS, LEEWAY, UnknownKey, WrongToken, claims_of

NOW = 1_800_000_000
ISSUER = "https://login.example"
RIGHT = {
    "iss": ISSUER,
    "aud": "evalstore",
    "sub": "7",
    "iat": NOW,
    "exp": NOW + 60,
    "nonce": "n",
}


def signed(claims: dict[str, Any], key: Any = None, algorithm: str = "RS256", **header: Any) -> str:
    registry = JWSRegistry(algorithms=ALL_ALGORITHMS, strict_check_header=False)
    head = {"alg": algorithm, "kid": "one", **header}
    return jwt.encode(head, claims, key or key_one(), registry=registry)


def keys(*more: dict[str, Any]) -> dict[str, Any]:
    return {"keys": [*KeySet([key_one()]).as_dict()["keys"], *more]}


def read(token: str, given: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    return claims_of(
        token,
        keys() if given is None else given,
        issuer=ISSUER,
        client_id="evalstore",
        nonce="n",
        access_token="a",
        **{"now": NOW, **options},
    )


def unsigned(header: dict[str, Any], claims: dict[str, Any], signature: str = "") -> str:
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()) for part in (header, claims))
    return ".".join([*(part.decode().rstrip("=") for part in parts), signature])


def signed_with_text(secret: bytes) -> str:
    """A token of HS256, whose secret the library would not take."""
    text = unsigned({"alg": "HS256", "kid": "one"}, RIGHT).rstrip(".")
    signature = hmac.digest(secret, text.encode(), "sha256")
    return f"{text}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def test_a_right_token_gives_its_claims() -> None:
    assert read(signed(RIGHT)) == RIGHT
    assert read(signed({**RIGHT, "aud": ["evalstore"]}))["sub"] == "7"
    two = {**RIGHT, "aud": ["evalstore", "other"], "azp": "evalstore"}
    assert read(signed(two))["azp"] == "evalstore"


@pytest.mark.parametrize(
    "claims",
    [
        *({**RIGHT, "iss": value} for value in ("https://login.example/", "", None, 5, [ISSUER])),
        *({**RIGHT, "aud": value} for value in ("other", [], ["other"], None, 5, {})),
        {**RIGHT, "aud": ["evalstore", "other"]},
        {**RIGHT, "aud": ["evalstore", "other"], "azp": "other"},
        {**RIGHT, "aud": "other", "azp": "evalstore"},
        {**RIGHT, "azp": "other"},
        *({**RIGHT, "nonce": value} for value in ("", "N", "n ", None, 5, ["n"])),
        *({**RIGHT, "exp": value} for value in (NOW - LEEWAY - 1, 0, "later", None)),
        {**RIGHT, "nbf": NOW + LEEWAY + 1},
        {**RIGHT, "iat": NOW + LEEWAY + 1},
        *({**RIGHT, "sub": value} for value in ("", None, 7, ["7"], "x" * 1_001)),
        {**RIGHT, "at_hash": "wrong"},
        *({n: v for n, v in RIGHT.items() if n != missing} for missing in RIGHT),
        {},
    ],
)
def test_a_claim_that_is_wrong_or_missing_makes_the_token_prove_nothing(
    claims: dict[str, Any],
) -> None:
    with pytest.raises(WrongToken):
        read(signed(claims))


def test_clocks_may_differ_by_a_minute_and_no_more() -> None:
    assert LEEWAY <= 60
    assert read(signed(RIGHT), now=NOW + 60 + LEEWAY - 1)
    assert read(signed(RIGHT), now=NOW - LEEWAY + 1)
    with pytest.raises(WrongToken):
        read(signed(RIGHT), now=NOW + 60 + LEEWAY + 1)


@pytest.mark.parametrize("name", ["none", "None", "NONE", "nOnE", "", None, 5, ["RS256"]])
def test_a_token_without_a_signature_proves_nothing(name: object) -> None:
    with pytest.raises(WrongToken):
        read(unsigned({"alg": name, "kid": "one"}, RIGHT))
    with pytest.raises(WrongToken):
        read(unsigned({"alg": name, "kid": "one"}, RIGHT), algorithms=frozenset({"none", "RS256"}))


@pytest.mark.parametrize("algorithms", [ALGORITHMS, frozenset({"HS256"}), frozenset({"none"})])
def test_a_token_signed_with_a_secret_that_all_know_proves_nothing(
    algorithms: frozenset[str],
) -> None:
    """The public key as the secret of HS256, and a secret that is published among the keys."""
    secret = OctKey.import_key("k" * 40, {"kid": "secret"})
    published = keys(secret.as_dict(private=True, kid="secret"))
    for token in (
        signed_with_text(key_one().as_pem(private=False)),
        signed(RIGHT, secret, "HS256", kid="secret"),
        signed(RIGHT, OctKey.import_key("client secret" * 4), "HS256"),
    ):
        with pytest.raises(WrongToken):
            read(token, published, algorithms=algorithms)


def test_only_what_the_provider_signs_with_counts() -> None:
    token = signed(RIGHT, algorithm="PS256")
    assert read(token)["sub"] == "7"
    with pytest.raises(WrongToken):
        read(token, algorithms=frozenset({"RS256"}))
    curve = ECKey.generate_key("P-256", {"kid": "curve"})
    token = signed(RIGHT, curve, "ES256", kid="curve")
    assert read(token, keys(curve.as_dict(private=False, kid="curve")))["sub"] == "7"


def test_a_key_of_the_token_itself_counts_nothing() -> None:
    other = RSAKey.generate_key(2048, {"kid": "one"})
    brought = other.as_dict(private=False)
    for header in ({"jwk": brought}, {"jku": "https://evil.example"}, {"x5u": "https://e.example"}):
        with pytest.raises(WrongToken):
            read(signed(RIGHT, other, **header))


def test_a_key_that_is_not_there_is_told_apart_as_keys_change() -> None:
    with pytest.raises(UnknownKey):
        read(signed(RIGHT, kid="two"))


def test_keys_that_are_not_understood_are_passed_over() -> None:
    post_quantum = {"kty": "AKP", "kid": "new", "alg": "ML-DSA-44"}
    assert read(signed(RIGHT), keys(post_quantum))["sub"] == "7"
    with pytest.raises(WrongToken):
        read(signed(RIGHT), {"keys": [{**key_one().as_dict(private=False), "use": "enc"}]})


@pytest.mark.parametrize("given", [{}, {"keys": []}, {"keys": [5, None]}, {"keys": [{}]}])
def test_keys_that_are_none_prove_nothing(given: dict[str, Any]) -> None:
    with pytest.raises(WrongToken):
        read(signed(RIGHT), given)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "x",
        "..",
        "a.b.c",
        "\u00e9.\u00e9.\u00e9",
        signed(RIGHT)[:-4] + "AAAA",
        signed(RIGHT).rpartition(".")[0] + ".",
        unsigned({"alg": "RS256", "kid": ["one"]}, RIGHT, "AAAA"),
        unsigned({"alg": "RS256", "kid": "one", "crit": ["x"], "x": 1}, RIGHT, "AAAA"),
    ],
)
def test_what_is_no_token_proves_nothing(token: str) -> None:
    with pytest.raises(WrongToken):
        read(token)
