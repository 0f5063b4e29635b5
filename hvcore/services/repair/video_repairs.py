"""
Carry out the repairs of a video; each first checks again that it is needed.

A repair may be repeated, and killed at any moment: it orders tasks, which are in
the database together with its other changes or not at all.
"""

import io
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

import attrs
import orjson

from hvcore.clock import Clock
from hvcore.domain.ids import new_job_id
from hvcore.domain.media_paths import media_prefix, media_root
from hvcore.domain.processing.remote_jobs import cancel_tasks
from hvcore.domain.tasks.kinds import (
    FETCH_GET,
    TRANSCODE_KINDS,
    TRANSCODE_REPAIR,
    UPLOAD_TAKE,
)
from hvcore.domain.tasks.task import ENDED
from hvcore.domain.uploads.grants import GrantState, upload_path
from hvcore.domain.videos.captions import (
    WORDS_TYPE,
    CaptionTrack,
    read_written,
)
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.transcripts import transcript_of
from hvcore.domain.videos.video import Video
from hvcore.ports.storage import Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record
from hvcore.services.processing.attempt_cleanup import (
    LATE_WRITERS_AFTER,
    order_tidying,
)
from hvcore.services.processing.attempt_files import AttemptFiles
from hvcore.services.processing.orders import (
    order_job,
    order_renewal,
    order_repair,
)
from hvcore.services.processing.renewals import replaced_job
from hvcore.services.repair.damages import DamageKind
from hvcore.services.repair.quarantine import Quarantine
from hvcore.services.repair.video_leftovers import leftovers
from hvcore.wire.stored import to_stored

MAKING_KINDS: Final = frozenset({*TRANSCODE_KINDS, FETCH_GET, UPLOAD_TAKE})
"""The tasks of which a video that is being processed has at least one."""
LOST: Final = (
    "Files of this video were lost, and so was the uploaded file; upload it again."
)
CHANGED_MEANWHILE: Final = (
    "nothing: it has changed meanwhile; the next check looks again"
)
ORDERED_BEFORE: Final = "nothing: that is ordered already"
_ACTION: Final = "video.repair"


@attrs.frozen(kw_only=True)
class VideoRepairs:
    """
    Carry out the repairs of videos; each method returns a text that says what was done.

    The argument ``seen`` is the video as it was when the damage was found. If it has changed
    since in a way that matters, the method changes nothing.
    """

    uow: UnitOfWork
    storage: Storage
    clock: Clock
    files: AttemptFiles
    quarantine: Quarantine

    def plan_again(self, seen: Video) -> str:
        """Begin another job for a video that is being processed and has no running task."""
        with self.uow.write() as work:
            video = _stuck(work, seen)
            if video is None or video.job_id is None:
                return CHANGED_MEANWHILE
            old = attrs.evolve(video)
            video.plan_again(video.job_id, new_job_id())
            work.videos.save(video)
            order_job(work, video)
            order_tidying(work, old, LATE_WRITERS_AFTER)
            _record(work, video, "planned again")
            work.commit()
        return "its processing is planned again; a worker makes it"

    def write_playlists(self, seen: Video) -> str:
        """Write the playlists and the manifest of a published video again."""
        with self.uow.read() as work:
            video = _published(work, seen)
        if video is None or video.media is None or video.job_id is None:
            return CHANGED_MEANWHILE
        # What is published under this job never changes, so no lock is needed.
        self.files.write_playlists(media_root(video.id, video.job_id), video.media)
        return "the playlists and the manifest are written"

    def encode_parts(self, seen: Video, folders: Mapping[str, Sequence[str]]) -> str:
        """
        Order the encoding of parts of a published video, to put back their lost files.

        Args:
            folders: The folders of the parts, each with its files whose bytes are wrong.
        """
        with self.uow.write() as work:
            video = _published(work, seen, for_update=True)
            if video is None:
                return CHANGED_MEANWHILE
            if _is_encoded_again(work, video):
                return ORDERED_BEFORE
            order_repair(work, video, folders)
            _record(work, video, f"parts in {', '.join(sorted(folders))} ordered")
            work.commit()
        return "a worker encodes it (hv tasks shows transcode.mend)"

    def encode_all(self, seen: Video) -> str:
        """Order the encoding of a whole published video from its source."""
        with self.uow.write() as work:
            video = _published(work, seen, for_update=True)
            if video is None:
                return CHANGED_MEANWHILE
            if _is_encoded_again(work, video):
                return ORDERED_BEFORE
            order_renewal(work, video)
            _record(work, video, "whole video ordered")
            work.commit()
        return "a worker encodes it (hv tasks shows transcode.plan)"

    def captions_again(self, seen: Video, track: CaptionTrack) -> str:
        """
        Remove captions whose file is lost, and order the encoding of the whole video again.

        Encoding the video again gets the captions from its source.
        """
        ordered = self.encode_all(seen)
        if ordered in {ORDERED_BEFORE, CHANGED_MEANWHILE}:
            # Forgotten now, nobody would order them afterwards.
            return CHANGED_MEANWHILE
        return f"{self.forget_captions(track)}; {ordered}"

    def forget_captions(self, track: CaptionTrack) -> str:
        """Remove captions whose file is lost from a video."""
        with self.uow.write() as work:
            video = work.videos.find(track.video_id, for_update=True)
            if video is None or track not in work.captions.of_video(track.video_id):
                return CHANGED_MEANWHILE
            work.captions.remove(track.video_id, track.language)
            _record(work, video, f"captions {track.language} given up")
            work.commit()
        return "they are not offered any more"

    def write_words(self, track: CaptionTrack) -> str:
        """Write the lost file of the words of generated captions again from their cues, without words."""
        assert track.words_path is not None  # noqa: S101 - only such files are lost
        with self.storage.open(track.path) as file:
            said = transcript_of(track.language, read_written(file.read()))
        words = io.BytesIO(orjson.dumps(to_stored(said)))
        self.storage.write(track.words_path, words, content_type=WORDS_TYPE)
        with self.uow.write() as work:
            video = work.videos.find(track.video_id, for_update=True)
            is_listed = track in work.captions.of_video(track.video_id)
            if video is not None and is_listed:
                _record(work, video, f"words of captions {track.language} written")
                work.commit()
        if not is_listed:
            # They were replaced or removed meanwhile, and their files with them.
            self.storage.delete_tree(track.words_path)
            return CHANGED_MEANWHILE
        return "the transcript has cues again"

    def forget_picture(self, seen: Video, path: str) -> str:
        """Show a video's own poster again, because the file of the poster that the owner chose is lost."""
        with self.uow.write() as work:
            video = work.videos.find(seen.id, for_update=True)
            if video is None or not video.forget_picture(path):
                return CHANGED_MEANWHILE
            work.videos.save(video)
            _record(work, video, "chosen picture given up")
            work.commit()
        return "the video's own picture is shown"

    def forget_source(self, seen: Video) -> str:
        """Record that the source file of a video is not stored any more."""
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks.
            grant = work.grants.find_path(upload_path(seen), for_update=True)
            video = work.videos.find(seen.id, for_update=True)
            if (
                grant is None
                or video is None
                or video.source_path != seen.source_path
                or video.state is VideoState.DELETED
            ):
                return CHANGED_MEANWHILE
            grant.state = GrantState.ENDED
            work.grants.save(grant)
            _record(work, video, "source given up")
            work.commit()
        return "it counts as stored no more"

    def give_up(self, seen: Video) -> str:
        """Mark a video as failed, because its files and its source are lost."""
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks.
            work.grants.find_path(upload_path(seen), for_update=True)
            video = _published(work, seen, for_update=True) or _stuck(work, seen)
            if video is None or video.job_id is None:
                return CHANGED_MEANWHILE
            if not video.mark_lost(video.job_id, LOST):
                video.mark_failed(video.job_id, LOST)
            work.videos.save(video)
            kinds = (*TRANSCODE_KINDS, TRANSCODE_REPAIR)
            ended = work.tasks.cancel(video.id, kinds=kinds)
            work.tasks.add(cancel_tasks(ended, now=work.now()))
            order_tidying(work, video, timedelta(), LATE_WRITERS_AFTER)
            _record(work, video, "given up")
            work.commit()
        return "the video is failed, with a reason that its owner reads"

    def remove_leftover(
        self, seen: Video, grace: timedelta, kind: DamageKind, path: str
    ) -> str:
        """
        Move the files under a path into quarantine, if the video still does not need them.

        Args:
            seen: The video as it was when the files were found.
            grace: The least age of the files that are moved; younger files stay where
                they are.
            kind: The kind of leftover that was found.
            path: The storage path of the file or folder that was found.

        Returns:
            A sentence for the operator that says what was done.
        """
        prefix = f"{media_prefix(seen.id)}/"
        infos = list(self.storage.walk(path))
        with self.uow.read() as work:
            video = work.videos.find(seen.id)
            tasks = work.tasks.of_subject(seen.id)
            captions = work.captions.of_video(seen.id)
        if video is None or video.state is VideoState.DELETED:
            return CHANGED_MEANWHILE
        found = leftovers(
            video,
            captions,
            tasks,
            {info.path.removeprefix(prefix): info for info in infos},
            older_than=self.clock.now() - grace,
            # Only what is found counts here.
            remove=lambda _, path: path,
        )
        if all((one.kind, one.path) != (kind, path) for one in found):
            return CHANGED_MEANWHILE
        return f"{self.quarantine.take(path)} files are in quarantine"


def _published(work: Work, seen: Video, *, for_update: bool = False) -> Video | None:
    video = work.videos.find(seen.id, for_update=for_update)
    is_same = (
        video is not None
        and video.state is VideoState.READY
        and video.job_id == seen.job_id
    )
    return video if is_same else None


def _stuck(work: Work, seen: Video) -> Video | None:
    grant = work.grants.find_path(upload_path(seen), for_update=True)
    video = work.videos.find(seen.id, for_update=True)
    if (
        video is None
        or video.state is not VideoState.TRANSCODING
        or video.job_id != seen.job_id
    ):
        return None
    subjects = [video.id] if grant is None else [video.id, grant.id]
    is_made = any(
        task.state not in ENDED and task.kind in MAKING_KINDS
        for subject in subjects
        for task in work.tasks.of_subject(subject)
    )
    return None if is_made else video


def _is_encoded_again(work: Work, video: Video) -> bool:
    return bool(work.tasks.unended(video.id, kind=TRANSCODE_REPAIR)) or any(
        task.state not in ENDED and replaced_job(task) == video.job_id
        for task in work.tasks.of_subject(video.id)
    )


def _record(work: Work, video: Video, step: str) -> None:
    record(work, _ACTION, video.id, org_id=video.org_id, step=step)
