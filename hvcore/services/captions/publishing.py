"""Store and publish captions that a machine wrote, and never over those of a person."""

import hashlib
import io
import logging
import re
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
    WORDS_TYPE,
    CaptionTrack,
    captions_prefix,
    write_webvtt,
)
from hvcore.domain.videos.spoken_captions import caption_cues
from hvcore.domain.videos.spoken_texts import SpokenText, spoken_text
from hvcore.errors import InvalidParametersError, UnavailableError
from hvcore.manifests.language_names import language_name
from hvcore.ports.storage import Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.captions.searched_texts import store_searched_text
from hvcore.services.tasks.leases import TaskRun
from hvcore.wire.stored import to_stored

_log = logging.getLogger(__name__)

WRITTEN_BY_A_PERSON: Final = (
    "The video has captions in this language ({language}) that a person wrote or that "
    "came with the file; they are not replaced. Remove them first."
)
TOO_MANY_TRACKS: Final = (
    f"The video has captions in {MAX_CAPTION_TRACKS} languages, which is the most."
)
TOO_LONG: Final = f"The captions would be too long: more than {MAX_CUES} cues or 4 MiB."


_GENERATED: Final = re.compile(r"-(cap_[0-9A-Za-z]+a[0-9]+)\.[^/]+$")
"""Of a file's path: the version of captions that an attempt at a caption job stored."""


class NotPublishableError(Exception):
    """Say, in a sentence for the video's owner, why captions are not published."""


@attrs.frozen(kw_only=True)
class GeneratedCaptions:
    """Store the files of generated captions, and list them as captions of their video."""

    uow: UnitOfWork
    storage: Storage
    clock: Clock

    def store(
        self, run: TaskRun, job: CaptionJob, said: Transcript
    ) -> tuple[CaptionTrack, SpokenText]:
        """
        Store the file of captions and that of their words; viewers see neither yet.

        Returns:
            The captions, and what they say for the search.

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
            version=_version(job, run),
            created_at=self.clock.now(),
            is_generated=True,
            confidence=said.confidence,
        )
        self.storage.write(track.path, io.BytesIO(written), content_type=WEBVTT_TYPE)
        words = io.BytesIO(orjson.dumps(to_stored(said)))
        self.storage.write(str(track.words_path), words, content_type=WORDS_TYPE)
        return track, spoken_text(cues)

    def put(self, work: Work, track: CaptionTrack, said: SpokenText) -> None:
        """
        List captions of a video whose row is locked, in place of generated ones of their language.

        Args:
            said: What the captions say.

        Raises:
            NotPublishableError: There are captions of a person in this language, or too
                many captions.
        """
        self.require_replaceable(work, track.video_id, track.language)
        work.captions.put(track)
        store_searched_text(work, track, said)

    def require_replaceable(self, work: Work, video_id: VideoId, language: str) -> None:
        """
        Require that new captions of a language can be listed, in place of generated ones or as others.

        Raises:
            NotPublishableError: There are captions of a person in this language, or too
                many captions.
        """
        before = work.captions.of_video(video_id)
        replaced = [one for one in before if one.language == language]
        if any(not one.is_generated for one in replaced):
            raise NotPublishableError(WRITTEN_BY_A_PERSON.format(language=language))
        if not replaced and len(before) >= MAX_CAPTION_TRACKS:
            raise NotPublishableError(TOO_MANY_TRACKS)

    def discard_attempt(self, job: CaptionJob, run: TaskRun) -> None:
        """Remove the files that a failed attempt stored, unless its video lists them after all."""
        version = _version(job, run)
        try:
            found = [one for one in self._stored(job.video_id) if one[1] == version]
            with self.uow.write() as work:
                # A commit whose answer was lost, or is under way, holds the row's lock.
                work.videos.find(job.video_id, for_update=True)
                kept = _listed(work, job.video_id)
            for path, _ in found:
                if path not in kept:
                    self.storage.delete_tree(path)
        except UnavailableError as exc:
            # Nothing serves them, and the end of a job removes them.
            _log.warning(
                "captions not removed",
                extra={"hv_video": job.video_id, "hv_why": exc.detail},
            )

    def discard_unlisted(self, video_id: VideoId) -> None:
        """
        Remove the files of ended caption jobs that their video does not list.

        Raises:
            UnavailableError: The storage does not answer; some of the files are left.
        """
        # First the files: those of a job that begins after this are not among them.
        found = self._stored(video_id)
        with self.uow.read() as work:
            jobs = work.caption_jobs.of_video(video_id)
            kept = _listed(work, video_id)
        busy = tuple(f"{job.id}a" for job in jobs if job.is_running)
        for path, version in found:
            if path not in kept and not version.startswith(busy):
                self.storage.delete_tree(path)

    def _stored(self, video_id: VideoId) -> list[tuple[str, str]]:
        """Return path and version of each file that attempts at caption jobs of a video stored."""
        infos = self.storage.walk(captions_prefix(video_id))
        found = ((info.path, _GENERATED.search(info.path)) for info in infos)
        return [(path, match[1]) for path, match in found if match is not None]


def _version(job: CaptionJob, run: TaskRun) -> str:
    return f"{job.id}a{run.task.fence}"


def _listed(work: Work, video_id: VideoId) -> set[str]:
    return {path for track in work.captions.of_video(video_id) for path in track.paths}
