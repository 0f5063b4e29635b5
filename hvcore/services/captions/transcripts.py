"""Read the captions of a video as a transcript: as text, as cues or with words."""

import logging
from collections.abc import Sequence
from typing import Final

import attrs
import orjson

from hvcore.domain.access.principals import Principal
from hvcore.domain.videos.caption_jobs import Transcript
from hvcore.domain.videos.captions import (
    UNDETERMINED,
    CaptionTrack,
    Cue,
    read_written,
)
from hvcore.domain.videos.transcripts import transcript_of
from hvcore.errors import NotFoundError
from hvcore.manifests.languages import canonical_tag
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.wire.stored import from_stored

_log = logging.getLogger(__name__)

NO_TRANSCRIPT: Final = "The video has no captions in this language."


@attrs.frozen(kw_only=True)
class Transcripts:
    """Read the captions of videos as transcripts."""

    uow: UnitOfWork
    storage: Storage

    def track(
        self, caller: Principal, org_id: str, video_id: str, language: str
    ) -> CaptionTrack:
        """
        Return the captions of a video in a language.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            NotFoundError: The video has no captions in this language.
        """
        wanted = {language, language.lower(), canonical_tag(language)}
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            tracks = work.captions.of_video(video.id)
        for track in tracks:
            if track.language in wanted:
                return track
        raise NotFoundError(NO_TRANSCRIPT)

    def webvtt(self, track: CaptionTrack) -> bytes:
        """
        Return the published file of captions.

        Raises:
            NotFoundError: They were replaced or removed at this moment.
            UnavailableError: The storage does not answer.
        """
        return self._read(track.path)

    def cues(self, track: CaptionTrack) -> Sequence[Cue]:
        """
        Return the cues of captions in order.

        Raises:
            NotFoundError: They were replaced or removed at this moment.
            UnavailableError: The storage does not answer.
        """
        return read_written(self.webvtt(track))

    def said(self, track: CaptionTrack) -> Transcript:
        """
        Return the transcript of captions: with words if a machine wrote them, else without.

        Also without words if their file is lost; a check of the files tells of it.

        Raises:
            NotFoundError: They were replaced or removed at this moment.
            UnavailableError: The storage does not answer.
        """
        said = self._said_with_words(track)
        if said is not None:
            return said
        return transcript_of(track.language or UNDETERMINED, self.cues(track))

    def _said_with_words(self, track: CaptionTrack) -> Transcript | None:
        if track.words_path is None:
            return None
        try:
            return from_stored(orjson.loads(self._read(track.words_path)), Transcript)
        except (NotFoundError, ArithmeticError, LookupError, TypeError, ValueError):
            # The captions are shown all the same: the answer has them without words.
            _log.warning("words not readable", extra={"hv_path": track.words_path})
            return None

    def _read(self, path: str) -> bytes:
        try:
            with self.storage.open(path) as file:
                return file.read()
        except ObjectNotFoundError as exc:
            # Replaced or removed at this moment.
            raise NotFoundError(NO_TRANSCRIPT) from exc
