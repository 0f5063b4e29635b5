"""
Files that the service fetches for itself.
"""

import logging
import shutil
import threading
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore.domain import limits
from hvcore.domain.ids import VideoId
from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.tasks.kinds import FETCH_GET as FETCH_KIND
from hvcore.domain.tasks.task import MAX_ATTEMPTS, Lane, Task, TaskState
from hvcore.domain.uploads.grants import FileWanted, GrantState, UploadGrant
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    ForbiddenError,
    InvalidGcsPathError,
    InvalidParametersError,
    ProcessingInProgressError,
    UnavailableError,
)
from hvcore.incoming import disk_space
from hvcore.safe_http import OutboundHttp
from hvcore.services.uploads import fetching, source_checks
from hvcore.services.uploads.fetching import file_name_of
from tests.outbound import MP4, PUBLIC, Names, Source, source_server
from tests.servers import wait_until
from tests.services.conftest import World

SECRET = "?signature=very-secret"


@attrs.frozen(kw_only=True)
class Outside:
    """
    The source, and the ways to fetch from it.
    """

    source: Source
    names: Names
    world: World

    def url(self, path: str = "/clip.mp4") -> str:
        """
        Return an address of the source.
        """
        return f"http://source.test:{self.source.port}{path}{SECRET}"

    def video(self, path: str = "/clip.mp4", file: FileWanted | None = None) -> VideoId:
        """
        Order a video to be made of a file of the source.
        """
        return self.world.services.fetching.fetch_video(
            self.world.env,
            self.url(path),
            file or self.world.file(),
            self.world.wanted(),
        ).id

    def download(self, path: str = "/clip.mp4") -> UploadGrant:
        """
        Order a file of the source, for a process request.
        """
        return self.world.services.fetching.fetch_file(self.world.env, self.url(path))

    def process(self, grant: UploadGrant) -> VideoId:
        """
        Ask for a video of a file that is being fetched.
        """
        processing = self.world.services.processing
        return processing.process(self.world.env, grant.path, self.world.wanted())

    def grant_of(self, path_or_id: str) -> UploadGrant:
        """
        Read a grant anew, by its id or its path.
        """
        with self.world.services.uow.read() as work:
            found = work.grants.find(path_or_id) or work.grants.find_path(path_or_id)
        assert found is not None
        return found

    def fetches_of(self, subject: str) -> list[Task]:
        """
        Read the fetch tasks about something.
        """
        with self.world.services.uow.read() as work:
            return list(work.tasks.of_subject(subject, kind=FETCH_KIND))

    def outcome(self, video_id: str) -> tuple[VideoState, str | None]:
        """
        Tell how a video is doing, and why.
        """
        video = self.world.video(video_id)
        return video.state, video.failure_reason


@pytest.fixture
def outside(world: World) -> Iterator[Outside]:
    names = Names()
    names.set("source.test", ["127.0.0.1"])
    world.services.outbound = OutboundHttp(allowed_hosts=["source.test"], resolve=names)
    with source_server() as source:
        source.gives("/clip.mp4")
        yield Outside(source=source, names=names, world=world)


def test_a_fetched_file_becomes_a_video(outside: Outside) -> None:
    video_id = outside.video()
    assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)

    outside.world.run_everything()

    video = outside.world.video(video_id)
    assert video.state is VideoState.READY
    (source,) = outside.world.files("uploads/")
    assert source == video.source_path
    assert (outside.world.storage_dir / source).read_bytes() == MP4


def test_a_fetch_runs_in_its_own_lane_and_is_planned_when_the_bytes_are_there(
    outside: Outside,
) -> None:
    video_id = outside.video()

    with outside.world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id)
    assert (task.kind, task.lane) == (FETCH_KIND, Lane.OUTBOUND)


def test_a_video_is_named_as_for_an_upload(outside: Outside) -> None:
    file = FileWanted(file_name="My holiday.mov")

    assert outside.world.video(outside.video(file=file)).name == "My holiday"


def test_the_address_is_kept_nowhere_when_the_bytes_are_there(
    outside: Outside,
) -> None:
    video_id = outside.video()
    path = outside.world.video(video_id).source_path
    assert outside.grant_of(path).source_url == outside.url()

    outside.world.run_everything()

    grant = outside.grant_of(path)
    assert grant.state is GrantState.USED
    assert grant.source_url is None


def test_the_address_is_in_no_task_no_log_and_no_reason(
    outside: Outside, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    outside.source.gives("/gone", status=404)
    outside.source.gives("/broken", status=500)
    ids = [outside.video(path) for path in ("/clip.mp4", "/gone", "/broken")]
    grant = outside.grant_of(outside.world.video(ids[1]).source_path)

    outside.world.run_everything()

    shown = [repr(grant), caplog.text]
    for video_id in ids:
        shown.append(repr(outside.world.video(video_id)))
        shown += [repr(task) for task in outside.fetches_of(video_id)]
    assert not any("very-secret" in text for text in shown)


@pytest.mark.parametrize(
    ("status", "word"),
    [
        (404, "404"),
        (403, "403"),
        (410, "410"),
        (401, "401"),
        (304, "304"),
        (204, "204"),
    ],
)
def test_what_the_source_does_not_have_is_not_asked_for_again(
    outside: Outside, status: int, word: str
) -> None:
    outside.source.gives("/gone", b"", status=status)

    video_id = outside.video("/gone")
    outside.world.run_everything()

    state, reason = outside.outcome(video_id)
    assert state is VideoState.FAILED
    assert word in str(reason)
    assert len(outside.source.requests) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 429, 408])
def test_a_source_in_trouble_is_asked_three_times(
    outside: Outside, status: int
) -> None:
    outside.source.gives("/trouble", b"", status=status)

    video_id = outside.video("/trouble")
    outside.world.run_everything()

    assert outside.outcome(video_id) == (
        VideoState.FAILED,
        f"The source answered with status {status}.",
    )
    assert len(outside.source.requests) == MAX_ATTEMPTS


def test_a_connection_that_breaks_is_made_again(outside: Outside) -> None:
    outside.source.says("/v", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n" + MP4)
    video_id = outside.video("/v")

    outside.world.run_tasks()
    assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)
    outside.source.gives("/v")
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert len(outside.world.files("uploads/")) == 1


def test_a_source_whose_length_cannot_be_read_fails_the_video(
    outside: Outside,
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: many\r\n\r\n"
    outside.source.says("/v", head + MP4)

    video_id = outside.video("/v")
    outside.world.run_everything()

    assert outside.outcome(video_id) == (
        VideoState.FAILED,
        "source.test sent a Content-Length that is no number.",
    )


def test_a_source_that_is_not_there_fails_the_video(outside: Outside) -> None:
    outside.names.set("source.test", ["127.0.0.2"])

    video_id = outside.video()
    outside.world.run_everything()

    assert outside.outcome(video_id) == (
        VideoState.FAILED,
        "The host source.test takes no connections.",
    )


def test_a_name_that_turned_private_fails_the_video_at_once(outside: Outside) -> None:
    outside.names.set("rebind.test", [PUBLIC], ["10.0.0.1"])
    fetching_service = outside.world.services.fetching
    assert fetching_service.refusal(outside.world.env, "https://rebind.test/") is None

    video = fetching_service.fetch_video(
        outside.world.env,
        "https://rebind.test/",
        outside.world.file(),
        outside.world.wanted(),
    )
    outside.world.run_tasks()

    assert outside.outcome(video.id) == (
        VideoState.FAILED,
        "The host rebind.test is not on the public internet.",
    )


@pytest.mark.parametrize(
    "kind", ["text/html", "text/html; charset=utf-8", "application/json", "image/png"]
)
def test_another_type_than_video_is_refused_before_the_body(
    outside: Outside, kind: str
) -> None:
    outside.source.gives("/page", headers={"Content-Type": kind})

    video_id = outside.video("/page")
    outside.world.run_everything()

    reason = f"The source gives {kind.partition(';')[0]} instead of a video."
    assert outside.outcome(video_id) == (VideoState.FAILED, reason)
    assert len(outside.source.requests) == 1


@pytest.mark.parametrize(
    "kind",
    [
        "application/octet-stream",
        "binary/octet-stream",
        "VIDEO/WebM",
        "",
        "video/x-odd",
    ],
)
def test_a_video_by_any_other_type_is_taken(outside: Outside, kind: str) -> None:
    outside.source.gives("/v", headers={"Content-Type": kind})

    video_id = outside.video("/v")
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><title>Not found</title>", "web page"),
        (b"\xef\xbb\xbf\n <html>", "web page"),
        (b'{"error": "no"}', "format"),
        (b"#EXTM3U\n#EXTINF:6,\nhttp://127.0.0.1/\n", "format"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "format"),
        (b"\x00", "format"),
    ],
)
def test_what_is_no_video_is_refused_by_its_first_bytes(
    outside: Outside, body: bytes, word: str
) -> None:
    outside.source.gives("/v", body)

    video_id = outside.video("/v")
    outside.world.run_everything()

    state, reason = outside.outcome(video_id)
    assert state is VideoState.FAILED
    assert word in str(reason)
    assert outside.world.files("uploads/") == []


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x00\x00\x00\x18ftypisom", "video/mp4"),
        (b"\x00\x00\x00\x14ftypqt  ", "video/quicktime"),
        (b"\x00\x00\x00\x08wide\x00\x00", "video/mp4"),
        (b"\x1a\x45\xdf\xa3\x01\x00", "video/x-matroska"),
        (b"RIFF\x10\x20\x30\x40AVI LIST", "video/x-msvideo"),
    ],
)
def test_every_container_that_is_taken_is_known(head: bytes, kind: str) -> None:
    assert source_checks.sniffed_type(head) == kind


def test_a_compressed_answer_is_refused(outside: Outside) -> None:
    outside.source.gives("/v", headers={"Content-Encoding": "gzip"})

    video_id = outside.video("/v")
    outside.world.run_everything()

    assert "compressed" in str(outside.world.video(video_id).failure_reason)


def test_a_file_that_says_it_is_too_large_is_not_read(outside: Outside) -> None:
    size = limits.MAX_UPLOAD_BYTES + 1
    outside.source.stalls(
        "/v", b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size, MP4
    )

    video_id = outside.video("/v")
    outside.world.run_everything()

    assert "5 GB" in str(outside.world.video(video_id).failure_reason)


def test_a_file_that_turns_out_too_large_is_not_kept(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_checks, "MAX_UPLOAD_BYTES", 150)
    outside.source.says("/v", b"HTTP/1.1 200 OK\r\n\r\n" + MP4[:100], MP4)

    video_id = outside.video("/v")
    outside.world.run_everything()

    assert "5 GB" in str(outside.world.video(video_id).failure_reason)
    assert outside.world.files("uploads/") == []
    assert list(outside.world.services.uploads.incoming_dir().iterdir()) == []


def test_a_file_of_another_size_than_announced_is_not_kept(outside: Outside) -> None:
    file = FileWanted(file_name="a.mp4", size_bytes=len(MP4) + 1)

    video_id = outside.video(file=file)
    outside.world.run_everything()

    assert "announced" in str(outside.world.video(video_id).failure_reason)
    assert outside.world.files("uploads/") == []


def test_a_source_that_is_too_slow_is_given_up(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "GRACE_S", -1.0)
    monkeypatch.setattr(fetching, "MIN_BYTES_PER_S", 10**15)
    # Chunks arrive one by one, however fast the network is.
    outside.source.says(
        "/v",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"%x\r\n%b\r\n" % (len(MP4), MP4),
        b"4\r\nmore\r\n0\r\n\r\n",
    )

    video_id = outside.video("/v")
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.FAILED, "The source is too slow.")


def test_a_fetch_has_a_time_limit(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "FETCH_LIMIT_S", 0.2)
    outside.source.stalls("/v", b"HTTP/1.1 200 OK\r\n\r\n" + MP4)

    video_id = outside.video("/v")
    outside.world.run_everything()

    assert "within 0.2 s" in str(outside.world.video(video_id).failure_reason)


def test_a_fetch_waits_while_the_disk_is_nearly_full(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024 - as shutil has it
    video_id = outside.video()
    with monkeypatch.context() as patch:
        patch.setattr(
            disk_space.shutil, "disk_usage", lambda _: usage(10**12, 0, 10**9)
        )
        for _ in range(MAX_ATTEMPTS + 2):
            outside.world.run_everything()
        assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)

    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)


def test_a_fetch_waits_while_storage_is_away(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise UnavailableError("The storage is full.")

    video_id = outside.video()
    with monkeypatch.context() as patch:
        patch.setattr(outside.world.services.storage, "put_file", refuse)
        for _ in range(MAX_ATTEMPTS + 2):
            outside.world.run_everything()
        assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)

    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)


def running(outside: Outside, stopped: threading.Event) -> threading.Thread:
    """
    Run what is in the queue beside the test, until the source stands still.
    """
    world = outside.world

    def run() -> None:
        world.queue.consume(
            lambda task_id: world.services.task_runs.run(
                task_id, worker="test:1", stopping=stopped.is_set
            ),
            lanes=[Lane.OUTBOUND],
            until=stopped.is_set,
        )

    assert world.services.task_runs is not None
    thread = threading.Thread(target=run)
    thread.start()
    wait_until(lambda: bool(outside.source.requests))
    return thread


def stalled(outside: Outside) -> None:
    outside.source.stalls(
        "/clip.mp4", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + MP4
    )


def test_a_delete_ends_the_fetch_within_two_seconds(outside: Outside) -> None:
    stalled(outside)
    video_id = outside.video()
    thread = running(outside, threading.Event())

    outside.world.services.deletion.delete(
        outside.world.caller, outside.world.env.org_id, video_id, None
    )
    thread.join(2)

    assert not thread.is_alive()
    (task,) = outside.fetches_of(video_id)
    assert task.state is TaskState.CANCELLED
    assert list(outside.world.services.uploads.incoming_dir().iterdir()) == []


def test_a_delete_ends_the_fetch_that_began_before_there_was_a_video(
    outside: Outside,
) -> None:
    stalled(outside)
    grant = outside.download()
    thread = running(outside, threading.Event())
    video_id = outside.process(grant)

    outside.world.services.deletion.delete(
        outside.world.caller, outside.world.env.org_id, video_id, None
    )
    thread.join(2)

    assert not thread.is_alive()
    (task,) = outside.fetches_of(grant.id)
    assert task.state is TaskState.CANCELLED
    ended = outside.grant_of(grant.id)
    assert (ended.state, ended.source_url) == (GrantState.ENDED, None)


def test_a_worker_that_is_told_to_stop_hands_the_fetch_back(outside: Outside) -> None:
    stalled(outside)
    video_id = outside.video()
    stopped = threading.Event()
    thread = running(outside, stopped)

    stopped.set()
    thread.join(2)

    assert not thread.is_alive()
    (task,) = outside.fetches_of(video_id)
    assert task.state in {TaskState.DUE, TaskState.QUEUED}
    assert (task.attempts, task.losses) == (0, 0)
    outside.source.gives("/clip.mp4")
    outside.world.run_everything()
    assert outside.outcome(video_id) == (VideoState.READY, None)


def test_what_arrives_after_a_delete_is_not_kept(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = outside.video()
    storage = outside.world.services.storage
    put_file = storage.put_file

    def delete_meanwhile(path: str, local: Path, *, content_type: str) -> object:
        outside.world.services.deletion.delete(
            outside.world.caller, outside.world.env.org_id, video_id, None
        )
        return put_file(path, local, content_type=content_type)

    monkeypatch.setattr(storage, "put_file", delete_meanwhile)
    outside.world.run_tasks()

    assert outside.world.video(video_id).state is VideoState.DELETED
    assert outside.world.files("uploads/") == []


def test_two_workers_bring_one_file(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first one sleeps through its lease; the second one does its work.
    video_id = outside.video()
    storage = outside.world.services.storage
    put_file = storage.put_file
    slept: list[str] = []

    def sleep(path: str, local: Path, *, content_type: str) -> object:
        if not slept and path.startswith("uploads/"):
            slept.append(path)
            outside.world.clock.move(seconds=60)
            outside.world.services.task_runs.sweep(holder="test")
            outside.world.run_tasks(worker="test:2")
        return put_file(path, local, content_type=content_type)

    monkeypatch.setattr(storage, "put_file", sleep)
    outside.world.run_tasks(worker="test:1")
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert outside.world.files("uploads/") == [
        outside.world.video(video_id).source_path
    ]


def test_a_failed_fetch_is_tried_again_by_a_retry(outside: Outside) -> None:
    outside.source.gives("/clip.mp4", status=404)
    video_id = outside.video()
    outside.world.run_everything()
    outside.source.gives("/clip.mp4")

    outside.world.services.processing.retry(
        outside.world.caller, outside.world.env.org_id, video_id
    )
    assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert len(outside.fetches_of(video_id)) == 2


def test_a_retry_after_the_bytes_came_fetches_nothing(outside: Outside) -> None:
    def fail(_: object) -> None:
        raise TranscodeError("The encoder failed.")

    outside.world.transcoder.before_part = fail
    video_id = outside.video()
    outside.world.run_everything()
    assert outside.outcome(video_id) == (VideoState.FAILED, "The encoder failed.")
    outside.world.transcoder.before_part = lambda _: None

    outside.world.services.processing.retry(
        outside.world.caller, outside.world.env.org_id, video_id
    )
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert len(outside.source.requests) == 1


def test_a_download_can_be_processed_when_it_is_there(outside: Outside) -> None:
    grant = outside.download()
    outside.world.run_tasks()
    assert outside.grant_of(grant.id).state is GrantState.UPLOADED

    video_id = outside.process(grant)
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert outside.grant_of(grant.id).state is GrantState.USED


def test_a_download_can_be_processed_while_it_runs(outside: Outside) -> None:
    grant = outside.download()

    video_id = outside.process(grant)
    assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert len(outside.source.requests) == 1


def test_a_download_is_processed_once(outside: Outside) -> None:
    grant = outside.download()
    outside.process(grant)

    with pytest.raises(ProcessingInProgressError):
        outside.process(grant)


def test_a_video_whose_download_fails_is_failed(outside: Outside) -> None:
    outside.source.gives("/clip.mp4", status=404)
    grant = outside.download()
    video_id = outside.process(grant)

    outside.world.run_everything()

    assert outside.outcome(video_id) == (
        VideoState.FAILED,
        "The source answered with status 404.",
    )


def test_processing_a_failed_download_again_fetches_again(outside: Outside) -> None:
    outside.source.gives("/clip.mp4", status=404)
    grant = outside.download()
    video_id = outside.process(grant)
    outside.world.run_everything()
    outside.source.gives("/clip.mp4")

    assert outside.process(grant) == video_id
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)


def test_a_download_that_failed_before_it_was_processed_cannot_be(
    outside: Outside,
) -> None:
    outside.source.gives("/clip.mp4", status=404)
    grant = outside.download()
    outside.world.run_everything()

    with pytest.raises(InvalidGcsPathError, match="failed"):
        outside.process(grant)

    assert outside.grant_of(grant.id).source_url is None


def test_a_download_that_nobody_processes_is_removed_after_a_day(
    outside: Outside,
) -> None:
    # However long the fetch itself has waited.
    outside.download()
    outside.world.clock.move(hours=30)
    outside.world.services.uploads.expire()
    outside.world.run_tasks()
    outside.world.clock.move(hours=23)
    outside.world.services.uploads.expire()
    outside.world.run_tasks()
    assert len(outside.world.files("uploads/")) == 1

    outside.world.clock.move(hours=2)
    outside.world.services.uploads.expire()
    outside.world.run_tasks()

    assert outside.world.files("uploads/") == []


def test_a_ready_video_is_not_fetched_again(outside: Outside) -> None:
    video_id = outside.video()
    outside.world.run_everything()

    with pytest.raises(InvalidParametersError):
        outside.world.services.processing.retry(
            outside.world.caller, outside.world.env.org_id, video_id
        )


def test_what_is_fetched_cannot_be_sent(outside: Outside) -> None:
    grant = outside.download()

    with pytest.raises(ForbiddenError):
        outside.world.services.uploads.open_upload(grant.id)
    with pytest.raises(ForbiddenError):
        outside.world.send(grant)


def test_a_worker_that_keeps_vanishing_fails_the_video(outside: Outside) -> None:
    video_id = outside.video()
    (task,) = outside.fetches_of(video_id)
    for _ in range(21):
        with outside.world.services.uow.write() as work:
            assert work.tasks.lease(task.id, worker="test:dead") is not None
            work.commit()
        outside.world.clock.move(seconds=60)
        outside.world.services.task_runs.sweep(holder="test")

    assert outside.world.video(video_id).state is VideoState.FAILED


def test_a_message_that_comes_twice_fetches_once(outside: Outside) -> None:
    outside.video()
    outside.world.queue.messages *= 3

    outside.world.run_everything()

    assert len(outside.source.requests) == 1


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://a.test/b/clip.mp4", "clip.mp4"),
        ("https://a.test/b/my%20clip.mp4?token=x#y", "my clip.mp4"),
        ("https://a.test/", "download"),
        ("https://a.test", "download"),
        ("https://a.test?x=/clip.mp4", "download"),
        ("https://a.test/%00%0a", "download"),
        ("https://a.test/" + "a" * 3000, "a" * limits.MAX_NAME_CHARS),
    ],
)
def test_a_download_is_named_by_the_end_of_its_path(url: str, name: str) -> None:
    assert file_name_of(url) == name


def test_the_disk_that_is_looked_at_is_the_one_that_is_written_to(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[Path] = []
    usage = shutil.disk_usage

    def look(path: Path) -> object:
        looked_at.append(path)
        return usage(path)

    monkeypatch.setattr(disk_space.shutil, "disk_usage", look)
    outside.video()
    outside.world.run_tasks()

    assert outside.world.services.uploads.incoming_dir() in looked_at


def test_a_file_that_the_quota_has_no_room_for_fails_with_the_reason(
    outside: Outside,
) -> None:
    video_id = outside.video()
    outside.world.services.quotas.change(
        outside.world.env.org_id, {"stored_bytes": len(MP4) - 1}
    )

    outside.world.run_everything()

    state, reason = outside.outcome(video_id)
    assert state is VideoState.FAILED
    assert reason is not None
    assert "storedBytes" in reason
    assert outside.world.files("uploads/") == []
    # Trying again would be no use.
    (task,) = outside.fetches_of(video_id)
    assert task.attempts == 0


def test_a_file_that_fills_the_quota_is_kept(outside: Outside) -> None:
    video_id = outside.video()
    outside.world.services.quotas.change(
        outside.world.env.org_id, {"stored_bytes": len(MP4)}
    )

    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
