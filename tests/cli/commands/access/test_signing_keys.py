"""
hv signing-keys.
"""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.cli.conftest import Hv


@pytest.fixture
def hv(migrated: Hv) -> Hv:
    assert migrated("orgs", "create", "org_acme").status == 0
    return migrated


def test_a_key_is_made_shown_once_listed_and_revoked(hv: Hv, tmp_path: Path) -> None:
    org = ("--org", "org_acme")
    made = hv("signing-keys", "create", *org, "--name", "site", "--json")
    assert made.status == 0, made.stderr
    key = json.loads(made.stdout)
    public = Ed25519PrivateKey.generate().public_key()
    pem = tmp_path / "public.pem"
    pem.write_bytes(
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    own = hv("signing-keys", "create", *org, "--public-key", str(pem))
    secret = hv("signing-keys", "create", *org, "--algorithm", "hs256")

    assert key["privateKey"].startswith("-----BEGIN PRIVATE KEY-----")
    assert (key["issuer"], key["algorithm"]) == ("hvcore", "EdDSA")
    assert (own.status, own.stdout) == (0, "")
    assert len(secret.stdout.strip()) > 40
    listed = hv("signing-keys", "list", *org, "--json").stdout
    assert len(json.loads(listed)["signingKeys"]) == 3
    assert "PRIVATE" not in listed
    assert secret.stdout.strip() not in listed
    assert hv("signing-keys", "revoke", key["kid"], *org).status == 0
    again = hv("signing-keys", "revoke", key["kid"], *org)
    assert (again.status, "is revoked" in again.stderr) == (1, True)


def test_what_is_no_key_is_refused_in_words(hv: Hv, tmp_path: Path) -> None:
    (tmp_path / "x.pem").write_text("no key")
    org = ("--org", "org_acme")
    wrong = hv("signing-keys", "create", *org, "--public-key", str(tmp_path / "x.pem"))
    missing = hv("signing-keys", "create", *org, "--public-key", str(tmp_path / "y"))
    nobody = hv("signing-keys", "create", "--org", "org_nobody")

    assert {one.status for one in (wrong, missing, nobody)} == {1}
    assert "Ed25519 public key in PEM" in wrong.stderr
    assert "cannot be read" in missing.stderr
    assert "org_nobody" in nobody.stderr
