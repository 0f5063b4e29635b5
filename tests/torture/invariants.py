"""
What must hold after every fault: I1 to I8 of the design.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs
import psutil
import sqlalchemy as sa

from hvcore.assembly import Services
from hvcore.conformance import Level, check
from hvcore.domain.ids import VideoId
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import MediaFile
from hvcore.domain.tasks.task import ENDED
from hvcore.domain.videos.states import TRANSITIONS, VideoState
from hvcore.domain.videos.video import Video
from hvcore.domain.webhooks.events import EventKind
from hvcore.manifests import hls
from hvcore.persistence.tables import events, grants, tasks, videos
from hvcore.services.playback.playable import Playable
from hvcore_cli.commands.videos.conform_sources import StorageSource
from tests.support.live import files_below
from tests.support.network.receivers import Received
from tests.torture.customers import Ledger

DURATIONS_AGREE_WITHIN_S: Final = 0.1
_ENDED: Final = sorted(state.value for state in ENDED)
_STATE_AFTER: Final = {
    EventKind.STARTED: VideoState.TRANSCODING,
    EventKind.COMPLETED: VideoState.READY,
    EventKind.FAILED: VideoState.FAILED,
    EventKind.DELETED: VideoState.DELETED,
}
_SETTLED: Final = frozenset({VideoState.READY, VideoState.FAILED, VideoState.DELETED})


@attrs.frozen(kw_only=True)
class Findings:
    """
    Looks at a service that has come to rest.
    """

    services: Services
    data: Path

    def stored_names(self) -> Iterator[str]:
        """
        Yield where each object lies in the storage.
        """
        storage = self.data / "storage"
        for file in files_below(storage):
            yield file.relative_to(storage).as_posix()

    def temporary_files(self) -> Iterator[Path]:
        """
        Yield what workers have for a while.
        """
        return files_below(self.data / "work")

    def content(self, name: str) -> bytes | None:
        """
        Return an object of the storage; None if there is none.
        """
        file = self.data / "storage" / name
        return file.read_bytes() if file.is_file() else None

    def all_videos(self) -> list[Video]:
        """
        Return every video, deleted or not.
        """
        with self.services.engine.connect() as connection:
            ids = connection.execute(sa.select(videos.c.id)).scalars().all()
        with self.services.uow.read() as work:
            found = [work.videos.find(VideoId(one)) for one in ids]
        return [video for video in found if video is not None]

    def unsettled(self) -> Iterator[str]:
        """
        I1, at rest: every video has ended or waits for bytes that may come.
        """
        now = self.services.clock.now()
        for video in self.all_videos():
            waits = video.state is VideoState.AWAITING_UPLOAD and (
                video.upload_expires_at is not None and video.upload_expires_at > now
            )
            if video.state not in _SETTLED and not waits:
                yield f"I1 {video.id} is {video.state.value}"

    def unfinished_tasks(self) -> Iterator[str]:
        """
        I1, too: nothing is left to do.
        """
        statement = sa.select(tasks.c.kind, tasks.c.state, tasks.c.error).where(
            tasks.c.state.not_in(_ENDED)
        )
        with self.services.engine.connect() as connection:
            for row in connection.execute(statement):
                yield f"I1 a task {row.kind} is {row.state}: {row.error}"

    def unplayable(self, lengths_s: Mapping[str, float]) -> Iterator[str]:
        """
        I2: what is published is there, whole, conformant and as long as the source.

        Args:
            lengths_s: Of the sources, by video.
        """
        for video in self.all_videos():
            if video.state is VideoState.READY:
                yield from (f"I2 {video.id}: {x}" for x in self._faults(video))
                expected = lengths_s.get(video.id)
                if expected and abs(video.duration_s - expected) > 0.2:
                    yield f"I2 {video.id} lasts {video.duration_s}, not {expected}"

    def wrong_histories(self) -> Iterator[str]:
        """
        I3 and I4: events follow the table of states, and tell the last one.
        """
        by_video: dict[str, list[sa.Row[tuple[object, ...]]]] = {}
        with self.services.engine.connect() as connection:
            for row in connection.execute(sa.select(events).order_by(events.c.number)):
                by_video.setdefault(row.video_id, []).append(row)
        allowed = {(before, after) for (before, _), after in TRANSITIONS.items()}
        for video in self.all_videos():
            state = VideoState.AWAITING_UPLOAD
            history = by_video.get(video.id, [])
            if [row.sequence for row in history] != list(range(1, len(history) + 1)):
                yield f"I3 {video.id} has a gap in its events"
            for row in history:
                after = _STATE_AFTER.get(EventKind(row.kind), state)
                if after is not state and (state, after) not in allowed:
                    yield f"I3 {video.id} went from {state.value} to {after.value}"
                if after is state and EventKind(row.kind) in _STATE_AFTER:
                    yield f"I4 {video.id} became {after.value} twice"
                if row.status != after.value:
                    yield f"I3 {video.id}: an event says {row.status}"
                state = after
            if state is not video.state:
                yield f"I4 {video.id} is {video.state.value} without an event"

    def untold(self, received: list[Received]) -> Iterator[str]:
        """
        I4: every final state was told at least once, under one id.
        """
        ids: dict[str, set[bytes]] = {}
        for one in received:
            ids.setdefault(one.headers["webhook-id"], set()).add(one.body)
        for event_id, bodies in ids.items():
            if len(bodies) > 1:
                told = [set(repr(json.loads(body)).split(", ")) for body in bodies]
                differing = sorted(set().union(*told) - set.intersection(*told))
                yield f"I4 {event_id} was told in {len(bodies)} ways: {differing}"
            if json.loads(next(iter(bodies)))["id"] != event_id:
                yield f"I4 {event_id} goes by another id inside"
        final = [EventKind.COMPLETED.value, EventKind.FAILED.value]
        statement = sa.select(events.c.id).where(events.c.kind.in_(final))
        with self.services.engine.connect() as connection:
            for event in connection.execute(statement).scalars():
                if event not in ids:
                    yield f"I4 the event {event} was never delivered"

    def miscounted(self, ledger: Ledger, counted: Mapping[str, int]) -> Iterator[str]:
        """
        I5: what arrived whole was counted, and nothing that nobody asked for.
        """
        for video in {*ledger.begun, *counted}:
            number = counted.get(video, 0)
            if not ledger.whole[video] <= number <= ledger.begun[video]:
                yield (
                    f"I5 of {video} {number} segments were counted, "
                    f"{ledger.whole[video]} arrived of {ledger.begun[video]}"
                )

    def leftovers(self) -> Iterator[str]:
        """
        I6 and I7: no file without an owner, in storage or among temporary ones.
        """
        owners = {video.id: video for video in self.all_videos()}
        with self.services.engine.connect() as connection:
            paths = {
                row.path: row
                for row in connection.execute(
                    sa.select(grants.c.path, grants.c.state, grants.c.stored_path)
                )
            }
        for name in self.stored_names():
            parts = name.split("/")
            if parts[0] == "media":
                fault = _of_nobody(owners.get(VideoId(parts[1])), parts[2:])
            elif parts[0] == "uploads":
                grant = paths.get("/".join(parts[:4]))
                gone = grant is None or grant.state == "ended"
                fault = "" if not gone and grant.stored_path == name else "of nobody"
            else:
                fault = "temporary"
            if fault:
                yield f"I7 {name} is left over: {fault}"
        for file in self.temporary_files():
            yield f"I7 {file} is left over"

    def broken_promises(self, ledger: Ledger) -> Iterator[str]:
        """
        I8: everything acknowledged is there.
        """
        by_id = {video.id: video for video in self.all_videos()}
        with self.services.engine.connect() as connection:
            rows = {row.path: row for row in connection.execute(sa.select(grants))}
        for path in ledger.granted - rows.keys():
            yield f"I8 the grant of {path} is gone"
        for path, size in ledger.sent.items():
            row = rows.get(path)
            if row is None or row.state == "granted":
                yield f"I8 the bytes at {path} were acknowledged and forgotten"
            elif row.state != "ended":
                stored = self.services.storage.stat(row.stored_path)
                if stored.size_bytes != size:
                    yield f"I8 {path} has {stored.size_bytes} bytes, not {size}"
        for name in ledger.processed:
            video = name if name.startswith("vid_") else rows[name].video_id
            if video not in by_id:
                yield f"I8 the video of {name} is not there"
        for name in ledger.deleted:
            if by_id[VideoId(name)].state is not VideoState.DELETED:
                yield f"I8 {name} was deleted and is there again"

    def orphans(self) -> Iterator[str]:
        """
        I7: no process of the service is left.
        """
        for process in psutil.process_iter():
            try:
                words = " ".join(process.cmdline())
                is_ours = str(self.data) in words or (
                    process.environ().get("HV_DATA") == str(self.data)
                )
                if is_ours and process.status() != psutil.STATUS_ZOMBIE:
                    yield f"I7 the process {process.pid} is left: {words}"
            except psutil.Error:
                continue

    def lay_out(self, video: Video, folder: Path) -> None:
        """
        Put a video's files where its playlists name them, for a decoder.
        """
        media, root = video.media, self.data / "storage" / (video.media_root or "")
        assert media is not None
        for name, text in hls.playlists(media).items():
            (folder / name).write_text(text)
        for published in media.tracks:
            target = folder / published.track.name
            target.mkdir(parents=True, exist_ok=True)
            for piece in published.pieces:
                for file in (root / piece.folder / published.track.name).iterdir():
                    link = target / file.name
                    if not link.exists():
                        link.symlink_to(file)

    def _faults(self, video: Video) -> Iterator[str]:
        media, root = video.media, video.media_root
        if media is None or root is None:
            yield "nothing is published"
            return
        yield from self._wrong_files(media, root)
        for name in hls.playlists(media):
            if self.content(f"{root}/{name}") is None:
                yield f"{name} is missing"
        source = StorageSource(delivery=self.services.delivery, video=_playable(video))
        certificate = check(source, hls.MASTER)
        for finding in certificate.findings:
            if finding.rule.level is Level.MUST:
                yield f"{finding.rule.id} {finding.file} {finding.message}"

    def _wrong_files(self, media: MediaIndex, root: str) -> Iterator[str]:
        for published in media.tracks:
            track, numbers = published.track, list[int]()
            lengths_s = sum(segment.duration_s for segment in track.segments)
            if abs(lengths_s - media.duration_s) > DURATIONS_AGREE_WITHIN_S:
                yield f"{track.name} lasts {lengths_s}, not {media.duration_s}"
            files = {segment.number: segment.file for segment in track.segments}
            for piece in published.pieces:
                own = range(piece.first_number, piece.first_number + piece.count)
                numbers += list(own)
                for number in own:
                    name = f"{root}/{piece.folder}/{track.name}/{number}.m4s"
                    yield from self._differs(name, files.get(number))
            if numbers != list(range(len(track.segments))):
                yield f"{track.name} has the segments {numbers}"
            first = published.pieces[0].folder
            yield from self._differs(
                f"{root}/{first}/{track.name}/init.m4s", track.init
            )

    def _differs(self, name: str, recorded: MediaFile | None) -> Iterator[str]:
        data = self.content(name)
        if recorded is None:
            yield f"{name} is in no record"
        elif data is None:
            yield f"{name} is missing"
        else:
            found = MediaFile(
                size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest()
            )
            if found != recorded:
                yield f"{name} is not what was recorded"


def counts_of(services: Services) -> Mapping[str, int]:
    """
    Return how many segments were counted, by video.
    """
    found: Counter[str] = Counter()
    statement = sa.text("SELECT video_id, segments FROM hv_analytics_videos")
    with services.engine.connect() as connection:
        for video, segments in connection.execute(statement):
            found[video] += segments
    return found


def _of_nobody(video: Video | None, parts: list[str]) -> str:
    if video is None or video.state is VideoState.DELETED:
        return "its video is deleted"
    if parts[0] in {"posters", "thumbnails", "captions", "certificates"}:
        return ""
    if parts[0] != video.job_id:
        return "of an earlier job"
    if video.media is None:
        return "of a job that failed"
    attempt = parts[1] if len(parts) > 2 else ""
    used = {piece.folder for track in video.media.tracks for piece in track.pieces}
    if attempt.startswith("p") and "a" in attempt and attempt not in used:
        return "of an attempt that was not published"
    return ""


def _playable(video: Video) -> Playable:
    assert video.media is not None
    assert video.media_root is not None
    return Playable(
        id=video.id,
        public_id=video.public_id,
        org_id=video.org_id,
        env_id=video.env_id,
        name=video.name,
        is_public=video.is_public,
        media_root=video.media_root,
        chosen_poster=None,
        load_media=lambda: video.media,
    )
