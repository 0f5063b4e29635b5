"""
Published media, as tests need it, and ports that hold it.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import attrs

from hvcore.domain.access.service_keys import ServiceKey
from hvcore.domain.ids import EnvId, OrgId, PublicId, VideoId
from hvcore.domain.links.links import EdgeKey, ShareLink
from hvcore.domain.playback.signing_keys import SigningKey
from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.processing.encoding import (
    AudioCodec,
    PixelFormat,
    RateControl,
    Speed,
)
from hvcore.domain.processing.media_index import (
    MediaIndex,
    PublishedTrack,
    Sprite,
    Storyboard,
    TrackPiece,
)
from hvcore.domain.processing.transcoding import (
    AudioRendition,
    MediaFile,
    Rung,
    Segment,
    Track,
)
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.states import VideoState
from hvcore.manifests import hls
from hvcore.ports.repositories.playback import PlaybackEntry
from hvcore.ports.storage import ObjectInfo, ObjectNotFoundError, Storage

VIDEO = VideoId("vid_" + "a" * 22)
PUBLIC = PublicId("pubvid_" + "b" * 22)
OTHER = VideoId("vid_" + "c" * 22)
ROOT = f"media/{VIDEO}/job_1"
FIRST_PICTURE_BYTES = 10
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def file_of(data: bytes) -> MediaFile:
    return MediaFile(size_bytes=len(data), sha256=sha256(data).hexdigest())


def segments(
    sizes: Sequence[int],
    durations_s: Sequence[float] | None = None,
    pictures: Sequence[int | None] = (),
) -> tuple[Segment, ...]:
    durations_s = durations_s or [6.0] * len(sizes)
    return tuple(
        Segment(
            number=number,
            duration_s=duration_s,
            file=MediaFile(size_bytes=size, sha256=sha256(b"%d" % number).hexdigest()),
            first_picture_bytes=pictures[number] if pictures else None,
        )
        for number, (size, duration_s) in enumerate(
            zip(sizes, durations_s, strict=True)
        )
    )


def rung(short: int = 720, frame_rate: Fraction = Fraction(30)) -> Rung:
    return Rung(
        key=f"{short}p",
        short_edge_px=short,
        width_px=short * 16 // 9,
        height_px=short,
        video_kbps=2500,
        frame_rate=frame_rate,
        pixel_format=PixelFormat.YUV420P,
        rate_control=RateControl.VARIABLE,
        two_pass=False,
        speed=Speed.VERYFAST,
    )


def video_track(
    short: int = 720, of: tuple[Segment, ...] = (), frame_rate: Fraction = Fraction(30)
) -> Track:
    return Track(
        name=f"video/{short}p",
        codecs="avc1.64001f",
        init=file_of(b"init"),
        segments=of or segments([750_000, 750_000]),
        rung=rung(short, frame_rate),
    )


def audio_track(  # noqa: PLR0913 - what tests vary
    number: int = 0,
    codec: AudioCodec = AudioCodec.AAC,
    codecs: str = "mp4a.40.2",
    *,
    of: tuple[Segment, ...] = (),
    language: str = "",
    title: str = "",
) -> Track:
    name = "audio" if number == 0 else f"audio-{number}"
    return Track(
        name=name,
        codecs=codecs,
        init=file_of(b"init"),
        segments=of or segments([96_000, 96_000]),
        audio=AudioRendition(
            name=name,
            stream_index=number + 1,
            codec=codec,
            kbps=128,
            channels=2,
            language=language,
            title=title,
            is_default=number == 0,
        ),
    )


def index(*tracks: Track, poster: str | None = None) -> MediaIndex:
    return MediaIndex(
        tracks=tuple(
            PublishedTrack(
                track=track,
                pieces=(
                    TrackPiece(folder="a1", first_number=0, count=len(track.segments)),
                ),
            )
            for track in tracks
        ),
        duration_s=sum(s.duration_s for s in tracks[0].segments),
        poster=poster,
    )


def evolved(media: MediaIndex, **changes: object) -> MediaIndex:
    """
    Change every rung.
    """
    return attrs.evolve(
        media,
        tracks=tuple(
            attrs.evolve(one, track=attrs.evolve(one.track, **changes))  # type: ignore[arg-type]  # names of fields
            if one.track.rung
            else one
            for one in media.tracks
        ),
    )


@attrs.define
class Shelf:
    """
    Files of a video, and the index that names them.
    """

    media: MediaIndex
    files: dict[str, bytes]


def sheet(number: int) -> bytes:
    return b"sheet %d " % number * 100


def storyboard() -> Storyboard:
    """
    One of 12 s, with three stills on two sheets.
    """
    return Storyboard(
        interval_s=5,
        tile_width_px=160,
        tile_height_px=90,
        columns=10,
        sprites=tuple(
            Sprite(
                path=f"storyboard-a1/{number}.jpg",
                count=count,
                file=file_of(sheet(number)),
            )
            for number, count in enumerate((2, 1))
        ),
    )


def shelf(*, poster: bytes | None = None) -> Shelf:
    """
    Two rungs, an audio track and a storyboard; 360p lies in two pieces.
    """
    files: dict[str, bytes] = {}
    tracks = []
    for name in ("video/360p", "video/720p", "audio"):
        folders = ["a1", "b1"] if name == "video/360p" else ["a1", "a1"]
        contents = [f"{name} {number} ".encode() * 100 for number in range(2)]
        files[f"a1/{name}/init.m4s"] = f"{name} init".encode()
        for number, folder in enumerate(folders):
            files[f"{folder}/{name}/{number}.m4s"] = contents[number]
        made = tuple(
            Segment(
                number=number,
                duration_s=6.0,
                file=file_of(content),
                first_picture_bytes=None if name == "audio" else FIRST_PICTURE_BYTES,
            )
            for number, content in enumerate(contents)
        )
        base = (
            audio_track(of=made)
            if name == "audio"
            else video_track(int(name[6:-1]), made)
        )
        track = attrs.evolve(base, init=file_of(files[f"a1/{name}/init.m4s"]))
        pieces = tuple(
            TrackPiece(folder=folder, first_number=number, count=1)
            for number, folder in enumerate(folders)
        )
        tracks.append(PublishedTrack(track=track, pieces=pieces))
    media = MediaIndex(
        tracks=tuple(tracks),
        duration_s=12.0,
        poster="a1/poster.jpg" if poster else None,
        storyboard=storyboard(),
    )
    files |= {f"storyboard-a1/{n}.jpg": sheet(n) for n in range(2)}
    files |= {name: text.encode() for name, text in hls.playlists(media).items()}
    if poster:
        files["a1/poster.jpg"] = poster
    return Shelf(media=media, files=files)


def entry(media: MediaIndex | None, **changes: object) -> PlaybackEntry:
    made = PlaybackEntry(
        id=VIDEO,
        public_id=PUBLIC,
        org_id=OrgId("org_a"),
        env_id=EnvId("env_1"),
        env_name="live",
        state=VideoState.READY,
        is_public=False,
        name="A clip",
        media_root=ROOT,
        load_media=lambda: media,
    )
    return attrs.evolve(made, **changes)  # type: ignore[arg-type]  # names of fields


@attrs.define
class Directory:
    """
    A playback directory of one video; counts how often it was asked.
    """

    entry: PlaybackEntry | None
    asked: list[str] = attrs.field(factory=list)
    tracks: list[CaptionTrack] = attrs.field(factory=list)
    domain_lists: dict[str, Sequence[str]] = attrs.field(factory=dict)
    signing_keys: dict[str, SigningKey] = attrs.field(factory=dict)
    own_keys: list[ServiceKey] = attrs.field(factory=list)
    answers_at_once: bool = True
    is_current: bool = True

    def moment(self) -> AbstractContextManager[None]:
        return nullcontext()

    def captions(self, video_id: VideoId) -> Sequence[CaptionTrack]:
        return self.tracks

    def chapters(self, video_id: VideoId) -> Sequence[Chapter]:
        return ()

    def find(self, video_id: str) -> PlaybackEntry | None:
        self.asked.append(video_id)
        if self.entry and video_id in {self.entry.id, self.entry.public_id}:
            return self.entry
        return None

    def service_keys(self) -> Sequence[ServiceKey]:
        return self.own_keys

    def find_signing_key(self, key_id: str) -> SigningKey | None:
        return self.signing_keys.get(key_id)

    def find_edge_key(self, edge_key: str) -> EdgeKey | None:
        return None

    def find_domains(self, list_id: str) -> Sequence[str] | None:
        return self.domain_lists.get(list_id)

    def find_share_link(self, share_id: str) -> ShareLink | None:
        return None


class BytesStorage(Storage):
    """
    Objects in memory, so not local.
    """

    def __init__(self, objects: Mapping[str, bytes] = {}) -> None:
        self.objects = dict(objects)

    def stat(self, path: str) -> ObjectInfo:
        return ObjectInfo(
            path=path, size_bytes=len(self._get(path)), modified_at=MOMENT
        )

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        return io.BytesIO(self._get(path)[start:end])

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        self.objects[path] = source.read()
        return self.stat(path)

    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        self.objects[path] = local.read_bytes()
        return self.stat(path)

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        return (self.stat(p) for p in list(self.objects) if p.startswith(f"{prefix}/"))

    def delete_tree(self, prefix: str) -> int:
        gone = [p for p in self.objects if p == prefix or p.startswith(f"{prefix}/")]
        for path in gone:
            del self.objects[path]
        return len(gone)

    def ping(self) -> None:
        pass

    def _get(self, path: str) -> bytes:
        if path not in self.objects:
            raise ObjectNotFoundError(path)
        return self.objects[path]


class FolderStorage(BytesStorage):
    """
    Objects in files of this machine.
    """

    def __init__(self, folder: Path, objects: Mapping[str, bytes]) -> None:
        super().__init__()
        self.folder = folder
        for path, data in objects.items():
            self.write(path, io.BytesIO(data), content_type="")

    def local_path(self, path: str) -> Path:
        return self.folder / path

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        local = self.local_path(path)
        local.parent.mkdir(parents=True, exist_ok=True)
        local.write_bytes(source.read())
        return self.stat(path)

    def _get(self, path: str) -> bytes:
        try:
            return self.local_path(path).read_bytes()
        except FileNotFoundError as exc:
            raise ObjectNotFoundError(path) from exc
