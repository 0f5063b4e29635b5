"""Find the damages of one video: its files, rows and tasks, each with its repair."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import attrs

from hvcore.domain.media_paths import media_prefix, media_root
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.tasks.kinds import TRANSCODE_KINDS, TRANSCODE_REPAIR
from hvcore.domain.tasks.task import ENDED, Task, TaskState
from hvcore.domain.uploads.grants import GrantState, UploadGrant, upload_path
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.ports.storage import ObjectInfo, ObjectNotFoundError, Storage
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.processing.attempt_files import is_part_folder, part_of_folder
from hvcore.services.processing.renewals import replaced_job
from hvcore.services.repair.caption_files import CaptionFiles
from hvcore.services.repair.damages import Damage, DamageKind, Repair, Scope
from hvcore.services.repair.file_checks import (
    CHANGED,
    MISSING,
    BadFile,
    FileChecks,
)
from hvcore.services.repair.video_leftovers import leftovers
from hvcore.services.repair.video_repairs import MAKING_KINDS, VideoRepairs

_LOOKS: Final = 3
"""At a video that changes while it is looked at; the next check looks again."""
_NAMED: Final = 5
"""Files that a line names; the rest is a number."""
_GIVE_UP: Final = "The uploaded file is gone, too"


@attrs.frozen(kw_only=True)
class Snapshot:
    """
    The database's rows about a video at one moment.

    Attributes:
        tasks: The tasks about the video and about its upload.
    """

    video: Video
    captions: Sequence[CaptionTrack]
    grant: UploadGrant | None
    tasks: Sequence[Task]

    @property
    def has_source(self) -> bool:
        """Whether the database says that the video's source file is stored."""
        grant = self.grant
        return (
            grant is not None
            and grant.state is GrantState.USED
            and grant.stored_bytes > 0
        )

    def is_same(self, other: "Snapshot | None") -> bool:
        """Return whether video, tasks and captions are the same in another snapshot."""
        if other is None or self.video.version != other.video.version:
            return False
        mine = {(task.id, task.state) for task in self.tasks}
        if mine != {(task.id, task.state) for task in other.tasks}:
            return False
        return list(self.captions) == list(other.captions)


@attrs.frozen(kw_only=True)
class VideoFiles:
    """Find the damages of one video at a time."""

    uow: UnitOfWork
    storage: Storage
    checks: FileChecks
    captions: CaptionFiles
    repairs: VideoRepairs

    def damages(self, video_id: str, scope: Scope) -> Sequence[Damage]:
        """
        Return the damages of a video: of its state, its files and its folder.

        Returns:
            Nothing if the video goes on changing during the check.

        Raises:
            UnavailableError: The storage or the database does not answer.
        """
        for _ in range(_LOOKS):
            before = self._snapshot(video_id)
            if before is None:
                return ()
            found = list(self._look(before, scope))
            if not found or before.is_same(self._snapshot(video_id)):
                return found
        return ()

    def _snapshot(self, video_id: str) -> Snapshot | None:
        with self.uow.read() as work:
            video = work.videos.find(video_id)
            if video is None:
                return None
            grant = work.grants.find_path(upload_path(video))
            tasks = [*work.tasks.of_subject(video.id)]
            if grant is not None:
                tasks += work.tasks.of_subject(grant.id)
            captions = work.captions.of_video(video.id)
        return Snapshot(video=video, captions=captions, grant=grant, tasks=tasks)

    def _look(self, now: Snapshot, scope: Scope) -> Iterator[Damage]:
        video = now.video
        if video.state is VideoState.TRANSCODING:
            yield from self._stuck(now)
        if video.state not in {VideoState.READY, VideoState.FAILED}:
            return
        prefix = f"{media_prefix(video.id)}/"
        stored = {
            info.path.removeprefix(prefix): info
            for info in self.storage.walk(media_prefix(video.id))
        }
        source = self._source_bytes(video)
        if video.state is VideoState.READY:
            yield from self._published(now, stored, scope, has_source=bool(source))
        yield from self.captions.damages(
            video, now.captions, stored, scope, has_source=bool(source)
        )
        yield from self._picture(video, stored)
        yield from self._source(now, source)
        yield from leftovers(
            video,
            now.captions,
            now.tasks,
            stored,
            older_than=self.repairs.clock.now() - scope.grace,
            remove=partial(self.repairs.remove_leftover, video, scope.grace),
        )

    def _stuck(self, now: Snapshot) -> Iterator[Damage]:
        video = now.video
        made_by = [task for task in now.tasks if task.kind in MAKING_KINDS]
        if any(task.state not in ENDED for task in made_by):
            return
        failed = [task for task in made_by if task.state is TaskState.FAILED]
        why = "no task makes it"
        if failed:
            why = f"its last task failed ({failed[-1].error or failed[-1].kind})"
        elif made_by:
            why = "its tasks have ended"
        has_source = self._source_bytes(video) is not None
        yield self._of(
            video,
            DamageKind.STUCK_VIDEO,
            f"The video is being processed, and {why}.",
            repair=Repair(
                step="plan its processing again from the source",
                carry_out=partial(self.repairs.plan_again, video),
            )
            if has_source
            else self._giving_up(video),
        )

    def _published(
        self,
        now: Snapshot,
        stored: Mapping[str, ObjectInfo],
        scope: Scope,
        *,
        has_source: bool,
    ) -> Iterator[Damage]:
        video, media = now.video, now.video.media
        if video.job_id is None:
            return
        if media is None:
            what = "The list of what is published of the video is gone."
            repair = self._whole(video, has_source=has_source)
            yield self._of(video, DamageKind.MEDIA_INDEX, what, repair=repair)
            return
        root = media_root(video.id, video.job_id)
        own = f"{video.job_id}/"
        sizes = {
            path.removeprefix(own): info.size_bytes
            for path, info in stored.items()
            if path.startswith(own)
        }
        reads = scope.reads_bytes
        bad = list(self.checks.bad_media(root, media, sizes, reads=reads))
        yield from self._media(now, media, root, bad, has_source=has_source)
        # Where nothing is left, the storage may be the wrong one.
        if sizes:
            for one in self.checks.bad_texts(root, media, sizes, reads=reads):
                how = "is missing" if one.how == MISSING else "names other files"
                yield self._of(
                    video,
                    DamageKind.PLAYLIST,
                    f"{one.name} {how}.",
                    path=f"{root}/{one.name}",
                    repair=Repair(
                        step="write the playlists again from what is published",
                        carry_out=partial(self.repairs.write_playlists, video),
                    ),
                )

    def _media(
        self,
        now: Snapshot,
        media: MediaIndex,
        root: str,
        bad: Sequence[BadFile],
        *,
        has_source: bool,
    ) -> Iterator[Damage]:
        groups: dict[tuple[DamageKind, str, str, str], list[BadFile]] = {}
        for one in bad:
            track = one.name.rpartition("/")[0]
            key = (_kind(one, media), one.folder, track, one.how)
            groups.setdefault(key, []).append(one)
        for (kind, folder, track, how), files in groups.items():
            repair, why_not = self._again(now, folder, bad, has_source=has_source)
            names = ", ".join(one.name.rpartition("/")[2] for one in files[:_NAMED])
            more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
            of = f" of {track}" if track else ""
            what = f"{names}{more}{of} {_are(files)} {how}."
            yield self._of(
                now.video,
                kind,
                what,
                path=f"{root}/{files[0].path}",
                repair=repair,
                why_not=why_not,
            )

    def _again(
        self, now: Snapshot, folder: str, bad: Sequence[BadFile], *, has_source: bool
    ) -> tuple[Repair | None, str]:
        """Return the repair of a folder's files, or the reason to do nothing now."""
        video, tasks = now.video, now.tasks
        if any(
            task.state not in ENDED and replaced_job(task) == video.job_id
            for task in tasks
            if task.kind in TRANSCODE_KINDS
        ):
            return None, "the whole video is being made again"
        if not all(is_part_folder(one.folder) for one in bad):
            # Of the storyboard, whose stills are not kept.
            return self._whole(video, has_source=has_source), ""
        part = part_of_folder(folder)
        repairs = [
            task
            for task in tasks
            if task.kind == TRANSCODE_REPAIR and task.payload.get("job") == video.job_id
        ]
        if any(task.state not in ENDED for task in repairs):
            return None, "parts of the video are being made again"
        if not has_source or (repairs and repairs[-1].state is TaskState.FAILED):
            return self._whole(video, has_source=has_source), ""
        # All of them at once: parts that are made again are published together.
        return Repair(
            step=f"encode part {part} again from the source",
            carry_out=partial(self.repairs.encode_parts, video, _by_part(bad)),
        ), ""

    def _whole(self, video: Video, *, has_source: bool) -> Repair:
        if not has_source:
            return self._giving_up(video)
        return Repair(
            step="encode the whole video again; what is left plays on until the end",
            carry_out=partial(self.repairs.encode_all, video),
        )

    def _giving_up(self, video: Video) -> Repair:
        return Repair(
            step=f"mark the video as failed. {_GIVE_UP}: it is lost",
            carry_out=partial(self.repairs.give_up, video),
            gives_up=True,
        )

    def _picture(
        self, video: Video, stored: Mapping[str, ObjectInfo]
    ) -> Iterator[Damage]:
        path = video.poster_path
        if path is None:
            return
        info = stored.get(path.removeprefix(f"{media_prefix(video.id)}/"))
        if info is None or info.size_bytes == 0:
            yield self._of(
                video,
                DamageKind.CUSTOM_THUMBNAIL,
                "The picture that the owner has chosen is missing.",
                path=path,
                repair=Repair(
                    step="show the video's own picture again. Nobody but its sender "
                    "has the chosen one",
                    carry_out=partial(self.repairs.forget_picture, video, path),
                    gives_up=True,
                ),
            )

    def _source(self, now: Snapshot, source_bytes: int | None) -> Iterator[Damage]:
        grant = now.grant
        if grant is None or not now.has_source or source_bytes == grant.stored_bytes:
            return
        how = "missing"
        if source_bytes is not None:
            how = f"{source_bytes} bytes long, and {grant.stored_bytes} were received"
        yield self._of(
            now.video,
            DamageKind.SOURCE,
            f"The uploaded file is {how}; the video cannot be made again.",
            path=now.video.source_path,
            repair=Repair(
                step="note that the uploaded file is not kept any more",
                carry_out=partial(self.repairs.forget_source, now.video),
                gives_up=True,
            ),
        )

    def _source_bytes(self, video: Video) -> int | None:
        try:
            return self.storage.stat(video.source_path).size_bytes
        except ObjectNotFoundError:
            return None

    def _of(  # noqa: PLR0913 - what a damage is
        self,
        video: Video,
        kind: DamageKind,
        what: str,
        *,
        path: str = "",
        repair: Repair | None,
        why_not: str = "",
    ) -> Damage:
        return Damage(
            kind=kind,
            what=what,
            path=path,
            org_id=video.org_id,
            video_id=video.id,
            repair=repair,
            why_not=why_not,
        )


def _by_part(bad: Sequence[BadFile]) -> Mapping[str, Sequence[str]]:
    """Return the folders of parts with bad files; with each, those that must be replaced."""
    folders: dict[str, list[str]] = {}
    for one in bad:
        if is_part_folder(one.folder):
            names = folders.setdefault(one.folder, [])
            names += [one.name] if one.how == CHANGED else []
    return folders


def _kind(bad: BadFile, media: MediaIndex) -> DamageKind:
    if media.poster == bad.path:
        return DamageKind.POSTER
    if not bad.name.endswith(".m4s"):
        return DamageKind.STORYBOARD
    is_init = bad.name.endswith("/init.m4s")
    return DamageKind.INIT_SEGMENT if is_init else DamageKind.SEGMENTS


def _are(files: Sequence[BadFile]) -> str:
    return "is" if len(files) == 1 else "are"
