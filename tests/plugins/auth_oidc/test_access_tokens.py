"""
Tokens that must not pass, and what they may not bring about.
"""

import base64
import json
import logging
from collections.abc import Callable

import pytest
from joserfc import jwt
from joserfc.jwk import Key, OctKey

from hvcore.plugin_api import UnauthorizedError, UnavailableError
from tests.plugins.auth_oidc.conftest import Make, TokenDesk
from tests.plugins.sign_in_oidc.changed_claims import Claims, put, shifted, without
from tests.plugins.sign_in_oidc.provider import DESCRIPTION

HEADER = {"alg": "RS256", "kid": "first", "typ": "at+jwt"}


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
        put(aud={"https://videos.example.com": 1}),
        without("aud"),
        shifted("exp", -61),
        put(exp="9999999999"),
        put(exp=True),
        put(exp=float("nan")),
        put(exp=float("inf")),
        put(exp=10**400),
        put(exp=10**400, iat=1.5),
        shifted("exp", 24 * 3600 + 1),
        without("exp"),
        shifted("nbf", 120),
        put(nbf="soon"),
        shifted("iat", 120),
        put(iat=-(10**12)),
        without("iat"),
        put(sub=""),
        put(sub=5),
        without("sub"),
        without("client_id"),
        without("jti"),
        put(nonce="of an ID token"),
        put(at_hash="of an ID token"),
        put(env=""),
        put(env=["live", "dev"]),
        put(org=["acme", "other"]),
        put(org={"acme": 1}),
        put(org="a/b"),
        put(env="*"),
        without("org"),
        without("env"),
    ],
)
def test_a_token_that_is_not_for_this_api_is_refused(
    desk: TokenDesk, change: Callable[[Claims], object]
) -> None:
    claims = desk.claims()
    change(claims)

    with pytest.raises(UnauthorizedError):
        desk.asked(desk.signed(claims))
    assert desk.accepted()


@pytest.mark.parametrize("typ", [None, "JWT", "at+jwt2", "logout+jwt", ""])
def test_a_token_of_another_type_is_refused(desk: TokenDesk, typ: str | None) -> None:
    with pytest.raises(UnauthorizedError):
        desk.asked(desk.signed(desk.claims(), typ=typ))


@pytest.mark.parametrize("typ", ["at+jwt", "application/at+jwt", "AT+JWT"])
def test_a_type_is_a_media_type(desk: TokenDesk, typ: str) -> None:
    assert desk.asked(desk.signed(desk.claims(), typ=typ))


def encoded(value: object) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def none_token(claims: Claims, _key: Key) -> str:
    return f"{encoded({**HEADER, 'alg': 'none'})}.{encoded(claims)}."


def signed_with_public_key(claims: Claims, key: Key) -> str:
    shared = OctKey.import_key(json.dumps(key.as_dict(private=False)).encode())
    return jwt.encode({**HEADER, "alg": "HS256"}, claims, shared)


def signed_with_public_pem(claims: Claims, key: Key) -> str:
    return jwt.encode(
        {**HEADER, "alg": "HS256"}, claims, OctKey.import_key(encoded(key.as_bytes()))
    )


def with_own_key(claims: Claims, key: Key) -> str:
    made = type(key).generate_key(2048)
    return jwt.encode({**HEADER, "jwk": made.as_dict(private=False)}, claims, made)


def with_address_of_keys(claims: Claims, key: Key) -> str:
    made = type(key).generate_key(2048)
    return jwt.encode({**HEADER, "jku": "http://127.0.0.1:9/keys"}, claims, made)


def unsigned(claims: Claims, key: Key) -> str:
    return jwt.encode(HEADER, claims, key).rpartition(".")[0] + "."


def cut_off(claims: Claims, key: Key) -> str:
    return jwt.encode(HEADER, claims, key)[:-8]


def changed(claims: Claims, key: Key) -> str:
    head, _, sign = jwt.encode(HEADER, claims, key).split(".")
    return f"{head}.{encoded({**claims, 'org': 'another'})}.{sign}"


@pytest.mark.parametrize(
    "sign",
    [
        *(none_token, signed_with_public_key, signed_with_public_pem, with_own_key),
        *(with_address_of_keys, unsigned, cut_off, changed),
    ],
)
def test_a_signature_that_is_not_the_providers_is_refused(
    desk: TokenDesk, key: Key, sign: Callable[[Claims, Key], str]
) -> None:
    assert desk.accepted()

    with pytest.raises(UnauthorizedError):
        desk.asked(sign(desk.claims(), key))


@pytest.mark.parametrize(
    "token",
    [
        "",
        "..",
        "a.b.c",
        "a.b.c.d.e",
        f"{encoded(HEADER)}.{encoded([])}.AAAA",
        f"{encoded(HEADER)}.{encoded(b'[' * 12_000)}.AAAA",
        f"{encoded(HEADER)}.{encoded(b'1' * 9_000)}.AAAA",
        f"{encoded({**HEADER, 'crit': ['x'], 'x': 1})}.{encoded({})}.AAAA",
        f"{encoded({**HEADER, 'alg': ['RS256']})}.{encoded({})}.AAAA",
        f"{encoded({**HEADER, 'kid': {'a': 1}})}.{encoded({})}.AAAA",
        f"{encoded([])}.{encoded({})}.AAAA",
        "a" * 20_000,
        "\udcff.é.é",
    ],
)
def test_what_is_no_token_is_refused_and_nobody_is_asked(
    desk: TokenDesk, token: str
) -> None:
    with pytest.raises(UnauthorizedError):
        desk.asked(token)

    assert desk.provider.asked == []


def test_tokens_for_others_make_nobody_ask_the_provider(
    desk: TokenDesk, key: Key
) -> None:
    tokens = [
        desk.token(iss="https://evil.example.com"),
        desk.token(aud="another"),
        desk.token(exp=1),
        none_token(desk.claims(), key),
        signed_with_public_key(desk.claims(), key),
    ]

    for token in tokens:
        with pytest.raises(UnauthorizedError):
            desk.asked(token)
    assert desk.provider.asked == []


def test_unknown_keys_do_not_make_the_provider_be_asked_without_end(
    desk: TokenDesk, other_key: Key
) -> None:
    """
    Once for all of them, within ten seconds.
    """
    assert desk.accepted()

    for number in range(50):
        header = {**HEADER, "kid": f"guessed {number}"}
        token = jwt.encode(header, desk.claims(), other_key)
        with pytest.raises((UnauthorizedError, UnavailableError)):
            desk.asked(token)
    assert desk.provider.paths() == [DESCRIPTION, "/keys", "/keys"]
    assert desk.accepted()


def test_old_tokens_of_unknown_keys_are_refused(
    desk: TokenDesk, other_key: Key
) -> None:
    """
    They are older than what is known of the keys, so nothing is in doubt.
    """
    assert desk.accepted()

    for _ in range(3):
        claims = desk.claims()
        claims["iat"] -= 120
        header = {**HEADER, "kid": "gone"}
        with pytest.raises(UnauthorizedError):
            desk.asked(jwt.encode(header, claims, other_key))


def test_strangers_do_not_fill_the_log(
    desk: TokenDesk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for _ in range(50):
        with pytest.raises(UnauthorizedError):
            desk.asked(f"{encoded({**HEADER, 'alg': 'é' * 4000})}.{encoded({})}.AAAA")

    why = [vars(record).get("hv_why", "") for record in caplog.records]
    assert 1 <= len(why) <= 3
    assert all(text.isascii() and len(text) <= 200 for text in why)


def test_a_token_without_a_key_name_is_taken_while_there_is_one_key(
    desk: TokenDesk, key: Key, other_key: Key, make: Make
) -> None:
    header = {"alg": "RS256", "typ": "at+jwt"}
    assert desk.asked(jwt.encode(header, desk.claims(), key))

    desk.provider.keys.append(other_key)
    again = make()
    with pytest.raises(UnauthorizedError):
        again.asked(jwt.encode(header, again.claims(), key))
