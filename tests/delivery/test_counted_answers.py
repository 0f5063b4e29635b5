"""
Which answers of delivery are counted as served segments.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs
import pytest
from falcon.testing import create_environ

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.playback_metrics import PlayerReport
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId
from hvcore.domain.playback.viewer import Viewer
from hvcore.ports.counting import CountedSegment
from hvcore.services.counting.sessions import SessionNames, SessionNotes
from hvcore.services.counting.spooled_counter import SpooledCounter
from hvcore.spool import Spool, opened, spool_files
from hvcore_web.plain_requests import read_request
from tests.conftest import SettableClock
from tests.delivery.counting_cases import COUNTING_CASES, CountingCase
from tests.support.http.delivery_worker import (
    PRIVATE_PATH,
    PUBLIC_PATH,
    DeliveryWorker,
    make_worker,
)
from tests.support.media_samples import ROOT, VIDEO

SEGMENT = "video/720p/0.m4s"
SEGMENT_BYTES = len(b"video/720p 0 " * 100)
VIEWER = Viewer(address="203.0.113.7", user_agent="a browser")
COUNTED = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("env_1"), video_id=VIDEO, height_px=720
)


def get(
    worker: DeliveryWorker,
    file: str,
    headers: Mapping[str, str] | None = None,
    method: str = "GET",
) -> int:
    result = worker.get(f"{PUBLIC_PATH}/{file}", headers=headers, method=method)
    return result.status_code


def test_a_segment_that_was_answered_whole_is_counted(worker: DeliveryWorker) -> None:
    assert get(worker, SEGMENT) == 200

    assert worker.counted == [COUNTED]
    assert worker.ignored == []


@pytest.mark.parametrize("headers", [{}, {"Range": "bytes=10-"}])
@pytest.mark.parametrize("over_half", [False, True])
def test_a_segment_broken_off_counts_once_more_than_half_was_handed_over(
    worker: DeliveryWorker, headers: dict[str, str], *, over_half: bool
) -> None:
    """
    The server reads the answer, and gives up.
    """
    half = len(worker.get(f"{PUBLIC_PATH}/{SEGMENT}").content) // 2
    worker.counted.clear()
    environ = create_environ(f"{PUBLIC_PATH}/{SEGMENT}", headers=headers)
    # As servers have one: they read the stream themselves.
    environ["wsgi.file_wrapper"] = lambda stream, _size: stream
    stream = worker.client.app(environ, lambda *_: lambda _: None)

    read = stream.read(half + 1)
    # It was stopped there: who comes for more has handed that over.
    assert len(read) == half
    assert worker.counted == []
    if over_half:
        assert len(stream.read(1)) == 1
    stream.close()

    assert worker.counted == ([COUNTED] if over_half else [])
    assert worker.ignored == ([] if over_half else [(720, IgnoredReason.TOO_FEW_BYTES)])


def test_the_players_session_id_is_known_to_the_counter(
    worker: DeliveryWorker,
) -> None:
    """
    By both readers of requests, from the query or a header; never refused.
    """
    path, host = f"{PUBLIC_PATH}/{SEGMENT}", "Host: worker.test\r\n"
    told = 'sid="from-header",v=1'
    asked = [
        ("CMCD=bl%3D2100%2Csid%3D%22from-query%22", ""),
        ("", told),
        ("CMCD=sid%3D%22from-query%22", told),
        ("CMCD=%22%22broken", told),
        ("CMCD=%22%22broken", ""),
    ]
    for query, header in asked:
        headers = {"CMCD-Session": header} if header else {}
        assert worker.get(path, query=query, headers=headers).status_code == 200
    plain = []
    for query, header in asked:
        field = f"CMCD-Session: {header}\r\n" if header else ""
        address = f"{path}?{query}" if query else path
        head = f"GET {address} HTTP/1.1\r\n{host}{field}\r\n"
        request = read_request(head.encode(), "127.0.0.1")
        assert request is not None
        plain.append(request.viewer.player_session)

    sessions = [viewer.player_session for _, viewer in worker.viewers]
    expected = ["from-query", "from-header", "from-query", "from-header", None]
    assert sessions == plain == expected


def test_the_players_report_is_known_to_the_counter(
    worker: DeliveryWorker,
) -> None:
    """
    By both readers of requests, from the query or headers; never refused.
    """
    path = f"{PUBLIC_PATH}/{SEGMENT}"
    told = {
        "CMCD-Request": "bl=100,mtp=5000,su",
        "CMCD-Object": "br=3200",
        "CMCD-Status": "bs",
    }
    of_headers = PlayerReport(
        has_starved=True,
        is_startup=True,
        throughput_kbps=5_000,
        buffer_ms=100,
        bitrate_kbps=3_200,
    )
    asked: list[tuple[str, Mapping[str, str], PlayerReport | None]] = [
        ("", {}, None),
        ("", told, of_headers),
        ("CMCD=bl%3D7%2Cbs", {}, PlayerReport(has_starved=True, buffer_ms=7)),
        ("CMCD=bl%3D7%2Cbs", told, PlayerReport(has_starved=True, buffer_ms=7)),
        ("CMCD=bl%3D%22%5C", told, of_headers),
        ("CMCD=bl%3D-7%2Cmtp%3D99999999", {}, PlayerReport()),
        ("CMCD=%00%FF%ED%A0%80", {}, None),
        (f"CMCD={'bs,' * 600}", {}, None),
    ]
    plain = []
    for query, headers, _ in asked:
        assert worker.get(path, query=query, headers=headers).status_code == 200
        fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        line = f"{path}?{query}" if query else path
        head = f"GET {line} HTTP/1.1\r\nHost: worker.test\r\n{fields}\r\n"
        request = read_request(head.encode(), "127.0.0.1")
        assert request is not None
        plain.append(request.viewer.report)

    expected = [report for _, _, report in asked]
    assert plain == expected
    assert [viewer.report for _, viewer in worker.viewers] == expected


def test_headers_that_are_named_after_a_country_are_known_to_the_counter(
    worker: DeliveryWorker,
) -> None:
    path = f"{PUBLIC_PATH}/{SEGMENT}"
    headers = {"CF-IPCountry": "DE", "X-Geo": "FR"}
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"GET {path} HTTP/1.1\r\nHost: worker.test\r\n{fields}"

    get(worker, SEGMENT, headers)
    request = read_request(f"{head}\r\n".encode(), "127.0.0.1")
    twice = read_request(f"{head}cf-ipcountry: FR\r\n\r\n".encode(), "127.0.0.1")

    ((_, viewer),) = worker.viewers
    assert request is not None
    assert viewer.countries == request.viewer.countries == (("cf-ipcountry", "DE"),)
    # Two that differ: others decide, who then know neither.
    assert twice is None


def test_the_viewer_is_known_to_the_counter(worker: DeliveryWorker) -> None:
    seen = {"User-Agent": "A browser", "X-Forwarded-For": "1.2.3.4, 203.0.113.7"}

    get(worker, SEGMENT, seen)
    token = worker.token()
    worker.get(f"{PRIVATE_PATH}/{SEGMENT}", query=f"token={token}", headers=seen)

    (none, viewer), (told, other) = worker.viewers
    # Of what a proxy of this machine sends on, the last is what it saw itself.
    assert (none, viewer.address, viewer.user_agent) == (
        None,
        "203.0.113.7",
        "A browser",
    )
    assert (told, other.address) == (token, "203.0.113.7")


def test_a_private_segment_is_counted_likewise(worker: DeliveryWorker) -> None:
    worker.change(is_public=False)

    result = worker.get(f"{PRIVATE_PATH}/{SEGMENT}", query=f"token={worker.token()}")

    assert (result.status_code, worker.counted) == (200, [COUNTED])


@pytest.mark.parametrize("case", COUNTING_CASES, ids=lambda case: case.range)
def test_a_part_is_counted_if_it_is_more_than_half(
    worker: DeliveryWorker, case: CountingCase
) -> None:
    assert get(worker, SEGMENT, {"Range": case.of(SEGMENT_BYTES)}) == 206

    assert worker.counted == ([COUNTED] if case.counts else [])
    few = [(720, IgnoredReason.TOO_FEW_BYTES)]
    assert worker.ignored == ([] if case.counts else few)


def test_several_ranges_are_answered_whole_and_counted(worker: DeliveryWorker) -> None:
    assert get(worker, SEGMENT, {"Range": "bytes=1-2,5-6"}) == 200

    assert worker.counted == [COUNTED]


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("master.m3u8", IgnoredReason.PLAYLIST),
        ("video-720p.m3u8", IgnoredReason.PLAYLIST),
        ("audio.m3u8", IgnoredReason.PLAYLIST),
        ("manifest.mpd", IgnoredReason.PLAYLIST),
        ("video/init.m4s", IgnoredReason.INIT),
        ("video/720p/init.m4s", IgnoredReason.INIT),
        ("audio/init.m4s", IgnoredReason.INIT),
        ("audio/0.m4s", IgnoredReason.AUDIO),
    ],
)
def test_only_media_segments_of_video_rungs_are_counted(
    worker: DeliveryWorker, file: str, reason: IgnoredReason
) -> None:
    assert get(worker, file) == 200
    # Whatever the answer: such a file never counts.
    assert get(worker, file, method="HEAD") == 200

    assert worker.counted == []
    assert worker.ignored == [(0, reason)] * 2


def test_pictures_are_not_counted(worker: DeliveryWorker) -> None:
    assert worker.get(f"/t/{VIDEO}/320x180.jpg").status_code in {200, 404}

    assert worker.counted == []


def test_head_is_not_counted(worker: DeliveryWorker) -> None:
    assert get(worker, SEGMENT, method="HEAD") == 200

    assert worker.counted == []
    assert worker.ignored == [(720, IgnoredReason.HEAD)]


def test_a_segment_that_the_player_has_already_is_not_counted(
    worker: DeliveryWorker,
) -> None:
    etag = worker.get(f"{PUBLIC_PATH}/{SEGMENT}").headers["ETag"]
    worker.counted.clear()

    assert get(worker, SEGMENT, {"If-None-Match": etag}) == 304

    assert worker.counted == []
    assert worker.ignored == [(720, IgnoredReason.NOT_MODIFIED)]


def test_refused_ranges_and_missing_files_are_not_counted(
    worker: DeliveryWorker,
) -> None:
    assert get(worker, SEGMENT, {"Range": "bytes=99999-"}) == 416
    assert get(worker, "video/720p/99.m4s") == 404

    # Nor are they ignored: there was nothing to count.
    assert (worker.counted, worker.ignored) == ([], [])


def test_a_segment_whose_file_is_gone_is_not_counted(worker: DeliveryWorker) -> None:
    worker.storage.delete_tree(ROOT)
    folder = getattr(worker.storage, "folder", None)
    if folder is not None:
        for file in folder.rglob("0.m4s"):
            file.unlink()

    assert get(worker, SEGMENT) == 404

    assert (worker.counted, worker.ignored) == ([], [])


def counter_to(spool: Spool, clock: SettableClock) -> SpooledCounter:
    sessions = SessionNotes(
        SessionNames("a secret of at least 32 characters"), most_of_one=100
    )
    return SpooledCounter(spool=spool, sessions=sessions, clock=clock)


def segment(
    counter: SpooledCounter, token: str | None = None, viewer: Viewer = VIEWER
) -> CountedSegment:
    return CountedSegment(counter, COUNTED, token, viewer)


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    made = Spool(tmp_path / "spool")
    yield made
    made.close()


def test_a_counter_writes_down_place_and_time(
    spool: Spool, clock: SettableClock, tmp_path: Path
) -> None:
    segment(counter_to(spool, clock)).count()

    (path,) = spool_files(tmp_path / "spool")
    with opened(path) as file:
        chunk = file.read(0)
    assert chunk is not None
    (count,) = chunk.noted.counts
    assert count.place == COUNTED
    assert count.first_at == clock.now().replace(microsecond=678_000)


def test_playback_goes_on_when_nothing_can_be_written_down(
    clock: SettableClock, tmp_path: Path
) -> None:
    (tmp_path / "spool").write_bytes(b"a file where the folder should be")
    worker = make_worker(clock, tmp_path / "media", is_public=True)
    counter = counter_to(Spool(tmp_path / "spool"), clock)
    object.__setattr__(worker.delivery, "counter", counter)

    assert get(worker, SEGMENT) == 200


def test_a_segment_and_its_viewer_are_written_down_together(
    spool: Spool, clock: SettableClock, tmp_path: Path
) -> None:
    counter = counter_to(spool, clock)
    for _ in range(3):
        segment(counter).count()
    segment(counter, "aaa.bbb.ccc").count()
    counter.ignore(COUNTED, IgnoredReason.HEAD)
    told = attrs.evolve(VIEWER, report=PlayerReport())
    segment(counter, viewer=told).count()

    (path,) = spool_files(tmp_path / "spool")
    text = path.read_text()
    with opened(path) as file:
        chunk = file.read(0)
    assert chunk is not None
    noted = chunk.noted
    assert [count.segments for count in noted.counts] == [5]
    assert [count.quality.reports for count in noted.quality] == [1]
    assert len({one.session for one in noted.seen}) == 2
    assert [one.place.reason for one in noted.ignored] == [IgnoredReason.HEAD]
    # Neither who it was nor what opened the video.
    for secret in (VIEWER.address, VIEWER.user_agent, "aaa.bbb.ccc"):
        assert secret not in text
