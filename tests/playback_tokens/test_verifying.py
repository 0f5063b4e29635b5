"""
Playback tokens: what is accepted, and everything that is not.
"""

import base64
import hmac
import json
from collections.abc import Mapping
from datetime import timedelta

import attrs
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
)

from hvcore.domain.ids import OrgId, ShareLinkId
from hvcore.domain.playback.decision import following
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import ConfigError, InvalidParametersError, UnauthorizedError
from hvcore.playback_tokens import KeyRing, PlaybackClaims, TokenKey, TokenUse
from hvcore.playback_tokens import ring as ring_module
from tests.playback_tokens.issued import SECRET, issue, pem, public_pem, ring
from tests.support.media_samples import MOMENT, PUBLIC, VIDEO

OTHER_SECRET = b"fedcba9876543210" * 4
NOW = int(MOMENT.timestamp())


def forged(
    claims: dict[str, object] | None = None,
    *,
    headers: Mapping[str, object] | None = None,
    secret: bytes = SECRET,
    algorithm: str = "HS256",
    without: str | None = None,
) -> str:
    payload: dict[str, object] = {
        "iss": "hvcore",
        "sub": VIDEO,
        "aud": PUBLIC,
        "iat": NOW,
        "exp": NOW + 3600,
        "jti": "x",
        "use": "playback",
    }
    payload |= claims or {}
    if without:
        del payload[without]
    header = {"alg": algorithm, "kid": TokenKey.load(SECRET).kid, **(headers or {})}
    # By hand, because PyJWT refuses to make some of what it is asked here.
    signed = f"{base64url(json.dumps(header))}.{base64url(json.dumps(payload))}"
    digest = hmac.digest(secret, signed.encode(), f"sha{algorithm[2:]}")
    return f"{signed}.{base64url(digest)}"


def base64url(data: str | bytes) -> str:
    raw = data.encode() if isinstance(data, str) else data
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def is_refused(token: str, of: KeyRing | None = None) -> bool:
    with pytest.raises(UnauthorizedError):
        (of or ring()).verify(token, MOMENT)
    return True


def test_a_token_says_what_it_was_issued_for() -> None:
    keys = ring()

    claims = keys.verify(issue(keys, domains=["example.com"]), MOMENT)

    assert claims == PlaybackClaims(
        video_id=VIDEO,
        public_id=PUBLIC,
        use=TokenUse.PLAYBACK,
        issued_at_unix=NOW,
        expires_at_unix=NOW + 3600,
        domains=("example.com",),
    )
    assert claims.names(VIDEO)
    assert claims.names(PUBLIC)
    assert attrs.evolve(claims, verified_by=None).signed_by is None


def test_a_token_has_the_documented_claims_and_a_key_id() -> None:
    token = issue(ring(), use=TokenUse.THUMBNAIL)

    payload = jwt.decode(token, options={"verify_signature": False})
    assert set(payload) == {"iss", "sub", "aud", "iat", "exp", "jti", "use"}
    assert payload["use"] == "thumbnail"
    header = jwt.get_unverified_header(token)
    assert header["alg"] == "HS256"
    assert header["kid"]


def test_two_tokens_are_never_the_same() -> None:
    assert issue(ring()) != issue(ring())


def test_a_token_ends_five_seconds_after_it_expired() -> None:
    keys = ring()
    token = issue(keys, valid_s=60)

    keys.verify(token, MOMENT + timedelta(seconds=64))
    with pytest.raises(UnauthorizedError):
        keys.verify(token, MOMENT + timedelta(seconds=65))


def test_a_token_that_was_verified_before_still_expires() -> None:
    keys = ring()
    token = issue(keys)

    keys.verify(token, MOMENT)

    with pytest.raises(UnauthorizedError):
        keys.verify(token, MOMENT + timedelta(seconds=3605))


def test_a_token_from_the_future_is_refused() -> None:
    keys = ring()
    token = issue(keys, now=MOMENT + timedelta(seconds=6))

    assert is_refused(token, keys)
    assert is_refused(forged({"iat": NOW + 60}), keys)


def test_a_token_that_may_not_be_used_yet_is_refused_until_it_may() -> None:
    keys = ring()
    token = forged({"nbf": NOW + 60})

    assert is_refused(token, keys)
    # What was refused before is judged anew.
    claims = keys.verify(token, MOMENT + timedelta(seconds=60))
    assert claims.issued_at_unix == NOW
    assert keys.verify(forged({"nbf": NOW + 5}), MOMENT) == claims
    assert keys.verify(forged({"nbf": NOW - 60}), MOMENT) == claims


@pytest.mark.parametrize("nbf", [None, "0", True, 1.5, [0]])
def test_a_moment_of_first_use_that_is_no_number_is_refused(nbf: object) -> None:
    assert is_refused(forged({"nbf": nbf}))


@pytest.mark.parametrize("claim", ["exp", "iat", "iss", "aud", "sub", "use"])
def test_a_token_without_a_claim_is_refused(claim: str) -> None:
    assert is_refused(forged(without=claim))


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": NOW + 3600.5},
        {"exp": 1e300},
        {"exp": 10**30},
        {"exp": str(NOW + 3600)},
        {"exp": True},
        {"exp": NOW + 7 * 86400 + 1},
        {"exp": NOW - 1},
        {"iat": float(NOW)},
        {"iat": -1e300},
        {"iss": "somebody"},
        {"iss": ["hvcore"]},
        {"aud": [PUBLIC]},
        {"aud": 3},
        {"sub": 3},
        {"use": "everything"},
        {"use": None},
        {"domains": "example.com"},
        {"domains": [1]},
        {"domains": []},
        {"domains": None},
    ],
    ids=str,
)
def test_a_claim_of_another_form_is_refused(claims: dict[str, object]) -> None:
    assert is_refused(forged(claims))


@pytest.mark.parametrize("use", [TokenUse.SHARE, TokenUse.SHARE_VIEWER])
def test_a_token_of_a_share_link_names_it(use: TokenUse) -> None:
    share = ShareLinkId("shr_" + "0" * 22)

    claims = ring().verify(issue(ring(), use=use, share_id=share), MOMENT)

    assert claims.use is use
    assert claims.share_id == share
    assert ring().verify(issue(ring()), MOMENT).share_id is None


@pytest.mark.parametrize(
    "claims",
    [
        {"use": "share"},
        {"use": "share", "share": None},
        {"use": "share-viewer", "share": 7},
        {"use": "playback", "share": "shr_1"},
        {"use": "thumbnail", "share": "shr_1"},
    ],
)
def test_no_token_is_half_of_a_share_link(claims: dict[str, object]) -> None:
    assert is_refused(forged(claims))


def test_a_token_made_by_hand_is_accepted() -> None:
    assert ring().verify(forged(), MOMENT).video_id == VIDEO


def test_the_signature_must_be_of_a_known_key() -> None:
    assert is_refused(forged(secret=OTHER_SECRET))
    assert is_refused(forged(headers={"kid": "unknown"}))
    assert is_refused(forged(headers={"kid": ["a"]}))


@pytest.mark.parametrize(
    "token",
    ["", ".", "..", "a.b.c", "ä.ö.ü", "\0", "null", "e30.e30.", "{}.{}.{}", "🙂" * 9],
)
def test_what_is_no_token_is_refused(token: str) -> None:
    assert is_refused(token)


def test_a_token_in_capitals_is_refused() -> None:
    assert is_refused(issue(ring()).upper())


def test_every_changed_character_is_noticed_even_after_the_real_token_was_seen() -> (
    None
):
    keys = ring()
    token = issue(keys)
    keys.verify(token, MOMENT)
    signature = token.rindex(".") + 1

    for place, found in enumerate(token):
        other = "A" if found != "A" else "B"
        assert is_refused(token[:place] + other + token[place + 1 :], keys), place
    for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=":
        changed = token[:-1] + last
        assert changed == token or is_refused(changed, keys), last
    assert is_refused(token[:signature], keys)


def test_the_algorithm_comes_from_the_key_and_not_from_the_token() -> None:
    key = Ed25519PrivateKey.generate()
    keys = ring(pem(key))
    kid = TokenKey.load(pem(key)).kid
    header = {"alg": "HS256", "kid": kid}
    with_none = ".".join(
        base64url(json.dumps(part))
        for part in ({"alg": "none", "kid": TokenKey.load(SECRET).kid}, {"sub": VIDEO})
    )
    raw = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    # The classic confusion: the public key used as a secret.
    assert is_refused(forged(headers=header, secret=raw), keys)
    assert is_refused(with_none + ".")
    assert is_refused(forged(algorithm="HS512"))


def test_a_token_has_up_to_4_kb_and_a_longer_one_is_refused_unread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ring_module.MAX_TOKEN_BYTES == 4096
    token = issue(ring())

    monkeypatch.setattr(ring_module, "MAX_TOKEN_BYTES", len(token))
    assert ring().verify(issue(ring()), MOMENT).video_id == VIDEO
    monkeypatch.setattr(ring_module, "MAX_TOKEN_BYTES", len(token) - 1)
    with pytest.raises(InvalidParametersError, match="domains has too many entries"):
        issue(ring())
    monkeypatch.setattr(jwt, "get_unverified_header", pytest.fail)
    assert is_refused(token)


@pytest.mark.parametrize("valid_s", [0, -1, 7 * 86400 + 1])
def test_no_token_is_valid_for_longer_than_seven_days(valid_s: int) -> None:
    with pytest.raises(ValueError, match="valid_s"):
        issue(ring(), valid_s=valid_s)


def test_a_retired_key_verifies_but_does_not_sign() -> None:
    token = issue(ring(OTHER_SECRET))
    keys = ring(SECRET, OTHER_SECRET)

    assert keys.verify(token, MOMENT).video_id == VIDEO
    assert jwt.get_unverified_header(issue(keys))["kid"] == TokenKey.load(SECRET).kid


def test_a_ring_needs_a_key_that_signs_and_no_id_twice() -> None:
    key = Ed25519PrivateKey.generate()

    for materials, why in (
        ([], "need a key that signs"),
        ([public_pem(key)], "need a key that signs"),
        ([SECRET, SECRET], "have the same id"),
    ):
        keys = [TokenKey.load(material) for material in materials]
        with pytest.raises(ConfigError, match=why):
            KeyRing(issuer="hvcore", keys=keys)


def test_only_so_many_verified_tokens_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ring_module, "MAX_CACHED_TOKENS", 3)
    keys = ring()
    tokens = [issue(keys) for _ in range(10)]

    for token in tokens * 2:
        keys.verify(token, MOMENT)

    assert len(keys._verified) == 3


def test_a_verified_token_that_is_used_is_kept_longer_than_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ring_module, "MAX_CACHED_TOKENS", 2)
    keys = ring()
    used, other, further = (issue(keys) for _ in range(3))

    for token in (used, other, used, further):
        keys.verify(token, MOMENT)

    assert [*keys._verified] == [used, further]
    with pytest.raises(UnauthorizedError):
        keys.verify(used, MOMENT + timedelta(days=1))
    assert [*keys._verified] == [further]


def test_a_verified_token_is_verified_again_only_if_its_key_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = ring()
    token, key = issue(keys), TokenKey.load(SECRET)
    keys.verify(token, MOMENT, lambda _: key)

    with pytest.raises(UnauthorizedError):
        keys.verify(token, MOMENT, lambda _: None)
    with pytest.raises(UnauthorizedError):
        keys.verify(token, MOMENT, lambda _: TokenKey.load(OTHER_SECRET))
    monkeypatch.setattr(jwt, "decode", pytest.fail)
    assert keys.verify(token, MOMENT, lambda _: key).video_id == VIDEO


def test_thumbnail_tokens_of_one_moment_and_video_are_the_same() -> None:
    def token(use: TokenUse = TokenUse.THUMBNAIL, **changes: object) -> object:
        issued = issue(ring(), use=use, **changes)
        return jwt.decode(issued, options={"verify_signature": False})["jti"]

    later = MOMENT + timedelta(seconds=1)
    others = {token(), token(video_id=VIDEO[:-1] + "z"), token(now=later)}

    assert token() == token()
    assert len(others) == 3
    assert token(TokenUse.SOURCE) != token(TokenUse.SOURCE)


OF_TOKENS = [
    PlaybackRule.TOKEN_UNKNOWN_KEY,
    PlaybackRule.TOKEN_BROKEN,
    PlaybackRule.TOKEN_WRONG_ISSUER,
    PlaybackRule.TOKEN_FROM_FUTURE,
    PlaybackRule.TOKEN_EXPIRED,
]


@pytest.mark.parametrize(
    ("claims", "kept"),
    [
        ({}, 5),
        ({"exp": NOW - 60, "iat": NOW - 120}, 4),
        ({"iat": NOW + 60}, 3),
        ({"iss": "somebody"}, 1),
    ],
)
def test_a_decision_tells_each_rule_that_a_token_keeps(
    claims: dict[str, object], kept: int
) -> None:
    keys, token = ring(), forged(claims)

    for _ in ("verified", "remembered"):
        with following() as decision:
            if kept == len(OF_TOKENS):
                keys.verify(token, MOMENT)
            else:
                assert is_refused(token, keys)
        assert decision.passed == OF_TOKENS[:kept]


@pytest.mark.parametrize(
    ("claims", "is_accepted"),
    [
        ({}, True),
        ({"use": "thumbnail"}, True),
        ({"domains": ["example.com"]}, True),
        ({"use": "source"}, False),
        ({"use": "share", "share": "shr_1"}, False),
        ({"use": None}, False),
        ({"use": ["playback"]}, False),
        ({"domains": "0" * 32}, False),
    ],
    ids=str,
)
def test_an_organization_signs_tokens_of_its_own_pages_alone(
    claims: dict[str, object], *, is_accepted: bool
) -> None:
    key = attrs.evolve(TokenKey.load(SECRET), org_id=OrgId("org_1"))
    token = forged(claims)

    if is_accepted:
        assert ring().verify(token, MOMENT, lambda _: key).signed_by is key
        assert ring().verify(token, MOMENT).signed_by is None
    else:
        with pytest.raises(UnauthorizedError):
            ring().verify(token, MOMENT, lambda _: key)
