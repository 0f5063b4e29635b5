"""Make the workspaces of attempts: a local folder, and access to the source file."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import attrs

from hvcore.domain.processing.remote_jobs import RemoteJob
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.failpoints import failpoint
from hvcore.ports.storage import (
    ObjectNotFoundError,
    Storage,
    SupportsLocalPath,
    SupportsPresignedRead,
)
from hvcore.ports.transcoder import (
    NotAddressableError,
    PartTarget,
    SourceRanges,
    Workspace,
)
from hvcore.services.processing.source_cache import SourceCache
from hvcore.services.tasks.leases import TaskRun

SOURCE_GONE: Final = "The uploaded file is not there any more."


@attrs.frozen(kw_only=True)
class AttemptWorkspaces:
    """
    Make the workspaces in which transcoders work; each is removed at the attempt's end.

    Attributes:
        work_dir: The folder for temporary files of this process; one folder for each
            attempt.
        source_cache: Keeps downloaded sources where the storage is not on this machine.
    """

    storage: Storage
    work_dir: Path
    source_cache: SourceCache

    @contextmanager
    def workspace(self, run: TaskRun, video: Video) -> Iterator[Workspace]:
        """Make the workspace of an attempt that encodes here, in the main thread."""
        with self._folder(run) as base:
            try:
                yield Workspace(
                    source=partial(self._local_source, video, run, self.source_cache),
                    folder=base / "out",
                    report=run.report,
                    check=run.check,
                    source_address=partial(self._source_address, video),
                    source_ranges=partial(self._source_ranges, video),
                )
            finally:
                self.source_cache.let_go()

    @contextmanager
    def remote_workspace(
        self,
        run: TaskRun,
        video: Video,
        *,
        remote_job: RemoteJob,
        target: PartTarget,
        remember: Callable[[str], None],
    ) -> Iterator[Workspace]:
        """
        Make the workspace of an attempt at a part that a remote service encodes.

        Callable from any thread.

        Args:
            target: The storage prefix to which the remote service writes.
            remember: Stores the handle by which the remote job is asked about later.
        """
        with self._folder(run) as base:
            # The shared one is for one thread, and few need a source here.
            cache = SourceCache(storage=self.storage, work_dir=base)
            yield Workspace(
                source=partial(self._local_source, video, run, cache),
                folder=base / "out",
                report=run.report,
                check=run.check,
                handle=remote_job.handle,
                key=remote_job.key(run.task.id),
                remember=remember,
                source_address=partial(self._source_address, video),
                source_ranges=partial(self._source_ranges, video),
                target=target,
            )

    @contextmanager
    def _folder(self, run: TaskRun) -> Iterator[Path]:
        base = self.work_dir / f"{run.task.id}a{run.task.fence}"
        try:
            (base / "out").mkdir(parents=True)
        except OSError as exc:
            # Nothing is wrong with the task: other machines, or this one later.
            raise UnavailableError(
                f"This machine has no room to work: {exc.strerror}."
            ) from exc
        failpoint("attempt.workspace")
        try:
            yield base
        finally:
            shutil.rmtree(base, ignore_errors=True)

    def _local_source(self, video: Video, run: TaskRun, cache: SourceCache) -> Path:
        with _needed():
            if isinstance(self.storage, SupportsLocalPath):
                self.storage.stat(video.source_path)
                return self.storage.local_path(video.source_path)
            return cache.fetch(video.source_path, run.check)

    def _source_ranges(self, video: Video) -> SourceRanges | None:
        if isinstance(self.storage, SupportsLocalPath):
            return None
        path = video.source_path

        def read(start: int, end: int) -> bytes:
            with _needed(), self.storage.open(path, start=start, end=end) as file:
                return file.read()

        with _needed():
            size_bytes = self.storage.stat(path).size_bytes
        return SourceRanges(size_bytes=size_bytes, read=read)

    def _source_address(self, video: Video, valid_s: int) -> str:
        storage = self.storage
        if not isinstance(storage, SupportsPresignedRead) or not storage.can_presign:
            raise NotAddressableError(
                "the storage signs no addresses, so no other service can read the "
                "source; set storage.options.url to an object store (s3, gs, abfs)"
            )
        with _needed():
            storage.stat(video.source_path)
        return storage.presigned_url(video.source_path, valid_s=valid_s)


@contextmanager
def _needed() -> Iterator[None]:
    """Turn an absent source into the error that the source is unusable."""
    try:
        yield
    except ObjectNotFoundError as exc:
        raise UnusableSourceError(SOURCE_GONE) from exc
