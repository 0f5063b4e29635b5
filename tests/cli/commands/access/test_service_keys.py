"""
hv keys rotate-signing and hv keys signing.
"""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.settings import load
from tests.cli.conftest import Hv
from tests.support.hv_processes import HV

PURPOSES = ("playback", "uploads")


def signing(hv: Hv) -> list[tuple[str, str]]:
    keys = json.loads(hv("keys", "signing", "--json").stdout)["signingKeys"]
    return [(key["purpose"], key["state"]) for key in keys]


def secrets_of(folder: Path) -> list[str]:
    """
    Return all that the service signs with now, or has signed with.
    """
    settings = load(config_path=None, environ={}, data_dir=folder).settings
    with build(settings, rings=False) as services:
        now = services.clock.now()
        upload_keys = services.upload_signer.own_keys
        playback_key = services.key_ring.signing_key(now).private
        assert isinstance(playback_key, bytes)
        return [
            settings.playback.signing_key,
            settings.uploads.signing_key,
            playback_key.decode(),
            upload_keys.signing(now)[1].decode(),
        ]


def test_leaked_keys_are_replaced_one_kind_at_a_time_and_the_state_is_shown(
    migrated: Hv,
) -> None:
    before = signing(migrated)
    made = migrated("keys", "rotate-signing", "--now")
    between = signing(migrated)
    of_uploads = migrated("keys", "rotate-signing", "--for", "uploads", "--now")
    after = json.loads(migrated("keys", "signing", "--json").stdout)["signingKeys"]
    finished = migrated("keys", "rotate-signing", "--finish")
    both = migrated("keys", "rotate-signing", "--finish", "--now")
    unknown = migrated("keys", "rotate-signing", "--for", "edges")

    assert (made.status, of_uploads.status, finished.status) == (0, 0, 0)
    assert (both.status, unknown.status) == (1, 2)
    assert "embed page" in made.stderr
    assert "reload nginx" in made.stderr
    assert "upload address" in of_uploads.stderr
    assert "nginx" not in of_uploads.stderr
    assert before == [(purpose, "signs") for purpose in PURPOSES]
    ended = [("playback", "ended"), ("playback", "signs")]
    assert between == [*ended, ("uploads", "signs")]
    assert [key["kid"] for key in after if key["state"] == "signs"] == [
        made.stdout.strip(),
        of_uploads.stdout.strip(),
    ]
    assert set(after[0]) == {
        *("purpose", "kid", "state", "madeAt", "signsSince", "believedUntil"),
    }


def test_one_that_is_killed_between_the_steps_is_repeated(migrated: Hv) -> None:
    killed = subprocess.run(
        [*HV, "keys", "rotate-signing", "--for", "uploads"],
        env={**os.environ, "HV_FAILPOINTS": "rotation.prepared=kill"},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    own = ("playback", "signs")
    assert signing(migrated) == [own, ("uploads", "signs"), ("uploads", "prepared")]
    between = json.loads(migrated("keys", "signing", "--json").stdout)["signingKeys"]

    again = migrated("keys", "rotate-signing", "--for", "uploads", "--json")

    after = json.loads(again.stdout)["signingKeys"]
    assert [key["state"] for key in after] == ["signs", "believed", "signs"]
    assert after[2]["kid"] == between[2]["kid"]


def test_keys_are_in_a_backup_sealed_and_nothing_else_shows_them(
    migrated: Hv, tmp_path: Path
) -> None:
    said = [
        migrated("keys", "rotate-signing", "--for", purpose, "--now")
        for purpose in PURPOSES
    ]
    said += [
        migrated("keys", "signing"),
        migrated("keys", "signing", "--json"),
        migrated("config", "show"),
        migrated("audit", "--json"),
        migrated("backup", "backup.tar"),
    ]
    migrated("--data", "other", "restore", "backup.tar")

    own_playback, own_uploads, *rotated = secrets_of(tmp_path / "hv-data")
    assert secrets_of(tmp_path / "other") == [own_playback, own_uploads, *rotated]
    shown = "".join(one.stdout + one.stderr for one in said)
    assert [one.status for one in said] == [0] * len(said)
    for secret in (own_playback, own_uploads, *rotated):
        assert secret not in shown
    assert migrated("backup", "backup").status == 0
    rows = subprocess.run(
        ["gzip", "-dcfr", str(tmp_path / "backup")], capture_output=True, check=True
    ).stdout
    # The settings' are in secrets.json, without which the others do not open.
    assert own_uploads.encode() in rows
    assert b"svk_" in rows
    assert not [secret for secret in rotated if secret.encode() in rows]


@pytest.mark.parametrize("purpose", PURPOSES)
def test_keys_that_another_secret_has_sealed_are_said_to_be_unreadable(
    migrated: Hv, purpose: str
) -> None:
    other = {"HV_SIGN_IN__SECRET": "0123456789abcdef" * 3}
    rotate = ("keys", "rotate-signing", "--for", purpose, "--now")
    assert migrated(*rotate).status == 0

    found = migrated("keys", "signing", "--json", **other)
    words = [
        key["state"]
        for key in json.loads(found.stdout)["signingKeys"]
        if key["purpose"] == purpose
    ]

    assert words == ["ended", "unreadable"]
    assert migrated(*rotate, **other).status == 0
    assert (purpose, "signs") in [
        (key["purpose"], key["state"])
        for key in json.loads(migrated("keys", "signing", "--json", **other).stdout)[
            "signingKeys"
        ]
    ]
