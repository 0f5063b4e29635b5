"""Find objects in the storage that belong to nothing in the database."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import partial
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import VideoId, is_video_id
from hvcore.domain.media_paths import media_prefix
from hvcore.domain.tasks.kinds import UPLOAD_PURGE, VIDEO_PURGE
from hvcore.domain.uploads.grants import (
    GrantState,
    UploadGrant,
    direct_upload_below,
    grant_path,
    upload_path,
)
from hvcore.domain.videos.removals import Removal, RemovalKind
from hvcore.domain.videos.states import VideoState
from hvcore.ports.repositories.inspection import Inspection, VideoOutline
from hvcore.ports.storage import ObjectInfo, Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.repair.damages import (
    INTO_QUARANTINE,
    Damage,
    DamageKind,
    Repair,
    Scope,
)
from hvcore.services.repair.quarantine import Quarantine
from hvcore.services.repair.video_repairs import CHANGED_MEANWHILE

_MEDIA: Final = "media"
_UPLOADS: Final = "uploads"
_LEVELS_OF_UPLOAD: Final = 4
LOOKED_UP_AT_ONCE: Final = 500
_REMEMBERED: Final = 10_000
"""Folders that were just looked at: a storage may give their files in any order."""


@attrs.frozen(kw_only=True)
class Orphans:
    """Find stored objects without an owner in the database; needs little memory."""

    uow: UnitOfWork
    storage: Storage
    inspection: Inspection
    clock: Clock
    quarantine: Quarantine

    def find(self, scope: Scope) -> Iterator[Damage]:
        """
        Yield folders of unknown and deleted videos, and uploaded files that nothing uses.

        Raises:
            UnavailableError: The storage or the database does not answer.
        """
        if scope.video_id is not None:
            yield from self._video_alone(scope, scope.video_id)
            return
        folders = distinct(video_of(info) for info in self.storage.walk(_MEDIA))
        for batch in batches(folders):
            yield from self._folders(batch, scope)
        under = _UPLOADS if scope.org_id is None else f"{_UPLOADS}/{scope.org_id}"
        for path in distinct(upload_of(info) for info in self.storage.walk(under)):
            yield from self._upload(path, scope)

    def _video_alone(self, scope: Scope, video_id: VideoId) -> Iterator[Damage]:
        yield from self._folders([video_id], scope)
        with self.uow.read() as work:
            video = work.videos.find(video_id)
        if video is not None:
            yield from self._upload(upload_path(video), scope)

    def _folders(self, video_ids: list[str], scope: Scope) -> Iterator[Damage]:
        known = self.inspection.outlines(video_ids)
        for video_id in video_ids:
            outline = known.get(video_id)
            if outline is None and scope.org_id is not None:
                # Nobody knows whose it is.
                continue
            if outline is not None and (
                outline.state is not VideoState.DELETED
                or scope.org_id not in {None, outline.org_id}
            ):
                continue
            yield from self._folder(VideoId(video_id), outline, scope.grace)

    def _folder(
        self, video_id: VideoId, outline: VideoOutline | None, grace: timedelta
    ) -> Iterator[Damage]:
        prefix = media_prefix(video_id)
        infos = self._old(self.storage.walk(prefix), grace)
        if not infos or not self._is_unneeded(video_id, grace):
            return
        kind, whose = DamageKind.FOLDER_WITHOUT_VIDEO, "a video that there is not"
        if outline is not None:
            kind, whose = DamageKind.DELETED_FILES, "a video that is deleted"
        yield Damage(
            kind=kind,
            what=f"Files of {whose}: {_amount(infos)}.",
            path=prefix,
            org_id=None if outline is None else outline.org_id,
            video_id=video_id,
            repair=Repair(
                step=INTO_QUARANTINE if outline is None else "remove them",
                carry_out=partial(self._remove_folder, video_id, grace),
            ),
        )

    def _is_unneeded(self, video_id: VideoId, grace: timedelta) -> bool:
        outline = self.inspection.outlines([video_id]).get(video_id)
        if outline is None:
            # Ids are random: a video has its row before it has a file.
            return True
        if outline.state is not VideoState.DELETED:
            return False
        if outline.deleted_at is None or outline.deleted_at > self.clock.now() - grace:
            return False
        with self.uow.read() as work:
            return not work.tasks.unended(video_id, kind=VIDEO_PURGE)

    def _remove_folder(self, video_id: VideoId, grace: timedelta) -> str:
        prefix = media_prefix(video_id)
        is_old = self._old(self.storage.walk(prefix), grace)
        if not is_old or not self._is_unneeded(video_id, grace):
            return CHANGED_MEANWHILE
        with self.uow.read() as work:
            is_known = work.videos.find(video_id) is not None
        if not is_known:
            # The database may be the wrong one.
            return f"{self.quarantine.take(prefix)} files are in quarantine"
        removed = self.storage.delete_tree(prefix)
        with self.uow.write() as work:
            if work.videos.find(video_id) is not None:
                work.removals.add(
                    Removal.once(
                        video_id=video_id,
                        kind=RemovalKind.FILES,
                        place=prefix,
                        actor="fsck",
                        pieces=removed,
                        at=work.now(),
                    )
                )
                work.commit()
        return f"{removed} files are removed"

    def _upload(self, path: str, scope: Scope) -> Iterator[Damage]:
        infos, grant = self._unneeded(path, scope.grace)
        if not infos:
            return
        what = "Bytes of an upload that there is not"
        if grant is not None:
            is_used = grant.state is GrantState.USED
            what = "Bytes that were sent beside those that are in use"
            what = what if is_used else "Bytes of an upload that is over"
        yield Damage(
            kind=DamageKind.LEFTOVER_UPLOAD,
            what=f"{what}: {_amount(infos)}.",
            path=infos[0].path if len(infos) == 1 else path,
            org_id=None if grant is None else grant.org_id,
            video_id=None if grant is None else grant.video_id,
            repair=Repair(
                step=INTO_QUARANTINE,
                carry_out=partial(self._remove_upload, path, scope.grace),
            ),
        )

    def _remove_upload(self, path: str, grace: timedelta) -> str:
        infos, _ = self._unneeded(path, grace)
        removed = sum(self.quarantine.take(info.path) for info in infos)
        return f"{removed} files are in quarantine" if removed else CHANGED_MEANWHILE

    def _unneeded(
        self, path: str, grace: timedelta
    ) -> tuple[list[ObjectInfo], UploadGrant | None]:
        """Return the removable objects at an upload's path, and the upload's grant."""
        # First: what comes later belongs to a grant that is younger.
        infos = list(self.storage.walk(path))
        with self.uow.read() as work:
            grant = work.grants.find_path(path)
            in_use = None if grant is None else _in_use(work, grant)
        if grant is not None and in_use is None:
            return [], grant
        rest = [info for info in infos if info.path not in (in_use or ())]
        return self._old(rest, grace), grant

    def _old(self, infos: Iterable[ObjectInfo], grace: timedelta) -> list[ObjectInfo]:
        """Return everything, if all of it is old enough; else nothing."""
        found, limit = list(infos), self.clock.now() - grace
        return found if all(info.modified_at <= limit for info in found) else []


def _in_use(work: Work, grant: UploadGrant) -> set[str] | None:
    """Return the paths of an upload that a video needs; None while it changes."""
    if grant.state not in {GrantState.USED, GrantState.ENDED}:
        return None
    subjects = (grant.path, direct_upload_below(grant.path))
    if any(work.tasks.unended(one, kind=UPLOAD_PURGE) for one in subjects):
        return None
    video = None if grant.video_id is None else work.videos.find(grant.video_id)
    if video is None or video.state is VideoState.DELETED:
        is_purged = video is None or not work.tasks.unended(video.id, kind=VIDEO_PURGE)
        return set() if is_purged else None
    return {path for path in (grant.stored_path, video.source_path) if path}


def video_of(info: ObjectInfo) -> str | None:
    """Return the id of the video in whose folder an object is; None if it is in no video's folder."""
    name = info.path.split("/")[1]
    return name if is_video_id(name) else None


def upload_of(info: ObjectInfo) -> str | None:
    """Return the path of the upload to which an object belongs; None if it belongs to none."""
    path = grant_path(info.path)
    is_upload = len(path.split("/")) == _LEVELS_OF_UPLOAD
    return path if is_upload else None


def distinct(names: Iterable[str | None]) -> Iterator[str]:
    """Yield each name once; rarely again, if it returns after very many other names."""
    seen: OrderedDict[str, None] = OrderedDict()
    for name in names:
        if name is None or name in seen:
            continue
        seen[name] = None
        if len(seen) > _REMEMBERED:
            seen.popitem(last=False)
        yield name


def batches(names: Iterable[str]) -> Iterator[list[str]]:
    """Yield the names in lists of at most LOOKED_UP_AT_ONCE."""
    batch: list[str] = []
    for name in names:
        batch.append(name)
        if len(batch) == LOOKED_UP_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _amount(infos: list[ObjectInfo]) -> str:
    size_bytes = sum(info.size_bytes for info in infos)
    return f"{len(infos)} with {size_bytes} bytes"
