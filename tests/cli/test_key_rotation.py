"""
hv keys rotate-signing and hv keys signing.
"""

import json
import os
import signal
import subprocess

from tests.cli.conftest import Hv
from tests.live import HV


def test_a_leaked_key_is_replaced_and_the_state_is_shown(migrated: Hv) -> None:
    before = json.loads(migrated("keys", "signing", "--json").stdout)["signingKeys"]
    made = migrated("keys", "rotate-signing", "--now")
    after = json.loads(migrated("keys", "signing", "--json").stdout)["signingKeys"]
    finished = migrated("keys", "rotate-signing", "--finish")
    both = migrated("keys", "rotate-signing", "--finish", "--now")

    assert (made.status, finished.status, both.status) == (0, 0, 1)
    assert "is refused" in made.stderr
    assert [key["state"] for key in before] == ["signs"]
    assert [key["state"] for key in after] == ["ended", "signs"]
    assert made.stdout.strip() == after[1]["kid"]
    assert set(after[0]) == {"kid", "state", "madeAt", "signsSince", "believedUntil"}


def test_one_that_is_killed_between_the_steps_is_repeated(migrated: Hv) -> None:
    killed = subprocess.run(
        [*HV, "keys", "rotate-signing"],
        env={**os.environ, "HV_FAILPOINTS": "rotation.prepared=kill"},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    between = json.loads(migrated("keys", "signing", "--json").stdout)["signingKeys"]
    assert [key["state"] for key in between] == ["signs", "prepared"]

    again = migrated("keys", "rotate-signing", "--json")

    after = json.loads(again.stdout)["signingKeys"]
    assert [key["state"] for key in after] == ["believed", "signs"]
    assert after[1]["kid"] == between[1]["kid"]
