"""
The service's own key is rotated while viewers watch.
"""

import base64
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import attrs
import jwt
import pytest
from falcon.testing import Result

from hvcore.domain.access.service_keys import (
    PLAYBACK,
    SIGNS_AFTER,
    UPLOADS,
    ServiceKey,
)
from hvcore.failpoints import FailpointError
from hvcore.services.access import key_rotation
from hvcore.services.access.key_rotation import KeyRotation
from hvcore.services.access.rotated_keys import seal_key
from hvcore.services.playback.signing.rotation import LAST_TOKENS_END_AFTER
from hvcore.signing.sealing import Sealer
from tests.conftest import SettableClock
from tests.support.http.cinema import Cinema
from tests.support.http.fixtures import Template, settings_of
from tests.support.http.world import problem_of

PAIR = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----"""
SECRET = "fedcba9876543210" * 4


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def rotation(cinema: Cinema, waits: list[float]) -> KeyRotation:
    return attrs.evolve(cinema.api.services.key_rotations[PLAYBACK], wait=waits.append)


def new_token(cinema: Cinema, valid_s: int = 3600) -> str:
    return cinema.api.services.key_ring.issue(
        video_id=cinema.video,  # type: ignore[arg-type]
        public_id=cinema.api.public_id(cinema.video),  # type: ignore[arg-type]
        now=cinema.api.clock.now(),
        valid_s=valid_s,
    )


def kid_of(token: str) -> str:
    header = token.partition(".")[0]
    found = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))
    return str(found["kid"])


def play(cinema: Cinema, token: str) -> Result:
    return cinema.load(f"/v1/private/{cinema.video}/master.m3u8", f"token={token}")


def states(rotation: KeyRotation) -> list[tuple[bool, bool]]:
    return [(state.signs, state.is_believed) for state in rotation.states()]


def test_viewers_of_the_old_and_of_the_new_key_play_side_by_side(
    cinema: Cinema, rotation: KeyRotation, waits: list[float]
) -> None:
    watched, unseen = new_token(cinema), new_token(cinema)
    assert play(cinema, watched).status_code == 200
    seen: list[int] = []
    during = attrs.evolve(
        rotation, wait=lambda _: seen.append(play(cinema, watched).status_code)
    )

    kid = during.rotate()
    new = new_token(cinema)

    assert kid_of(new) == kid != kid_of(watched)
    answers = [play(cinema, token).status_code for token in (watched, unseen, new)]
    assert (seen, answers) == ([200], [200, 200, 200])
    second = rotation.rotate()
    assert kid_of(new_token(cinema)) == second
    assert waits == [SIGNS_AFTER.total_seconds()]
    assert [play(cinema, t).status_code for t in (watched, new)] == [200, 200]


def test_the_old_key_is_believed_until_its_last_token_has_run_out_and_then_erased(
    cinema: Cinema, rotation: KeyRotation
) -> None:
    first = rotation.rotate()
    week = 7 * 24 * 3600
    last = new_token(cinema, valid_s=week)
    rotation.rotate()

    cinema.api.clock.moment += timedelta(seconds=week - 1)
    assert play(cinema, last).status_code == 200
    assert rotation.finish() == 0
    cinema.api.clock.moment += LAST_TOKENS_END_AFTER - timedelta(seconds=week - 2)
    ring = cinema.api.services.key_ring
    assert first not in [key.kid for key in ring.keys(cinema.api.clock.now())]
    assert rotation.finish() == 1
    with cinema.api.services.uow.read() as work:
        rows = {key.id: key for key in work.service_keys.all(PLAYBACK)}
    assert rows[first].material == b""
    assert sorted(states(rotation)) == [(False, False), (False, False), (True, True)]


def test_a_leaked_key_is_refused_by_the_next_request(
    cinema: Cinema, rotation: KeyRotation, waits: list[float]
) -> None:
    oldest = new_token(cinema)
    rotation.rotate()
    old, unseen = new_token(cinema), new_token(cinema)
    assert [play(cinema, t).status_code for t in (oldest, old)] == [200, 200]
    waits.clear()

    kid = rotation.replace_now()

    for token in (oldest, old, unseen):
        problem_of(play(cinema, token), 401, "unauthorized")
    new = new_token(cinema)
    assert (kid_of(new), play(cinema, new).status_code) == (kid, 200)
    assert waits == []
    assert [s for s in states(rotation) if s[1]] == [(True, True)]


def test_a_rotation_killed_between_its_steps_changes_no_signing_and_is_repeated(
    cinema: Cinema, rotation: KeyRotation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(point: str) -> None:
        raise FailpointError(point)

    old = new_token(cinema)
    with monkeypatch.context() as patch:
        patch.setattr(key_rotation, "failpoint", killed)
        with pytest.raises(FailpointError):
            rotation.rotate()

    assert kid_of(new_token(cinema)) == kid_of(old)
    assert play(cinema, old).status_code == 200
    prepared = rotation.states()[-1]
    assert (prepared.signs, prepared.is_believed) == (False, True)
    assert rotation.rotate() == prepared.kid
    assert kid_of(new_token(cinema)) == prepared.kid
    assert play(cinema, old).status_code == 200
    assert len(rotation.states()) == 2


@pytest.fixture
def of_a_pair(
    _template: Template, tmp_path: Path, clock: SettableClock
) -> Iterator[Cinema]:
    """
    A service whose settings have an Ed25519 key.
    """
    settings = settings_of(tmp_path)
    playback = attrs.evolve(settings.playback, signing_key=PAIR)
    with _template.open(attrs.evolve(settings, playback=playback), clock) as api:
        yield Cinema(api=api)


def test_a_pair_of_keys_is_rotated_into_another_pair(of_a_pair: Cinema) -> None:
    old = new_token(of_a_pair)
    [own] = of_a_pair.load("/.well-known/jwks.json").json["keys"]

    rotations = of_a_pair.api.services.key_rotations
    kid = attrs.evolve(rotations[PLAYBACK], wait=lambda _: None).rotate()

    new = new_token(of_a_pair)
    keys = of_a_pair.load("/.well-known/jwks.json").json["keys"]
    assert [(key["kid"], key["alg"]) for key in keys] == [
        (own["kid"], "EdDSA"),
        (kid, "EdDSA"),
    ]
    assert keys[0] == own
    assert set(keys[1]) == set(own)
    assert own["x"] != keys[1]["x"]
    assert kid_of(new) == kid
    assert [play(of_a_pair, token).status_code for token in (old, new)] == [200, 200]

    rotations[PLAYBACK].replace_now()

    for token in (old, new):
        problem_of(play(of_a_pair, token), 401, "unauthorized")
    assert play(of_a_pair, new_token(of_a_pair)).status_code == 200


def test_tokens_of_keys_that_this_service_has_not_made_are_refused(
    cinema: Cinema, rotation: KeyRotation
) -> None:
    """
    Of upload addresses, of another installation, of a row from another kind.
    """
    services, now = cinema.api.services, cinema.api.clock.now()
    services.key_rotations[UPLOADS].replace_now()
    upload_kid, upload_key = services.upload_signer.own_keys.signing(now)
    first = new_token(cinema)
    foreign = {
        upload_kid: upload_key.decode(),
        kid_of(first): services.settings.uploads.signing_key,
        "svk_" + "f" * 22: SECRET,
        "svk_" + "u" * 22: SECRET,
    }
    sealers = {
        "f": seal_key(
            Sealer("of another"), "svk_" + "f" * 22, SECRET, purpose=PLAYBACK
        ),
        "u": seal_key(services.sealer, "svk_" + "u" * 22, SECRET, purpose=UPLOADS),
    }
    with services.uow.write() as work:
        for letter, material in sealers.items():
            row = ServiceKey(
                id="svk_" + letter * 22,
                purpose=PLAYBACK,
                material=material,
                created_at=now,
                signs_from=now,
            )
            work.service_keys.add(row)
        work.commit()
    services.key_ring.own_keys.refresh()
    payload = jwt.decode(first, options={"verify_signature": False})

    for kid, secret in foreign.items():
        forged = jwt.encode(payload, secret, "HS256", headers={"kid": kid})
        problem_of(play(cinema, forged), 401, "unauthorized")
    # Nor does the service sign with them.
    assert kid_of(new_token(cinema)) == kid_of(first)
    assert play(cinema, first).status_code == 200


def test_keys_lie_sealed_and_no_answer_shows_one(
    cinema: Cinema, rotation: KeyRotation
) -> None:
    kid = rotation.rotate()
    ring = cinema.api.services.key_ring
    secret = ring.signing_key(cinema.api.clock.now()).private

    assert isinstance(secret, bytes)
    with cinema.api.services.uow.read() as work:
        rows = {key.id: key for key in work.service_keys.all(PLAYBACK)}
    assert secret not in rows[kid].material
    assert [key.material for key in rows.values() if key.id != kid] == [b""]
    assert secret.decode() not in repr((rotation.states(), rows, ring.own_keys))
    assert cinema.load("/.well-known/jwks.json").json == {"keys": []}
