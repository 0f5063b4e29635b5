"""
Signing keys on pages: made, shown once, revoked.
"""

from typing import Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.access.roles import Role
from hvcore.domain.playback.signing_keys import MAX_SIGNING_KEYS, SigningAlgorithm
from tests.dashboard.opened import Dashboard
from tests.dashboard.pages.keys.test_changes import value_in
from tests.dashboard.sent_forms import form_of
from tests.dashboard.test_limits import use_up
from tests.support.http.world import ORG, OTHER_ORG

KEYS: Final = f"/dashboard/{ORG}/signing-keys"


@pytest.mark.parametrize("algorithm", SigningAlgorithm)
def test_a_key_is_made_shown_once_and_revoked(
    dashboard: Dashboard, algorithm: SigningAlgorithm
) -> None:
    person = dashboard.sign_in(Role.ADMIN)

    made = person.post(KEYS, {"name": "site", "algorithm": algorithm.value})

    value = value_in(made)
    (key,) = dashboard.world.services.signing_keys.of_organization(ORG)
    assert key.algorithm is algorithm
    if algorithm is SigningAlgorithm.ED25519:
        private = load_pem_private_key(value.strip().encode(), None)
        assert isinstance(private, Ed25519PrivateKey)
        public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        assert public == key.material
    listed = person.get(KEYS)
    assert key.id in listed.text
    assert value.split("\n")[-2 if "\n" in value.strip() else 0] not in listed.text
    assert person.post(f"{KEYS}/{key.id}/revoke").status_code == 303
    (ended,) = dashboard.world.services.signing_keys.of_organization(ORG)
    assert ended.revoked_at is not None


def test_ones_own_key_is_brought_and_a_wrong_one_refused(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    public = Ed25519PrivateKey.generate().public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    wanted = {"algorithm": "EdDSA", "public-key": pem.decode()}

    assert person.post(KEYS, wanted).status_code == 303
    refused = person.post(KEYS, {**wanted, "public-key": "-----BEGIN"})

    assert refused.status_code == 400
    assert "Ed25519 public key in PEM" in refused.text


def test_an_rsa_key_is_refused_beside_its_field(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    public = generate_private_key(65537, 2048).public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    refused = person.post(KEYS, {"algorithm": "EdDSA", "public-key": pem.decode()})

    assert refused.status_code == 400
    field = refused.text.partition('<textarea id="public-key"')[2]
    assert 'aria-invalid="true"' in field.partition(">")[0]
    about = field.partition('id="public-key-about"')[2].partition("</p>")[0]
    assert "Ed25519 public key in PEM" in about
    assert dashboard.world.services.signing_keys.of_organization(ORG) == []


def test_a_fifth_key_is_refused(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    for _ in range(MAX_SIGNING_KEYS):
        dashboard.world.services.signing_keys.create(
            ORG, name="", algorithm=SigningAlgorithm.HS256
        )

    assert person.post(KEYS, {"algorithm": "HS256"}).status_code == 409


def test_a_signing_key_beyond_the_hourly_limit_is_neither_made_nor_revoked(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    keys = dashboard.world.services.signing_keys
    key = keys.create(ORG, name="site", algorithm=SigningAlgorithm.HS256).key
    use_up(dashboard, Bucket.KEY_OPERATIONS)

    made = person.post(KEYS, {"name": "more", "algorithm": "HS256"})
    revoked = person.post(f"{KEYS}/{key.id}/revoke")

    for refused in (made, revoked):
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert form_of(refused, KEYS)["algorithm"]
    assert form_of(made, KEYS)["name"] == ["more"]
    (left,) = keys.of_organization(ORG)
    assert left.revoked_at is None


def test_another_organizations_key_is_not_there(dashboard: Dashboard) -> None:
    keys = dashboard.world.services.signing_keys
    theirs = keys.create(OTHER_ORG, name="", algorithm=SigningAlgorithm.HS256).key
    person = dashboard.sign_in(Role.ADMIN)

    assert theirs.id not in person.get(KEYS).text
    assert person.post(f"{KEYS}/{theirs.id}/revoke").status_code == 404
    (left,) = keys.of_organization(OTHER_ORG)
    assert left.revoked_at is None
