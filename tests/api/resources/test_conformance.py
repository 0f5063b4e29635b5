"""
What the check of a video has found, over HTTP.
"""

import json
from datetime import datetime
from typing import BinaryIO

import pytest

from hvcore.domain.media_paths import conformance_report_path
from hvcore.domain.processing.conformance_reports import (
    ConformanceReport,
    FindingLevel,
    ReportFinding,
)
from hvcore.errors import UnavailableError
from hvcore.services.processing.conformance_reports import NEVER, NOT_YET
from hvcore.wire.stored import to_stored
from tests.support.http.world import World, body_of, job_of, problem_of


def finding(level: FindingLevel, chosen_by: str | None = None) -> ReportFinding:
    return ReportFinding(
        rule="device-profile",
        level=level,
        says="H.264 is at most High.",
        source="Apple, 1.3b",
        file="video/360p/init.m4s",
        place="stsd",
        message="The profile is 110.",
        chosen_by=chosen_by,
    )


def keep(api: World, video_id: str, *findings: ReportFinding) -> None:
    with api.services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video is not None
    report = ConformanceReport(
        checked_at=datetime.fromisoformat("2026-01-02T03:04:05.678+00:00"),
        findings=findings,
        unlisted=2,
        playlists=5,
        segments=40,
        read_bytes=123_456,
    )
    path = conformance_report_path(video.id, job_of(video))
    api.storage.files[path] = json.dumps(to_stored(report)).encode()


def test_the_owner_reads_what_the_check_has_found(api: World, videos: str) -> None:
    video_id = api.ready()
    keep(
        api,
        video_id,
        finding(FindingLevel.SHOULD),
        finding(FindingLevel.WARNING, "pixelFormat"),
    )

    found = body_of(api.get(f"{videos}/{video_id}/conformance"))

    assert {name: value for name, value in found.items() if name != "findings"} == {
        "conformant": True,
        "checkedAt": "2026-01-02T03:04:05.678Z",
        "must": 0,
        "should": 1,
        "warnings": 1,
        "unlisted": 2,
        "playlists": 5,
        "segments": 40,
        "readBytes": 123_456,
    }
    own, chosen = found["findings"]
    assert "chosenBy" not in own
    assert chosen == {
        "rule": "device-profile",
        "level": "WARNING",
        "says": "H.264 is at most High.",
        "source": "Apple, 1.3b",
        "file": "video/360p/init.m4s",
        "place": "stsd",
        "message": "The profile is 110.",
        "chosenBy": "pixelFormat",
    }
    by_alias = api.get(f"{videos}/{api.public_id(video_id)}/conformance")
    assert body_of(by_alias) == found


def test_a_failed_video_tells_what_it_broke(api: World, videos: str) -> None:
    video_id = api.failed()
    keep(api, video_id, finding(FindingLevel.MUST))

    found = body_of(api.get(f"{videos}/{video_id}/conformance"))

    assert (found["conformant"], found["must"]) == (False, 1)


def test_a_video_that_was_not_checked_says_why(api: World, videos: str) -> None:
    for video_id, detail in (
        (api.transcoding(), NOT_YET),
        (api.failed(), NEVER),
        (api.ready(), NEVER),
    ):
        answer = api.get(f"{videos}/{video_id}/conformance")

        assert problem_of(answer, 404, "not_found")["detail"] == detail


def test_an_unknown_video_has_no_conformance(api: World, videos: str) -> None:
    for video_id in (f"vid_{'x' * 22}", api.awaited(), api.ready(api.other_env)):
        answer = api.get(f"{videos}/{video_id}/conformance")

        problem_of(answer, 404, "video_not_found")


def test_a_storage_that_is_away_is_no_missing_conformance_report(
    api: World, videos: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = api.ready()
    keep(api, video_id)

    def refuse(_path: str) -> BinaryIO:
        raise UnavailableError

    monkeypatch.setattr(api.storage, "open", refuse)

    problem_of(api.get(f"{videos}/{video_id}/conformance"), 503, "unavailable")
