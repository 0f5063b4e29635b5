"""Set, list and remove the captions of videos."""

import hashlib
import io
import logging
import re
import secrets
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.videos.captions import (
    LANGUAGE_PATTERN,
    MAX_CAPTION_TRACKS,
    MAX_LANGUAGE_CHARS,
    UNDETERMINED,
    WEBVTT_TYPE,
    CaptionFormat,
    CaptionTrack,
    Cue,
    read_written,
    refused_file,
)
from hvcore.domain.videos.spoken_texts import spoken_text
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    FieldError,
    InvalidParametersError,
    NotFoundError,
    UnavailableError,
)
from hvcore.manifests.languages import canonical_tag
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.captions.searched_texts import store_searched_text
from hvcore.services.conditions import Condition, require_condition
from hvcore.services.videos.text_files import WrittenCaptions
from hvcore.services.videos.text_reading import TextReading
from hvcore.throttling.shares import SharedCapacity

_log = logging.getLogger(__name__)

_LANGUAGE = re.compile(LANGUAGE_PATTERN)
READ_AT_ONCE_BYTES: Final = 128 * 1024
"""Of captions whose words are found at once, those of a film; of longer ones within a minute."""
FIRST_CUES_BYTES: Final = 32 * 1024
"""The beginning of a file that is read for its first cues; reading all takes up to a second."""
NO_SUCH_CAPTIONS: Final = "The video has no captions in this language."


@attrs.frozen(kw_only=True)
class NewCaptions:
    """
    A caption file for one language of a video, as a client sent it.

    Attributes:
        language: The language tag in the request's path.
        label: The name that viewers see; None takes the language tag.
        data: The bytes of the file.
        expected: The format that the client declared; None if it declared none.
        changes: The captions of which the file is a changed version: their language stays,
            and no part of the file may be left out. None for other files.
        is_forced: Whether the captions translate only signs and the like.
    """

    language: str
    label: str | None
    data: bytes = attrs.field(repr=False)
    expected: CaptionFormat | None
    changes: CaptionTrack | None = None
    is_forced: bool = False


@attrs.frozen(kw_only=True)
class PutCaptions:
    """
    The captions of a video after a caption file was set.

    Attributes:
        tracks: All caption tracks of the video.
        left_out: Sentences for the sender of the file: the lines that cannot be shown, and why.
    """

    tracks: Sequence[CaptionTrack]
    left_out: Sequence[str]


@attrs.frozen(kw_only=True)
class Captions:
    """
    Set, list and remove the captions of videos.

    Captions belong to the video and not to a job: a retry of the job keeps them.

    Attributes:
        slots: Limits the files that are received at a time, captions and pictures together.
        opened: Limits the caption files that are opened as a whole at a time.
    """

    uow: UnitOfWork
    storage: Storage
    clock: Clock
    slots: SharedCapacity
    opened: SharedCapacity
    reading: TextReading

    def receiving(self, org_id: str) -> AbstractContextManager[None]:
        """
        Hold a slot for a caption file while it is received and stored.

        Raises:
            UnavailableError: Too many files are being received, in all or of the
                organization.
        """
        return self.slots.take(org_id)

    def opening(self, org_id: str) -> AbstractContextManager[None]:
        """
        Hold a slot while a stored caption file is in memory as a whole.

        Not one of those for files that are received: whoever sends the captions of a series
        can still read captions meanwhile.

        Raises:
            UnavailableError: Too many files are opened, in all or of the organization.
        """
        return self.opened.take(org_id)

    def of_video(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Sequence[CaptionTrack]:
        """
        Return the caption tracks of a video, by language.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            return work.captions.of_video(video.id)

    def first_cues(
        self, caller: Principal, org_id: str, video_id: str, language: str
    ) -> tuple[CaptionTrack, Sequence[Cue]]:
        """
        Return the caption track of a language, and its first cues in order, for a preview.

        The cues are as viewers get them. Only the first 32 KiB of the file are read, so long texts
        give fewer cues.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            NotFoundError: The video has no captions in this language.
            UnavailableError: The storage does not answer.
        """
        for track in self.of_video(caller, org_id, video_id):
            if track.language == language:
                return track, self._first_cues(track)
        raise NotFoundError(NO_SUCH_CAPTIONS)

    def put(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        new: NewCaptions,
        *,
        only_if: Condition[CaptionTrack | None] | None = None,
    ) -> PutCaptions:
        """
        Set the captions of a language, and return all caption tracks of the video.

        Viewers get the new captions from the next request on.

        Args:
            only_if: A condition on the present captions of the language, None if there are none.

        Raises:
            PreconditionFailedError: The present captions do not meet the condition and are not
                the same as the new ones; nothing is changed.
            InvalidParametersError: The language or the file is invalid, or the video has
                captions in too many languages.
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            UnavailableError: The storage does not answer.
        """
        language = _language(new.language) if new.changes is None else new.language
        # First: reading a file is work that only a video's owner may ask for.
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
        written = self.reading.captions(video.org_id, new.data, new.expected)
        if new.changes is not None and written.left_out:
            raise refused_file(" ".join(written.left_out))
        track = self._store(video, language, new, written)
        # Of more cues the sweep takes the words: it keeps no other request waiting.
        is_short = track.size_bytes <= READ_AT_ONCE_BYTES
        said = spoken_text(read_written(written.webvtt)) if is_short else None
        try:
            with self.uow.write() as work:
                video = require_listed(
                    find_authorized_video(
                        work, caller, org_id, video_id, for_update=True
                    )
                )
                before = work.captions.of_video(video.id)
                is_there = only_if is not None and any(
                    _are_same(track, other) for other in before
                )
                if not is_there:
                    _require_seen(only_if, before, language)
                    _require_room(before, language)
                    work.captions.put(track)
                    if said is not None:
                        store_searched_text(work, track, said)
                    _record(work, "captions.put", video, language)
                found = work.captions.of_video(video.id)
                work.commit()
        except BaseException:
            self._discard_if_unknown(track)
            raise
        if is_there:
            # Sent once more, because the first answer was lost.
            self._discard(track)
        else:
            self._discard(*(old for old in before if old.language == language))
        return PutCaptions(tracks=found, left_out=written.left_out)

    def remove(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        language: str,
        *,
        only_if: Condition[CaptionTrack | None] | None = None,
    ) -> Sequence[CaptionTrack]:
        """
        Remove the captions of a language, and return the video's other caption tracks.

        Viewers do not get the removed captions from the next request on.

        Args:
            only_if: A condition on the captions that are removed.

        Raises:
            PreconditionFailedError: The captions do not meet the condition; they stay.
            InvalidParametersError: The language is not a language tag.
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            NotFoundError: The video has no captions in this language.
        """
        # Those of a source may have this language; they can be removed, too.
        is_known = language.lower() != UNDETERMINED
        language = _language(language) if is_known else UNDETERMINED
        with self.uow.write() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id, for_update=True)
            )
            before = work.captions.of_video(video.id)
            removed = [track for track in before if track.language == language]
            if not removed:
                raise NotFoundError(NO_SUCH_CAPTIONS)
            _require_seen(only_if, removed, language)
            work.captions.remove(video.id, language)
            _record(work, "captions.remove", video, language)
            work.commit()
        self._discard(*removed)
        return [track for track in before if track.language != language]

    def _first_cues(self, track: CaptionTrack) -> Sequence[Cue]:
        try:
            with self.storage.open(track.path) as file:
                data = file.read(FIRST_CUES_BYTES)
        except ObjectNotFoundError as exc:
            # Replaced or removed at this moment.
            raise NotFoundError(NO_SUCH_CAPTIONS) from exc
        if len(data) < track.size_bytes:
            data = data[: data.rfind(b"\n\n") + 1]
        return read_written(data)

    def _store(
        self, video: Video, language: str, new: NewCaptions, written: WrittenCaptions
    ) -> CaptionTrack:
        track = CaptionTrack(
            video_id=video.id,
            language=language,
            label=(new.label or "").strip() or language,
            cues=written.cues,
            size_bytes=len(written.webvtt),
            sha256=hashlib.sha256(written.webvtt).hexdigest(),
            version=secrets.token_hex(8),
            created_at=self.clock.now(),
            is_forced=new.is_forced,
        )
        file = io.BytesIO(written.webvtt)
        self.storage.write(track.path, file, content_type=WEBVTT_TYPE)
        return track

    def _discard_if_unknown(self, track: CaptionTrack) -> None:
        # A commit may fail and yet have happened, or be under way: only its answer
        # was lost. The video's row is locked by it.
        try:
            with self.uow.write() as work:
                work.videos.find(track.video_id, for_update=True)
                shown = work.captions.of_video(track.video_id)
        except UnavailableError:
            # It may be shown; if not, it is removed with its video.
            return
        if all(other.version != track.version for other in shown):
            self._discard(track)

    def _discard(self, *tracks: CaptionTrack) -> None:
        for path in (path for track in tracks for path in track.paths):
            try:
                self.storage.delete_tree(path)
            except UnavailableError:
                # Nothing serves it, and it goes with its video.
                _log.warning("captions not removed", extra={"hv_path": path})


def _are_same(track: CaptionTrack, other: CaptionTrack) -> bool:
    """Return whether viewers would see the same by both."""
    return (track.language, track.label, track.sha256) == (
        other.language,
        other.label,
        other.sha256,
    )


def _require_room(before: Sequence[CaptionTrack], language: str) -> None:
    is_new = all(track.language != language for track in before)
    if is_new and len(before) >= MAX_CAPTION_TRACKS:
        raise _refusal(
            f"A video may have captions in {MAX_CAPTION_TRACKS} languages; "
            "remove others first.",
            language,
        )


def _require_seen(
    only_if: Condition[CaptionTrack | None] | None,
    tracks: Sequence[CaptionTrack],
    language: str,
) -> None:
    found = (track for track in tracks if track.language == language)
    require_condition(only_if, next(found, None))


def _language(given: str) -> str:
    is_tag = len(given) <= MAX_LANGUAGE_CHARS and _LANGUAGE.fullmatch(given)
    canonical = canonical_tag(given) if is_tag else ""
    if not canonical:
        raise _refusal(
            "The language must be a tag such as en, pt-BR or zh-Hant.", given
        )
    return canonical


def _refusal(message: str, language: str) -> InvalidParametersError:
    problem = FieldError(message=message, location="path.language", value=language)
    return InvalidParametersError(message, errors=[problem])


def _record(work: Work, action: str, video: Video, language: str) -> None:
    record_by_caller(work, action, video.id, org_id=video.org_id, language=language)
