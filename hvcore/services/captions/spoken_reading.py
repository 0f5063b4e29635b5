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
from hvcore.domain.videos.spoken_texts import spoken_text
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.processes.rounds import Round
from hvcore.services.captions.searched_texts import store_searched_text

_log = logging.getLogger(__name__)

LOOKED_AT: Final = 1_000
"""Captions that are looked at at once; that takes some milliseconds."""
MOST_LOOKED_S: Final = 0.5
"""Time in which a step looks for captions without a text: of a million, it finds each within some minutes."""
MOST_READ_S: Final = 2.0
"""Time in which a step reads files: the sweep has other work."""
MOST_LOST: Final = 10_000
"""Captions with a lost file that are remembered, not to look for each of them in each round."""
LOST_FOR_S: Final = 3_600.0
"""For how long at least a lost file is not looked for: it may have come back from a backup."""
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
    _overwritten_s: float = -math.inf
    _lost: set[str] = attrs.field(factory=set)
    _forgotten_s: float = attrs.field(factory=time.monotonic)

    def step(self) -> int:
        """
        Look at some captions, and read those whose text is not stored; return how many were read.

        Captions that cannot be read are logged, and keep no others waiting.

        Raises:
            UnavailableError: The database does not answer.
        """
        self._overwrite_some()
        current = Round(_log, "captions not read; the others go on")
        begun_s = time.monotonic()
        count = 0
        while time.monotonic() - begun_s < MOST_LOOKED_S:
            with self.uow.read() as work:
                unread, last = work.spoken_texts.unread(self._after, LOOKED_AT)
            for track in unread:
                # First: whatever happens, the next step goes on behind it.
                self._after = (track.video_id, track.language)
                if track.path not in self._lost:
                    count += 1
                    with current.part(hv_path=track.path):
                        self._read(track)
                if time.monotonic() - begun_s > MOST_READ_S:
                    return count
            self._after = last or ("", "")
            if last is None:
                self._forget_lost_files()
                break
        return count

    def _read(self, track: CaptionTrack) -> None:
        try:
            with self.storage.open(track.path) as file:
                said = spoken_text(read_written(file.read()))
        except ObjectNotFoundError:
            # Not for good: perhaps nothing is mounted there.
            if len(self._lost) < MOST_LOST:
                self._lost.add(track.path)
            _log.warning("captions not found", extra={"hv_path": track.path})
            return
        with self.uow.write() as work:
            work.videos.find(track.video_id, for_update=True)
            # Replaced or removed meanwhile, it says something else.
            listed = work.captions.of_video(track.video_id)
            if any(_is_version(one, track) for one in listed):
                store_searched_text(work, track, said)
                work.commit()

    def _forget_lost_files(self) -> None:
        # At the end of a round: within it each lost file is looked for once.
        now_s = time.monotonic()
        if now_s - self._forgotten_s >= LOST_FOR_S:
            self._lost.clear()
            self._forgotten_s = now_s

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
