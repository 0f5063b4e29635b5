"""
Keys of playback tokens: strong ones sign, all others are refused.
"""

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
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


@pytest.mark.parametrize(
    ("material", "why"),
    [
        (b"", "has 0 bytes"),
        (b"0123456789abcdef0123456789abcde", "has 31 bytes"),
        (b"a" * 64, "can be guessed"),
        (b"ab" * 32, "can be guessed"),
        (b"changeme-0123456789abcdef-0123456789", "can be guessed"),
        (b"this-is-an-example-key-0123456789abcdef", "can be guessed"),
        (b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "Ed25519"),
        (b"-----BEGIN NONSENSE", "Ed25519"),
    ],
)
def test_a_weak_or_broken_key_is_refused(material: bytes, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        TokenKey.load(material)


def test_a_pem_of_another_kind_is_refused() -> None:
    other = generate_private_key(SECP256R1())
    private = other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = other.public_key().public_bytes(
        Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    )

    for material in (private, public):
        with pytest.raises(ConfigError, match="Ed25519"):
            TokenKey.load(material)
