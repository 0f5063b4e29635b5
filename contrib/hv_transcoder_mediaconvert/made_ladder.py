"""
What a finished job has left in its target, as a part that is done.

MediaConvert's playlists say which files belong together; their bytes say what they
are. Of a segment only the head is read, so no video goes through a worker.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NoReturn

import attrs

from hv_transcoder_mediaconvert.head_boxes import HeadBoxError
from hv_transcoder_mediaconvert.job_requests import (
    FILE_NAME,
    audio_modifier,
    rung_modifier,
)
from hv_transcoder_mediaconvert.made_files import (
    HEAD_BYTES,
    InitFacts,
    bytes_needed,
    read_init,
    read_segment,
)
from hv_transcoder_mediaconvert.pictures import made_poster, made_stills
from hvcore.plugin_api import (
    AudioRendition,
    MediaFile,
    ObjectInfo,
    ObjectNotFoundError,
    PartDone,
    PartTarget,
    Rung,
    Segment,
    StoredObject,
    Track,
    TranscodeError,
    TranscodeOrder,
)

READERS: Final = 16
"""Heads that are read at a time: each waits for the network."""
_MOST_PLAYLIST_BYTES: Final = 4 * 1024 * 1024
_MOST_INIT_BYTES: Final = 256 * 1024
_MAP: Final = "#EXT-X-MAP:"
_RANGE: Final = "#EXT-X-BYTERANGE"
_REASON: Final = "The video could not be processed."


@attrs.frozen(kw_only=True)
class _Rendition:
    """
    A rendition that was ordered.

    Attributes:
        name: Of our track.
        base: What the names of MediaConvert's files begin with.
    """

    name: str
    base: str
    rung: Rung | None = None
    audio: AudioRendition | None = None


@attrs.frozen(kw_only=True)
class MadeLadder:
    """
    Reads a target.

    Attributes:
        check: Raises when the work must end; called between files.
    """

    target: PartTarget
    check: Callable[[], None]

    def read(self, order: TranscodeOrder) -> PartDone:
        """
        Return the part.

        Raises:
            TranscodeError: A file is missing, or is not what was ordered.
            UnavailableError: The storage does not answer.
        """
        there = {info.path: info for info in self.target.walk()}
        tracks: list[Track] = []
        stored: list[StoredObject] = []
        pool = ThreadPoolExecutor(READERS, thread_name_prefix="mediaconvert-heads")
        try:
            for rendition in _renditions(order):
                track, objects = self._rendition(rendition, there, pool)
                tracks.append(track)
                stored += objects
        finally:
            # Whoever is stopped does not wait for what nobody wants any more.
            pool.shutdown(wait=False, cancel_futures=True)
        poster = made_poster(FILE_NAME, there)
        stills = list(made_stills(FILE_NAME, there, order.still_interval_s))
        stored += [poster] if poster else []
        stored += [one for _, one in stills]
        return PartDone(
            tracks=tuple(tracks),
            poster=poster.name if poster else None,
            stills=tuple(still for still, _ in stills),
            stored=tuple(stored),
        )

    def _rendition(
        self,
        rendition: _Rendition,
        there: Mapping[str, ObjectInfo],
        pool: ThreadPoolExecutor,
    ) -> tuple[Track, list[StoredObject]]:
        playlist = self._small(f"{rendition.base}.m3u8", there, _MOST_PLAYLIST_BYTES)
        init_name, names = _files_of(playlist.decode(errors="replace"), rendition.base)
        data = self._small(init_name, there, _MOST_INIT_BYTES)
        try:
            init = read_init(data)
        except HeadBoxError as exc:
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
        except HeadBoxError as exc:
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


def _renditions(order: TranscodeOrder) -> Iterator[_Rendition]:
    for rung in order.ladder.rungs:
        yield _Rendition(
            name=f"video/{rung.key}", base=FILE_NAME + rung_modifier(rung), rung=rung
        )
    for audio in order.ladder.audio:
        yield _Rendition(
            name=audio.name, base=FILE_NAME + audio_modifier(audio), audio=audio
        )


def _files_of(playlist: str, base: str) -> tuple[str, list[str]]:
    lines = [line.strip() for line in playlist.splitlines()]
    maps = [line for line in lines if line.startswith(_MAP)]
    names = [line for line in lines if line and not line.startswith("#")]
    if len(maps) != 1 or not names or any(line.startswith(_RANGE) for line in lines):
        _fail(f"{base}.m3u8 is no list of segments with one init segment")
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
    Return what changes if a file changes: it is not read as a whole here.

    The head has sizes and times of all samples; the store's tag changes with the bytes.
    """
    told: Sequence[object] = (info.tag or info.path, info.size_bytes)
    return hashlib.sha256(repr(told).encode() + head).hexdigest()


def _fail(log: str, cause: Exception | None = None) -> NoReturn:
    raise TranscodeError(_REASON, log=f"made by MediaConvert: {log}") from cause
