"""The repository of captions; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import CaptionTrack


class CaptionRepository(Protocol):
    """The captions of videos; their files are in the storage."""

    def of_video(self, video_id: VideoId) -> Sequence[CaptionTrack]:
        """Return a video's captions, by language."""
        ...

    def put(self, track: CaptionTrack) -> None:
        """Store captions; those that the video had in this language are replaced."""
        ...

    def remove(self, video_id: VideoId, language: str) -> None:
        """Forget a video's captions in a language; absent is fine."""
        ...
