"""
Pictures at moments of a video, and moving ones.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import attrs
import pytest
from falcon.testing import Result
from PIL import Image

from hvcore.domain.limits import MAX_MOMENT_PICTURES
from hvcore.domain.playback.decision import following
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.videos.states import VideoState
from hvcore.errors import ConfigError, PluginError, UnavailableError
from hvcore.playback_tokens import TokenUse
from hvcore.ports.storage import (
    ObjectInfo,
    StorageRefusedError,
    SupportsLocalPath,
)
from hvcore.ports.transcoder import Transcoder
from hvcore.services.playback.moments import making, renders, serving
from tests.conftest import SettableClock
from tests.delivery.test_app import FORBIDDEN, NO_FILE, NOT_FOUND, UNAUTHORIZED, outcome
from tests.server.file_loop.loop_client import LoopClient
from tests.support.fakes import TextTranscoder
from tests.support.http.delivery_worker import (
    WAYS,
    DeliveryWorker,
    make_worker,
    worker_by,
)
from tests.support.live import until
from tests.support.media_samples import (
    OTHER,
    ROOT,
    VIDEO,
    BytesStorage,
    audio_track,
    index,
)

FOLDER = f"media/{VIDEO}/moments/job_1"
SIZE = f"/t/{VIDEO}/64x64.jpg"
ANIMATED = f"/t/{VIDEO}/animated.webp"
NOT_HERE = (501, "unsupported_format")


@pytest.fixture
def public(clock: SettableClock, tmp_path: Path) -> DeliveryWorker:
    return with_folder(make_worker(clock, None, is_public=True), tmp_path)


def with_folder(worker: DeliveryWorker, folder: Path) -> DeliveryWorker:
    frames = attrs.evolve(worker.thumbnails.moments.frames, work_dir=folder)
    evolved(worker, frames=frames)
    return worker


def evolved(worker: DeliveryWorker, **changes: object) -> None:
    """
    Change the service of moments behind a worker's app.
    """
    moments = attrs.evolve(worker.thumbnails.moments, **changes)  # type: ignore[arg-type]  # names of fields
    object.__setattr__(worker.thumbnails, "moments", moments)


def kept(worker: DeliveryWorker) -> set[str]:
    found = worker.storage.walk(f"media/{VIDEO}/moments")
    return {info.path.removeprefix(f"{FOLDER}/") for info in found}


def opened(result: Result) -> Image.Image:
    assert result.status_code == 200, result.text
    return Image.open(BytesIO(result.content))


def test_a_time_gives_the_frame_of_that_moment_and_not_the_poster(
    public: DeliveryWorker,
) -> None:
    image = opened(public.get(SIZE, "time=7.25"))

    assert (image.format, image.size) == ("JPEG", (64, 64))
    pixel = image.getpixel((32, 32))
    assert isinstance(pixel, tuple)
    assert pixel[1] > 200
    ((source, at_s),) = public.photographer.seen
    assert source == b"video/360p init" + b"video/360p 1 " * 100
    assert at_s == pytest.approx(1.199)


@pytest.mark.parametrize("way", WAYS)
def test_equal_moments_are_made_once_and_kept(
    clock: SettableClock, tmp_path: Path, way: str
) -> None:
    worker = worker_by(way, clock, tmp_path, is_public=True)
    first = worker.get(SIZE, "time=1")

    again = [
        worker.get(SIZE, query) for query in ("time=1.00", "x=2&time=1.04", "time=%31")
    ]

    assert [one.content for one in again] == [first.content] * 3
    assert len(worker.photographer.seen) == 1
    assert worker.storage.stat(f"{FOLDER}/10-64x64.jpg").size_bytes
    assert first.headers["cache-control"] == "public, max-age=600"
    known = {"If-None-Match": first.headers["etag"]}
    assert worker.get(SIZE, "time=1", headers=known).status_code == 304
    head = worker.get(SIZE, "time=1", method="HEAD")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(first.content))


def test_a_stored_moment_is_served_without_a_thread_of_the_app(
    clock: SettableClock, tmp_path: Path
) -> None:
    worker = worker_by("loop", clock, tmp_path, is_public=True)
    worker.get(SIZE, "time=3")
    assert isinstance(worker.storage, SupportsLocalPath)
    assert isinstance(worker.client, LoopClient)
    poster = worker.get(SIZE)

    moment = worker.get(SIZE, "time=3")

    assert moment.content != poster.content
    assert moment.headers["etag"] != poster.headers["etag"]


def test_webp_is_another_format_of_posters_and_of_moments(
    public: DeliveryWorker,
) -> None:
    path = SIZE.replace(".jpg", ".webp")

    for query in ("", "time=2"):
        result = public.get(path, query)
        image = opened(result)
        assert (image.format, image.size) == ("WEBP", (64, 64))
        assert result.headers["content-type"] == "image/webp"


def test_an_animation_repeats_a_part_of_the_video(public: DeliveryWorker) -> None:
    result = public.get(ANIMATED, "start=5&end=7&width=160")

    image = opened(result)
    assert (image.format, image.size) == ("WEBP", (160, 90))
    assert getattr(image, "n_frames") == 2 * making.FRAMES_PER_S  # noqa: B009 - not of each image
    assert image.info["loop"] == 0
    assert result.headers["content-type"] == "image/webp"
    assert kept(public) == {"50-70-160.webp"}
    ((source, _),) = public.photographer.seen
    assert source.startswith(b"video/360p init")
    assert source.endswith(b"video/360p 1 ")
    again = public.get(ANIMATED, "width=160&end=7.0&start=5.0&time=99&utm=x")
    assert again.content == result.content
    assert len(public.photographer.seen) == 1


def test_programs_are_nice_because_viewers_come_first(public: DeliveryWorker) -> None:
    public.get(SIZE, "time=1")
    public.get(ANIMATED, "end=1")

    assert public.photographer.niceness == [making.NICENESS] * 2


@pytest.mark.parametrize(
    ("path", "query", "location"),
    [
        (SIZE, "time=", "query.time"),
        (SIZE, "time=-1", "query.time"),
        (SIZE, "time=NaN", "query.time"),
        (SIZE, "time=1e308", "query.time"),
        (SIZE, "time=12.1", "query.time"),
        (SIZE, "time=1&time=1", "query.time"),
        (SIZE, "time=%00", "query.time"),
        (SIZE, f"time={'9' * 3000}", "query.time"),
        (ANIMATED, "start=12.1", "query.start"),
        (ANIMATED, "start=3&end=3", "query.end"),
        (ANIMATED, "end=10.1", "query.end"),
        (ANIMATED, "width=641", "query.width"),
        (f"/t/{VIDEO}/9x64.jpg", "time=1", "path.size"),
    ],
)
def test_a_moment_that_the_video_does_not_have_is_refused(
    public: DeliveryWorker, path: str, query: str, location: str
) -> None:
    result = public.get(path, query)

    assert outcome(result) == (400, "invalid_parameters")
    assert result.json["errors"][0]["location"] == location
    assert public.photographer.seen == []


@pytest.mark.parametrize("query", ["time=1", "time=12"])
def test_a_followed_decision_tells_that_the_moment_is_one_of_the_video(
    public: DeliveryWorker, query: str
) -> None:
    with following() as judgement:
        public.get(SIZE, query)

    assert PlaybackRule.PICTURE_MOMENT in judgement.passed


def test_the_last_moment_of_a_video_has_a_picture(public: DeliveryWorker) -> None:
    assert public.get(SIZE, "time=12").status_code == 200
    assert public.get(ANIMATED, "start=12").status_code == 200


def test_another_name_with_a_time_finds_nothing(public: DeliveryWorker) -> None:
    for name in ("64x64.png", "animated.gif", "Animated.webp", "64x64"):
        assert outcome(public.get(f"/t/{VIDEO}/{name}", "time=1")) == NO_FILE


def test_moments_of_a_private_video_need_a_token(
    clock: SettableClock, tmp_path: Path
) -> None:
    worker = make_worker(clock, tmp_path, is_public=False)

    for path, query in ((SIZE, "time=1"), (ANIMATED, "end=1")):
        assert outcome(worker.get(path, query)) == UNAUTHORIZED
        theirs = worker.token(video_id=OTHER)
        assert outcome(worker.get(path, f"{query}&token={theirs}")) == FORBIDDEN
        for use in (TokenUse.PLAYBACK, TokenUse.THUMBNAIL):
            result = worker.get(path, f"{query}&token={worker.token(use=use)}")
            assert result.status_code == 200
            assert result.headers["cache-control"] == "private, max-age=600"


def test_a_deleted_video_shows_no_moment(public: DeliveryWorker) -> None:
    assert public.get(SIZE, "time=1").status_code == 200

    public.change(state=VideoState.DELETED)

    assert outcome(public.get(SIZE, "time=1")) == NOT_FOUND


@pytest.mark.parametrize(
    "change",
    [
        {"state": VideoState.DELETED},
        {"media_root": f"media/{VIDEO}/job_2"},
    ],
)
def test_a_moment_that_was_being_made_leaves_nothing_behind_a_change(
    public: DeliveryWorker, change: dict[str, object]
) -> None:
    public.photographer.meanwhile = lambda: public.change(**change)

    assert outcome(public.get(SIZE, "time=1")) == NOT_FOUND
    assert kept(public) == set()


class HoldingStorage(BytesStorage):
    """
    A storage that refuses to remove what is locked, and to list a folder.
    """

    def __init__(self, objects: dict[str, bytes]) -> None:
        super().__init__()
        self.objects = objects
        self.locked: set[str] = set()
        self.is_listed = True
        self.written = 0

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        self.written += not path.endswith("-9x9.jpg")
        return super().write(path, source, content_type=content_type)

    def delete_tree(self, path: str) -> None:
        if path in self.locked:
            raise StorageRefusedError("locked")
        super().delete_tree(path)

    def walk(self, path: str) -> Iterator[ObjectInfo]:
        if not self.is_listed:
            raise UnavailableError("no list now")
        return super().walk(path)


def holding(worker: DeliveryWorker) -> HoldingStorage:
    assert isinstance(worker.storage, BytesStorage)
    storage = HoldingStorage(worker.storage.objects)
    evolved(worker, storage=storage)
    return storage


def test_a_moment_of_a_deleted_video_goes_although_no_room_can_be_made(
    public: DeliveryWorker,
) -> None:
    storage = holding(public)

    def change() -> None:
        storage.is_listed = False
        public.change(state=VideoState.DELETED)

    public.photographer.meanwhile = change

    assert outcome(public.get(SIZE, "time=1")) == NOT_FOUND
    assert kept(public) == set()


def test_a_picture_that_may_not_be_removed_keeps_no_other_from_being_made(
    public: DeliveryWorker,
) -> None:
    storage = holding(public)
    for number in range(MAX_MOMENT_PICTURES):
        path = f"{FOLDER}/{number:03}-9x9.jpg"
        storage.write(path, BytesIO(b"x"), content_type="")
    storage.locked = {f"{FOLDER}/{number:03}-9x9.jpg" for number in range(100)}

    assert public.get(SIZE, "time=1").status_code == 200

    assert len(kept(public)) == MAX_MOMENT_PICTURES
    assert "10-64x64.jpg" in kept(public)


def test_moments_that_may_not_be_removed_fill_no_store(public: DeliveryWorker) -> None:
    storage = holding(public)
    for number in range(MAX_MOMENT_PICTURES):
        path = f"{FOLDER}/{number:03}-9x9.jpg"
        storage.write(path, BytesIO(b"x"), content_type="")
        storage.locked.add(path)

    answers = [public.get(SIZE, "time=1") for _ in range(2)]

    assert [one.status_code for one in answers] == [200, 200]
    assert len(kept(public)) == MAX_MOMENT_PICTURES
    # For a while nothing is written that would only be removed again.
    assert storage.written == 1


def test_a_store_that_lets_pictures_go_again_keeps_new_ones(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = holding(public)
    for number in range(MAX_MOMENT_PICTURES):
        path = f"{FOLDER}/{number:03}-9x9.jpg"
        storage.write(path, BytesIO(b"x"), content_type="")
        storage.locked.add(path)
    # Others are forgotten for it.
    monkeypatch.setattr(serving, "_MOST_FULL", 0)
    public.get(SIZE, "time=1")
    storage.locked.clear()
    monkeypatch.setattr(serving, "FULL_FOR_S", 0.0)

    public.get(SIZE, "time=1")

    assert "10-64x64.jpg" in kept(public)


def test_another_job_s_files_have_other_moments(public: DeliveryWorker) -> None:
    assert isinstance(public.storage, BytesStorage)
    public.get(SIZE, "time=1")
    for path, data in [*public.storage.objects.items()]:
        if path.startswith(ROOT):
            public.storage.objects[path.replace("job_1", "job_2")] = data
    public.change(media_root=ROOT.replace("job_1", "job_2"))

    public.get(SIZE, "time=1")

    assert len(public.photographer.seen) == 2


def test_at_most_200_moments_of_a_video_are_kept_and_the_oldest_go(
    public: DeliveryWorker,
) -> None:
    for number in range(MAX_MOMENT_PICTURES + 3):
        path = f"{FOLDER}/{number}-9x9.jpg"
        public.storage.write(path, BytesIO(b"x"), content_type="")

    assert public.get(SIZE, "time=1").status_code == 200

    assert len(kept(public)) == MAX_MOMENT_PICTURES
    assert "10-64x64.jpg" in kept(public)


def test_moments_of_a_video_take_a_bounded_number_of_bytes_with_the_new_one(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    size_bytes = len(public.get(SIZE, "time=1").content)
    public.storage.delete_tree(f"{FOLDER}/10-64x64.jpg")
    monkeypatch.setattr(serving, "MAX_MOMENT_BYTES", 800 + size_bytes - 1)
    for number in range(5):
        path = f"{FOLDER}/{number}-9x9.jpg"
        public.storage.write(path, BytesIO(b"x" * 400), content_type="")

    public.get(SIZE, "time=1")

    # With a second old one it would be one byte too much.
    assert len(kept(public)) == 2
    assert "10-64x64.jpg" in kept(public)


def test_a_new_picture_that_is_larger_than_all_that_may_be_kept_is_kept_alone(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "MAX_MOMENT_BYTES", 1)
    public.storage.write(f"{FOLDER}/1-9x9.jpg", BytesIO(b"x"), content_type="")

    assert public.get(SIZE, "time=1").status_code == 200

    assert kept(public) == {"10-64x64.jpg"}


def test_two_processes_that_make_room_at_once_keep_no_more_than_200(
    public: DeliveryWorker, clock: SettableClock, tmp_path: Path
) -> None:
    other = make_worker(clock, None, is_public=True)
    object.__setattr__(other.thumbnails, "storage", public.storage)
    evolved(other, storage=public.storage, renders=renders.MomentRenders(2))
    for number in range(MAX_MOMENT_PICTURES):
        path = f"{FOLDER}/{number}-9x9.jpg"
        public.storage.write(path, BytesIO(b"x"), content_type="")
    public.photographer.meanwhile = lambda: other.get(SIZE, "time=2") and None

    assert public.get(SIZE, "time=1").status_code == 200

    assert len(kept(public)) <= MAX_MOMENT_PICTURES
    assert {"10-64x64.jpg", "20-64x64.jpg"} <= kept(public)


def test_requests_at_once_make_one_picture_and_only_so_many_wait_for_it(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, release = threading.Event(), threading.Event()
    monkeypatch.setattr(renders, "WAIT_FOR_RENDER_S", 60)

    def wait() -> None:
        begun.set()
        release.wait()

    public.photographer.meanwhile = wait
    with ThreadPoolExecutor(1 + renders.JOINING) as pool:
        asked = [pool.submit(public.get, SIZE, "time=1")]
        begun.wait()
        others = range(renders.JOINING)
        asked += [pool.submit(public.get, SIZE, "time=1.0") for _ in others]
        moments = public.thumbnails.moments
        until(lambda: moments.renders.joining == renders.JOINING, within_s=20)
        refused = public.get(SIZE, "time=1")
        release.set()

    assert outcome(refused) == (503, "unavailable")
    assert len({one.result().content for one in asked}) == 1
    assert len(public.photographer.seen) == 1
    assert moments.renders.joining == 0


def test_a_picture_that_takes_too_long_is_there_for_the_next_request(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    public.photographer.meanwhile = lambda: release.wait() and None
    for name in ("WAIT_FOR_RENDER_S", "MORE_FOR_RENDER_S"):
        monkeypatch.setattr(renders, name, 0.3)

    late = public.get(SIZE, "time=1")
    release.set()
    until(lambda: kept(public), within_s=20)

    assert outcome(late) == (503, "unavailable")
    assert "retry-after" in late.headers
    assert public.get(SIZE, "time=1").status_code == 200
    assert len(public.photographer.seen) == 1


@pytest.mark.parametrize("way", ["no still", "unusable", "missing", "faulty"])
def test_a_host_that_can_make_no_frames_says_so(
    public: DeliveryWorker, way: str
) -> None:
    def missing() -> Transcoder:
        raise ConfigError("transcoder.options.ffmpeg: no such program")

    def faulty() -> Transcoder:
        raise PluginError("The transcoder cannot be loaded.")

    public.photographer.is_usable = False
    transcoder = {
        "no still": TextTranscoder,
        "unusable": lambda: public.photographer,
        "missing": missing,
        "faulty": faulty,
    }[way]
    frames = public.thumbnails.moments.frames
    evolved(public, frames=attrs.evolve(frames, transcoder=transcoder))

    assert outcome(public.get(SIZE, "time=1")) == NOT_HERE
    assert outcome(public.get(ANIMATED)) == NOT_HERE


def test_a_kept_moment_needs_no_transcoder(public: DeliveryWorker) -> None:
    public.get(SIZE, "time=1")

    public.photographer.is_usable = False

    assert public.get(SIZE, "time=1").status_code == 200


def test_a_video_without_pictures_or_files_has_no_moments(
    public: DeliveryWorker,
) -> None:
    assert isinstance(public.storage, BytesStorage)
    del public.storage.objects[f"{ROOT}/a1/video/360p/0.m4s"]
    assert outcome(public.get(SIZE, "time=1")) == NOT_FOUND

    sound = index(audio_track())
    public.change(load_media=lambda: sound)
    assert outcome(public.get(SIZE, "time=1")) == NO_FILE
    assert outcome(public.get(ANIMATED)) == NO_FILE


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (TranscodeError("No."), (503, "unavailable")),
        (UnusableSourceError("No."), NO_FILE),
    ],
)
def test_a_program_that_fails_is_answered_and_leaves_no_file(
    public: DeliveryWorker,
    tmp_path: Path,
    error: Exception,
    expected: tuple[int, str],
) -> None:
    def fail() -> None:
        raise error

    public.photographer.meanwhile = fail

    assert outcome(public.get(SIZE, "time=1")) == expected
    assert [*(tmp_path / "moments").iterdir()] == []


def test_a_frame_that_cannot_be_read_is_answered(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        type(public.thumbnails.moments.frames), "still", lambda *_: [b"no JPEG"]
    )

    assert outcome(public.get(SIZE, "time=1")) == (503, "unavailable")


def test_a_program_that_hangs_is_ended(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "MOST_S", -1.0)
    monkeypatch.setattr(
        public.photographer, "still", lambda workspace, _: workspace.check()
    )

    assert outcome(public.get(SIZE, "time=1")) == (503, "unavailable")


def test_folders_of_killed_processes_are_removed(
    public: DeliveryWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / "moments" / "left"
    left.mkdir(parents=True)
    (left / "segments.mp4").write_bytes(b"x")

    public.get(SIZE, "time=1")
    assert left.exists()
    monkeypatch.setattr(making, "ABANDONED_AFTER_S", -60.0)
    public.get(SIZE, "time=2")

    assert not left.exists()
