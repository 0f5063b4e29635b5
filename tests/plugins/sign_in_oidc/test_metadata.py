"""
What a provider, or somebody in its place, says of itself: endpoints and keys.
"""

import base64
from typing import Final

import pytest
from joserfc.jwk import Key

from hvcore.errors import UnavailableError
from hvcore.testing.sign_in import PAGES, STATE
from tests.plugins.sign_in_oidc.conftest import Make, SignInDesk
from tests.plugins.sign_in_oidc.provider import DESCRIPTION, Reply, running
from tests.support.fakes import SettableClock

ENDPOINTS: Final = (
    "authorization_endpoint",
    "token_endpoint",
    "jwks_uri",
    "userinfo_endpoint",
    "end_session_endpoint",
)


@pytest.mark.parametrize("path", [DESCRIPTION, "/keys", "/me", "/token"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed(
    desk: SignInDesk, clock: SettableClock, key: Key, path: str, status: int
) -> None:
    with running(clock, key) as elsewhere:
        reply = Reply(status=status, headers={"Location": f"{elsewhere.issuer}{path}"})
        desk.provider.replies[path] = lambda _asked: reply

        words = "answered 30|says nothing about|does not answer"
        with pytest.raises(UnavailableError, match=words):
            desk.signed_in()

        assert elsewhere.asked == []


@pytest.mark.parametrize("name", ENDPOINTS)
@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example.com/x",
        "http://evil.example.com/x",
        "http://127.0.0.1:1/x",
        "file:///etc/passwd",
        "//evil.example.com/x",
        "javascript:alert(1)",
        "http://127.0.0.1@evil.example.com/x",
        "http://127.0.0.1\\@evil.example.com/x",
        "http://[::1",
        7,
    ],
)
def test_no_endpoint_lies_elsewhere(
    desk: SignInDesk, name: str, address: object
) -> None:
    desk.provider.changed_metadata = {name: address}

    with pytest.raises(UnavailableError, match=r"(?i)further_hosts"):
        desk.backend.ping()


def test_an_endpoint_may_lie_where_the_deployer_says(
    make: Make, clock: SettableClock, key: Key
) -> None:
    with running(clock, key) as elsewhere:
        host = elsewhere.issuer.removeprefix("http://")
        desk = make(further_hosts=(host,))
        desk.provider.changed_metadata = {"jwks_uri": f"{elsewhere.issuer}/keys"}

        assert desk.signed_in().identity.roles
        assert elsewhere.paths() == ["/keys"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"issuer": "https://evil.example.com"}, "calls itself"),
        ({"issuer": None}, "calls itself"),
        ({"id_token_signing_alg_values_supported": ["none", "HS256"]}, "signs with"),
        ({"id_token_signing_alg_values_supported": "RS256"}, "signs with none"),
        ({"token_endpoint": None}, "token_endpoint is ''"),
    ],
)
def test_a_description_that_does_not_fit_is_not_used(
    desk: SignInDesk, changes: dict[str, object], words: str
) -> None:
    desk.provider.changed_metadata = changes

    with pytest.raises(UnavailableError, match=words):
        desk.backend.begin(PAGES, STATE)


def test_keys_that_are_weak_shared_or_broken_are_left_out(
    desk: SignInDesk, key: Key
) -> None:
    weak = {"kty": "RSA", "kid": "first", "n": "AQAB" * 40, "e": "AQAB"}
    shared = {"kty": "oct", "kid": "first", "k": "AAAA"}
    broken = {"kty": "EC", "kid": "first", "crv": "P-256", "x": "!", "y": 1}
    other_use = {**key.as_dict(private=False), "use": "enc"}
    left_out = [weak, shared, broken, other_use, "no key", {"kty": "AKP"}]
    given: list[object] = [*left_out, key.as_dict(private=False)]
    desk.provider.replies["/keys"] = lambda _asked: Reply.json({"keys": given})

    assert desk.signed_in().identity.roles
    given.pop()
    with pytest.raises(UnavailableError, match="without keys"):
        desk.backend.ping()


def rsa_key(bits: int, *, padded_to_bytes: int = 0) -> dict[str, str]:
    modulus = (1 << bits - 1) + 1
    data = modulus.to_bytes(max(padded_to_bytes, -(-bits // 8)))
    encoded = base64.urlsafe_b64encode(data).decode().rstrip("=")
    return {"kty": "RSA", "kid": "first", "n": encoded, "e": "AQAB"}


@pytest.mark.parametrize("bits", [2048, 8192])
def test_an_rsa_key_of_2048_to_8192_bits_is_taken(desk: SignInDesk, bits: int) -> None:
    answer = Reply.json({"keys": [rsa_key(bits)]})
    desk.provider.replies["/keys"] = lambda _asked: answer

    desk.backend.ping()


@pytest.mark.parametrize(
    "key",
    [
        rsa_key(2047),
        rsa_key(8193),
        # As long as a strong one, by zeros at its front.
        rsa_key(1024, padded_to_bytes=256),
    ],
    ids=["short", "long", "padded"],
)
def test_an_rsa_key_that_is_shorter_or_longer_is_refused(
    desk: SignInDesk, key: dict[str, str]
) -> None:
    desk.provider.replies["/keys"] = lambda _asked: Reply.json({"keys": [key]})

    with pytest.raises(UnavailableError, match="without keys"):
        desk.backend.ping()
