"""
What a source may not give, and what is done when it gives nothing.
"""

import logging
import shutil
from pathlib import Path

import pytest

from hvcore.domain import limits
from hvcore.domain.tasks.task import MAX_ATTEMPTS
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.states import VideoState
from hvcore.incoming import disk_space
from hvcore.services.uploads import fetching, source_checks
from tests.services.uploads.fetching.outside import Outside
from tests.support.network.outbound import MP4, PUBLIC
from tests.support.network.trickling import trickling_server


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
def test_a_file_that_the_source_refuses_is_not_asked_for_again(
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
    "kind",
    [
        "text/html",
        "text/html; charset=utf-8",
        "application/json",
        "application/problem+json",
        "application/xml",
        "text/xml",
        "application/xhtml+xml",
        "image/png",
        "audio/mpeg",
    ],
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
        "application/force-download",
        "application/x-download",
        "text/plain; charset=UTF-8",
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
def test_a_file_that_is_no_video_is_refused_by_its_first_bytes(
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


@pytest.mark.parametrize("coding", ["", "identity", "aws-chunked", "AWS-Chunked,"])
def test_a_coding_that_says_nothing_refuses_nothing(
    outside: Outside, coding: str
) -> None:
    outside.source.gives("/v", headers={"Content-Encoding": coding})

    video_id = outside.video("/v")
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)


@pytest.mark.parametrize("coding", ["gzip", "aws-chunked, gzip"])
def test_a_compressed_answer_is_refused(outside: Outside, coding: str) -> None:
    outside.source.gives("/v", headers={"Content-Encoding": coding})

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


def test_a_source_whose_head_never_ends_is_given_up(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "GRACE_S", 0.3)
    with trickling_server(b"X: y\r\n", first=b"HTTP/1.1 200 OK\r\n") as port:
        video_id = outside.world.services.fetching.fetch_video(
            outside.world.env,
            f"http://source.test:{port}/clip.mp4",
            outside.world.file(),
            outside.world.wanted(),
        ).id
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
