"""Download the captions of a video as WebVTT, SubRip or text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import falcon

from hvcore.domain.videos.captions import Cue
from hvcore.domain.videos.transcripts import write_subrip, write_text
from hvcore.errors import NotFoundError
from hvcore.wire.videos.captions import TRANSCRIPT_TYPES, TranscriptFormat
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.visits import organization_of

_WRITTEN: Final[Mapping[TranscriptFormat, Callable[[Sequence[Cue]], bytes]]] = {
    TranscriptFormat.SRT: write_subrip,
    TranscriptFormat.TEXT: write_text,
}
_ENDINGS: Final = {
    TranscriptFormat.VTT: "vtt",
    TranscriptFormat.SRT: "srt",
    TranscriptFormat.TEXT: "txt",
}


class CaptionDownloadResource:
    """``GET …/videos/{video}/captions/{language}/files/{form}``: captions as a file."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._captions = desk.services.captions
        self._transcripts = desk.services.transcripts

    def on_get(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        video_id: str,
        language: str,
        form: str,
        **_path: str,
    ) -> None:
        """
        Answer with the captions of a language as a file.

        Raises:
            NotFoundError: The video has no captions in this language, or there is no such
                format.
        """
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        kind = next((one for one in _ENDINGS if one.value == form), None)
        if kind is None:
            raise NotFoundError
        track = self._transcripts.track(here.caller, here.org_id, video.id, language)
        with self._captions.opening(here.org_id):
            write = _WRITTEN.get(kind)
            resp.data = (
                write(self._transcripts.cues(track))
                if write
                else self._transcripts.webvtt(track)
            )
        resp.content_type = f"{TRANSCRIPT_TYPES[kind]}; charset=utf-8"
        resp.downloadable_as = f"{video.id}-{track.language}.{_ENDINGS[kind]}"
