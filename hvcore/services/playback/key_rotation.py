"""
Rotate the key with which the service signs playback tokens, while viewers watch.

First every process believes a new key, then it signs; the old one is believed until its
last token has run out. Between the two steps all keys work as before, so who is killed
there just begins again.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import attrs
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from hvcore.clock import Clock
from hvcore.domain.ids import new_service_key_id
from hvcore.domain.playback.service_keys import (
    CLOCK_MARGIN,
    PLAYBACK,
    SIGNS_AFTER,
    ServiceKey,
)
from hvcore.failpoints import failpoint
from hvcore.playback_tokens import LEEWAY_S, KeyRing, TokenKey
from hvcore.playback_tokens.claims import MAX_VALID_S
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.sealing import Sealer
from hvcore.services.access.audit import record
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.playback.rotated_keys import RotatedKeys, seal_key

LAST_TOKENS_END_AFTER: Final = timedelta(seconds=MAX_VALID_S + LEEWAY_S) + CLOCK_MARGIN
_SECRET_BYTES: Final = 48


@attrs.frozen(kw_only=True)
class KeyState:
    """
    A key as it is now, without its secret.

    Attributes:
        signs: Whether it signs now.
        made_at: None: the settings have it.
        signs_since: None if it never has, or did before keys were rotated.
        believed_until: None: no other key has taken its place.
    """

    kid: str
    signs: bool
    is_believed: bool
    made_at: datetime | None = None
    signs_since: datetime | None = None
    believed_until: datetime | None = None


@attrs.frozen(kw_only=True)
class PlaybackKeyRotation:
    """
    Make, use and end the service's own keys of playback tokens.

    Attributes:
        wait: Waits for so many seconds.
    """

    uow: UnitOfWork
    key_ring: KeyRing
    sealer: Sealer
    clock: Clock
    changes: PlaybackChanges
    wait: Callable[[float], None] = time.sleep

    def rotate(self) -> str:
        """
        Have a new key sign; return its ``kid``. Takes 5 s, in which others learn of it.

        A key that an earlier call has prepared is used.

        Raises:
            UnavailableError: The database does not answer.
        """
        with self.uow.write() as work:
            kid = self._prepared(work) or self._add(work)
            work.commit()
        self.changes.publish()
        failpoint("rotation.prepared")
        self.wait(SIGNS_AFTER.total_seconds())
        with self.uow.write() as work:
            self._take_over(work, kid, LAST_TOKENS_END_AFTER)
            work.commit()
        self._publish()
        return kid

    def replace_now(self) -> str:
        """
        Have a new key sign, and refuse every token of the earlier ones.

        On this machine from the next request on, elsewhere within a second.

        Raises:
            UnavailableError: The database does not answer.
        """
        with self.uow.write() as work:
            # One that was prepared may have leaked, too.
            kid = self._add(work)
            self._take_over(work, kid, timedelta())
            work.service_keys.erase_ended(self.clock.now())
            work.commit()
        self._publish()
        return kid

    def finish(self) -> int:
        """
        Erase the keys that are not believed any more; return how many.
        """
        with self.uow.write() as work:
            count = work.service_keys.erase_ended(self.clock.now())
            work.commit()
        return count

    def states(self) -> Sequence[KeyState]:
        """
        Return the keys, those of the settings first, then in the order they were made.
        """
        now = self.clock.now()
        with self.uow.read() as work:
            rows = {key.id: key for key in work.service_keys.all(PLAYBACK)}
        self.key_ring.refresh()
        signing = self.key_ring.signing_key(now).kid
        own = [key.kid for key in self.key_ring.settings_keys]
        later = sorted(rows.values(), key=lambda key: (key.created_at, key.id))
        kids = dict.fromkeys((*own, *(key.id for key in later)))
        return [_state(kid, rows.get(kid), now, signing, own) for kid in kids]

    def _publish(self) -> None:
        self.changes.publish()
        self.key_ring.refresh()

    def _prepared(self, work: Work) -> str | None:
        opened = RotatedKeys(tuple, self.sealer)
        for key in work.service_keys.all(PLAYBACK):
            is_waiting = key.signs_from is None and key.believed_until is None
            if is_waiting and opened.open(key) is not None:
                return key.id
        return None

    def _add(self, work: Work) -> str:
        kid = new_service_key_id()
        text = _new_like(self.key_ring.settings_keys[0])
        work.service_keys.add(
            ServiceKey(
                id=kid,
                purpose=PLAYBACK,
                material=seal_key(self.sealer, kid, text),
                created_at=self.clock.now(),
            )
        )
        return kid

    def _take_over(self, work: Work, kid: str, old_last: timedelta) -> None:
        now = self.clock.now()
        rows = work.service_keys.all(PLAYBACK)
        settings_kid = self.key_ring.settings_keys[0].kid
        if all(key.id != settings_kid for key in rows):
            work.service_keys.add(
                ServiceKey(
                    id=settings_kid,
                    purpose=PLAYBACK,
                    material=b"",
                    created_at=now,
                    believed_until=now + old_last,
                )
            )
        for key in rows:
            ends_at = now + old_last
            if key.id != kid and (
                key.believed_until is None or key.believed_until > ends_at
            ):
                work.service_keys.end(key.id, ends_at)
        # Later than all of them, also if the clock of another machine is ahead.
        begun = (key.signs_from for key in rows if key.signs_from is not None)
        latest = max(begun, default=now)
        work.service_keys.begin(kid, max(now, latest + timedelta(microseconds=1)))
        action = "service-key.rotate" if old_last else "service-key.replace"
        record(work, action, kid, org_id=None)


def _new_like(key: TokenKey) -> str:
    if isinstance(key.private, Ed25519PrivateKey):
        pem = Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        return pem.decode()
    return secrets.token_urlsafe(_SECRET_BYTES)


def _state(
    kid: str, row: ServiceKey | None, now: datetime, signing: str, own: Sequence[str]
) -> KeyState:
    if row is None:
        return KeyState(kid=kid, signs=kid == signing, is_believed=True)
    return KeyState(
        kid=kid,
        signs=kid == signing,
        is_believed=row.is_believed(now),
        made_at=None if kid in own else row.created_at,
        signs_since=row.signs_from,
        believed_until=row.believed_until,
    )
