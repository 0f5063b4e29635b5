"""
Ports in memory, for tests of the API.
"""

import io
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import attrs

from hvcore.domain.ids import TaskId
from hvcore.domain.processing.encoding import AudioCodec, PixelFormat, Speed
from hvcore.domain.processing.source_info import SourceInfo
from hvcore.domain.processing.transcoding import (
    Capabilities,
    Part,
    PartDone,
    SoundSpan,
    TranscodeOrder,
)
from hvcore.domain.tasks.task import Lane
from hvcore.errors import UnavailableError
from hvcore.ports.queue import Queue
from hvcore.ports.storage import ObjectInfo, ObjectNotFoundError, Storage
from hvcore.ports.transcoder import Transcoder, Workspace


class MemoryStorage(Storage):
    """
    Objects in a dictionary.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.is_down = False

    def stat(self, path: str) -> ObjectInfo:
        if path not in self.files:
            raise ObjectNotFoundError(path)
        return ObjectInfo(
            path=path,
            size_bytes=len(self.files[path]),
            modified_at=datetime(2026, 1, 1, tzinfo=UTC),
        )

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        self.stat(path)
        return io.BytesIO(self.files[path][start:end])

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        self.files[path] = source.read()
        return self.stat(path)

    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        self.files[path] = local.read_bytes()
        return self.stat(path)

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        return (self.stat(path) for path in list(self.files) if path.startswith(prefix))

    def delete_tree(self, prefix: str) -> int:
        doomed = [path for path in self.files if path.startswith(prefix)]
        for path in doomed:
            del self.files[path]
        return len(doomed)

    def ping(self) -> None:
        if self.is_down:
            raise UnavailableError("The storage does not answer.")


class RememberingQueue(Queue):
    """
    Keeps what was put; nobody runs it.
    """

    def __init__(self) -> None:
        self.rung: list[TaskId] = []
        self.is_down = False

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        self.rung.append(task_id)

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        raise NotImplementedError

    def depth(self, lane: Lane) -> int:
        return len(self.rung)

    def workers(self, lane: Lane) -> int:
        self.ping()
        return 1

    def ping(self) -> None:
        if self.is_down:
            raise UnavailableError("The queue does not answer.")


class ScratchTranscoder(Transcoder):
    """
    Has abilities that a test sets, and never runs.
    """

    def __init__(self) -> None:
        self.able = Capabilities(
            name="scratch 1.0",
            pixel_formats=frozenset(PixelFormat),
            audio_codecs=frozenset(AudioCodec),
            speeds=frozenset(Speed),
        )

    def lacks_audio(self, codec: AudioCodec) -> None:
        self.able = attrs.evolve(
            self.able, audio_codecs=self.able.audio_codecs - {codec}
        )

    def capabilities(self) -> Capabilities:
        return self.able

    def probe(self, workspace: Workspace) -> SourceInfo:
        raise NotImplementedError

    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        raise NotImplementedError

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        raise NotImplementedError

    def sound(self, workspace: Workspace, span: SoundSpan) -> Path:
        raise NotImplementedError
