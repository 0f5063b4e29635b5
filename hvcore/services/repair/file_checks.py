"""Compare the published files of a video with the files in the storage."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import attrs

from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import MediaFile
from hvcore.manifests import dash, hls
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.services.processing.replaced_parts import files_of_part

_CHUNK_BYTES: Final = 1024**2
READ_AT_ONCE: Final = 8
"""Of one video: a segment is small, and a store may take a tenth of a second for each."""
_SAYING: Final = ("#EXTINF", "#EXT-X-MAP", "#EXT-X-ENDLIST", "#EXT-X-BYTERANGE")
"""What a version of the service does not write in another way than the next one."""
MISSING: Final = "missing"
RESIZED: Final = "not of the size that they were made with"
CHANGED: Final = "not the bytes that were made"


@attrs.frozen(kw_only=True)
class BadFile:
    """
    A published file of a video that is missing or differs from what was made.

    Attributes:
        folder: The part's folder under the media root; empty for playlists.
        name: The path below that folder.
        how: MISSING, RESIZED or CHANGED.
    """

    folder: str
    name: str
    how: str

    @property
    def path(self) -> str:
        """The file's path under the media root."""
        return f"{self.folder}/{self.name}" if self.folder else self.name


@attrs.frozen(kw_only=True)
class FileChecks:
    """Find the published files of a video that are missing or damaged in the storage."""

    storage: Storage

    def bad_media(
        self, root: str, media: MediaIndex, sizes: Mapping[str, int], *, reads: bool
    ) -> Iterator[BadFile]:
        """
        Yield the missing and damaged files of a video's parts and storyboard.

        Args:
            sizes: The sizes of the stored files in bytes, by their paths under the
                media root.
            reads: Whether to read and compare every byte.
        """
        whole: list[tuple[BadFile, str]] = []
        for folder, name, file in _media_files(media):
            bad = BadFile(folder=folder, name=name, how=MISSING)
            size_bytes = sizes.get(bad.path)
            if size_bytes is None:
                yield bad
            elif size_bytes == 0 or (file and size_bytes != file.size_bytes):
                yield attrs.evolve(bad, how=RESIZED)
            elif reads and file:
                whole.append((attrs.evolve(bad, how=CHANGED), file.sha256))
        yield from self._changed(root, whole)

    def bad_texts(
        self, root: str, media: MediaIndex, sizes: Mapping[str, int], *, reads: bool
    ) -> Iterator[BadFile]:
        """
        Yield the playlists and manifests that are missing or do not match the media index.

        Args:
            root: The storage prefix of the video's published files.
            sizes: The sizes of the files there, in bytes, by name.
            reads: Whether every text is read; otherwise those of a wrong size alone.
        """
        for name, expected in hls.playlists(media).items():
            bad = BadFile(folder="", name=name, how=MISSING)
            if name not in sizes:
                yield bad
            elif (reads or sizes[name] != len(expected.encode())) and not self._says(
                f"{root}/{name}", expected
            ):
                yield attrs.evolve(bad, how=CHANGED)
        # A missing manifest is written when it is asked for.
        if dash.MANIFEST in sizes and (
            reads or sizes[dash.MANIFEST] != len(dash.manifest(media).encode())
        ):
            text = self._text(f"{root}/{dash.MANIFEST}")
            if text is None or not _is_whole_manifest(text):
                yield BadFile(folder="", name=dash.MANIFEST, how=CHANGED)

    def _changed(
        self, root: str, files: Sequence[tuple[BadFile, str]]
    ) -> Iterator[BadFile]:
        """Yield the files whose bytes have another checksum, in the order of the files."""
        paths = [f"{root}/{file.path}" for file, _ in files]
        with ThreadPoolExecutor(READ_AT_ONCE) as threads:
            for (file, noted), read in zip(
                files, threads.map(self.sha256, paths), strict=True
            ):
                if read != noted:
                    yield file

    def sha256(self, path: str) -> str:
        """Return the SHA-256 of a stored file, in hexadecimal; empty if the file is gone."""
        digest = hashlib.sha256()
        try:
            with self.storage.open(path) as file:
                while chunk := file.read(_CHUNK_BYTES):
                    digest.update(chunk)
        except ObjectNotFoundError:
            return ""
        return digest.hexdigest()

    def _says(self, path: str, expected: str) -> bool:
        text = self._text(path)
        return text is not None and _essence(text) == _essence(expected)

    def _text(self, path: str) -> str | None:
        try:
            with self.storage.open(path) as file:
                return file.read().decode()
        except (ObjectNotFoundError, UnicodeDecodeError):
            return None


def _media_files(media: MediaIndex) -> Iterator[tuple[str, str, MediaFile | None]]:
    folders = [piece.folder for one in media.tracks for piece in one.pieces]
    if media.poster is not None:
        folders.append(media.poster.partition("/")[0])
    for folder in dict.fromkeys(folders):
        for name, file in files_of_part(media, folder).items():
            yield folder, name, file
    for sprite in media.storyboard.sprites if media.storyboard else ():
        folder, _, name = sprite.path.partition("/")
        yield folder, name, sprite.file


def _essence(text: str) -> list[str]:
    lines = text.splitlines()
    return [
        line for line in lines if line and (line[0] != "#" or line.startswith(_SAYING))
    ] + lines[:1]


def _is_whole_manifest(text: str) -> bool:
    return text.startswith("<?xml") and text.rstrip().endswith("</MPD>")
