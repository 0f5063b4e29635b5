"""A sink that appends batches to a file of JSON lines."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import RLock
from typing import Any

from hvcore.plugin_api import (
    AnalyticsSink,
    BatchRefusedError,
    SegmentPlace,
    ServedBatch,
    UnavailableError,
    VideoId,
)


class Counts(AnalyticsSink):
    """
    One line is one batch: its counts and its position, both or neither.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read_to = 0
        self.positions: dict[str, int] = {}
        self.lock = RLock()

    def prepare(self) -> None:
        try:
            self.path.touch()
        except OSError as exc:
            raise UnavailableError(f"The file of counts: {exc}") from exc

    def is_prepared(self) -> bool:
        if not self.path.parent.exists():
            raise UnavailableError("The folder of counts is gone.")
        return self.path.exists()

    def ping(self) -> None:
        with self._locked():
            pass

    def position(self, file: str) -> int:
        with self._locked() as fd:
            self._catch_up(fd)
            return self.positions.get(file, 0)

    def write(self, batch: ServedBatch) -> None:
        one = {
            "file": batch.id.file,
            "end": batch.id.end,
            "counts": [
                {
                    "org": count.place.org_id,
                    "env": count.place.env_id,
                    "video": count.place.video_id,
                    "height": count.place.height_px,
                    "day": count.day.isoformat(),
                    "segments": count.segments,
                }
                for count in batch.counts
            ],
        }
        with self._locked() as fd:
            self._catch_up(fd)
            position = self.positions.get(batch.id.file, 0)
            if batch.id.end <= position:
                return
            if batch.id.start != position:
                raise BatchRefusedError(batch.id.file)
            self._append(fd, one)

    def forget(self, file: str) -> None:
        with self._locked() as fd:
            self._append(fd, {"file": file, "end": 0, "counts": []})

    def segments_of(self, video_id: VideoId) -> int:
        return self._sum({"video": video_id})

    def segments_at(self, place: SegmentPlace, day: date) -> int:
        wanted = {
            "org": place.org_id,
            "env": place.env_id,
            "video": place.video_id,
            "height": place.height_px,
            "day": day.isoformat(),
        }
        return self._sum(wanted)

    def _sum(self, wanted: dict[str, Any]) -> int:
        with self._locked() as fd:
            os.lseek(fd, 0, os.SEEK_SET)
            total = 0
            with os.fdopen(os.dup(fd), "rb") as lines:
                for line in lines:
                    if line.endswith(b"\n"):
                        total += sum(
                            count["segments"]
                            for count in json.loads(line)["counts"]
                            if wanted.items() <= count.items()
                        )
        return total

    def _append(self, fd: int, one: dict[str, Any]) -> None:
        # What a killed writer has begun is cut off.
        self._catch_up(fd)
        os.ftruncate(fd, self.read_to)
        data = json.dumps(one).encode() + b"\n"
        while data:
            data = data[os.pwrite(fd, data, os.lseek(fd, 0, os.SEEK_END)) :]
        os.fdatasync(fd)

    def _catch_up(self, fd: int) -> None:
        data = os.pread(fd, os.fstat(fd).st_size - self.read_to, self.read_to)
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.splitlines():
            one = json.loads(line)
            self.positions[one["file"]] = one["end"]
        self.read_to += len(whole)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        try:
            with self.lock, open(self.path, "r+b", buffering=0) as opened:
                fcntl.flock(opened, fcntl.LOCK_EX)
                yield opened.fileno()
        except OSError as exc:
            raise UnavailableError(f"The file of counts: {exc}") from exc
