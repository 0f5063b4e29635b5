"""Store and publish captions that a machine wrote, and never over those of a person."""

import hashlib
import io
import logging
from collections.abc import Iterable, Sequence
from typing import Final

import attrs
import orjson

from hvcore.clock import Clock
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.caption_jobs import CaptionJob, Transcript
from hvcore.domain.videos.captions import (
    MAX_CAPTION_TRACKS,
    MAX_CUES,
    WEBVTT_TYPE,
    CaptionTrack,
    captions_prefix,
    write_webvtt,
)
from hvcore.domain.videos.spoken_captions import caption_cues
from hvcore.errors import InvalidParametersError, UnavailableError
from hvcore.manifests.language_names import language_name
from hvcore.ports.storage import Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.tasks.leases import TaskRun
from hvcore.wire.stored import to_stored

_log = logging.getLogger(__name__)

WORDS_TYPE: Final = "application/json"
WRITTEN_BY_A_PERSON: Final = (
    "The video has captions in this language ({language}) that a person wrote or that "
    "came with the file; they are not replaced. Remove them first."
)
TOO_MANY_TRACKS: Final = (
    f"The video has captions in {MAX_CAPTION_TRACKS} languages, which is the most."
)
TOO_LONG: Final = f"The captions would be too long: more than {MAX_CUES} cues or 4 MiB."


class NotPublishableError(Exception):
    """Say, in a sentence for the video's owner, why captions are not published."""


@attrs.frozen(kw_only=True)
class GeneratedCaptions:
    """Store the files of generated captions, and list them as captions of their video."""

    uow: UnitOfWork
    storage: Storage
    clock: Clock

    def store(self, run: TaskRun, job: CaptionJob, said: Transcript) -> CaptionTrack:
        """
        Store the file of captions and that of their words; viewers see neither yet.

        Raises:
            NotPublishableError: There are too many cues.
            UnavailableError: The storage does not answer.
        """
        cues = caption_cues(said.cues)
        if len(cues) > MAX_CUES:
            raise NotPublishableError(TOO_LONG)
        try:
            written = write_webvtt(cues)
        except InvalidParametersError as exc:
            raise NotPublishableError(TOO_LONG) from exc
        track = CaptionTrack(
            video_id=job.video_id,
            language=said.language,
            label=language_name(said.language),
            cues=len(cues),
            size_bytes=len(written),
            sha256=hashlib.sha256(written).hexdigest(),
            # Of this attempt alone: nothing that is published is written again.
            version=f"{job.id}a{run.task.fence}",
            created_at=self.clock.now(),
            is_generated=True,
            confidence=said.confidence,
        )
        self.storage.write(track.path, io.BytesIO(written), content_type=WEBVTT_TYPE)
        words = io.BytesIO(orjson.dumps(to_stored(said)))
        self.storage.write(str(track.words_path), words, content_type=WORDS_TYPE)
        return track

    def put(self, work: Work, track: CaptionTrack) -> Sequence[CaptionTrack]:
        """
        List captions of a video whose row is locked; return the captions that they replace.

        Raises:
            NotPublishableError: There are captions of a person in this language, or too
                many captions.
        """
        before = work.captions.of_video(track.video_id)
        replaced = [one for one in before if one.language == track.language]
        if any(not one.is_generated for one in replaced):
            raise NotPublishableError(
                WRITTEN_BY_A_PERSON.format(language=track.language)
            )
        if not replaced and len(before) >= MAX_CAPTION_TRACKS:
            raise NotPublishableError(TOO_MANY_TRACKS)
        work.captions.put(track)
        return replaced

    def discard(self, tracks: Iterable[CaptionTrack]) -> None:
        """Remove the files of captions that no video lists any more."""
        self._remove(path for track in tracks for path in track.paths)

    def discard_unlisted(self, job: CaptionJob) -> None:
        """Remove the files that attempts at an ended job stored and that its video does not list."""
        try:
            with self.uow.read() as work:
                # A commit whose answer was lost may have listed them.
                listed = work.captions.of_video(job.video_id)
            kept = {path for track in listed for path in track.paths}
            found = self._stored_by(job)
        except UnavailableError:
            # They are removed with their video.
            return
        self._remove(path for path in found if path not in kept)

    def _stored_by(self, job: CaptionJob) -> list[str]:
        infos = self.storage.walk(captions_prefix(VideoId(job.video_id)))
        return [info.path for info in infos if f"-{job.id}a" in info.path]

    def _remove(self, paths: Iterable[str]) -> None:
        for path in paths:
            try:
                self.storage.delete_tree(path)
            except UnavailableError:
                # Nothing serves it, and it goes with its video.
                _log.warning("captions not removed", extra={"hv_path": path})
