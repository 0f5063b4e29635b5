"""
ID tokens that a provider, or somebody in its place, may not get through.
"""

import json
from collections.abc import Callable

import pytest
from joserfc import jwt
from joserfc.jwk import Key, OctKey

from hvcore.errors import UnavailableError
from hvcore.ports.sign_in import MembershipEndedError, SignInRefusedError
from tests.plugins.sign_in_oidc.changed_claims import Claims, put, shifted, without
from tests.plugins.sign_in_oidc.conftest import SignInDesk
from tests.plugins.sign_in_oidc.provider import CLIENT_ID, SECRET


@pytest.mark.parametrize(
    "change",
    [
        put(iss="https://evil.example.com"),
        put(iss=""),
        put(iss=["x"]),
        without("iss"),
        put(aud="another"),
        put(aud=["another"]),
        put(aud=[]),
        put(aud=[CLIENT_ID, "another"]),
        put(aud=[CLIENT_ID, "another"], azp="another"),
        put(azp="another"),
        without("aud"),
        put(nonce="another"),
        put(nonce=None),
        put(nonce=["x"]),
        without("nonce"),
        put(at_hash="AAAAAAAAAAAAAAAAAAAAAA"),
        put(at_hash=["x"]),
        shifted("exp", -61),
        put(exp=float("nan")),
        put(exp="9999999999"),
        put(exp=True),
        without("exp"),
        shifted("iat", 120),
        without("iat"),
        shifted("nbf", 120),
        put(sub=""),
        put(sub=5),
        without("sub"),
    ],
)
def test_an_id_token_that_is_not_for_this_sign_in_is_refused(
    desk: SignInDesk, change: Callable[[Claims], object]
) -> None:
    desk.provider.change_token = change

    with pytest.raises(SignInRefusedError, match="cannot be trusted"):
        desk.signed_in()


@pytest.mark.parametrize(
    "change",
    [
        put(amr="pwd"),
        put(amr={"pwd": True}),
        put(auth_time="170000"),
        put(auth_time=["170000"]),
        put(acr=7, jti=8, sid=["x"], updated_at="yesterday"),
    ],
)
def test_claims_that_nobody_reads_are_not_judged(
    desk: SignInDesk, change: Callable[[Claims], object]
) -> None:
    desk.provider.change_token = change

    assert desk.signed_in().identity.roles


def test_several_readers_of_a_token_need_us_to_be_the_party(desk: SignInDesk) -> None:
    desk.provider.change_token = put(aud=["account", CLIENT_ID], azp=CLIENT_ID)

    assert desk.signed_in().identity.roles


def none_token(claims: Claims, _key: Key) -> str:
    def part(value: object) -> str:
        return OctKey.import_key(json.dumps(value).encode()).as_dict()["k"]

    return f"{part({'alg': 'none'})}.{part(claims)}."


def signed_with_public_key(claims: Claims, key: Key) -> str:
    shared = OctKey.import_key(json.dumps(key.as_dict(private=False)).encode())
    return jwt.encode({"alg": "HS256", "kid": key.kid}, claims, shared)


def signed_with_secret(claims: Claims, _key: Key) -> str:
    shared = OctKey.import_key(f"{SECRET}{SECRET}".encode())
    return jwt.encode({"alg": "HS256"}, claims, shared)


def with_own_key(claims: Claims, key: Key) -> str:
    made = type(key).generate_key(2048)
    header = {"alg": "RS256", "kid": key.kid, "jwk": made.as_dict(private=False)}
    return jwt.encode(header, claims, made)


def cut_off(claims: Claims, key: Key) -> str:
    return jwt.encode({"alg": "RS256", "kid": key.kid}, claims, key)[:-8]


@pytest.mark.parametrize(
    "sign",
    [none_token, signed_with_public_key, signed_with_secret, with_own_key, cut_off],
)
def test_a_signature_that_is_not_the_providers_is_refused(
    desk: SignInDesk, key: Key, sign: Callable[[Claims, Key], str]
) -> None:
    """
    The description of this provider offers ``none`` and ``HS256``; nobody takes them.
    """
    desk.provider.sign = lambda claims: sign(claims, key)

    with pytest.raises(SignInRefusedError, match="cannot be trusted"):
        desk.signed_in()


def test_a_critical_header_that_nobody_knows_is_refused(
    desk: SignInDesk, key: Key
) -> None:
    def sign(claims: Claims) -> str:
        header = {"alg": "RS256", "kid": key.kid, "x": 1}
        return jwt.encode(
            header,
            claims,
            key,
            registry=jwt.JWSRegistry(strict_check_header=False),
        )

    desk.provider.sign = sign
    assert desk.signed_in().identity.roles

    desk.provider.sign = lambda claims: (
        "eyJhbGciOiJSUzI1NiIsImNyaXQiOlsieCJdLCJ4IjoxfQ."
        + (sign(claims).partition(".")[2])
    )
    with pytest.raises(SignInRefusedError, match="cannot be trusted"):
        desk.signed_in()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put(sub="another"), "another person's"),
        (put(iss="x"), "'iss'"),
        (put(nonce="x"), "'nonce'"),
    ],
)
def test_a_refreshed_token_must_be_the_same_persons(
    desk: SignInDesk, change: Callable[[Claims], object], words: str
) -> None:
    state = desk.signed_in().refresh_state
    desk.provider.change_token = change

    with pytest.raises(MembershipEndedError, match=words):
        desk.backend.refresh(state)


@pytest.mark.parametrize(
    "change",
    [
        put(access_token=None),
        put(access_token="two\r\nlines"),
        put(access_token=["x"]),
        put(refresh_token=5),
        put(id_token=None),
        put(id_token="x" * 70_000),
        put(id_token="ä.b.c"),
        put(id_token="a.b.c"),
    ],
)
def test_tokens_that_are_none_sign_nobody_in(
    desk: SignInDesk, change: Callable[[Claims], object]
) -> None:
    desk.provider.change_tokens = change

    words = "cannot be trusted|does not answer"
    with pytest.raises((SignInRefusedError, UnavailableError), match=words):
        desk.signed_in()
