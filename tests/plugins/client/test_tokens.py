"""
Tokens that are signed offline play at the real delivery.
"""

import sys

import jwt
import pytest

from hvcore.domain.playback.signing_keys import SigningAlgorithm
from hvcore.services.playback.signing.keys import SigningKeyCreated
from hvcore_client import tokens
from tests.support.http.cinema import Cinema
from tests.support.http.fixtures import _template, api
from tests.support.http.world import ORG, World

__all__ = ["_template", "api"]

VIDEO = "vid_0000000000000000000002"


@pytest.fixture
def cinema(api: World) -> Cinema:
    return Cinema(api=api)


@pytest.fixture(params=SigningAlgorithm)
def made(cinema: Cinema, request: pytest.FixtureRequest) -> SigningKeyCreated:
    keys = cinema.api.services.signing_keys
    return keys.create(ORG, name="site", algorithm=request.param)


def signed(cinema: Cinema, made: SigningKeyCreated, **claims: object) -> str:
    given = {"issuer": cinema.api.services.settings.playback.issuer, **claims}
    return tokens.sign(
        cinema.video,
        key=made.private or "",
        kid=str(made.key.id),
        now_unix=cinema.api.clock.now().timestamp(),
        **given,  # type: ignore[arg-type]
    )


def status(cinema: Cinema, token: str, **headers: str) -> int:
    path = f"/v1/private/{cinema.video}/master.m3u8"
    return int(cinema.load(path, f"token={token}").status_code)


def test_a_token_plays_until_it_ends(cinema: Cinema, made: SigningKeyCreated) -> None:
    token = signed(cinema, made, valid_s=600)

    assert status(cinema, token) == 200
    assert len(token) < 500


def test_a_token_for_pictures_plays_nothing(
    cinema: Cinema, made: SigningKeyCreated
) -> None:
    token = signed(cinema, made, use="thumbnail")

    assert status(cinema, token) in {401, 403}
    picture = cinema.load(f"/t/{cinema.video}/640x360.jpg", f"token={token}")
    assert picture.status_code == 200


def test_claims_are_those_of_the_interface() -> None:
    secret = "s" * 43

    token = tokens.sign(
        VIDEO, key=secret, kid="sgk_1", domains=["a.example"], now_unix=1000.9
    )

    claims = jwt.decode(
        token,
        secret,
        algorithms=["HS256"],
        options={"verify_exp": False},
        audience=VIDEO,
    )
    assert claims == {
        "iss": "hvcore",
        "sub": VIDEO,
        "aud": VIDEO,
        "iat": 1000,
        "exp": 4600,
        "domains": ["a.example"],
    }
    assert jwt.get_unverified_header(token)["kid"] == "sgk_1"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"valid_s": 0}, "valid_s"),
        ({"valid_s": 8 * 86_400}, "valid_s"),
        ({"kid": "key"}, "sgk_"),
        ({"key": "short"}, "too short"),
        ({"key": "-----BEGIN PRIVATE KEY-----\nSECRET"}, "no private key"),
    ],
)
def test_what_the_service_would_refuse_is_not_signed(
    changes: dict[str, object], why: str
) -> None:
    wanted = {"key": "s" * 43, "kid": "sgk_1", **changes}

    with pytest.raises(ValueError, match=why) as refused:
        tokens.sign(VIDEO, **wanted)  # type: ignore[arg-type]

    assert "SECRET" not in str(refused.value)


def test_without_cryptography_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] == "cryptography":
            monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(ImportError, match=r"hvcore-client\[ed25519\]"):
        tokens.sign(VIDEO, key="-----BEGIN PRIVATE KEY-----", kid="sgk_1")
    assert tokens.sign(VIDEO, key="s" * 43, kid="sgk_1")
