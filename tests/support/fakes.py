"""
Small working ports for tests: a queue in memory, a clock that can be moved, a
transcoder that needs no encoder.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from hashlib import sha256

import attrs

from hvcore.domain.ids import TaskId
from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.processing.encoding import AudioCodec, PixelFormat, Speed
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.source_info import (
    CaptionTrackInfo,
    SourceInfo,
    UnusableSourceError,
    VideoTrackInfo,
)
from hvcore.domain.processing.transcoding import (
    CaptionFile,
    MediaFile,
    Part,
    PartDone,
    Segment,
    Still,
    Track,
    TranscodeError,
    TranscodeOrder,
)
from hvcore.domain.tasks.task import Lane
from hvcore.ports.queue import Queue
from hvcore.ports.transcoder import Capabilities, Transcoder, Workspace
from tests.conformance import made_streams

FRAME_RATE = 30
"""Of what TextTranscoder makes."""


@attrs.define
class SettableClock:
    """
    Stands still until it is moved.
    """

    moment: datetime = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def now(self) -> datetime:
        """
        Return the moment it was set to.
        """
        return self.moment

    def now_ms(self) -> int:
        """
        Return it as milliseconds since 1970.
        """
        return (self.moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
            milliseconds=1
        )

    def move(self, **by: float) -> None:
        """
        Go forward by what timedelta takes.
        """
        self.moment += timedelta(**by)


class MemoryQueue(Queue):
    """
    Keeps messages in a list of this process.
    """

    def __init__(self) -> None:
        self.messages: list[tuple[TaskId, Lane]] = []

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        """
        Append the message.
        """
        self.messages.append((task_id, lane))

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        """
        Hand out messages until there are none, too.
        """
        while self.messages and not until():
            wanted = [m for m in self.messages if m[1] in lanes]
            if not wanted:
                return
            self.messages.remove(wanted[0])
            handle(wanted[0][0])

    def depth(self, lane: Lane) -> int:
        """
        Count the messages of a lane.
        """
        return sum(1 for _, of in self.messages if of is lane)

    def ping(self) -> None:
        """
        Always there.
        """


class TextTranscoder(Transcoder):
    """
    Makes small grey films of whatever it is given, byte by byte.

    A source that begins with ``unusable`` cannot be used, one that begins
    with ``broken`` fails each attempt.

    Attributes:
        parts: How many parts a plan has.
        before_part: Called in the middle of each part.
        before_assembling: Called before the parts are joined.
        captions: What the source brings along: a track and its file.
        chapters: Likewise.
        spoil: Changes a segment after it was measured.
        still_picture: A JPEG to leave for every moment of the storyboard.
        version: Of the encoder: another one makes other bytes.
    """

    def __init__(self) -> None:
        self.parts = 1
        self.before_part: Callable[[Part], None] = lambda _: None
        self.before_assembling: Callable[[], None] = lambda: None
        self.attempts = 0
        self.captions: list[tuple[CaptionTrackInfo, bytes]] = []
        self.chapters: tuple[Chapter, ...] = ()
        self.spoil: Callable[[bytes], bytes] = lambda segment: segment
        self.still_picture: bytes | None = None
        self.version = b""

    def capabilities(self) -> Capabilities:
        """
        Everything but 12 bits and HE-AAC.
        """
        return Capabilities(
            name="text",
            pixel_formats=frozenset(p for p in PixelFormat if p.bit_depth < 12),
            audio_codecs=frozenset(AudioCodec)
            - {AudioCodec.AAC_HE, AudioCodec.AAC_HE_V2},
            speeds=frozenset(Speed),
        )

    def probe(self, workspace: Workspace) -> SourceInfo:
        """
        Take everything for a 12 s 720p clip.
        """
        data = workspace.source.read_bytes()
        if data.startswith(b"unusable"):
            raise UnusableSourceError("The file is not a video.")
        return SourceInfo(
            duration_s=12.0,
            size_bytes=len(data),
            container="mov",
            video=VideoTrackInfo(
                stream_index=0,
                width_px=1280,
                height_px=720,
                frame_rate=Fraction(FRAME_RATE),
                pixel_format=PixelFormat.YUV420P,
            ),
            chapters=self.chapters,
        )

    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        """
        Cut into equal parts of one segment each.
        """
        return tuple(
            Part(index=index, order=order, weight=1 / self.parts)
            for index in range(self.parts)
        )

    def assemble(
        self, order: TranscodeOrder, done: Sequence[tuple[str, PartDone]]
    ) -> MediaIndex:
        """
        Join the parts as every transcoder does.
        """
        self.before_assembling()
        return super().assemble(order, done)

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        """
        Write an init file and one segment of 6 s for each rung.
        """
        self.attempts += 1
        self.before_part(part)
        workspace.check()
        if workspace.source.read_bytes().startswith(b"broken"):
            raise TranscodeError("The encoder failed.", log="it just did")
        tracks = []
        for rung in part.order.ladder.rungs:
            name = f"video/{rung.key}"
            folder = workspace.folder / name
            folder.mkdir(parents=True)
            init = grey_init(width_px=rung.width_px, height_px=rung.height_px)
            segment = grey_segment(part.index) + self.version
            (folder / "init.m4s").write_bytes(init)
            (folder / f"{part.index}.m4s").write_bytes(self.spoil(segment))
            tracks.append(
                Track(
                    name=name,
                    codecs="avc1.42C01F",
                    init=_file(init),
                    segments=(
                        Segment(
                            number=part.index,
                            duration_s=6.0,
                            file=_file(segment),
                            first_picture_bytes=segment.index(b"mdat") + 4 + 100,
                        ),
                    ),
                    rung=rung,
                )
            )
        workspace.report(1.0)
        captions = self._write_captions(workspace) if part.index == 0 else ()
        poster, stills = self._write_pictures(part, workspace)
        return PartDone(
            tracks=tuple(tracks), poster=poster, stills=stills, captions=captions
        )

    def _write_pictures(
        self, part: Part, workspace: Workspace
    ) -> tuple[str | None, tuple[Still, ...]]:
        if self.still_picture is None:
            return None, ()
        (workspace.folder / "stills").mkdir()
        (workspace.folder / "poster.jpg").write_bytes(self.still_picture)
        interval_s, made = part.order.still_interval_s, []
        for at_s in range(part.index * 6, part.index * 6 + 6, interval_s):
            made.append(Still(at_s=at_s, name=f"stills/{at_s}.jpg"))
            (workspace.folder / made[-1].name).write_bytes(self.still_picture)
        return "poster.jpg", tuple(made)

    def _write_captions(self, workspace: Workspace) -> tuple[CaptionFile, ...]:
        made = []
        for number, (source, data) in enumerate(self.captions):
            name = f"captions-{number}.vtt"
            (workspace.folder / name).write_bytes(data)
            made.append(CaptionFile(name=name, source=source))
        return tuple(made)


def grey_init(*, width_px: int, height_px: int, key: str = "") -> bytes:
    """
    Make the init file of a small grey film.
    """
    del key  # all rungs are alike, but for their size
    size = (width_px, height_px)
    record = made_streams.avcc(made_streams.sps(*size, level=31))
    entry = made_streams.video_entry("180p", told=size, record=record)
    return made_streams.init("vide", FRAME_RATE * made_streams.FRAME, entry)


def grey_segment(number: int) -> bytes:
    """
    Make six seconds of it.
    """
    frames = 6 * FRAME_RATE
    return made_streams.video_segment(
        number, start=number * frames * made_streams.FRAME, frames=frames
    )


def _file(data: bytes) -> MediaFile:
    return MediaFile(size_bytes=len(data), sha256=sha256(data).hexdigest())
