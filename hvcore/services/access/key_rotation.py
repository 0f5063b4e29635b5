"""
Rotate the service's own signing keys, while tokens signed with the old key stay valid.

First every process accepts signatures of a new key, then the new key signs; the old key is
accepted until the last token that it signed has expired. Between the two steps all keys
work as before, so a rotation that is killed there is just begun again.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.own_keys import OwnKeys
from hvcore.domain.access.service_keys import SIGNS_AFTER, ServiceKey
from hvcore.domain.ids import new_service_key_id
from hvcore.errors import ConfigError, ConflictError
from hvcore.failpoints import failpoint
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record
from hvcore.services.access.rotated_keys import open_key, seal_key
from hvcore.signing.sealing import Sealer


@attrs.frozen(kw_only=True)
class KeyState:
    """
    The present state of one of the service's own keys, without its secret.

    Attributes:
        purpose: The kind of documents that the key signs.
        signs: Whether the key signs now.
        is_believed: Whether signatures of the key are accepted.
        is_readable: False if the key was sealed with another secret.
        made_at: When the key was made; None for a key of the settings.
        signs_since: When the key began to sign; None if it never did, or only before
            keys were rotated.
        believed_until: The moment until which its signatures are accepted; None if no
            other key has taken its place.
    """

    purpose: str
    kid: str
    signs: bool
    is_believed: bool
    is_readable: bool = True
    made_at: datetime | None = None
    signs_since: datetime | None = None
    believed_until: datetime | None = None

    @property
    def word(self) -> str:
        """The state of the key as one word, such as ``signs``; see docs/how-to/rotate-keys.md."""
        if self.signs:
            return "signs"
        if not self.is_believed:
            return "ended"
        if not self.is_readable:
            return "unreadable"
        is_waiting = self.made_at is not None and self.signs_since is None
        return "prepared" if is_waiting else "believed"


@attrs.frozen(kw_only=True)
class KeyRotation:
    """
    Create, activate and end the service's own signing keys of one purpose.

    Attributes:
        keys: The keys that are in use.
        new_text: Makes the text of a new key.
        old_believed_for: How long signatures of an old key are accepted: until the last
            document that it signed has expired.
        publish: Tells other processes of this machine that keys have changed.
        wait: Waits for the given number of seconds.
    """

    uow: UnitOfWork
    keys: OwnKeys[object]
    sealer: Sealer
    new_text: Callable[[], str]
    old_believed_for: timedelta
    clock: Clock
    publish: Callable[[], None] = lambda: None
    wait: Callable[[float], None] = time.sleep

    def rotate(self) -> str:
        """
        Have a new key sign, and return its ``kid``; takes 5 s, in which others learn of it.

        A key that an earlier call has prepared is used. Of several calls at a time, all
        have the same key sign.

        Raises:
            ConflictError: Another call has ended all keys meanwhile.
            UnavailableError: The database does not answer.
        """
        with self.uow.write() as work:
            work.service_keys.hold()
            kid = self._prepared(work) or self._add(work)
            work.commit()
        self.publish()
        failpoint("rotation.prepared")
        self.wait(SIGNS_AFTER.total_seconds())
        with self.uow.write() as work:
            work.service_keys.hold()
            if not self._has_taken_over(work, kid):
                self._take_over(work, kid, self.old_believed_for)
                work.commit()
        self._publish()
        return kid

    def replace_now(self) -> str:
        """
        Have a new key sign, refuse all signatures of earlier keys, and return the new ``kid``.

        Other machines follow within a second.

        Raises:
            UnavailableError: The database does not answer.
        """
        with self.uow.write() as work:
            work.service_keys.hold()
            # One that was prepared may have leaked, too.
            kid = self._add(work)
            self._take_over(work, kid, timedelta())
            work.service_keys.erase_ended(self.clock.now())
            work.commit()
        self._publish()
        return kid

    def finish(self) -> int:
        """Erase the ended keys of all purposes, whose signatures are refused; return how many."""
        with self.uow.write() as work:
            count = work.service_keys.erase_ended(self.clock.now())
            work.commit()
        return count

    def states(self) -> Sequence[KeyState]:
        """
        Return the states of all keys: those of the settings first, then by their creation.

        Raises:
            UnavailableError: The database does not answer.
        """
        now = self.clock.now()
        with self.uow.read() as work:
            rows = {key.id: key for key in work.service_keys.all(self.keys.purpose)}
        self.keys.refresh()
        signing = self._signing_kid(now)
        later = sorted(rows.values(), key=lambda key: (key.created_at, key.id))
        kids = dict.fromkeys((*self.keys.settings, *(key.id for key in later)))
        return [self._state(kid, rows.get(kid), now, signing) for kid in kids]

    def _signing_kid(self, now: datetime) -> str | None:
        try:
            kid, _ = self.keys.signing(now)
        except ConfigError:
            # None can be opened, which their states say.
            return None
        return kid

    def _publish(self) -> None:
        self.publish()
        self.keys.refresh()

    def _prepared(self, work: Work) -> str | None:
        for key in work.service_keys.all(self.keys.purpose):
            if _is_waiting(key) and open_key(self.sealer, key) is not None:
                return key.id
        return None

    def _add(self, work: Work) -> str:
        kid, purpose = new_service_key_id(), self.keys.purpose
        work.service_keys.add(
            ServiceKey(
                id=kid,
                purpose=purpose,
                material=seal_key(self.sealer, kid, self.new_text(), purpose=purpose),
                created_at=self.clock.now(),
            )
        )
        return kid

    def _has_taken_over(self, work: Work, kid: str) -> bool:
        """
        Return whether another call has had a prepared key sign meanwhile.

        Raises:
            ConflictError: Another call has ended it.
        """
        rows = {key.id: key for key in work.service_keys.all(self.keys.purpose)}
        if _is_waiting(rows[kid]):
            return False
        # One that has signed meanwhile, and was rotated itself, must not sign again:
        # then all keys would end.
        if rows[kid].signs_from is not None:
            return True
        raise ConflictError(
            "Another call has ended all earlier keys meanwhile, with --now, and its "
            "own signs. Nothing else was changed; see hv keys signing."
        )

    def _take_over(self, work: Work, kid: str, old_last: timedelta) -> None:
        now = self.clock.now()
        rows = work.service_keys.all(self.keys.purpose)
        if all(key.id != self.keys.first_kid for key in rows):
            work.service_keys.add(
                ServiceKey(
                    id=self.keys.first_kid,
                    purpose=self.keys.purpose,
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
        record(work, action, kid, org_id=None, purpose=self.keys.purpose)

    def _state(
        self, kid: str, row: ServiceKey | None, now: datetime, signing: str | None
    ) -> KeyState:
        state = KeyState(
            purpose=self.keys.purpose, kid=kid, signs=kid == signing, is_believed=True
        )
        if row is None:
            return state
        is_own = kid in self.keys.settings
        return attrs.evolve(
            state,
            is_believed=row.is_believed(now),
            is_readable=is_own or open_key(self.sealer, row) is not None,
            made_at=None if is_own else row.created_at,
            signs_since=row.signs_from,
            believed_until=row.believed_until,
        )


def _is_waiting(key: ServiceKey) -> bool:
    return key.signs_from is None and key.believed_until is None
