"""
Read the files that a finished remote job has made, as a finished part of a video.

The playlists of the remote service say which files belong together; the bytes of the
files say what they are. Of a segment only the head is read, so no video goes through a
worker.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NoReturn

import attrs

from hvcore.plugin_api import (
    AudioRendition,
    MediaFile,
    Mp4Error,
    ObjectInfo,
    ObjectNotFoundError,
    PartDone,
    PartTarget,
    Rung,
    Segment,
    StoredObject,
    Track,
    TranscodeError,
)
from hvcore_cloud_ladders.made_files import (
    HEAD_BYTES,
    InitFacts,
    bytes_needed,
    read_init,
    read_segment,
)

READERS: Final = 16
"""Heads that are read at a time: each waits for the network."""
_MOST_PLAYLIST_BYTES: Final = 4 * 1024 * 1024
_MOST_INIT_BYTES: Final = 256 * 1024
_MAP: Final = "#EXT-X-MAP:"
_RANGE: Final = "BYTERANGE"
"""In a tag of its own, or in the one that names the init segment."""
_REASON: Final = "The video could not be processed."


@attrs.frozen(kw_only=True)
class MadeRendition:
    """
    A rendition that was ordered from a remote transcoding service.

    Attributes:
        name: The name of the track in the published video.
        playlist: The name of the remote service's playlist of the rendition, in the
            target folder.
        rung: The ordered rung of a video rendition; None for sound.
        audio: The ordered audio rendition; None for video.
    """

    name: str
    playlist: str
    rung: Rung | None = None
    audio: AudioRendition | None = None


@attrs.frozen(kw_only=True)
class MadeLadder:
    """
    Reads the files that a finished remote job has made in its target folder.

    Attributes:
        check: Raises when the work must end; called between files.
    """

    target: PartTarget
    check: Callable[[], None]

    def read(self, renditions: Iterable[MadeRendition]) -> PartDone:
        """
        Return the result of the job for one part of a video, read from its playlists and segment heads.

        Args:
            renditions: The renditions that were ordered.

        Raises:
            TranscodeError: A file is missing, or is not what was ordered.
            UnavailableError: The storage does not answer.
        """
        there = {info.path: info for info in self.target.walk()}
        tracks: list[Track] = []
        stored: list[StoredObject] = []
        pool = ThreadPoolExecutor(READERS, thread_name_prefix="made-heads")
        try:
            for rendition in renditions:
                track, objects = self._rendition(rendition, there, pool)
                tracks.append(track)
                stored += objects
        finally:
            # Whoever is stopped does not wait for what nobody wants any more.
            pool.shutdown(wait=False, cancel_futures=True)
        return PartDone(tracks=tuple(tracks), stored=tuple(stored))

    def _rendition(
        self,
        rendition: MadeRendition,
        there: Mapping[str, ObjectInfo],
        pool: ThreadPoolExecutor,
    ) -> tuple[Track, list[StoredObject]]:
        playlist = self._small(rendition.playlist, there, _MOST_PLAYLIST_BYTES)
        text = playlist.decode(errors="replace")
        init_name, names = _files_of(text, rendition.playlist)
        data = self._small(init_name, there, _MOST_INIT_BYTES)
        try:
            init = read_init(data)
        except Mp4Error as exc:
            _fail(f"{init_name}: {exc}", exc)
        coming = [
            pool.submit(self._segment, number, _known(name, there), init)
            for number, name in enumerate(names)
        ]
        segments = []
        for one in coming:
            self.check()
            segments.append(one.result())
        names = [init_name, *names]
        ours = ["init", *range(len(segments))]
        is_video = rendition.rung is not None
        track = Track(
            name=rendition.name,
            codecs=init.codecs,
            init=_measured(data),
            segments=tuple(
                one if is_video else attrs.evolve(one, first_picture_bytes=None)
                for one in segments
            ),
            rung=rendition.rung,
            audio=rendition.audio,
            video_range=init.video_range,
        )
        return track, [
            StoredObject(name=f"{rendition.name}/{number}.m4s", made_as=name)
            for number, name in zip(ours, names, strict=True)
        ]

    def _segment(self, number: int, info: ObjectInfo, init: InitFacts) -> Segment:
        size = info.size_bytes
        head = self._head(info, min(HEAD_BYTES, size))
        try:
            needed = bytes_needed(head, size)
            if needed > len(head):
                head = self._head(info, needed)
            facts = read_segment(head, size, init)
        except Mp4Error as exc:
            _fail(f"{info.path}: {exc}", exc)
        return Segment(
            number=number,
            duration_s=facts.duration_s,
            file=MediaFile(size_bytes=size, sha256=_identity(info, head)),
            first_picture_bytes=facts.first_sample_bytes,
        )

    def _head(self, info: ObjectInfo, length: int) -> bytes:
        try:
            with self.target.open(info.path, start=0, end=length) as file:
                return file.read(length)
        except ObjectNotFoundError as exc:
            _fail(f"{info.path} is gone", exc)

    def _small(
        self, name: str, there: Mapping[str, ObjectInfo], most_bytes: int
    ) -> bytes:
        self.check()
        info = _known(name, there)
        if info.size_bytes > most_bytes:
            _fail(f"{name} has {info.size_bytes} bytes")
        return self._head(info, info.size_bytes)


def _files_of(playlist: str, name: str) -> tuple[str, list[str]]:
    lines = [line.strip() for line in playlist.splitlines()]
    maps = [line for line in lines if line.startswith(_MAP)]
    names = [line for line in lines if line and not line.startswith("#")]
    if len(maps) != 1 or not names or any(_RANGE in line for line in lines):
        _fail(f"{name} is no list of segments with one init segment")
    _, _, rest = maps[0].partition('URI="')
    return rest.partition('"')[0], names


def _known(name: str, there: Mapping[str, ObjectInfo]) -> ObjectInfo:
    # What is not in the target's own listing is not taken over, wherever it leads.
    if name not in there:
        _fail(f"{name!r} is not in the target")
    return there[name]


def _measured(data: bytes) -> MediaFile:
    return MediaFile(size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


def _identity(info: ObjectInfo, head: bytes) -> str:
    """
    Return a text that changes if a made file changes, without reading all of it.

    The head has sizes and times of all samples; the store's tag changes with the bytes.
    """
    told: Sequence[object] = (info.tag or info.path, info.size_bytes)
    return hashlib.sha256(repr(told).encode() + head).hexdigest()


def _fail(log: str, cause: Exception | None = None) -> NoReturn:
    raise TranscodeError(_REASON, log=f"made elsewhere: {log}") from cause
