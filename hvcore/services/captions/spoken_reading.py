"""
Read spoken texts from caption files where no transaction has stored them: of older versions, and of long captions.

The leader of the sweep looks at some captions each time, and begins anew after a while.
"""

import logging
import math
import time
from typing import Final

import attrs

from hvcore.domain.videos.captions import CaptionTrack, read_written
from hvcore.domain.videos.spoken_texts import SpokenText, spoken_text
from hvcore.errors import UnavailableError
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.ports.unit_of_work import UnitOfWork

_log = logging.getLogger(__name__)

LOOKED_AT: Final = 1_000
"""Captions, and texts, that are looked at in one step; that takes some milliseconds."""
MOST_READ_S: Final = 2.0
"""Time in which a step reads files: the sweep has other work."""

OVERWRITE_EVERY_S: Final = 3_600
"""Between two times at which the index is written anew, because words were removed from it."""
MOST_OVERWRITTEN_S: Final = 0.5
"""Time in which a step does so; the next one goes on."""


@attrs.define(kw_only=True)
class SpokenReading:
    """Read the spoken texts of captions, and store them for the search; one process does so at a time."""

    uow: UnitOfWork
    storage: Storage
    _after: tuple[str, str] = ("", "")
    _after_text: int = 0
    _overwritten_s: float = -math.inf

    def step(self) -> int:
        """
        Look at some captions, and read those whose text is not stored; return how many were read.

        Raises:
            UnavailableError: The database does not answer.
        """
        self._remove_some()
        self._overwrite_some()
        with self.uow.read() as work:
            unread, last = work.spoken_texts.unread(self._after, LOOKED_AT)
        until = time.monotonic() + MOST_READ_S
        for count, track in enumerate(unread, start=1):
            self._read(track)
            if time.monotonic() > until:
                self._after = (track.video_id, track.language)
                return count
        self._after = last or ("", "")
        return len(unread)

    def _read(self, track: CaptionTrack) -> None:
        said = self._said(track)
        if said is None:
            return
        with self.uow.write() as work:
            work.videos.find(track.video_id, for_update=True)
            # Replaced or removed meanwhile, it says something else.
            listed = work.captions.of_video(track.video_id)
            if any(_is_version(one, track) for one in listed):
                work.spoken_texts.put(track, said)
                work.commit()

    def _said(self, track: CaptionTrack) -> SpokenText | None:
        try:
            with self.storage.open(track.path) as file:
                return spoken_text(read_written(file.read()))
        except ObjectNotFoundError:
            # It is lost, or was replaced at this moment; a repair gives it up.
            return SpokenText(starts_ms=(), text="")
        except (UnavailableError, ValueError):
            _log.warning("captions not read", extra={"hv_path": track.path})
            return None

    def _remove_some(self) -> None:
        with self.uow.write() as work:
            last = work.spoken_texts.remove_unlisted(self._after_text, LOOKED_AT)
            work.commit()
        self._after_text = last or 0

    def _overwrite_some(self) -> None:
        begun_s = time.monotonic()
        if begun_s - self._overwritten_s < OVERWRITE_EVERY_S:
            return
        with self.uow.read() as work:
            has_more = work.spoken_texts.has_removed_words()
        while has_more and time.monotonic() - begun_s < MOST_OVERWRITTEN_S:
            # Each by itself: other writers wait in between.
            with self.uow.write() as work:
                has_more = work.spoken_texts.overwrite_removed_words()
                work.commit()
            if not has_more:
                self._overwritten_s = begun_s


def _is_version(one: CaptionTrack, other: CaptionTrack) -> bool:
    """Return whether two captions of a video are the same version of the same captions."""
    return (one.language, one.version) == (other.language, other.version)
