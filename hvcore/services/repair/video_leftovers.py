"""Find files in a video's folder that the video no longer needs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath
from typing import Final

import attrs

from hvcore.domain.media_paths import (
    MOMENTS,
    conformance_report_path,
    media_prefix,
    moments_prefix,
    thumbnails_prefix,
)
from hvcore.domain.tasks.task import ENDED, Task
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.ports.storage import ObjectInfo
from hvcore.services.processing.attempt_files import is_attempt_folder, stored_names
from hvcore.services.processing.renewals import RENEWAL
from hvcore.services.repair.damages import (
    INTO_QUARANTINE,
    Damage,
    DamageKind,
    Repair,
)

_JOB: Final = "job_"
_CERTIFICATES: Final = "certificates"
_CAPTIONS: Final = "captions"
_THUMBNAILS: Final = "thumbnails"


def leftovers(  # noqa: PLR0913 - what tells that something is needed
    video: Video,
    captions: Sequence[CaptionTrack],
    tasks: Sequence[Task],
    stored: Mapping[str, ObjectInfo],
    *,
    older_than: datetime,
    remove: Callable[[DamageKind, str], str],
) -> Iterator[Damage]:
    """
    Yield the files of a video's folder that can be removed, as damages.

    Posters that an owner has chosen earlier are not among them: they stay until the owner
    chooses the next one. Files whose names the service does not give are left alone, too.

    Args:
        stored: The stored files, by their paths below the video's folder.
        older_than: Files that are younger are left: a process may just be writing the rest.
        remove: Removes the files of a kind at a path, and returns what was done.
    """
    needed = _Needed.of(video, captions, tasks)
    groups: dict[tuple[DamageKind, str], list[ObjectInfo]] = {}
    for path, info in stored.items():
        found = needed.leftover(path)
        if found is not None:
            groups.setdefault(found, []).append(info)
    for (kind, path), infos in groups.items():
        newest = max(info.modified_at for info in infos)
        if newest > older_than:
            continue
        size_bytes = sum(info.size_bytes for info in infos)
        yield Damage(
            kind=kind,
            what=f"{_WHAT[kind]}: {len(infos)} with {size_bytes} bytes.",
            path=path,
            org_id=video.org_id,
            video_id=video.id,
            repair=Repair(step=INTO_QUARANTINE, carry_out=partial(remove, kind, path)),
        )


_WHAT: Final = {
    DamageKind.OLD_JOB: "Files of a job that publishes nothing",
    DamageKind.OLD_ATTEMPT: "Files of an attempt that nobody publishes",
    DamageKind.UNUSED_FILE: "Files that nothing of the video names",
}


@attrs.frozen(kw_only=True)
class _Needed:
    """
    The paths in a video's folder that are needed.

    Attributes:
        folder: The video's.
        job_id: Of the current job; None where it has left nothing to keep.
        published: Paths below the folder of that job; None while it is being made.
        in_work: Jobs that are being made, or whose leftovers are still to be removed.
        files: Other paths that are needed.
        drawn: The prefixes of sizes that belong to a picture, and of pictures at moments.
    """

    folder: str
    job_id: str | None
    published: frozenset[PurePosixPath] | None
    in_work: frozenset[str]
    files: frozenset[str]
    drawn: tuple[str, ...]

    @classmethod
    def of(
        cls, video: Video, captions: Sequence[CaptionTrack], tasks: Sequence[Task]
    ) -> "_Needed":
        media, pictures = video.media, [video.poster_path or ""]
        if media is not None and media.poster is not None:
            pictures.append(f"{video.media_root}/{media.poster}")
        drawn = [thumbnails_prefix(video.id, one) for one in pictures if one]
        if video.media_root is not None:
            drawn.append(moments_prefix(video.id, video.media_root))
        names = stored_names(media) if media is not None else ()
        files = {path for track in captions for path in track.paths}
        if video.job_id is not None:
            files.add(conformance_report_path(video.id, video.job_id))
        return cls(
            folder=media_prefix(video.id),
            job_id=None if video.state is VideoState.FAILED else video.job_id,
            published=None
            if media is None
            else frozenset(
                part for name in names for part in _with_parents(PurePosixPath(name))
            ),
            in_work=frozenset(
                str(task.payload[name])
                for task in tasks
                for name in ("job", RENEWAL)
                if task.state not in ENDED and name in task.payload
            ),
            files=frozenset(files),
            drawn=tuple(f"{prefix}/" for prefix in drawn),
        )

    def leftover(self, path: str) -> tuple[DamageKind, str] | None:
        """Return the damage kind of an unneeded path, and the path to remove."""
        top, _, rest = path.partition("/")
        full = f"{self.folder}/{path}"
        if top.startswith(_JOB):
            return self._of_job(top, PurePosixPath(rest))
        if top == _CERTIFICATES:
            is_needed = full in self.files or rest.removesuffix(".json") in self.in_work
        elif top == _CAPTIONS:
            is_needed = full in self.files
        elif top in {_THUMBNAILS, MOMENTS}:
            is_needed = full.startswith(self.drawn)
        else:
            is_needed = True
        return None if is_needed else (DamageKind.UNUSED_FILE, full)

    def _of_job(
        self, job_id: str, path: PurePosixPath
    ) -> tuple[DamageKind, str] | None:
        root = f"{self.folder}/{job_id}"
        if job_id in self.in_work:
            return None
        if job_id != self.job_id:
            return DamageKind.OLD_JOB, root
        if self.published is None or path in self.published:
            return None
        if not is_attempt_folder(path.parts[0]):
            return None
        # A folder at once where nothing in it is published.
        above = [*path.parents][::-1]
        top = next((one for one in above[1:] if one not in self.published), path)
        return DamageKind.OLD_ATTEMPT, f"{root}/{top}"


def _with_parents(path: PurePosixPath) -> Iterator[PurePosixPath]:
    yield path
    yield from path.parents
