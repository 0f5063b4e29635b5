"""The repository of the spoken texts of videos; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.spoken_texts import SpokenText


class SpokenTextRepository(Protocol):
    """Store the spoken texts of videos (the text of captions), for the search in them."""

    def put(self, track: CaptionTrack, said: SpokenText) -> bool:
        """
        Store the spoken text of listed captions, in place of the text of former captions in the language.

        An empty text is stored if the texts of the video would have more than
        MAX_VIDEO_SPOKEN_CHARS together; ``unread`` returns its captions once there is room
        for them, because others were replaced or removed.

        Returns:
            Whether the text is stored, and is whole.
        """
        ...

    def remove(self, video_id: VideoId, language: str) -> None:
        """Remove the spoken text of a video in a language; no error if there is none."""
        ...

    def unread(
        self, after: tuple[str, str], limit: int
    ) -> tuple[Sequence[CaptionTrack], tuple[str, str] | None]:
        """
        Return the captions of listed videos whose text is not stored, among the next captions.

        Args:
            after: The video id and the language of the last captions that were looked at.
            limit: The number of captions that are looked at.

        Returns:
            The captions, and the last ones that were looked at; None if there were none.
        """
        ...

    def has_removed_words(self) -> bool:
        """Return whether words of removed texts may still be in the index, and can be overwritten."""
        ...

    def overwrite_removed_words(self) -> bool:
        """Overwrite a part of the words of removed texts in the index; return whether there may be more."""
        ...
