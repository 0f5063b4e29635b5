"""
Tell delivery, edges and caches that a permission to watch has ended.

Processes of this machine learn it at once: a file of eight bytes changes before the delete
or the revocation is answered. An edge looks at the file with every request, and so does
delivery where it caches answers of a server (docs/decisions/0031). Caches on other machines
are told by tasks, which are repeated until they succeed.
"""

import logging
import os
from collections.abc import Iterable
from pathlib import Path

import attrs

from hvcore.domain.links.links import EdgeKey, ShareLink
from hvcore.domain.tasks.kinds import CACHE_INVALIDATION
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.videos.video import Video
from hvcore.files.changes_file import CHANGES_BYTES
from hvcore.ports.cache_invalidation import InvalidationReason
from hvcore.ports.unit_of_work import Work
from hvcore.settings import PublicSettings

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class PlaybackChanges:
    """
    Report ended permissions to watch; services call this when they end one.

    Attributes:
        file: The file of eight bytes that changes; None where no process looks at it.
        invalidators: The cache invalidators, by name.
    """

    file: Path | None = None
    invalidators: tuple[str, ...] = ()
    public: PublicSettings = attrs.field(factory=PublicSettings)

    def of_video(self, work: Work, video: Video, reason: InvalidationReason) -> None:
        """Order that caches remove the files of a video, in the transaction of the change."""
        if not self.invalidators:
            return
        worker, player = self.public.worker_url, self.public.player_url
        ids = (video.id, video.public_id)
        owners = {video.env_id, _env_name(work, video)}
        prefixes = [
            f"{worker}/v1/public/{video.org_id}/{env}/{id_}/"
            for env in sorted(owners)
            for id_ in ids
        ]
        prefixes += [f"{worker}/t/{id_}/" for id_ in ids]
        if reason is InvalidationReason.DELETED:
            prefixes += [f"{worker}/v1/private/{id_}/" for id_ in ids]
            prefixes += [f"{player}/v1/embed/{id_}" for id_ in ids]
        self._order(work, video, reason, prefixes)

    def of_edge_key(self, work: Work, key: EdgeKey) -> None:
        """Order that caches remove the pages that an edge key opened, in the same transaction."""
        prefixes = [f"{self.public.player_url}/v1/{key.id}"]
        self._order(work, key, InvalidationReason.REVOKED, prefixes)

    def of_share_link(self, work: Work, share: ShareLink) -> None:
        """Order that caches remove the files that a share link opened, in the same transaction."""
        prefixes = [
            f"{self.public.worker_url}/v1/share/{share.id}/",
            f"{self.public.player_url}/v1/watch/{share.id}",
        ]
        self._order(work, share, InvalidationReason.REVOKED, prefixes)

    def publish(self) -> None:
        """
        Make the processes of this machine forget cached permissions.

        Call it after the commit and before the answer.
        """
        if self.file is None:
            return
        try:
            _overwrite(self.file)
        except FileNotFoundError:
            # Not made here: who looks at it has made it before.
            return
        except OSError as exc:
            # Whoever looks at it asks again within a second all the same.
            _log.error(
                "a change could not be reported to the edge and to delivery",
                extra={"hv_file": str(self.file), "hv_error": str(exc)},
            )

    def _order(
        self,
        work: Work,
        ended: Video | EdgeKey | ShareLink,
        reason: InvalidationReason,
        prefixes: Iterable[str],
    ) -> None:
        payload = {
            "reason": reason.value,
            "env_id": ended.env_id,
            "prefixes": sorted(set(prefixes)),
        }
        # One for each, so that no invalidator waits for another.
        work.tasks.add(
            [
                NewTask(
                    kind=CACHE_INVALIDATION,
                    lane=Lane.OUTBOUND,
                    org_id=ended.org_id,
                    subject=ended.id if isinstance(ended, Video) else ended.video_id,
                    payload={**payload, "purger": name},
                )
                for name in self.invalidators
            ]
        )


def _env_name(work: Work, video: Video) -> str:
    found = work.tenants.environment(video.org_id, video.env_id)
    return found.name if found is not None else video.env_id


def _overwrite(file: Path) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.pwrite(descriptor, os.urandom(CHANGES_BYTES), 0)
    finally:
        os.close(descriptor)
