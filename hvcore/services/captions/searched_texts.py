"""Store the texts of captions for the search, and tell operators of words that nobody will find."""

import logging

from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.spoken_texts import SpokenText
from hvcore.ports.unit_of_work import Work

_log = logging.getLogger(__name__)


def store_searched_text(work: Work, track: CaptionTrack, said: SpokenText) -> None:
    """Store the spoken text of listed captions for the search, in the caller's transaction."""
    if not work.spoken_texts.put(track, said):
        # What viewers read is whole.
        _log.info(
            "captions are too long to be searched as a whole",
            extra={"hv_video": track.video_id, "hv_language": track.language},
        )
