"""Store and remove the files of attempts at a transcode job."""

import logging
import re
import stat
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Final

import attrs

from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.uploads.grants import upload_path
from hvcore.domain.videos.captions import WEBVTT_TYPE
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.manifests import dash, hls
from hvcore.ports.storage import Storage

_log = logging.getLogger(__name__)

CONTENT_TYPES: Final = {
    ".m4s": "video/iso.segment",
    ".m3u8": "application/vnd.apple.mpegurl",
    ".mpd": "application/dash+xml",
    ".jpg": "image/jpeg",
    ".vtt": WEBVTT_TYPE,
}
FILE_MISSING: Final = "A file of the video is missing."
# Of parts, what services elsewhere made of them and is taken over, and storyboards.
_PART: Final = re.compile(r"p([0-9]+)[at][0-9]+")
_ATTEMPT: Final = re.compile(r"(?:p[0-9]+[ast]|storyboard-a)[0-9]+")


@attrs.frozen(kw_only=True)
class AttemptFiles:
    """Store the files that attempts at a transcode job have made, and remove unneeded ones."""

    storage: Storage

    def store(self, folder: Path, target: str) -> None:
        """
        Store every file below a local folder under a storage prefix.

        Symbolic links are skipped: their maker must not read files through the service.

        Args:
            target: The storage prefix.
        """
        for file in sorted(folder.rglob("*")):
            if stat.S_ISREG(file.lstat().st_mode):
                self.storage.put_file(
                    f"{target}/{file.relative_to(folder).as_posix()}",
                    file,
                    content_type=content_type(file.name),
                )

    def write_playlists(self, root: str, media: MediaIndex) -> None:
        """
        Write the HLS playlists and the DASH manifest of a job to the storage.

        Args:
            root: The storage prefix of the job's files.
        """
        # The multivariant playlist last: what it names is there.
        texts = {**hls.playlists(media), dash.MANIFEST: dash.manifest(media)}
        for name in sorted(texts, key=lambda name: name == hls.MASTER):
            self.storage.write(
                f"{root}/{name}",
                BytesIO(texts[name].encode()),
                content_type=CONTENT_TYPES[PurePosixPath(name).suffix],
            )

    def drop_unpublished(self, root: str, media: MediaIndex) -> None:
        """
        Remove files of attempts that are not published; a failure is only logged.

        Only the worker that has published may call it: one that lost its lease long ago must not
        touch the files that another worker has published.

        Args:
            root: The storage prefix of the job's files.
        """
        try:
            self.remove_unpublished(root, media, check=lambda: None)
        except UnavailableError:
            _log.warning("leftovers not removed yet", extra={"hv_path": root})

    def remove_unpublished(
        self, root: str, media: MediaIndex, *, check: Callable[[], None]
    ) -> None:
        """
        Remove the files of a job's attempts that are not published.

        Args:
            root: The storage prefix of the job's files.
            media: The index of the files that the job has published.
            check: Called before each removal; an exception that it raises ends the work.

        Raises:
            UnavailableError: The storage refuses.
        """
        published = {PurePosixPath(name) for name in stored_names(media)}
        with_published = {folder for path in published for folder in path.parents}
        gone: set[PurePosixPath] = set()
        for info in list(self.storage.walk(root)):
            path = PurePosixPath(info.path.removeprefix(f"{root}/"))
            if path in published or not _ATTEMPT.fullmatch(path.parts[0]):
                continue
            # A folder at once where nothing in it is published.
            above = [*path.parents][::-1]
            top = next((one for one in above if one not in with_published), path)
            if top not in gone:
                check()
                self.storage.delete_tree(f"{root}/{top}")
                gone.add(top)

    def drop_other_sendings(self, video: Video) -> None:
        """
        Remove the other uploaded copies of a video's source file.

        A client may have uploaded the file several times at once; one of these is the source.
        """
        sent_to = upload_path(video)
        if sent_to == video.source_path:
            # Nothing was taken in yet: what is there is still on its way.
            return
        for info in list(self.storage.walk(sent_to)):
            if info.path != video.source_path:
                self.storage.delete_tree(info.path)

    def discard(self, prefix: str) -> None:
        """Remove the files below an attempt's storage prefix; a failure is only logged."""
        try:
            self.storage.delete_tree(prefix)
        except UnavailableError:
            _log.warning("attempt not removed yet", extra={"hv_path": prefix})


def content_type(name: str) -> str:
    """Return the content type with which a file of a video is stored, by its name's ending."""
    return CONTENT_TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")


def part_of_folder(folder: str) -> int:
    """
    Return the index of the part whose attempt has made a folder under a media root.

    Raises:
        ValueError: The folder is not of an attempt at a part.
    """
    match = _PART.fullmatch(folder)
    if match is None:
        raise ValueError(f"not the folder of a part: {folder!r}")
    return int(match[1])


def is_part_folder(folder: str) -> bool:
    """Return whether a folder under a media root was made by an attempt at a part."""
    return _PART.fullmatch(folder) is not None


def is_attempt_folder(folder: str) -> bool:
    """Return whether a folder under a media root was made by an attempt at any task."""
    return _ATTEMPT.fullmatch(folder) is not None


def stored_names(media: MediaIndex) -> Iterator[str]:
    """Yield the path under the media root of each published segment, init segment and picture."""
    for published in media.tracks:
        for piece in published.pieces:
            folder = f"{piece.folder}/{published.track.name}"
            yield f"{folder}/init.m4s"
            last = piece.first_number + piece.count
            for number in range(piece.first_number, last):
                yield f"{folder}/{number}.m4s"
    if media.poster is not None:
        yield media.poster
    if media.storyboard is not None:
        yield from (sprite.path for sprite in media.storyboard.sprites)
