"""
A token opens its video at the edge as it does at the service.
"""

import base64
import hmac
import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import attrs
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hvcore.domain.access.service_keys import PLAYBACK, ServiceKey
from hvcore.domain.ids import (
    OrgId,
    new_public_id,
    new_service_key_id,
    new_signing_key_id,
)
from hvcore.domain.playback.signing_keys import SigningAlgorithm, SigningKey
from hvcore.playback_tokens import KeyRing, TokenKey, TokenUse
from hvcore.services.access.rotated_keys import seal_key
from tests.conftest import SettableClock
from tests.delivery.test_app import (
    FORBIDDEN,
    NOT_FOUND,
    UNAUTHORIZED,
    outcome,
)
from tests.edge.delivery.requests import COUNTED, SEGMENT, segment
from tests.edge.edge_site import PAIR, SEALER, WorkerBehindEdge
from tests.support.http.delivery_worker import PRIVATE_PATH, SECRET
from tests.support.media_samples import OTHER, PUBLIC, VIDEO

pytestmark = pytest.mark.services


def test_a_viewer_without_a_token_learns_nothing(private: WorkerBehindEdge) -> None:
    answers = [
        private.get(f"/v1/private/{video}/{file}", query)
        for video in (VIDEO, OTHER, "nonsense")
        for file in ("master.m3u8", SEGMENT, "no-such-file")
        for query in ("", "token=", "token=x", "token=a.b.c", "Token=x", "token=%00")
    ]

    assert {outcome(answer) for answer in answers} == {UNAUTHORIZED}
    assert private.directory.asked == []


def test_an_expired_token_is_refused(
    private: WorkerBehindEdge, clock: SettableClock
) -> None:
    now = clock.now()
    old = private.token(now=now - timedelta(seconds=906), valid_s=900)
    fresh = private.token(valid_s=900)

    assert outcome(segment(private, old)) == UNAUTHORIZED
    assert outcome(segment(private, fresh)) == (200, "")


def _changed(private: WorkerBehindEdge, **claims: object) -> str:
    """
    Sign a token with other claims, as somebody who has the key may.
    """
    token = private.token()
    payload = jwt.decode(token, options={"verify_signature": False}) | claims
    key = TokenKey.load(SECRET)
    return jwt.encode(payload, SECRET, key.algorithm, headers={"kid": key.kid})


def test_a_token_is_refused_before_it_may_be_used(private: WorkerBehindEdge) -> None:
    now = int(private.clock.now().timestamp())

    assert outcome(segment(private, _changed(private, nbf=now - 60))) == (200, "")
    for nbf in (now + 60, 1e300, "0", None, True):
        assert outcome(segment(private, _changed(private, nbf=nbf))) == UNAUTHORIZED


def test_a_good_signature_for_another_audience_is_forbidden(
    private: WorkerBehindEdge,
) -> None:
    foreign = _changed(private, aud=new_public_id())

    for file in (SEGMENT, "master.m3u8", "no-such-file"):
        answer = private.get(f"{PRIVATE_PATH}/{file}", f"token={foreign}")
        assert outcome(answer) == FORBIDDEN
    assert private.served() == []


def test_a_token_ends_while_the_edge_knows_it(private: WorkerBehindEdge) -> None:
    # Its last second, and the leeway of five.
    now = datetime.now(UTC)
    ending = private.token(now=now - timedelta(seconds=904), valid_s=900)
    assert outcome(segment(private, ending)) == (200, "")
    private.clock.moment = now + timedelta(seconds=2)

    found = {outcome(segment(private, ending))}
    while datetime.now(UTC) < now + timedelta(seconds=1.2):
        found.add(outcome(segment(private, ending)))

    assert outcome(segment(private, ending)) == UNAUTHORIZED
    assert found <= {(200, ""), UNAUTHORIZED}


def test_a_token_of_a_key_pair_is_verified_at_the_edge(
    private: WorkerBehindEdge,
) -> None:
    ring = KeyRing(issuer="hvcore", keys=[PAIR])
    token = ring.issue(
        video_id=VIDEO, public_id=PUBLIC, now=private.clock.now(), valid_s=60
    )
    head, _, signature = token.rpartition(".")
    forged = f"{head}.{signature[:-6]}{'AAAA' if signature[-6] != 'A' else 'BBBB'}{signature[-2:]}"

    assert outcome(segment(private, token)) == (200, "")
    assert private.served() == [COUNTED]
    assert outcome(segment(private, forged)) == UNAUTHORIZED


@pytest.mark.parametrize("algorithm", ["HS256", "none", "EdDSA"])
def test_a_token_does_not_choose_its_algorithm(
    private: WorkerBehindEdge, algorithm: str
) -> None:
    made = jwt.decode(private.token(), options={"verify_signature": False})
    assert isinstance(PAIR.public, Ed25519PublicKey)
    public = PAIR.public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    # What everybody knows of the pair is no secret to sign with.
    head = {"alg": algorithm, "typ": "JWT", "kid": PAIR.kid}
    signed = ".".join(_base64(json.dumps(part).encode()) for part in (head, made))
    by = hmac.new(public, signed.encode(), sha256).digest()

    for signature in (by, b"", by * 2):
        token = f"{signed}.{_base64(signature)}"
        assert outcome(segment(private, token)) == UNAUTHORIZED


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "query",
    [
        "token={0}&token={0}",
        "token={0}&token=x",
        "token=x&token={0}",
        "x=1&token=x&token={0}",
        "token={0}&%74oken={0}",
        "%74oken=x&token={0}",
        "token={0}x",
        "token={0}.x",
    ],
)
def test_the_edge_and_the_service_read_the_same_token(
    private: WorkerBehindEdge, query: str
) -> None:
    token = private.token()
    assert outcome(segment(private, token)) == (200, "")

    for file in (SEGMENT, "master.m3u8"):
        result = private.get(f"{PRIVATE_PATH}/{file}", query.format(token))
        assert outcome(result) == UNAUTHORIZED


def test_a_token_may_stand_among_other_parameters(private: WorkerBehindEdge) -> None:
    token = private.token()

    for query in (f"_HLS_msn=1&token={token}", f"token={token}&bootstrap=true"):
        result = private.get(f"{PRIVATE_PATH}/{SEGMENT}", query)
        assert outcome(result) == (200, "")
        assert private.served() == [COUNTED]


def test_a_players_report_beside_a_token_reaches_the_service(
    private: WorkerBehindEdge,
) -> None:
    query = f"token={private.token()}&CMCD=bl%3D2000%2Cmtp%3D5000"

    assert outcome(private.get(f"{PRIVATE_PATH}/{SEGMENT}", query)) == (200, "")

    assert (private.served(), private.counted) == ([], [COUNTED])


@pytest.mark.parametrize(
    "file",
    [
        *("master.m3u8", "video-720p.m3u8", "audio.m3u8", "manifest.mpd"),
        *("storyboard.vtt", "subs-en.m3u8", "no-such.m3u8"),
    ],
)
def test_a_text_is_that_of_the_service(private: WorkerBehindEdge, file: str) -> None:
    for _ in range(2):
        query = f"token={private.token()}"
        address = f"{PRIVATE_PATH}/{file}"

        through = private.get(address, query)

        alone = private.client.simulate_get(address, query_string=query)
        assert through.status_code == alone.status_code
        if alone.status_code == 200:
            assert through.content == alone.content
            for name in ("content-type", "content-length", "cache-control", "vary"):
                assert through.headers[name] == alone.headers[name], name


def test_a_good_token_does_not_let_a_forged_one_in(private: WorkerBehindEdge) -> None:
    token = private.token()
    forged = token[:-4] + ("AAAA" if token[-4:] != "AAAA" else "BBBB")

    for file in (SEGMENT, "master.m3u8"):
        for given, expected in ((token, (200, "")), (forged, UNAUTHORIZED)):
            result = private.get(f"{PRIVATE_PATH}/{file}", f"token={given}")
            assert outcome(result) == expected


@pytest.mark.parametrize("file", [SEGMENT, "master.m3u8"])
def test_less_than_a_second_after_a_change_elsewhere_it_is_obeyed(
    private: WorkerBehindEdge, file: str
) -> None:
    token = private.token()
    query = f"token={token}"
    assert outcome(private.get(f"{PRIVATE_PATH}/{file}", query)) == (200, "")
    entry = private.directory.entry

    # As if on another machine: the edge is not told.
    private.directory.entry = None
    changed = datetime.now(UTC)
    last = changed
    while datetime.now(UTC) < changed + timedelta(seconds=1):
        asked = datetime.now(UTC)
        if outcome(private.get(f"{PRIVATE_PATH}/{file}", query)) == (200, ""):
            last = asked

    assert entry is not None
    assert last - changed < timedelta(seconds=0.95)
    assert outcome(private.get(f"{PRIVATE_PATH}/{file}", query)) == NOT_FOUND


def test_the_edge_answers_by_itself(private: WorkerBehindEdge) -> None:
    token = private.token()
    for file in (SEGMENT, "master.m3u8"):
        assert (
            outcome(private.get(f"{PRIVATE_PATH}/{file}", f"token={token}"))[0] == 200
        )
    private.directory.asked.clear()

    for file in (SEGMENT, "master.m3u8") * 20:
        assert (
            outcome(private.get(f"{PRIVATE_PATH}/{file}", f"token={token}"))[0] == 200
        )

    # Now and then whether all is as it was.
    assert len(private.directory.asked) < 20


def test_domains_that_a_token_names_are_asked_for_once(
    private: WorkerBehindEdge,
) -> None:
    pages = [{"Origin": f"https://{number}.test"} for number in range(3)]
    private.directory.domain_lists["x" * 32] = ["0.test", "1.test"]
    tokens = [private.token(domain_list="x" * 32) for _ in range(3)]
    for token in tokens:
        for page, expected in zip(pages, (200, 200, 403), strict=True):
            assert segment(private, token, **page).status_code == expected
    assert len(private.served()) == 6

    # The edge knows them: the service would refuse.
    private.directory.domain_lists.clear()
    for token in (*tokens, private.token(domain_list="x" * 32)):
        assert outcome(segment(private, token, **pages[0])) == (200, "")
    assert len(private.served()) == 4
    assert segment(private, tokens[0]).status_code == 401


def test_a_token_whose_domains_nobody_knows_opens_nothing(
    private: WorkerBehindEdge,
) -> None:
    token = private.token(domain_list="y" * 32)

    for _ in range(2):
        answer = segment(private, token, Origin="https://example.com")
        assert outcome(answer) == UNAUTHORIZED


def test_a_session_of_a_share_link_is_no_token_of_its_video(
    private: WorkerBehindEdge,
) -> None:
    token = private.token(use=TokenUse.SHARE, share_id="shr_" + "e" * 22)

    assert outcome(segment(private, token)) == FORBIDDEN


def test_an_organizations_token_is_the_services_to_judge_and_ends_with_its_key(
    private: WorkerBehindEdge,
) -> None:
    signer = Ed25519PrivateKey.generate()
    key = SigningKey(
        id=new_signing_key_id(),
        org_id=OrgId("org_a"),
        name="",
        algorithm=SigningAlgorithm.ED25519,
        material=signer.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw),
        created_at=private.clock.now(),
    )
    private.directory.signing_keys[key.id] = key
    payload = jwt.decode(private.token(), options={"verify_signature": False})
    token = jwt.encode(payload, signer, "EdDSA", headers={"kid": key.id})

    for _ in range(3):
        assert outcome(segment(private, token)) == (200, "")
    assert private.served() == []
    assert private.counted == [COUNTED] * 3

    revoked = attrs.evolve(key, revoked_at=private.clock.now())
    private.directory.signing_keys[key.id] = revoked
    private.publish()

    assert outcome(segment(private, token)) == UNAUTHORIZED
    master = private.get(f"{PRIVATE_PATH}/master.m3u8", f"token={token}")
    assert outcome(master) == UNAUTHORIZED


def test_a_key_of_the_service_that_has_ended_is_refused_though_the_edge_knows_it(
    private: WorkerBehindEdge,
) -> None:
    token, unseen = private.token(), private.token()
    assert outcome(segment(private, token)) == (200, "")
    now = private.clock.now()
    own = ServiceKey(
        id=jwt.get_unverified_header(token)["kid"],
        purpose=PLAYBACK,
        material=b"",
        created_at=now,
        believed_until=now + timedelta(days=7),
    )
    private.directory.own_keys.append(own)
    private.publish()
    assert [outcome(segment(private, t)) for t in (token, unseen)] == [(200, "")] * 2

    private.directory.own_keys[:] = [attrs.evolve(own, believed_until=now)]
    private.publish()

    for refused in (token, unseen, private.token()):
        assert outcome(segment(private, refused)) == UNAUTHORIZED


def test_a_viewer_at_the_edge_plays_through_a_rotation(
    private: WorkerBehindEdge,
) -> None:
    old, now = private.token(), private.clock.now()
    kid = new_service_key_id()
    new = ServiceKey(
        id=kid,
        purpose=PLAYBACK,
        material=seal_key(SEALER, kid, "fedcba9876543210" * 4, purpose=PLAYBACK),
        created_at=now,
    )

    for keys in ([], [new], [attrs.evolve(new, signs_from=now)]):
        private.directory.own_keys[:] = keys
        private.publish()
        private.key_ring.own_keys.refresh()
        tokens = (old, private.token())
        for _ in range(5):
            assert [outcome(segment(private, t)) for t in tokens] == [(200, "")] * 2

    assert jwt.get_unverified_header(tokens[1])["kid"] == kid


def test_less_than_a_second_after_a_key_has_ended_elsewhere_it_is_refused(
    private: WorkerBehindEdge,
) -> None:
    token, now = private.token(), private.clock.now()
    assert outcome(segment(private, token)) == (200, "")
    kid = jwt.get_unverified_header(token)["kid"]
    ended = ServiceKey(
        id=kid, purpose=PLAYBACK, material=b"", created_at=now, believed_until=now
    )

    # As if on another machine: the edge is not told.
    private.directory.own_keys.append(ended)
    changed = last = datetime.now(UTC)
    while datetime.now(UTC) < changed + timedelta(seconds=1):
        asked = datetime.now(UTC)
        if outcome(segment(private, token)) == (200, ""):
            last = asked

    assert last - changed < timedelta(seconds=0.95)
    assert outcome(segment(private, token)) == UNAUTHORIZED
