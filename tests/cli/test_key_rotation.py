"""
hv keys rotate-signing and hv keys signing.
"""

import json

from tests.cli.conftest import Hv


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
