"""
Videos with sound in which something is said, for captions by machine.
"""

import struct
import wave
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.processing.source_info import AudioTrackInfo, SourceInfo
from hvcore.domain.processing.speech import SOUND_RATE_HZ
from hvcore.domain.processing.transcoding import (
    MediaFile,
    Part,
    PartDone,
    Segment,
    SoundSpan,
    Track,
)
from hvcore.domain.videos.caption_jobs import CaptionJob
from hvcore.domain.videos.captions import CaptionTrack, Cue, read_written
from hvcore.domain.webhooks.events import EventKind, EventQuery
from hvcore.ports.transcoder import Workspace
from hvcore.testing.memory_transcriber import MemoryTranscriber
from tests.conformance import made_streams
from tests.services.conftest import World, make_world
from tests.support.fakes import TextTranscoder

FRAMES_OF_PART = (281, 281, 281, 282)
"""Of 1024 samples at 48 kHz, in each of four segments of about 6 s."""


class SpokenTranscoder(TextTranscoder):
    """
    Makes films with sound that is loud where something is said.

    Attributes:
        said_ms: Start and end of each part in which something is said.
        has_sound: Whether the films have sound.
        spans: What was asked for.
    """

    def __init__(self) -> None:
        super().__init__()
        self.said_ms: list[tuple[int, int]] = [(1_000, 3_000), (8_000, 10_000)]
        self.has_sound = True
        self.language = ""
        self.spans: list[SoundSpan] = []

    def probe(self, workspace: Workspace) -> SourceInfo:
        """
        Find a track of sound, too.
        """
        track = AudioTrackInfo(
            stream_index=1,
            codec="aac",
            channels=2,
            sample_rate_hz=48_000,
            language=self.language,
        )
        info = super().probe(workspace)
        return attrs.evolve(
            info,
            duration_s=6.0 * self.parts,
            audio=(track,) if self.has_sound else (),
        )

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        """
        Write six seconds of sound, too.
        """
        done = super().run(part, workspace)
        tracks = []
        for audio in part.order.ladder.audio:
            folder = workspace.folder / audio.name
            folder.mkdir()
            init = made_streams.audio_init()
            frames = FRAMES_OF_PART[part.index % 4]
            start = sum(FRAMES_OF_PART[n % 4] for n in range(part.index)) * 1024
            data = made_streams.segment(
                part.index, start, [b"\x21" * 20] * frames, 1024
            )
            (folder / "init.m4s").write_bytes(init)
            (folder / f"{part.index}.m4s").write_bytes(data)
            tracks.append(
                Track(
                    name=audio.name,
                    codecs="mp4a.40.2",
                    init=_file(init),
                    segments=(
                        Segment(
                            number=part.index,
                            duration_s=frames * 1024 / 48_000,
                            file=_file(data),
                        ),
                    ),
                    audio=audio,
                )
            )
        return attrs.evolve(done, tracks=(*done.tracks, *tracks))

    def sound(self, workspace: Workspace, span: SoundSpan) -> Path:
        """
        Make the sound of a span of the segments.
        """
        workspace.check()
        self.spans.append(span)
        source = workspace.source.read_bytes()
        at = source.index(b"tfdt") + 8
        (start,) = struct.unpack(">Q", source[at : at + 8])
        begins_ms = round((start / 48_000 + span.start_s) * 1000)
        ends_ms = begins_ms + round(span.duration_s * 1000)
        samples = array("h")
        for at_ms in range(begins_ms, ends_ms, 10):
            is_loud = any(start <= at_ms < end for start, end in self.said_ms)
            length = min(10, ends_ms - at_ms) * SOUND_RATE_HZ // 1000
            samples.extend([4_000 if is_loud else 0] * length)
        path = workspace.folder / "sound.wav"
        with wave.open(str(path), "wb") as sound:
            sound.setparams((1, 2, SOUND_RATE_HZ, 0, "NONE", ""))
            sound.writeframes(samples.tobytes())
        return path


@attrs.frozen(kw_only=True)
class SpokenService:
    """
    A service with a transcriber, and windows that are short.
    """

    world: World
    transcoder: SpokenTranscoder

    @property
    def transcriber(self) -> MemoryTranscriber:
        found = self.world.services.transcriber
        assert isinstance(found, MemoryTranscriber)
        return found

    def ready(self) -> VideoId:
        """
        Make a video without captions.
        """
        video_id = self.world.processed()
        self.world.run_tasks()
        return video_id

    def generate(self, video_id: str, *languages: str) -> None:
        """
        Order captions, and do nothing yet.
        """
        self.world.services.caption_orders.generate(
            self.world.caller, "org_a", video_id, languages or ("auto",)
        )

    def run_all_attempts(self) -> None:
        """
        Run tasks and sweeps through the waits of failed captions.
        """
        for _ in range(2):
            self.world.run_everything()
            self.world.clock.move(seconds=3_600)
            self.world.services.task_runs.sweep(holder="test")
        self.world.run_everything()

    def job(self, video_id: str, wish: str = "auto") -> CaptionJob:
        with self.world.services.uow.read() as work:
            found = work.caption_jobs.of_video(VideoId(video_id))
        return next(job for job in found if job.wish == wish)

    def tracks(self, video_id: str) -> list[CaptionTrack]:
        with self.world.services.uow.read() as work:
            return list(work.captions.of_video(VideoId(video_id)))

    def cues(self, video_id: str) -> list[Cue]:
        (track,) = self.tracks(video_id)
        return read_written((self.world.storage_dir / track.path).read_bytes())

    def events(self, *kinds: EventKind) -> list[tuple[str, str | None]]:
        """
        Return kind and error of the events of these kinds.
        """
        query = EventQuery(after=0, limit=100, kinds=frozenset(kinds))
        with self.world.services.uow.read() as work:
            page = work.events.page(self.world.env, query)
        return [(one.event.kind.value, one.event.error) for one in page.events]


@contextmanager
def spoken_service(
    folder: Path, environ: Mapping[str, str] | None = None, *, window_ms: int = 10_000
) -> Iterator[SpokenService]:
    """
    Make a service whose videos have four segments in which something is said.
    """
    transcoder = SpokenTranscoder()
    transcoder.parts = 4
    given = {
        "HV_EXTRA_PLUGINS": "hvcore.testing.memory_transcriber",
        "HV_TRANSCRIBER__BACKEND": "memory",
        **(environ or {}),
    }
    with make_world(folder, given, transcoder=transcoder) as world:
        making = world.services.caption_making
        sounds = attrs.evolve(making.sounds, window_ms=window_ms)
        # Read by task_runs, which is made later.
        vars(world.services)["caption_making"] = attrs.evolve(making, sounds=sounds)
        yield SpokenService(world=world, transcoder=transcoder)


def _file(data: bytes) -> MediaFile:
    return MediaFile(size_bytes=len(data), sha256=sha256(data).hexdigest())
