"""The repository of captions; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import CaptionTrack


class CaptionRepository(Protocol):
    """Store facts about the captions of videos; the caption files are in the storage."""

    def of_video(self, video_id: VideoId) -> Sequence[CaptionTrack]:
        """Return a video's captions, by language."""
        ...

    def put(self, track: CaptionTrack) -> None:
        """Store a video's captions in a language, in place of former ones; what these say is stored by ``spoken_texts``."""
        ...

    def remove(self, video_id: VideoId, language: str) -> None:
        """Remove a video's captions in a language, with what they say; no error if there are none."""
        ...
