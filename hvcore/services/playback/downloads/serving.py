"""
Serve downloads: each video rung with the default sound as MP4, each sound as M4A.

The head of a download is made on its first request and kept in the storage.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import BinaryIO, Final

import attrs

from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack
from hvcore.errors import NotFoundError, UnavailableError
from hvcore.mp4.boxes import Mp4Error, box_around
from hvcore.mp4.windows import FileInWindows
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.progressive.fragments import movie_of, read_fragment, track_defaults
from hvcore.progressive.head import VERSION, JoinedTrack, make_head
from hvcore.progressive.sample_tables import SampleTables
from hvcore.services.playback.downloads.joined_files import (
    NAMED,
    Counted,
    JoinedFile,
    SegmentsInOrder,
)
from hvcore.services.playback.downloads.names import (
    DownloadName,
    downloads_of,
    first_sound,
    is_download_name,
)
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.published_files import init_of, stored_file
from hvcore.services.playback.responses import StoredFile

MAX_KNOWN: Final = 32
"""Downloads kept in memory, about 15 MB if all are of films of twelve hours."""
WAIT_S: Final = 20.0
"""How long a request waits while another download is prepared; then it is refused."""
RETRY_AFTER_S: Final = 5
_NO_SUCH_DOWNLOAD: Final = "The video has no such download."
_DAMAGED: Final = "The files of this download are damaged."
_ETAG_CHARS: Final = 32


@attrs.frozen(kw_only=True, eq=False)
class _Known:
    head: StoredFile
    segments: SegmentsInOrder
    etag: str


@attrs.frozen(kw_only=True, eq=False)
class Download:
    """
    A download of a video, ready to be sent.

    Attributes:
        label: A text in the saved file's name that distinguishes the download from the
            video's other downloads.
    """

    body: JoinedFile
    content_type: str
    etag: str
    label: str


class Downloads:
    """Open the downloads of videos; thread-safe."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()
        self._lock = threading.Lock()
        # Of several at once, each would hold a thread and a core.
        self._making = threading.Lock()
        self._thread = threading.local()

    @contextmanager
    def without_waiting(self) -> Iterator[None]:
        """Refuse downloads whose head must be made first, within a ``with`` block in this thread."""
        self._thread.refuses = True
        try:
            yield
        finally:
            self._thread.refuses = False

    def open(
        self,
        video: Playable,
        name: str,
        counted: Counted,
    ) -> Download:
        """
        Return a download of a video, whose head is made if there is none yet.

        Args:
            name: The part of the path after ``downloads/``.

        Raises:
            NotFoundError: The video has no such download.
            UnavailableError: The head cannot be made now.
        """
        if not is_download_name(name):
            raise NotFoundError(_NO_SUCH_DOWNLOAD)
        media, media_root = video.media, video.media_root
        found = next((one for one in downloads_of(media) if one.name == name), None)
        if found is None:
            raise NotFoundError(_NO_SUCH_DOWNLOAD)
        known = self._find(media_root, name) or self._prepare(media_root, media, found)
        return Download(
            body=JoinedFile(
                head=known.head,
                segments=known.segments,
                storage=self._storage,
                media_root=media_root,
                counted=counted,
            ),
            content_type=found.content_type,
            etag=known.etag,
            label=found.label,
        )

    def _find(self, media_root: str, name: str) -> _Known | None:
        with self._lock:
            known = self._known.get((media_root, name))
            if known is not None:
                self._known.move_to_end((media_root, name))
        return known

    def _prepare(
        self, media_root: str, media: MediaIndex, found: DownloadName
    ) -> _Known:
        if getattr(self._thread, "refuses", False):
            raise UnavailableError("The download is not prepared yet.")
        if not self._making.acquire(timeout=WAIT_S):
            raise UnavailableError(
                "Other downloads are being prepared; try again later.",
                retry_after_s=RETRY_AFTER_S,
            )
        try:
            known = self._find(media_root, found.name)
            if known is None:
                known = self._make(media_root, media, found)
                with self._lock:
                    self._known[media_root, found.name] = known
                    while len(self._known) > MAX_KNOWN:
                        self._known.popitem(last=False)
            return known
        finally:
            self._making.release()

    def _make(self, media_root: str, media: MediaIndex, found: DownloadName) -> _Known:
        tracks = _tracks(media, found)
        segments = SegmentsInOrder(tracks)
        path = (
            f"{media_root}/{NAMED}/{found.name}.{_chosen(media, tracks)}{VERSION}.head"
        )
        try:
            size_bytes = self._storage.stat(path).size_bytes
        except ObjectNotFoundError:
            head = _head(self._storage, media_root, tracks, segments)
            stored = self._storage.write(
                path, BytesIO(head), content_type="application/octet-stream"
            )
            size_bytes = stored.size_bytes
        head_file = StoredFile(storage=self._storage, path=path, file_bytes=size_bytes)
        return _Known(head=head_file, segments=segments, etag=_etag(tracks))


def _tracks(media: MediaIndex, found: DownloadName) -> Sequence[PublishedTrack]:
    sound = first_sound(media)
    if found.track.track.rung is None or sound is None:
        return (found.track,)
    return (found.track, sound)


def _chosen(media: MediaIndex, tracks: Sequence[PublishedTrack]) -> str:
    """
    Return the mark of the sound in the name of a movie's stored head.

    Nothing for the first one, which movies of older versions had in any case.
    """
    first = next((one for one in media.tracks if one.track.audio), None)
    is_usual = len(tracks) == 1 or tracks[1] is first
    return "" if is_usual else f"{tracks[1].track.name}."


def _etag(tracks: Sequence[PublishedTrack]) -> str:
    digest = hashlib.sha256(b"%d" % VERSION)
    for published in tracks:
        for file in (
            published.track.init,
            *(segment.file for segment in published.track.segments),
        ):
            digest.update(f"{file.size_bytes} {file.sha256}\n".encode())
    return digest.hexdigest()[:_ETAG_CHARS]


def _in_windows(stored: StoredFile) -> FileInWindows:
    """Return a published file, to look for boxes in it."""

    def read(start: int, end: int) -> bytes:
        with stored.open(start, end) as file:
            return _read_all(file, end - start)

    return FileInWindows(read, stored.size_bytes)


def _read_all(file: BinaryIO, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        data = file.read(size - len(found))
        if not data:
            break
        found += data
    return bytes(found)


def _head(
    storage: Storage,
    media_root: str,
    tracks: Sequence[PublishedTrack],
    segments: SegmentsInOrder,
) -> bytes:
    try:
        inits = [_init(storage, media_root, published) for published in tracks]
        defaults = [track_defaults(movie_of(init)) for init in inits]
        tables = [SampleTables() for _ in tracks]
        for place in range(len(segments)):
            stored, _ = segments.stored(storage, media_root, place)
            index, begins = segments.track(place), segments.start(place)
            file = box_around(_in_windows(stored))
            for fragment in file.all("moof"):
                for run in read_fragment(fragment.loaded(), defaults[index]):
                    at = begins + fragment.begins + run.data_offset
                    tables[index].add(run, at)
        joined = [
            JoinedTrack(init=init, tables=one)
            for init, one in zip(inits, tables, strict=True)
        ]
        return make_head(joined, segments.size_bytes)
    except Mp4Error as exc:
        raise UnavailableError(_DAMAGED) from exc
    except (ObjectNotFoundError, FileNotFoundError) as exc:
        raise NotFoundError(_NO_SUCH_DOWNLOAD) from exc


def _init(storage: Storage, media_root: str, published: PublishedTrack) -> bytes:
    found = init_of(published)
    if found is None:
        raise ObjectNotFoundError
    stored = stored_file(storage, media_root, found)
    with stored.open(0, stored.size_bytes) as file:
        return _read_all(file, stored.size_bytes)
