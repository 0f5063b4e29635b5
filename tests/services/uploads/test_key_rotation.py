"""
The key of upload addresses is rotated while files are being sent.
"""

from datetime import timedelta
from urllib.parse import urlsplit

import attrs
import pytest
from falcon.testing import Result, TestClient

from hvcore.domain.access.service_keys import (
    PLAYBACK,
    SIGNS_AFTER,
    UPLOADS,
    ServiceKey,
)
from hvcore.domain.uploads.expiry import COMPLETE_WITHIN
from hvcore.domain.uploads.grants import FileWanted
from hvcore.errors import ForbiddenError
from hvcore.services.access.key_rotation import KeyRotation
from hvcore.services.access.rotated_keys import seal_key
from hvcore.services.uploads.key_rotation import LAST_ADDRESSES_END_AFTER
from hvcore.signing.sealing import Sealer
from hvcore.signing.upload_addresses import UploadSigner
from hvcore_upload.app import make_app
from tests.support.http.world import World, problem_of
from tests.upload.tus.exchange import DATA, ask, created, offset_of, patch

HALF = len(DATA) // 2
SECRET = "fedcba9876543210" * 4


@pytest.fixture
def client(api: World) -> TestClient:
    return TestClient(make_app(api.services))


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def rotation(api: World, waits: list[float]) -> KeyRotation:
    return attrs.evolve(api.services.key_rotations[UPLOADS], wait=waits.append)


def new_address(api: World) -> str:
    wanted = FileWanted(file_name="clip.mp4", content_type="video/mp4")
    return api.services.uploads.grant(api.env, wanted).signed_url


def put(client: TestClient, address: str) -> Result:
    parts = urlsplit(address)
    return client.simulate_put(
        parts.path,
        query_string=parts.query,
        body=DATA,
        headers={"Content-Type": "video/mp4"},
    )


def signed_with(api: World, secret: str) -> str:
    """
    Sign the address of a grant as whoever has a secret can.
    """
    grant_id = urlsplit(new_address(api)).path.rsplit("/", 1)[1]
    signer, now = UploadSigner(secret.encode()), api.clock.now()
    expires_unix = int(now.timestamp()) + 3600
    return signer.sign(grant_id, expires_unix, now)  # type: ignore[arg-type]


def store(api: World, key: ServiceKey) -> None:
    with api.services.uow.write() as work:
        work.service_keys.add(key)
        work.commit()
    api.services.upload_signer.own_keys.refresh()


def key_of(api: World, sealer: Sealer, *, sealed_for: str = UPLOADS) -> ServiceKey:
    kid, now = "svk_" + "x" * 22, api.clock.now()
    material = seal_key(sealer, kid, SECRET, purpose=sealed_for)
    return ServiceKey(
        id=kid, purpose=UPLOADS, material=material, created_at=now, signs_from=now
    )


def test_uploads_that_are_half_done_go_on_and_new_ones_have_the_new_key(
    api: World, client: TestClient, rotation: KeyRotation, waits: list[float]
) -> None:
    once, pieces = new_address(api), created(api)
    assert patch(client, pieces, DATA[:HALF]).status_code == 204

    kids = [rotation.rotate(), rotation.rotate()]

    assert waits == [SIGNS_AFTER.total_seconds()] * 2
    assert api.services.upload_signer.own_keys.signing(api.clock.now())[0] == kids[1]
    assert put(client, once).status_code == 200
    assert offset_of(client, pieces) == HALF
    assert patch(client, pieces, DATA[HALF:], HALF).status_code == 204
    new = created(api)
    assert put(client, new_address(api)).status_code == 200
    assert patch(client, new, DATA).status_code == 204


def test_while_a_new_key_is_made_known_the_old_one_signs_and_both_are_believed(
    api: World, client: TestClient, rotation: KeyRotation
) -> None:
    between: list[tuple[bool, bool]] = []

    def send(_: float) -> None:
        # As another process, which knows the new key already.
        api.services.upload_signer.own_keys.refresh()
        between.extend((state.signs, state.is_believed) for state in rotation.states())
        assert put(client, new_address(api)).status_code == 200

    attrs.evolve(rotation, wait=send).rotate()

    assert between == [(True, True), (False, True)]
    after = [(state.signs, state.is_believed) for state in rotation.states()]
    assert after == [(False, True), (True, True)]


def test_the_old_key_is_believed_for_as_long_as_an_upload_may_take(
    api: World, rotation: KeyRotation
) -> None:
    signer, began = api.services.upload_signer, api.clock.now()
    grant_id = "up_" + "a" * 22
    address = signer.sign_resumable(grant_id, began)  # type: ignore[arg-type]
    signature = address.rpartition("=")[2]
    rotation.rotate()

    for age in (COMPLETE_WITHIN, LAST_ADDRESSES_END_AFTER - timedelta(seconds=1)):
        signer.verify_resumable(grant_id, signature=signature, now=began + age)
    over = began + LAST_ADDRESSES_END_AFTER
    with pytest.raises(ForbiddenError, match="not valid any more"):
        signer.verify_resumable(grant_id, signature=signature, now=over)

    rotation.rotate()
    api.clock.moment = over + LAST_ADDRESSES_END_AFTER
    assert rotation.finish() == 1
    assert sorted(s.is_believed for s in rotation.states()) == [False, False, True]


def test_a_leaked_key_opens_nothing_from_the_next_request_on(
    api: World, client: TestClient, rotation: KeyRotation
) -> None:
    oldest = new_address(api)
    rotation.rotate()
    once, pieces = new_address(api), created(api)
    assert patch(client, pieces, DATA[:HALF]).status_code == 204

    rotation.replace_now()

    for address in (oldest, once):
        problem_of(put(client, address), 403, "forbidden")
    problem_of(patch(client, pieces, DATA[HALF:], HALF), 403, "forbidden")
    assert ask(client, "HEAD", pieces).status_code == 403
    problem_of(ask(client, "DELETE", pieces), 403, "forbidden")
    assert put(client, new_address(api)).status_code == 200
    assert patch(client, created(api), DATA).status_code == 204
    assert sorted(s.is_believed for s in rotation.states()) == [False, False, True]


def test_a_key_of_this_database_is_believed_and_one_of_another_is_not(
    api: World, client: TestClient
) -> None:
    forged = signed_with(api, SECRET)
    problem_of(put(client, forged), 403, "forbidden")

    store(api, key_of(api, Sealer("the secret of another installation")))

    problem_of(put(client, forged), 403, "forbidden")
    # It does not sign either: the settings' key does.
    assert put(client, new_address(api)).status_code == 200
    states = api.services.key_rotations[UPLOADS].states()
    assert [(s.signs, s.is_readable) for s in states] == [(True, True), (False, False)]


def test_a_key_that_this_service_has_sealed_is_believed(
    api: World, client: TestClient
) -> None:
    address = signed_with(api, SECRET)

    store(api, key_of(api, api.services.sealer))

    assert put(client, address).status_code == 200


def test_a_key_of_playback_tokens_signs_no_upload_address(
    api: World, client: TestClient
) -> None:
    playback = attrs.evolve(api.services.key_rotations[PLAYBACK], wait=lambda _: None)
    playback.rotate()
    key = api.services.key_ring.signing_key(api.clock.now())
    assert isinstance(key.private, bytes)
    of_settings = api.services.settings.playback.signing_key

    for secret in (key.private.decode(), of_settings):
        problem_of(put(client, signed_with(api, secret)), 403, "forbidden")

    # Not even if somebody makes its row one of uploads.
    store(api, key_of(api, api.services.sealer, sealed_for=PLAYBACK))
    problem_of(put(client, signed_with(api, SECRET)), 403, "forbidden")


def test_keys_lie_sealed_and_nothing_shows_one(
    api: World, rotation: KeyRotation
) -> None:
    kid = rotation.rotate()

    keys = api.services.upload_signer.own_keys
    secrets = list(keys.believed(keys.stored(), api.clock.now()).values())
    assert len(secrets) == 2
    shown = repr((rotation, rotation.states(), keys, keys.stored()))
    with api.services.uow.read() as work:
        rows = {key.id: key for key in work.service_keys.all(UPLOADS)}
    assert [key.material for key in rows.values() if key.id != kid] == [b""]
    for secret in secrets:
        assert secret.decode() not in shown
        assert secret not in rows[kid].material
