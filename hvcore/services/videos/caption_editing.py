"""Edit captions cue by cue, and compare captions with the speech that a machine has heard."""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

import attrs

from hvcore.domain.access.principals import Principal
from hvcore.domain.limits import MAX_SOURCE_DURATION_S
from hvcore.domain.videos.caption_checks import spans_of, wrong_cues
from hvcore.domain.videos.captions import (
    MAX_CAPTION_BYTES,
    CaptionFormat,
    CaptionTrack,
    read_written,
)
from hvcore.domain.videos.heard_speech import (
    HeardLanguage,
    SpanMs,
    doubts_of,
    uncaptioned,
)
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    FieldError,
    InvalidParametersError,
    NotFoundError,
    UnavailableError,
)
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.captions.transcripts import Transcripts
from hvcore.services.videos.captions import Captions, NewCaptions, PutCaptions

MOST_COMPARED_BYTES: Final = 4 * 1024**2
"""Of all captions of a video that are compared with its speech: 5 ms for each of 40 languages."""

MOST_READING: Final = timedelta(seconds=1)
"""In which files are read for one view of a page; those of the rest are read for the next one."""
NOT_READ_FOR: Final = timedelta(seconds=30)
"""After storage has not answered: each further read may wait for ten seconds, for each viewer of the page."""
MAX_REMEMBERED: Final = 10_000


@attrs.define
class _Comparisons:
    """
    Comparisons of files of captions with speech, kept because such files never change.

    Attributes:
        uncaptioned_s: The seconds of speech without captions, by the path of the file and
            the speech.
        not_before: The time before which no file is read; None if storage answers.
    """

    uncaptioned_s: dict[tuple[str, HeardLanguage], int] = attrs.field(factory=dict)
    not_before: datetime | None = None

    def remember(self, key: tuple[str, HeardLanguage], seconds: int) -> None:
        if len(self.uncaptioned_s) >= MAX_REMEMBERED:
            self.uncaptioned_s.clear()
        self.uncaptioned_s[key] = seconds


@attrs.frozen(kw_only=True)
class OpenedCaptions:
    """
    Captions that a person is about to edit.

    Attributes:
        text: The WebVTT file; None if it is too long to be edited.
        doubts: The doubted words of cues by the index of the cue: start and end of each in
            the plain text of the cue, in characters.
        speech: The spans in which somebody speaks; empty if nobody knows.
    """

    track: CaptionTrack
    text: str | None
    doubts: Mapping[int, tuple[tuple[int, int], ...]]
    speech: Sequence[SpanMs]


@attrs.frozen(kw_only=True)
class EditedCaptions:
    """
    Captions as a person has edited them.

    Attributes:
        language: The language of the captions.
        seen: The version of the captions that the person began with; "" if there were none.
        text: The captions as WebVTT.
        label: The name of the captions, for those that were removed meanwhile; "" for the
            language tag.
        is_forced: Whether they translate only signs, for those that were removed meanwhile.
    """

    language: str
    seen: str
    text: str = attrs.field(repr=False)
    label: str = ""
    is_forced: bool = False


@attrs.frozen(kw_only=True)
class CaptionEditing:
    """Open the captions of videos for editing, and save what people make of them."""

    uow: UnitOfWork
    transcripts: Transcripts
    captions: Captions
    _comparisons: _Comparisons = attrs.field(factory=_Comparisons, init=False)

    def open(
        self, caller: Principal, org_id: str, video_id: str, language: str
    ) -> OpenedCaptions:
        """
        Return the captions of a language with all that a person needs to edit them.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            NotFoundError: The video has no captions in this language.
            UnavailableError: The storage does not answer.
        """
        track = self.transcripts.track(caller, org_id, video_id, language)
        with self.uow.read() as work:
            known = work.caption_jobs.heard_languages(track.video_id)
            named = nearest_speech(known, track.language)
            heard = (
                work.caption_jobs.heard(track.video_id, named.wish) if named else None
            )
        if track.size_bytes > MAX_CAPTION_BYTES:
            return OpenedCaptions(track=track, text=None, doubts={}, speech=())
        file = self.transcripts.webvtt(track)
        is_own = heard is not None and heard.language == track.language
        return OpenedCaptions(
            track=track,
            text=file.decode(),
            doubts=doubts_of(heard, read_written(file)) if heard and is_own else {},
            speech=heard.spans if heard else (),
        )

    def save(
        self, caller: Principal, org_id: str, video: Video, edited: EditedCaptions
    ) -> PutCaptions:
        """
        Save edited captions as a new version, which is a person's; return all captions of the video.

        Raises:
            PreconditionFailedError: Others have changed or removed the captions since.
            InvalidParametersError: The text is no WebVTT, is too long, or has wrong times;
                the places are named.
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            UnavailableError: The storage does not answer.
        """
        before = self._present(caller, org_id, video.id, edited.language)
        data = edited.text.encode()
        if len(data) > MAX_CAPTION_BYTES:
            raise _refused(["The text is too long for captions."])
        kept = frozenset(self._spans(before) or ()) if before else frozenset()
        wrong = wrong_cues(edited.text, end_ms=_end_ms(video), kept=kept)
        if wrong:
            raise _refused([one.sentence for one in wrong])
        new = NewCaptions(
            language=before.language if before else edited.language,
            label=before.label if before else edited.label,
            data=data,
            expected=CaptionFormat.WEBVTT,
            changes=before,
            is_forced=before.is_forced if before else edited.is_forced,
        )
        return self.captions.put(
            caller,
            org_id,
            video.id,
            new,
            only_if=lambda track: (track.version if track else "") == edited.seen,
        )

    def uncaptioned_s(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Mapping[str, int]:
        """
        Return the seconds of speech without captions, for captions by their language.

        Languages are missing where nobody knows: nothing was heard, the files of all captions
        are too long to be compared, or the storage does not answer.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            tracks = work.captions.of_video(video.id)
            heard = work.caption_jobs.heard_languages(video.id)
            now = work.now()
        found: dict[str, int] = {}
        left_bytes = MOST_COMPARED_BYTES
        begun_s = time.monotonic()
        for track in tracks:
            left_bytes -= track.size_bytes
            nearest = nearest_speech(heard, track.language)
            if nearest is None or left_bytes < 0:
                continue
            is_late = time.monotonic() - begun_s > MOST_READING.total_seconds()
            seconds = self._uncaptioned_s(track, nearest, now, may_read=not is_late)
            if seconds is not None:
                found[track.language] = seconds
        return found

    def _uncaptioned_s(
        self,
        track: CaptionTrack,
        named: HeardLanguage,
        now: datetime,
        *,
        may_read: bool,
    ) -> int | None:
        """Return the seconds of speech that captions lack; None if their file cannot be read."""
        known, key = self._comparisons, (track.path, named)
        if key in known.uncaptioned_s:
            return known.uncaptioned_s[key]
        is_silent = known.not_before is not None and now < known.not_before
        if is_silent or not may_read:
            return None
        try:
            shown = self._spans(track)
        except UnavailableError:
            known.not_before = now + NOT_READ_FOR
            return None
        with self.uow.read() as work:
            speech = work.caption_jobs.heard(track.video_id, named.wish)
        if shown is None or speech is None:
            return None
        gaps = uncaptioned(speech.spans, shown)
        seconds = round(sum(end_ms - start_ms for start_ms, end_ms in gaps) / 1000)
        known.remember(key, seconds)
        return seconds

    def _spans(self, track: CaptionTrack) -> Sequence[SpanMs] | None:
        """
        Return the spans of the cues of captions; None if their file is gone.

        Raises:
            UnavailableError: The storage does not answer.
        """
        try:
            return spans_of(self.transcripts.webvtt(track))
        except NotFoundError:
            return None

    def _present(
        self, caller: Principal, org_id: str, video_id: str, language: str
    ) -> CaptionTrack | None:
        try:
            return self.transcripts.track(caller, org_id, video_id, language)
        except NotFoundError:
            # Removed since: then they are asked about, and set anew.
            with self.uow.read() as work:
                require_listed(find_authorized_video(work, caller, org_id, video_id))
            return None


def nearest_speech(
    heard: Sequence[HeardLanguage], language: str
) -> HeardLanguage | None:
    """Return the speech that was heard in a language, else in a related one, else the latest; None if there is none."""
    own = (one for one in heard if one.language == language)
    primary = language.partition("-")[0]
    related = (one for one in heard if one.language.partition("-")[0] == primary)
    return next(chain(own, related, heard), None)


def _end_ms(video: Video) -> int:
    # Before it is made, nobody knows where it ends.
    return round((video.duration_s or MAX_SOURCE_DURATION_S) * 1000)


def _refused(sentences: Sequence[str]) -> InvalidParametersError:
    message = " ".join(sentences)
    problem = FieldError(message=message, location="body.captions")
    return InvalidParametersError(message, errors=[problem])
