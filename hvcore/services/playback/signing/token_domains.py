"""
Issue playback tokens that may be used on many domains.

Docs: docs/decisions/0043.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.limits import MAX_ISSUED_TOKEN_BYTES
from hvcore.domain.playback.domain_lists import RETENTION_MARGIN, NamedDomains
from hvcore.playback_tokens import LEEWAY_S, KeyRing, TokenUse
from hvcore.ports.unit_of_work import UnitOfWork

FORGET_BATCH: Final = 1_000
"""Lists in a transaction: a writer on SQLite delays everyone else."""


@attrs.frozen(kw_only=True)
class TokenDomains:
    """Issue playback tokens, and store their long lists of domains while tokens name them."""

    uow: UnitOfWork
    key_ring: KeyRing
    clock: Clock

    def issue(
        self,
        *,
        video_id: VideoId,
        public_id: PublicId,
        valid_s: int,
        domains: Sequence[str] = (),
    ) -> str:
        """
        Issue a playback token that is short enough for every line of a playlist.

        The token contains its domains if it stays short, otherwise the id of their stored list.

        Raises:
            InvalidParametersError: So many domains that they would never have
                fitted into a token.
        """
        now = self.clock.now()
        token = self.key_ring.issue(
            video_id=video_id,
            public_id=public_id,
            valid_s=valid_s,
            use=TokenUse.PLAYBACK,
            domains=domains,
            now=now,
        )
        if len(token) <= MAX_ISSUED_TOKEN_BYTES:
            return token
        return self.key_ring.issue(
            video_id=video_id,
            public_id=public_id,
            valid_s=valid_s,
            use=TokenUse.PLAYBACK,
            domain_list=self._keep(domains, now, valid_s),
            now=now,
        )

    def forget_unused(self) -> int:
        """Remove stored lists of domains that no valid token can name; return their number."""
        with self.uow.write() as work:
            count = work.domain_lists.forget(self.clock.now(), FORGET_BATCH)
            work.commit()
        return count

    def _keep(self, domains: Sequence[str], now: datetime, valid_s: int) -> str:
        needed_until = now + timedelta(seconds=valid_s + LEEWAY_S)
        wanted = NamedDomains.of(domains, needed_until + RETENTION_MARGIN)
        with self.uow.read() as work:
            expires_at = work.domain_lists.expires_at(wanted.id)
        if expires_at is None or expires_at < needed_until:
            with self.uow.write() as work:
                work.domain_lists.keep(wanted)
                work.commit()
        return wanted.id
