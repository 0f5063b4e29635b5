"""
Download videos from the URLs that clients name.

Source: the interface document, "Family B", ``POST /videos/upload`` and ``POST
/videos/download``.
"""

import secrets
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final
from urllib.parse import unquote

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.access.tenants import Environment
from hvcore.domain.limits import MAX_NAME_CHARS
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.tasks.task import Task
from hvcore.domain.uploads.content_types import container_type
from hvcore.domain.uploads.grants import (
    FileWanted,
    GrantState,
    UploadGrant,
    new_grant,
    new_video,
)
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video, VideoWanted
from hvcore.domain.web_addresses import without_secrets
from hvcore.errors import QuotaExceededError, UnavailableError
from hvcore.failpoints import failpoint
from hvcore.incoming.whole_files import ArrivingFile, arriving_file
from hvcore.ports.storage import Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.safe_http import (
    OutboundError,
    OutboundHttp,
    StreamedResponse,
    TargetRefusedError,
)
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.quotas import require_minutes, require_storage
from hvcore.services.processing.orders import order_fetch, order_job
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.services.uploads.grants import Uploads, locked_video
from hvcore.services.uploads.source_checks import (
    SNIFFED_BYTES,
    FetchError,
    check_head,
    check_size,
    sniffed_type,
)

FETCH_LIMIT_S: Final = 3 * 3600.0
"""The time for one download: 5 GiB in this time are 4 Mbit/s."""
GRACE_S: Final = 60.0
MIN_BYTES_PER_S: Final = 32 * 1024
"""The least speed of a source GRACE_S after the request; a slower one would keep others waiting."""
FETCHED_AGAIN_AFTER_S: Final = 600
"""The wait after a file was downloaded that the storage did not take: another minute may not help, and the source's owner pays."""
_UNNAMED: Final = "download"


@attrs.frozen(kw_only=True)
class Fetching:
    """Order downloads of source files from URLs, and carry them out."""

    uow: UnitOfWork
    storage: Storage
    outbound: OutboundHttp
    uploads: Uploads
    clock: Clock

    def refusal(self, env: Environment, url: str) -> str | None:
        """
        Return the reason why a URL must not be fetched; None if no reason is known yet.

        Reasons that only the fetch itself can find appear later in the video's details.
        """
        try:
            self.outbound.check(url, client=env.org_id)
        except TargetRefusedError as exc:
            return exc.reason
        return None

    def fetch_video(
        self, env: Environment, url: str, file: FileWanted, wanted: VideoWanted
    ) -> Video:
        """
        Create a video whose file the service downloads; its state is ``transcoding`` at once.

        Raises:
            QuotaExceededError: The organization may not store or encode it.
        """
        grant = self._new_grant(env, url, file)
        grant.starts_processing = True
        video = new_video(env, wanted, grant, state=VideoState.AWAITING_UPLOAD)
        video.start_processing(ids.new_job_id())
        grant.video_id = video.id
        with self.uow.write() as work:
            work.videos.add(video)
            work.grants.add(grant)
            order_fetch(work, grant)
            require_minutes(work, env.org_id)
            require_storage(work, env.org_id, file.size_bytes or 0)
            record_by_caller(
                work, "video.fetch", video.id, org_id=env.org_id, name=video.name
            )
            work.commit()
        return video

    def fetch_file(self, env: Environment, url: str) -> UploadGrant:
        """
        Order the download of a file that a process request can name, and return its grant.

        Raises:
            QuotaExceededError: The organization may not store it.
        """
        grant = self._new_grant(env, url, FileWanted(file_name=file_name_of(url)))
        with self.uow.write() as work:
            work.grants.add(grant)
            order_fetch(work, grant)
            require_storage(work, env.org_id, 0)
            work.commit()
        return grant

    def run(self, run: TaskRun) -> None:
        """
        Download the file of a grant and store it.

        Raises:
            UnusableSourceError: The URL gives no video, or must not be requested.
            FetchError: The download failed; another attempt may succeed.
            UnavailableError: There is no room, or the storage refuses.
        """
        with self.uow.read() as work:
            grant = work.grants.find(_grant_id(run.task))
        if grant is None or grant.source_url is None or not _is_open(grant):
            run.finish()
            return
        pace = _Pace(run)
        try:
            with self.outbound.get(
                grant.source_url, deadline_s=FETCH_LIMIT_S, check=pace.check
            ) as download:
                self._take(run, grant, download, pace)
        except TargetRefusedError as exc:
            raise UnusableSourceError(exc.reason) from exc
        except OutboundError as exc:
            raise FetchError(str(exc)) from exc

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """
        Fail the fetch task and the video that waits for the file.

        A grant without a video ends.

        Args:
            reason: A sentence for the video's owner that says why the task failed.
            error: The error's message, which is stored with the task for operators.
        """
        grant = work.grants.find(_grant_id(task), for_update=True)
        video = locked_video(work, grant)
        if not work.tasks.fail(task, error=error):
            return
        if grant is None or not _is_open(grant):
            return
        if video is None:
            grant.end()
            work.grants.save(grant)
        elif video.job_id is not None and video.mark_failed(video.job_id, reason):
            # The grant keeps the address: a retry fetches again.
            work.videos.save(video)

    def _new_grant(self, env: Environment, url: str, file: FileWanted) -> UploadGrant:
        grant = new_grant(env, file, self.clock.now())
        # The grant keeps the address until the file is there.
        grant.state, grant.source_url = GrantState.FETCHING, url
        return grant

    def _take(
        self,
        run: TaskRun,
        grant: UploadGrant,
        download: StreamedResponse,
        pace: "_Pace",
    ) -> None:
        check_head(download)
        with self.uow.read() as work:
            # Before it is fetched; what decides is how it is when it is there.
            _require(work, grant, download.content_length or 0)
        blocks = pace.counted(download.blocks())
        head = _head(blocks)
        sniffed = sniffed_type(head)
        folder = self.uploads.incoming_dir()
        with (
            self.uploads.room_for(grant, download.content_length) as reserved,
            arriving_file(folder, reserved) as file,
        ):
            _fill(run, file, head, blocks, download.content_length)
            _check_announced(grant, file.size_bytes)
            file.finish()
            run.check()
            self._keep(run, grant, file, container_type(grant.content_type) or sniffed)

    def _keep(
        self, run: TaskRun, grant: UploadGrant, file: ArrivingFile, content_type: str
    ) -> None:
        # A path of its own for each attempt: a worker that lost its lease
        # changes nothing that another one has brought.
        path = f"{grant.path}/{secrets.token_hex(8)}"
        try:
            self.storage.put_file(path, file.path, content_type=content_type)
        except UnavailableError as exc:
            wait_s = max(exc.retry_after_s, FETCHED_AGAIN_AFTER_S)
            raise UnavailableError(
                exc.detail, retry_after_s=wait_s, said=exc.said
            ) from exc
        try:
            failpoint("fetch.stored")
            self._arrive(run, path, file.size_bytes)
        except UnavailableError:
            # A commit that was not confirmed may have been made; see Uploads.
            raise
        except BaseException:
            self.uploads.discard(path)
            raise

    def _arrive(self, run: TaskRun, path: str, size_bytes: int) -> None:
        with self.uow.write() as work:
            grant = work.grants.find(_grant_id(run.task), for_update=True)
            video = locked_video(work, grant)
            run.finish(work)
            if grant is None or not _is_open(grant):
                raise TaskStopped
            grant.stored_path, grant.stored_bytes = path, size_bytes
            grant.source_url = None
            if grant.video_id is None:
                # From now on it waits for its process request.
                grant.state = GrantState.UPLOADED
                grant.expires_at = self.clock.now()
            else:
                if video is None or video.state is not VideoState.TRANSCODING:
                    raise TaskStopped
                video.source_path = path
                work.videos.save(video)
                order_job(work, video)
                grant.state = GrantState.USED
            work.grants.save(grant)
            _require(work, grant, size_bytes)
            work.commit()


class _Pace:
    """The speed of a download since its request, the wait for the response's head included."""

    def __init__(self, run: TaskRun) -> None:
        self._run = run
        self._began_at_s = time.monotonic()
        self._received_bytes = 0

    def check(self) -> None:
        """
        Raise an error if the task is to stop, or the source is too slow.

        Raises:
            TaskStopped: The task is to stop.
            FetchError: The source is too slow.
        """
        self._run.check()
        elapsed_s = time.monotonic() - self._began_at_s
        if elapsed_s > GRACE_S and self._received_bytes < elapsed_s * MIN_BYTES_PER_S:
            raise FetchError("The source is too slow.")

    def counted(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the blocks of the body, and check the speed after each."""
        for block in blocks:
            self._received_bytes += len(block)
            self.check()
            yield block


def file_name_of(url: str) -> str:
    """Return the file name in a URL: the last segment of its path."""
    _, _, path = without_secrets(url).partition("://")
    name = unquote(path.partition("/")[2].rpartition("/")[2])
    return "".join(char for char in name if char.isprintable())[:MAX_NAME_CHARS] or (
        _UNNAMED
    )


def _grant_id(task: Task) -> str:
    return str(task.payload["grant"])


def _is_open(grant: UploadGrant) -> bool:
    return grant.state is GrantState.FETCHING


def _require(work: Work, grant: UploadGrant, size_bytes: int) -> None:
    """Raise UnusableSourceError where a quota has no room: trying again is no use."""
    try:
        if grant.video_id is not None:
            require_minutes(work, grant.org_id)
        require_storage(work, grant.org_id, size_bytes)
    except QuotaExceededError as exc:
        raise UnusableSourceError(exc.detail) from exc


def _head(blocks: Iterator[bytes]) -> bytes:
    head = b""
    for block in blocks:
        head += block
        if len(head) >= SNIFFED_BYTES:
            break
    return head


def _fill(
    run: TaskRun,
    file: ArrivingFile,
    head: bytes,
    blocks: Iterator[bytes],
    expected_bytes: int | None,
) -> None:
    for block in chain([head], blocks):
        check_size(file.size_bytes + len(block))
        file.write(block)
        if expected_bytes:
            run.report(file.size_bytes / expected_bytes)


def _check_announced(grant: UploadGrant, size_bytes: int) -> None:
    if grant.size_bytes is not None and size_bytes != grant.size_bytes:
        raise UnusableSourceError(
            f"The source's file has {size_bytes} bytes, and {grant.size_bytes} were "
            f"announced."
        )
