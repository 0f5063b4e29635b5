"""
Tokens that a customer's own server has signed open that organization's videos alone.
"""

import base64
import hashlib
import hmac
import json

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from falcon.testing import Result

from hvcore.domain.ids import new_signing_key_id, new_video_id
from hvcore.domain.playback.signing_keys import MAX_SIGNING_KEYS, SigningAlgorithm
from hvcore.errors import ConflictError, InvalidParametersError, NotFoundError
from hvcore.services.playback.signing.keys import SigningKeyCreated
from tests.delivery.offline import claims_of, signed_offline
from tests.support.http.cinema import Cinema
from tests.support.http.world import ORG, OTHER_ORG, problem_of

MANY = 100_000


@pytest.fixture(params=SigningAlgorithm)
def made(cinema: Cinema, request: pytest.FixtureRequest) -> SigningKeyCreated:
    return new_key(cinema, request.param)


def new_key(
    cinema: Cinema,
    algorithm: SigningAlgorithm = SigningAlgorithm.HS256,
    org_id: str = ORG,
) -> SigningKeyCreated:
    keys = cinema.api.services.signing_keys
    return keys.create(org_id, name="site", algorithm=algorithm)


def play(cinema: Cinema, token: str, video: str = "", file: str = "") -> Result:
    path = f"/v1/private/{video or cinema.video}/{file or 'master.m3u8'}"
    return cinema.load(path, f"token={token}")


def test_a_token_signed_offline_plays_and_every_line_carries_it(
    cinema: Cinema, made: SigningKeyCreated
) -> None:
    token = signed_offline(cinema, made)

    answers = [play(cinema, token) for _ in range(2)]

    for answer in answers:
        assert answer.status_code == 200
        assert f"token={token}" in answer.text
    page = cinema.player.simulate_get(
        f"/v1/embed/{cinema.video}", query_string=f"token={token}"
    )
    picture = cinema.load(f"/t/{cinema.video}/640x360.jpg", f"token={token}")
    assert (page.status_code, picture.status_code) == (200, 200)


def test_a_token_signed_offline_may_name_the_public_id(cinema: Cinema) -> None:
    token = signed_offline(
        cinema, new_key(cinema), aud=cinema.api.public_id(cinema.video)
    )

    assert play(cinema, token).status_code == 200


@pytest.mark.parametrize("count", [50, pytest.param(MANY, marks=pytest.mark.long)])
@pytest.mark.timeout(1200)
def test_tokens_signed_offline_play_without_a_call_of_the_api(
    cinema: Cinema, count: int
) -> None:
    made = new_key(cinema)

    for number in range(count):
        token = signed_offline(cinema, made, jti=str(number))
        assert play(cinema, token).status_code == 200


def test_a_revoked_key_is_refused_by_the_next_request(
    cinema: Cinema, made: SigningKeyCreated
) -> None:
    known, new = (signed_offline(cinema, made, jti=n) for n in "ab")
    assert play(cinema, known).status_code == 200

    cinema.api.services.signing_keys.revoke(ORG, made.key.id)

    for token in (known, new):
        problem_of(play(cinema, token), 401, "unauthorized")
    with pytest.raises(NotFoundError, match="no such signing key"):
        cinema.api.services.signing_keys.revoke(ORG, made.key.id)
    log = cinema.api.services.audit.latest(ORG, limit=2)
    done = [(entry.action, entry.subject) for entry in log]
    acts = ("signing-key.revoke", "signing-key.create")
    assert done == [(act, made.key.id) for act in acts]


def test_another_organizations_video_is_as_unknown_as_any(cinema: Cinema) -> None:
    theirs = new_key(cinema, org_id=OTHER_ORG)
    nobodys = str(new_video_id())

    foreign = play(cinema, signed_offline(cinema, theirs))
    unknown = play(
        cinema, signed_offline(cinema, theirs, sub=nobodys, aud=nobodys), nobodys
    )

    problems = [problem_of(one, 404, "video_not_found") for one in (foreign, unknown)]
    for problem in problems:
        problem.pop("requestId", None)
    assert problems[0] == problems[1]


def test_a_token_for_another_video_is_refused(cinema: Cinema) -> None:
    token = signed_offline(cinema, new_key(cinema))

    problem_of(play(cinema, token, cinema.playable()), 403, "forbidden")
    wrong = signed_offline(cinema, new_key(cinema), aud=str(new_video_id()))
    problem_of(play(cinema, wrong), 403, "forbidden")


def test_domains_bind_it_as_they_bind_the_services_own(cinema: Cinema) -> None:
    token = signed_offline(cinema, new_key(cinema), domains=["shop.example"])
    path = f"/v1/private/{cinema.video}/master.m3u8"

    problem_of(play(cinema, token), 403, "forbidden")
    page = {"Origin": "https://shop.example"}
    assert cinema.load(path, f"token={token}", headers=page).status_code == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "another"},
        {"iss": None},
        {"exp": None},
        {"iat": None},
        {"aud": None},
        {"sub": None},
        {"exp": 2**62},
        {"exp": 1e300},
        {"iat": 0},
        {"domains": "0" * 32},
        {"domains": []},
        {"domains": [1]},
        {"use": "share", "share": "shr_" + "0" * 22},
        {"use": "share-viewer", "share": "shr_" + "0" * 22},
        {"share": "shr_" + "0" * 22},
        {"use": ["playback"]},
        {"use": 1},
        {"aud": ["vid_" + "0" * 22]},
    ],
    ids=str,
)
def test_a_token_may_not_say_just_anything(
    cinema: Cinema, changes: dict[str, object]
) -> None:
    token = signed_offline(cinema, new_key(cinema), **changes)

    problem_of(play(cinema, token), 401, "unauthorized")


def test_a_token_lasts_for_seven_days_at_most(cinema: Cinema) -> None:
    made, now = new_key(cinema), int(cinema.api.clock.now().timestamp())
    week = 7 * 24 * 3600

    longest = signed_offline(cinema, made, exp=now + week)
    longer = signed_offline(cinema, made, exp=now + week + 1)

    assert play(cinema, longest).status_code == 200
    problem_of(play(cinema, longer), 401, "unauthorized")


@pytest.mark.parametrize(
    "kid",
    [
        None,
        "",
        7,
        ["sgk_" + "0" * 22],
        "sgk_" + "0" * 22,
        "sgk_" + "0" * 21,
        "sgk_" + "0" * 2000,
        "sgk_" + "0" * 21 + "\0",
        "../../etc/passwd",
        "' OR 1=1 --",
        "ek_" + "0" * 22,
    ],
    ids=str,
)
def test_a_key_that_nobody_has_opens_nothing(cinema: Cinema, kid: object) -> None:
    made = new_key(cinema)
    header = {"alg": "HS256", "typ": "JWT"} | ({} if kid is None else {"kid": kid})

    token = by_hand(header, claims_of(cinema), (made.private or "").encode())

    problem_of(play(cinema, token), 401, "unauthorized")


def by_hand(header: dict[str, object], claims: dict[str, object], secret: bytes) -> str:
    # PyJWT signs no header of which it thinks little.
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
        for part in (header, claims)
    ]
    signature = hmac.digest(secret, b".".join(parts), hashlib.sha256)
    parts.append(base64.urlsafe_b64encode(signature).rstrip(b"="))
    return b".".join(parts).decode()


def test_the_algorithm_is_the_keys_and_never_the_tokens(cinema: Cinema) -> None:
    made = new_key(cinema, SigningAlgorithm.ED25519)
    header: dict[str, object] = {"alg": "HS256", "kid": made.key.id}
    public = made.key.material
    private = Ed25519PrivateKey.generate()
    pem = private.public_key().public_bytes(
        Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    )
    tokens = [
        # The public key, which everybody may have, as a secret.
        by_hand(header, claims_of(cinema), public),
        by_hand(header, claims_of(cinema), pem),
        by_hand({**header, "alg": "EdDSA"}, claims_of(cinema), public),
        by_hand({**header, "alg": "none"}, claims_of(cinema), b""),
        jwt.encode(
            claims_of(cinema), private, algorithm="EdDSA", headers={"kid": made.key.id}
        ),
    ]

    for token in tokens:
        problem_of(play(cinema, token), 401, "unauthorized")


def test_one_key_does_not_sign_in_the_name_of_another(cinema: Cinema) -> None:
    ours, theirs = new_key(cinema), new_key(cinema, org_id=OTHER_ORG)
    own = cinema.api.services.key_ring.signing_key(cinema.api.clock.now())

    for kid in (ours.key.id, own.kid):
        token = signed_offline(cinema, theirs, headers={"kid": kid})
        problem_of(play(cinema, token), 401, "unauthorized")


def test_an_organization_has_four_keys_that_work(cinema: Cinema) -> None:
    keys = cinema.api.services.signing_keys
    first, *_ = [new_key(cinema) for _ in range(MAX_SIGNING_KEYS)]

    with pytest.raises(ConflictError, match="at most 4 signing keys"):
        new_key(cinema)
    new_key(cinema, org_id=OTHER_ORG)
    keys.revoke(ORG, first.key.id)
    new_key(cinema)

    assert len(keys.of_organization(ORG)) == MAX_SIGNING_KEYS + 1
    with pytest.raises(NotFoundError, match="no organization org_nobody"):
        keys.create("org_nobody", name="", algorithm=SigningAlgorithm.HS256)


def test_nobody_revokes_anothers_key(cinema: Cinema) -> None:
    made = new_key(cinema)

    for org_id, key_id in ((OTHER_ORG, made.key.id), (ORG, str(new_signing_key_id()))):
        with pytest.raises(NotFoundError, match="no such signing key"):
            cinema.api.services.signing_keys.revoke(org_id, key_id)
    assert play(cinema, signed_offline(cinema, made)).status_code == 200


def test_a_key_of_ones_own_is_brought_by_its_public_half(cinema: Cinema) -> None:
    private = Ed25519PrivateKey.generate()
    pem = private.public_key().public_bytes(
        Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    )

    made = cinema.api.services.signing_keys.create(
        ORG, name="own", algorithm=SigningAlgorithm.ED25519, public_pem=pem.decode()
    )

    assert made.private is None
    secret = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    assert play(cinema, signed_offline(cinema, made, key=secret)).status_code == 200
    for wrong in (secret.decode(), "x", pem.decode()[:60], "-----BEGIN " * 1000):
        with pytest.raises(InvalidParametersError) as raised:
            cinema.api.services.signing_keys.create(
                ORG, name="", algorithm=SigningAlgorithm.ED25519, public_pem=wrong
            )
        assert wrong not in str(raised.value.errors)


def test_a_secret_is_in_no_row_and_in_no_text(cinema: Cinema) -> None:
    made = new_key(cinema)
    (stored,) = cinema.api.services.signing_keys.of_organization(ORG)
    assert made.private

    assert made.private.encode() not in stored.material
    for text in (repr(made), repr(stored)):
        assert made.private not in text
