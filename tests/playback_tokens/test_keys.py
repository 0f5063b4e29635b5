"""
Keys of playback tokens: strong ones sign, all others are refused.
"""

import base64
import re

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from jwt.types import Options

from hvcore.errors import ConfigError
from hvcore.playback_tokens import TokenKey
from tests.playback_tokens.issued import SECRET, issue, pem, public_pem, ring
from tests.support.media_samples import MOMENT, VIDEO

EC_KEY = generate_private_key(SECP256R1())
ANY_TIME: Options = {"verify_exp": False, "verify_iat": False, "verify_aud": False}


def test_an_ed25519_key_signs_with_eddsa() -> None:
    key = Ed25519PrivateKey.generate()
    token = issue(ring(pem(key)))

    assert jwt.get_unverified_header(token)["alg"] == "EdDSA"
    assert ring(SECRET, public_pem(key)).verify(token, MOMENT).video_id == VIDEO


def test_the_key_set_verifies_tokens_and_holds_no_secret() -> None:
    key = Ed25519PrivateKey.generate()
    keys = ring(pem(key), SECRET)

    [jwk] = keys.jwks(MOMENT)["keys"]

    assert "d" not in jwk
    token = issue(keys)
    claims = jwt.decode(
        token, jwt.PyJWK(jwk).key, algorithms=["EdDSA"], options=ANY_TIME
    )
    assert claims["sub"] == VIDEO
    assert jwk["kid"] == jwt.get_unverified_header(token)["kid"]


def test_a_key_has_the_same_id_in_every_process() -> None:
    assert TokenKey.load(SECRET).kid == TokenKey.load(SECRET + b"\n").kid
    assert SECRET.decode() not in repr(TokenKey.load(SECRET))


def test_a_public_key_is_shown_in_the_alphabet_of_urls_without_padding() -> None:
    for number in range(20):
        key = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
        jwk = TokenKey.load(pem(key)).public_jwk()
        assert jwk

        # 32 bytes are 43 characters; over these keys, each of the alphabet occurs.
        assert re.fullmatch(r"[A-Za-z0-9_-]{43}", jwk["x"])
        raw = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        assert base64.urlsafe_b64decode(jwk["x"] + "=") == raw


@pytest.mark.parametrize("secret", [b"0123456789ab" + b"0" * 20, bytes(range(65, 97))])
def test_a_secret_may_be_just_long_and_various_enough(secret: bytes) -> None:
    assert TokenKey.load(secret).private == secret


@pytest.mark.parametrize(
    ("material", "why"),
    [
        (b"", "has 0 bytes"),
        (b"0123456789abcdef0123456789abcde", "has 31 bytes"),
        (b"a" * 64, "can be guessed"),
        (b"ab" * 32, "can be guessed"),
        (b"0123456789a" + b"0" * 21, "can be guessed"),
        (b"Change-Me-0123456789abcdef-0123456789", "can be guessed"),
        (b"changeme-0123456789abcdef-0123456789", "can be guessed"),
        (b"this-is-an-example-key-0123456789abcdef", "can be guessed"),
        (b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "Ed25519"),
        (b"-----BEGIN NONSENSE", "Ed25519"),
    ],
)
def test_a_weak_or_broken_key_is_refused(material: bytes, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        TokenKey.load(material)


def public_of_unknown_kind() -> bytes:
    kind = b"\x30\x05\x06\x03\x2a\x03\x04"  # The object identifier 1.2.3.4.
    body = base64.b64encode(b"\x30\x2a" + kind + b"\x03\x21\0" + b"\1" * 32)
    return b"-----BEGIN PUBLIC KEY-----\n" + body + b"\n-----END PUBLIC KEY-----"


@pytest.mark.parametrize(
    "material",
    [
        EC_KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        EC_KEY.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        ),
        Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
        ),
        public_of_unknown_kind(),
    ],
    ids=["private", "public", "with a passphrase", "of an unknown kind"],
)
def test_a_pem_of_another_kind_is_refused(material: bytes) -> None:
    with pytest.raises(ConfigError, match="Ed25519"):
        TokenKey.load(material)
