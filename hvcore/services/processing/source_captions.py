"""
Publish the captions that a video's source file contains.

The caption files of parts come from a stranger's file: they are read as strictly as
captions that owners send, and are written anew for publication.
"""

import hashlib
import io
import logging
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import JobId, VideoId
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.source_info import CaptionTrackInfo
from hvcore.domain.processing.transcoding import PartDone
from hvcore.domain.videos.captions import (
    FORCED_ENDING,
    LANGUAGE_PATTERN,
    MAX_CAPTION_BYTES,
    MAX_CAPTION_TRACKS,
    MAX_LABEL_CHARS,
    MAX_LANGUAGE_CHARS,
    UNDETERMINED,
    WEBVTT_TYPE,
    CaptionFormat,
    CaptionTrack,
    Cue,
    captions_prefix,
    read_captions,
    write_webvtt,
)
from hvcore.domain.videos.spoken_texts import SpokenText, spoken_text
from hvcore.domain.videos.video import Video
from hvcore.errors import InvalidParametersError, UnavailableError
from hvcore.manifests.languages import canonical_tag
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.captions.searched_texts import store_searched_text
from hvcore.services.tasks.leases import TaskRun

_log = logging.getLogger(__name__)

_LANGUAGE = re.compile(LANGUAGE_PATTERN)


@attrs.frozen(kw_only=True)
class StoredCaptions:
    """
    Captions of a source that are in storage; viewers see them once the database lists them.

    Attributes:
        tracks: The caption tracks, at most one of each language.
        said: What they say, by language.
        warnings: The warnings about captions, which the video's details show.
    """

    tracks: tuple[CaptionTrack, ...] = ()
    said: Mapping[str, SpokenText] = attrs.field(factory=dict)
    warnings: tuple[str, ...] = ()

    def noted_in(self, media: MediaIndex) -> MediaIndex:
        """Return the media index with the warnings about the source's captions."""
        return attrs.evolve(media, warnings=media.warnings + self.warnings)

    def put(self, work: Work, video_id: VideoId) -> None:
        """
        Add the source's captions to the video, except in languages in which it has captions.

        The video's row must be locked.
        """
        before = {track.language for track in work.captions.of_video(video_id)}
        new = [track for track in self.tracks if track.language not in before]
        for track in new[: max(0, MAX_CAPTION_TRACKS - len(before))]:
            work.captions.put(track)
            store_searched_text(work, track, self.said[track.language])


@attrs.frozen(kw_only=True)
class _Candidate:
    path: str
    language: str
    source: CaptionTrackInfo


@attrs.frozen(kw_only=True)
class SourceCaptions:
    """Store the captions that source files contain, and remove the ones that are not shown."""

    uow: UnitOfWork
    storage: Storage
    clock: Clock

    @contextmanager
    def stored(
        self,
        run: TaskRun,
        video: Video,
        media: MediaIndex,
        done: Sequence[tuple[str, PartDone]],
    ) -> Iterator[StoredCaptions]:
        """
        Store the captions of a source; the ``with`` block must add them to the database.

        Afterwards, captions that the job stored and the database does not list are removed.

        Args:
            media: The index that is published together with the captions.
            done: The folder and the result of each part.

        Raises:
            UnavailableError: The storage does not answer.
            TaskStopped: The work is not wanted any more.
        """
        candidates = _candidates(video, done)
        if not candidates:
            yield StoredCaptions()
            return
        # Of this attempt alone, as the folders of parts are.
        version = f"{video.job_id}a{run.task.fence}"
        try:
            yield self._store(run, video, media, candidates, version)
        except BaseException:
            own = re.compile(rf"-{re.escape(version)}\.vtt$")
            self._discard_unknown(video.id, self._made_by(video.id, own))
            raise
        try:
            # Also what attempts left that were killed before their transaction. Another
            # job's captions may be stored for a transaction that is to show them.
            made = self._made_by(video.id, _made_by_job(JobId(str(video.job_id))))
            self._discard_unknown(video.id, made)
            self._discard(candidate.path for candidate in candidates)
        except Exception:  # noqa: BLE001 - see below
            # Whatever a storage raises: the video is published, and nothing of it
            # may be taken back. What is left goes with it.
            _log.exception("captions not removed", extra={"hv_video": video.id})

    def remove_unshown(self, video_id: VideoId, job_id: JobId) -> None:
        """
        Remove captions that an ended job has stored and that the video does not show.

        Raises:
            UnavailableError: The storage or the database does not answer.
        """
        own = _made_by_job(job_id)
        infos = list(self.storage.walk(captions_prefix(video_id)))
        with self.uow.read() as work:
            shown = {track.path for track in work.captions.of_video(video_id)}
        for info in infos:
            if own.search(info.path) and info.path not in shown:
                self.storage.delete_tree(info.path)

    def _store(
        self,
        run: TaskRun,
        video: Video,
        media: MediaIndex,
        candidates: Sequence[_Candidate],
        version: str,
    ) -> StoredCaptions:
        tracks: dict[str, CaptionTrack] = {}
        said: dict[str, SpokenText] = {}
        unreadable: dict[str, None] = {}
        spare: dict[str, None] = {}
        for candidate in candidates:
            run.check()
            language = candidate.language
            if language in tracks or len(tracks) >= MAX_CAPTION_TRACKS:
                spare[language] = None
                continue
            try:
                written = self._write(video, candidate, media, version)
            except (InvalidParametersError, ObjectNotFoundError) as exc:
                _log.warning(
                    "captions of a source not read",
                    extra={"hv_path": candidate.path, "hv_reason": str(exc)},
                )
                unreadable[language] = None
                continue
            if written is not None:
                tracks[language], said[language] = written
        warnings = tuple(
            f"Captions of the source ({language}) could not be read."
            for language in unreadable
            if language not in tracks
        )
        warnings += tuple(_left_out(language, tracks) for language in spare)
        return StoredCaptions(
            tracks=tuple(tracks.values()), said=said, warnings=warnings
        )

    def _write(
        self, video: Video, candidate: _Candidate, media: MediaIndex, version: str
    ) -> tuple[CaptionTrack, SpokenText] | None:
        """Store the captions as WebVTT; return them and what they say, or nothing where there are none."""
        cues = self._cues(candidate, media.duration_s)
        if not cues:
            return None
        written = write_webvtt(cues)
        track = CaptionTrack(
            video_id=video.id,
            language=candidate.language,
            label=_label(candidate),
            cues=len(cues),
            size_bytes=len(written),
            sha256=hashlib.sha256(written).hexdigest(),
            version=version,
            created_at=self.clock.now(),
            is_forced=candidate.source.is_forced,
        )
        self.storage.write(track.path, io.BytesIO(written), content_type=WEBVTT_TYPE)
        return track, spoken_text(cues)

    def _cues(self, candidate: _Candidate, duration_s: float) -> list[Cue]:
        with self.storage.open(candidate.path) as file:
            data = file.read(MAX_CAPTION_BYTES + 1)
        if len(data) > MAX_CAPTION_BYTES:
            message = f"The captions are longer than {MAX_CAPTION_BYTES} bytes."
            raise InvalidParametersError(message)
        cues = read_captions(data, CaptionFormat.WEBVTT).cues
        # Where the sound or a text track goes on behind the last picture.
        return [cue for cue in cues if cue.start_ms < duration_s * 1000]

    def _made_by(self, video_id: VideoId, made: re.Pattern[str]) -> list[str]:
        try:
            infos = list(self.storage.walk(captions_prefix(video_id)))
        except UnavailableError:
            return []
        return [info.path for info in infos if made.search(info.path)]

    def _discard_unknown(self, video_id: VideoId, paths: Iterable[str]) -> None:
        # A commit may fail and yet have happened, or be under way: only its answer
        # was lost. The video's row is locked by it.
        try:
            with self.uow.write() as work:
                work.videos.find(video_id, for_update=True)
                shown = {track.path for track in work.captions.of_video(video_id)}
        except UnavailableError:
            # They may be shown; if not, they are removed with their video.
            return
        self._discard(path for path in paths if path not in shown)

    def _discard(self, paths: Iterable[str]) -> None:
        for path in paths:
            try:
                self.storage.delete_tree(path)
            except UnavailableError:
                # Nothing serves it, and it goes with its video.
                _log.warning("captions not removed", extra={"hv_path": path})


def _made_by_job(job_id: JobId) -> re.Pattern[str]:
    """Return the pattern of the captions' paths that attempts at a job make."""
    return re.compile(rf"-{re.escape(job_id)}a[0-9]+\.vtt$")


def _candidates(video: Video, done: Sequence[tuple[str, PartDone]]) -> list[_Candidate]:
    """
    Return the files of all parts, of each language the best one first.

    The best has every text, which a forced track has not, and is the one that
    its file prefers.
    """
    found = [
        _Candidate(
            path=f"{video.media_root}/{folder}/{caption.name}",
            language=_language(caption.source.language),
            source=caption.source,
        )
        for folder, part in done
        for caption in part.captions
    ]
    return sorted(
        found, key=lambda one: (one.source.is_forced, not one.source.is_default)
    )


def _left_out(language: str, tracks: Container[str]) -> str:
    if language in tracks:
        return (
            f"The source has several captions of one language ({language}); one "
            "of them was taken."
        )
    return (
        f"The source has captions of more than {MAX_CAPTION_TRACKS} languages; "
        f"those in {language} were left out."
    )


def _language(code: str) -> str:
    for tag in (code, code.partition("-")[0]):
        if len(tag) <= MAX_LANGUAGE_CHARS and _LANGUAGE.fullmatch(tag):
            canonical = canonical_tag(tag)
            if canonical:
                return canonical
    return UNDETERMINED


def _label(candidate: _Candidate) -> str:
    shown = "".join(one for one in candidate.source.title if one.isprintable())
    title = shown[:MAX_LABEL_CHARS].strip()
    if title:
        return title
    is_known = candidate.language != UNDETERMINED
    label = candidate.language if is_known else "Captions"
    return f"{label}{FORCED_ENDING}" if candidate.source.is_forced else label
