"""Keep files that a repair removed in quarantine for a week, before they are deleted."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import VideoId
from hvcore.domain.media_paths import QUARANTINE, media_prefix, quarantined
from hvcore.errors import UnavailableError
from hvcore.ports.storage import (
    ObjectInfo,
    ObjectNotFoundError,
    Storage,
    SupportsCopy,
    SupportsLocalPath,
)
from hvcore.services.processing.attempt_files import content_type

KEPT_FOR: Final = timedelta(days=7)
"""How long objects stay in quarantine, in case the database was the wrong one."""
LOOKS_EVERY: Final = timedelta(hours=1)
AT_ONCE: Final = 8
"""Objects moved at a time; a copy takes a store some 50 ms."""


@attrs.define(kw_only=True)
class Quarantine:
    """Move stored objects into quarantine and back, and delete them after a week."""

    storage: Storage
    clock: Clock
    _looks_again_at: datetime = attrs.field(
        default=datetime.min.replace(tzinfo=UTC), init=False
    )

    def take(self, prefix: str) -> int:
        """
        Move an object, or all below a prefix, into quarantine; return the number of objects.

        Raises:
            UnavailableError: The storage does not answer, or has no room.
        """
        return _each(self.storage.walk(prefix), self._take)

    def bring_back(self, video_id: VideoId | None) -> int:
        """
        Move objects back from quarantine to their places; return the number of objects.

        An object whose place is taken by now stays in quarantine.

        Args:
            video_id: The video whose files are moved back; None moves all objects back.

        Raises:
            UnavailableError: The storage does not answer, or has no room.
        """
        under = QUARANTINE if video_id is None else quarantined(media_prefix(video_id))
        return _each(self.storage.walk(under), self._bring_back)

    def expire(self) -> int:
        """
        Delete the objects that came into quarantine a week ago or earlier; return their number.

        Raises:
            UnavailableError: The storage does not answer.
        """
        limit = self.clock.now() - KEPT_FOR
        old = (one for one in self.storage.walk(QUARANTINE) if one.modified_at <= limit)
        return sum(self.storage.delete_tree(info.path) for info in old)

    def tidy(self) -> None:
        """
        Call ``expire`` if its last call was an hour ago or earlier.

        Raises:
            UnavailableError: The storage does not answer.
        """
        now = self.clock.now()
        if now >= self._looks_again_at:
            self.expire()
            self._looks_again_at = now + LOOKS_EVERY

    def _take(self, info: ObjectInfo) -> bool:
        return self._move(info, quarantined(info.path))

    def _bring_back(self, info: ObjectInfo) -> bool:
        target = info.path.removeprefix(f"{QUARANTINE}/")
        try:
            self.storage.stat(target)
        except ObjectNotFoundError:
            return self._move(info, target)
        return False

    def _move(self, info: ObjectInfo, target: str) -> bool:
        type_ = info.content_type or content_type(target)
        storage = self.storage
        try:
            if isinstance(storage, SupportsLocalPath):
                # Moved and not copied, there is room for it on a full disk, too.
                self._move_file(storage.local_path(info.path), target, type_)
                return True
            if isinstance(storage, SupportsCopy):
                storage.copy(info.path, target, content_type=type_)
            else:
                with storage.open(info.path) as file:
                    storage.write(target, file, content_type=type_)
        except (ObjectNotFoundError, FileNotFoundError):
            return False
        # This one alone: what came beside it meanwhile is not copied.
        storage.delete_tree(info.path)
        return True

    def _move_file(self, file: Path, target: str, type_: str) -> None:
        # The week begins now, and a moved file keeps its time.
        now_s = self.clock.now().timestamp()
        try:
            os.utime(file, (now_s, now_s))
        except PermissionError as exc:
            raise UnavailableError(
                "The storage's files belong to another user; repair as that one."
            ) from exc
        self.storage.put_file(target, file, content_type=type_)


def _each(infos: Iterable[ObjectInfo], move: Callable[[ObjectInfo], bool]) -> int:
    with ThreadPoolExecutor(AT_ONCE) as threads:
        return sum(threads.map(move, list(infos)))
