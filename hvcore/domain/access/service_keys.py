"""
Rotated keys of the service: the stored keys with which the service itself signs tokens.

Until the first rotation there is one key for each purpose, which the settings name, and
the database has no row. After it, the settings' key has a row without key material.
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
    Store one of the service's own signing keys.

    Attributes:
        id: The key's ``kid``, by which tokens name the key.
        purpose: The kind of tokens that the key signs: PLAYBACK or UPLOADS.
        material: The private key, encrypted; empty for the settings' key, and erased
            once the key's signatures are no longer accepted.
        created_at: When the row was made.
        signs_from: When the key began to sign. The key with the latest moment signs.
            None: the key waits until every process accepts it, or it is the settings'
            key.
        believed_until: The moment from which the key's signatures are refused. None:
            not yet known, because no other key has replaced this one.
    """

    id: str
    purpose: str
    material: bytes = attrs.field(repr=False)
    created_at: datetime
    signs_from: datetime | None = None
    believed_until: datetime | None = None

    def is_believed(self, now: datetime) -> bool:
        """Return whether signatures of this key are accepted at a moment."""
        return self.believed_until is None or now < self.believed_until


def signing_order(keys: Sequence[ServiceKey], now: datetime) -> Sequence[ServiceKey]:
    """Return the keys that may sign, the one that began to sign last first."""
    # Whatever this machine's clock says: who began to sign is believed by everybody.
    able = [
        (key.signs_from, key.id, key)
        for key in keys
        if key.signs_from is not None and key.is_believed(now)
    ]
    return [key for _, _, key in sorted(able, key=lambda one: one[:2], reverse=True)]
