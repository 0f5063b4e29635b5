"""
Bring a file to the service and watch it being encoded.
"""

import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import attrs
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TransferSpeedColumn,
)

from hv_cli.api_client import CONTENT_TYPES, ApiClient, put_file
from hv_cli.commands import CliError
from hv_cli.resumable_sending import ResumableSender, create_upload

ASK_EVERY_S: Final = 0.5
MAX_UPLOAD_BYTES: Final = 5 * 1024**3


@attrs.frozen(kw_only=True)
class UploadWanted:
    """
    The file, and the settings of its video.
    """

    path: Path
    name: str | None = None
    quality: str = "standard"
    is_public: bool = False


class ProcessingFailedError(CliError):
    """
    The service could not make a video of the file.
    """


def check_file(path: Path) -> None:
    """
    Refuse what the service cannot take, before anything is sent.

    Raises:
        CliError: With the reason.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise CliError(f"{path} is not a file.")
        with path.open("rb"):
            pass
    except OSError as exc:
        raise CliError(f"{path} cannot be read: {exc.strerror}.") from exc
    if status.st_size == 0:
        raise CliError(f"{path} is empty.")
    if status.st_size > MAX_UPLOAD_BYTES:
        raise CliError(f"{path} is larger than 5 GiB, the most that can be uploaded.")


def send(client: ApiClient, wanted: UploadWanted) -> str:
    """
    Upload a file, which starts its processing, and return the video's id.

    The upload goes on where a connection broke. Where the service's own upload address
    cannot be reached from here, the bytes go straight to the object store, if they may.

    Raises:
        CliError: It cannot be read, or is refused.
    """
    check_file(wanted.path)
    size_bytes = wanted.path.stat().st_size
    content_type = CONTENT_TYPES.get(wanted.path.suffix.lower(), "video/mp4")
    fields: dict[str, object] = {
        "fileName": wanted.path.name,
        "fileSize": size_bytes,
        "contentType": content_type,
        "videoQuality": wanted.quality,
        "allowPublicAccess": wanted.is_public,
    }
    if wanted.name is not None:
        fields["videoName"] = wanted.name
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=Console(stderr=True),
    ) as progress:
        task = progress.add_task("uploading", total=size_bytes)
        made = create_upload(client, size_bytes, fields)
        sender = ResumableSender(
            url=made["uploadURL"],
            path=wanted.path,
            at=lambda offset: progress.update(task, completed=offset),
        )
        if sender.is_reachable():
            sender.send()
            return str(made["videoID"])
        client.call("DELETE", f"/videos/{made['videoID']}")
        return _sent_to_the_store(
            client, wanted.path, fields, lambda sent: progress.advance(task, sent)
        )


def _sent_to_the_store(
    client: ApiClient,
    path: Path,
    fields: Mapping[str, object],
    advance: Callable[[int], None],
) -> str:
    grant = client.call("POST", "/videos/upload-url", fields)
    put_file(grant["signedURL"], path, str(fields["contentType"]), advance)
    video_id = str(grant["videoID"])
    if grant.get("direct"):
        # The store does not tell the service, which notices by itself, only later.
        with suppress(CliError):
            client.call("POST", f"/videos/{video_id}/upload-complete")
    return video_id


def wait_until_ready(client: ApiClient, video_id: str) -> dict[str, Any]:
    """
    Show the encoding's progress and return the details of the ready video.

    Raises:
        ProcessingFailedError: It failed; the message is the service's reason.
    """
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    ) as progress:
        task = progress.add_task("encoding ", total=100)
        while True:
            video = client.call("GET", f"/videos/{video_id}")
            if video["status"]["failed"]:
                reason = video.get("failureReason") or "no reason is known"
                raise ProcessingFailedError(
                    f"{video['name']} could not be processed: {reason}"
                )
            if video["status"]["ready"]:
                progress.update(task, completed=100)
                return video
            progress.update(task, completed=int(video.get("progress") or 0))
            time.sleep(ASK_EVERY_S)
