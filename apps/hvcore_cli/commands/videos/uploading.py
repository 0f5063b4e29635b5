"""Upload a file to the service, and wait until the video is encoded."""

import stat
from pathlib import Path
from typing import Final, cast

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

from hvcore_cli.invocation import CliError
from hvcore_cli.output import say
from hvcore_client import HvClient, UnreachableError
from hvcore_client.files import SourceFile
from hvcore_client.generated.choices import Preset
from hvcore_client.generated.models import VideoDetails
from hvcore_client.generated.upload_settings import UploadSettings

ASK_EVERY_S: Final = 0.5
MAX_UPLOAD_BYTES: Final = 5 * 1024**3


@attrs.frozen(kw_only=True)
class UploadWanted:
    """
    A file that ``hv upload`` is to send, and the settings of its video.

    Attributes:
        labels: The labels of the video: external ID, metadata and tags.
    """

    path: Path
    name: str | None = None
    quality: str = "standard"
    is_public: bool = False
    labels: UploadSettings = attrs.field(factory=UploadSettings)


def check_file(path: Path) -> None:
    """
    Refuse a file that the service cannot accept, before it is sent.

    Raises:
        CliError: The file is no regular file, cannot be read, is empty or is too large.
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


def send(client: HvClient, wanted: UploadWanted) -> str:
    """
    Upload a file, which starts its processing, and return the video's id.

    If a connection breaks, the upload resumes at that byte. If the service's own upload address
    cannot be reached from here, the bytes are sent directly to the object store, if it accepts them.

    Raises:
        CliError: The file cannot be read.
        HvClientError: The upload is refused, or the service does not answer.
    """
    check_file(wanted.path)
    settings: UploadSettings = {
        **wanted.labels,
        "video_quality": cast("Preset", wanted.quality),
        "allow_public_access": wanted.is_public,
    }
    if wanted.name is not None:
        settings["name"] = wanted.name
    sent = SourceFile.of(wanted.path).name
    if sent != wanted.path.name:
        say(f"The file's name is no text in UTF-8; the service is told {sent}.")
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=Console(stderr=True),
    ) as progress:
        task = progress.add_task("uploading", total=wanted.path.stat().st_size)

        def show(arrived_bytes: int, _size_bytes: int) -> None:
            progress.update(task, completed=arrived_bytes)

        made = client.begin_upload(wanted.path, **settings)
        try:
            client.get_upload_offset(made.upload_url)
        except UnreachableError:
            client.delete_video(made.video_id)
            grant = client.upload_by_put(wanted.path, on_progress=show, **settings)
            return grant.video_id
        client.resume_upload(made.upload_url, wanted.path, on_progress=show)
        return made.video_id


def wait_until_ready(client: HvClient, video_id: str) -> VideoDetails:
    """
    Show the progress of encoding, and return the details of the ready video.

    Raises:
        VideoFailedError: Encoding failed; the message is the service's reason.
    """
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    ) as progress:
        task = progress.add_task("encoding ", total=100)
        return client.wait_until_ready(
            video_id,
            poll_s=ASK_EVERY_S,
            on_progress=lambda percent: progress.update(task, completed=percent),
        )
