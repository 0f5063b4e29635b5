"""
The files of an attempt at a transcode job, here and in storage.
"""

import logging
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Final

import attrs

from hvcore.domain.transcoding import MediaIndex, UnusableSourceError
from hvcore.domain.video import Video
from hvcore.errors import UnavailableError
from hvcore.failpoints import reach
from hvcore.manifests import dash, hls
from hvcore.ports.storage import ObjectNotFoundError, Storage, SupportsLocalPath
from hvcore.ports.transcoder import Workspace
from hvcore.services.kept_sources import KeptSources
from hvcore.services.leases import TaskRun

_log = logging.getLogger(__name__)

CONTENT_TYPES: Final = {
    ".m4s": "video/iso.segment",
    ".m3u8": "application/vnd.apple.mpegurl",
    ".mpd": "application/dash+xml",
    ".jpg": "image/jpeg",
}
_ATTEMPT: Final = re.compile(r"(?:p[0-9]+|storyboard-)a[0-9]+")


def is_attempt_folder(name: str) -> bool:
    """
    Tell whether a folder of a job was made by one attempt alone.
    """
    return _ATTEMPT.fullmatch(name) is not None


@attrs.frozen(kw_only=True)
class AttemptFiles:
    """
    Fetch sources, store what was made, remove what nobody needs.

    Attributes:
        work_dir: For temporary files of this process; one folder for each
            attempt, and one for the source at hand.
    """

    storage: Storage
    work_dir: Path

    @contextmanager
    def workspace(self, run: TaskRun, video: Video) -> Iterator[Workspace]:
        """
        Make a folder of this attempt's own, with the source as a local file.

        Raises:
            UnusableSourceError: The uploaded file is gone.
        """
        base = self.work_dir / f"{run.task.id}a{run.task.fence}"
        folder = base / "out"
        folder.mkdir(parents=True)
        reach("attempt.workspace")
        handle = run.task.payload.get("handle")
        try:
            yield Workspace(
                source=self._local_source(video, run),
                folder=folder,
                report=run.report,
                check=run.check,
                handle=handle if isinstance(handle, str) else None,
            )
        finally:
            shutil.rmtree(base, ignore_errors=True)

    def _local_source(self, video: Video, run: TaskRun) -> Path:
        try:
            if isinstance(self.storage, SupportsLocalPath):
                self.storage.stat(video.source_path)
                return self.storage.local_path(video.source_path)
            kept = KeptSources(storage=self.storage, work_dir=self.work_dir)
            return kept.fetch(video.source_path, run.check)
        except ObjectNotFoundError as exc:
            raise UnusableSourceError(
                "The uploaded file is not there any more."
            ) from exc

    def store(self, folder: Path, target: str) -> None:
        """
        Store every file below a local folder under a storage prefix.
        """
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self.storage.put_file(
                    f"{target}/{file.relative_to(folder).as_posix()}",
                    file,
                    content_type=CONTENT_TYPES.get(
                        file.suffix, "application/octet-stream"
                    ),
                )

    def write_playlists(self, root: str, media: MediaIndex) -> None:
        """
        Write the texts that make stored segments a video.
        """
        # The multivariant playlist last: what it names is there.
        texts = {**hls.playlists(media), dash.MANIFEST: dash.manifest(media)}
        for name in sorted(texts, key=lambda name: name == hls.MASTER):
            self.storage.write(
                f"{root}/{name}",
                BytesIO(texts[name].encode()),
                content_type=CONTENT_TYPES[PurePosixPath(name).suffix],
            )

    def drop_other_attempts(self, root: str, kept: set[str]) -> None:
        """
        Remove the folders of attempts whose files were not published.
        """
        folders = {
            info.path.removeprefix(f"{root}/").split("/", 1)[0]
            for info in self.storage.walk(root)
        }
        for folder in folders - kept:
            if is_attempt_folder(folder):
                self.discard(f"{root}/{folder}")

    def drop_other_sendings(self, video: Video) -> None:
        """
        Remove sendings that lost a race and lie beside the video's source.
        """
        grant_path = video.source_path.rpartition("/")[0]
        for info in list(self.storage.walk(grant_path)):
            if info.path != video.source_path:
                self.storage.delete_tree(info.path)

    def discard(self, prefix: str) -> None:
        """
        Remove what nobody else knows of, best effort: it goes with the video.
        """
        try:
            self.storage.delete_tree(prefix)
        except UnavailableError:
            _log.warning("attempt not removed yet", extra={"hv_path": prefix})
