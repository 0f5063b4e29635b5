"""
Certify that a video is deleted: what was removed, and that the store has nothing left.

The certificate's facts were recorded during the removal. Nothing is certified that is not
true at that moment: if objects are left below the prefixes of the video, tasks have not
ended or caches were not told yet, a certificate is refused; the refusal says when to ask
again.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import VideoId
from hvcore.domain.media_paths import media_prefix
from hvcore.domain.tasks.kinds import CACHE_INVALIDATION, TRANSCODE_CANCEL, VIDEO_PURGE
from hvcore.domain.tasks.task import Task, TaskState
from hvcore.domain.uploads.grants import upload_path
from hvcore.domain.videos.removals import Removal, RemovalKind
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import ConflictError, VideoNotFoundError
from hvcore.ports.storage import Storage, SupportsObjectUrl
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.signing.documents import DocumentSigner

FORMAT: Final = "hvcore deletion certificate 1"
_AWAITED: Final[Mapping[str, str]] = {
    VIDEO_PURGE: "its files and personal data are removed",
    CACHE_INVALIDATION: "a cache is told to forget it",
    TRANSCODE_CANCEL: "what a transcoding service was asked to make is cancelled",
}
_WHY: Final[Mapping[str, str]] = {
    "audit_log": "says who did what and when; kept as long as the organization",
    "events": "ids, kinds and times, without labels; deleted after 30 days",
    "grants": "permission to upload, ended; its id must not be used again",
    "removals": "what this certificate is made from",
    "share_links": "opens nothing any more; its id must not be used again",
    "edge_keys": "opens nothing any more; its id must not be used again",
    "tasks": "work that has ended; the sweep removes it later",
    "videos": "ids, times and the state deleted: a second deletion is told so",
}
_OTHERWISE: Final = "rows that name the video by its id; nothing personal of it"
_NOT_COVERED: Final = (
    "counts of segments that were watched, which stay in the sinks of analytics",
    "backups made before, and versions or replicas that the storage itself keeps",
    "caches that are not named in HV_EDGE__CACHE_INVALIDATORS, and those of viewers",
    "copies that viewers, callers or their own sources have",
)
_GIVEN_UP: Final = (
    "jobs at a transcoding service whose cancellation an operator gave up"
)


@attrs.frozen(kw_only=True)
class DeletionCertificates:
    """
    Make signed certificates of the deletion of videos.

    Attributes:
        store_name: The name of the storage in certificates, if it has no URLs of its objects.
    """

    uow: UnitOfWork
    storage: Storage
    clock: Clock
    signer: DocumentSigner
    store_name: str

    def make(self, org_id: str, video_id: str) -> dict[str, object]:
        """
        Return the signed deletion certificate of a deleted video.

        Raises:
            VideoNotFoundError: There was never such a video in the organization.
            ConflictError: The video is not deleted, or something of it is left; the text says
                what, and until when.
            UnavailableError: The storage does not answer, so nothing is certified.
        """
        with self.uow.read() as work:
            video = work.videos.find(VideoId(video_id))
            if video is None or video.org_id != org_id:
                raise VideoNotFoundError
            if video.state is not VideoState.DELETED:
                raise ConflictError(
                    f"{video_id} is {video.state.value}, not deleted; hv videos delete "
                    f"{video_id} deletes it."
                )
            _check_ended(work, video)
            removed = work.removals.of_video(video.id)
            _check_erased(work, video)
            left = work.removals.rows_left(video.id)
            is_given_up = _failed(work, video, TRANSCODE_CANCEL)
        prefixes = (media_prefix(video.id), upload_path(video))
        looked_at = [self._look(video, prefix) for prefix in prefixes]
        document = self._document(video, removed, left, looked_at)
        if is_given_up:
            document["notCovered"] = [*_NOT_COVERED, _GIVEN_UP]
        return self.signer.sign(document)

    def deleted_since(
        self, since: datetime, *, org_id: str | None
    ) -> Sequence[tuple[str, VideoId]]:
        """Return the organization and id of each video deleted since a moment, oldest first."""
        with self.uow.read() as work:
            return work.removals.deleted_since(since, org_id=org_id)

    def _look(self, video: Video, prefix: str) -> dict[str, object]:
        """
        List the objects below a prefix, for none to be there.

        Raises:
            ConflictError: There is something.
        """
        found = sum(1 for _ in self.storage.walk(prefix))
        if found:
            raise ConflictError(
                f"{video.id} is deleted, but {found} objects are below "
                f"{self._place(prefix)}, and no task is going to remove them; hv fsck "
                f"--video {video.id} --grace 1h --repair does."
            )
        return {
            "at": _text(self.clock.now()),
            "place": self._place(prefix),
            "objects": 0,
        }

    def _document(
        self,
        video: Video,
        removed: Sequence[Removal],
        left: Mapping[str, int],
        looked_at: Sequence[Mapping[str, object]],
    ) -> dict[str, object]:
        orders = [one for one in removed if one.kind is RemovalKind.ORDER]
        return {
            "format": FORMAT,
            "madeAt": _text(self.clock.now()),
            "video": {
                "videoID": video.id,
                "publicID": video.public_id,
                "orgID": video.org_id,
                "envID": video.env_id,
                "createdAt": _text(video.created_at),
            },
            "deleted": {
                "at": _text(video.deleted_at) if video.deleted_at else None,
                # None: by a version that wrote nothing down.
                "by": orders[0].actor if orders else None,
                "reason": video.deletion_reason.value
                if video.deletion_reason
                else None,
                "publishedBytes": orders[0].size_bytes if orders else None,
            },
            "removed": list(self._removed(removed)),
            "lookedAt": list(looked_at),
            "stays": [
                {"table": table, "rows": rows, "why": _WHY.get(table, _OTHERWISE)}
                for table, rows in left.items()
            ],
            "notCovered": list(_NOT_COVERED),
        }

    def _removed(self, removed: Sequence[Removal]) -> Iterator[dict[str, object]]:
        for one in removed:
            if one.kind is RemovalKind.ORDER:
                continue
            is_files = one.kind is RemovalKind.FILES
            record: dict[str, object] = {
                "kind": one.kind.value,
                "place": self._place(one.place) if is_files else one.place,
                "pieces": one.pieces,
                "firstAt": _text(one.first_at),
                "lastAt": _text(one.last_at),
                "by": one.actor,
            }
            if is_files:
                record["bytes"] = one.size_bytes
            yield record

    def _place(self, prefix: str) -> str:
        if isinstance(self.storage, SupportsObjectUrl):
            return self.storage.object_url(prefix)
        return f"{self.store_name}:{prefix}"


def _check_ended(work: Work, video: Video) -> None:
    """Refuse while a task still removes something, or has given up doing so."""
    for kind, what in _AWAITED.items():
        awaited = work.tasks.unended(video.id, kind=kind)
        if awaited:
            last = max(_due(task) for task in awaited)
            raise ConflictError(
                f"{video.id} is deleted, but not all of it is gone: until "
                f"{_text(last)} or soon after, {what}. Ask again then; hv tasks "
                f"--video {video.id} shows what is awaited."
            )
    if _failed(work, video, CACHE_INVALIDATION):
        raise ConflictError(
            f"{video.id} is deleted, but a cache could not be told to forget it: hv "
            f"tasks --video {video.id} --state failed says why."
        )


def _check_erased(work: Work, video: Video) -> None:
    """Refuse while a column has personal data of the video."""
    left = work.personal_data.left(video)
    if left:
        raise ConflictError(
            f"{video.id} is deleted, but there is personal data of it in "
            f"{', '.join(left)}: the sweep of a running service erases what older "
            f"versions have left. hv fsck --personal {video.id} says how much it is."
        )


def _failed(work: Work, video: Video, kind: str) -> bool:
    return bool(
        work.tasks.search(state=TaskState.FAILED, subject=video.id, kind=kind, limit=1)
    )


def _due(task: Task) -> datetime:
    return max(task.not_before, task.created_at)


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
