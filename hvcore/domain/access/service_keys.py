"""
The keys with which the service itself signs, once they were rotated.

Until then there is one key of each purpose, which the settings name, and no row. Its
row, once there is one, has no material.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import attrs

SIGNS_AFTER: Final = timedelta(seconds=5)
"""
How long a new key is believed before it signs: every process learns of a change within
a second.
"""
CLOCK_MARGIN: Final = timedelta(minutes=10)
"""How much longer an old key is believed: clocks of machines differ."""
PLAYBACK: Final = "playback"
"""The purpose of keys that sign playback tokens."""
UPLOADS: Final = "uploads"
"""The purpose of keys that sign upload addresses."""


@attrs.frozen(kw_only=True)
class ServiceKey:
    """
    A key of the service, as it is stored.

    Attributes:
        id: Its ``kid``, by which tokens name it.
        purpose: What it signs.
        material: The private key, sealed; empty for the settings' key, and when it
            is not believed any more.
        created_at: When its row was made.
        signs_from: When it began to sign; the latest one signs. None: it waits until
            everybody believes it, or it is the settings' key.
        believed_until: When what it signed is refused from on; None: not yet known,
            because no other key has taken its place.
    """

    id: str
    purpose: str
    material: bytes = attrs.field(repr=False)
    created_at: datetime
    signs_from: datetime | None = None
    believed_until: datetime | None = None

    def is_believed(self, now: datetime) -> bool:
        """Return whether what this key signed is good."""
        return self.believed_until is None or now < self.believed_until


def signing_order(keys: Sequence[ServiceKey], now: datetime) -> Sequence[ServiceKey]:
    """Return the keys that may sign, the one that should first."""
    # Whatever this machine's clock says: who began to sign is believed by everybody.
    able = [
        (key.signs_from, key.id, key)
        for key in keys
        if key.signs_from is not None and key.is_believed(now)
    ]
    return [key for _, _, key in sorted(able, key=lambda one: one[:2], reverse=True)]
