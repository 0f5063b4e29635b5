"""
Pictures of any size.
"""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from io import BytesIO
from itertools import islice
from pathlib import Path

import attrs
import pytest
from PIL import Image

from hvcore.domain.ids import ShareLinkId
from hvcore.domain.limits import MAX_THUMBNAIL_SIZES
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.videos.states import VideoState
from hvcore.errors import UnavailableError
from hvcore.pictures.cropping import crop_to_fill
from hvcore.pictures.drawing_process import DrawingProcess
from hvcore.playback_tokens import TokenUse
from hvcore.services.playback.thumbnails import renders as thumbnail_renders
from hvcore.services.playback.thumbnails.serving import ThumbnailRequest
from hvcore.services.playback.thumbnails.sizes import ThumbnailSize
from tests.conftest import SettableClock
from tests.delivery.test_app import (
    FORBIDDEN,
    NO_FILE,
    NOT_FOUND,
    UNAUTHORIZED,
    outcome,
)
from tests.support.http.delivery_worker import DeliveryWorker, make_worker
from tests.support.live import until
from tests.support.media_samples import (
    OTHER,
    PUBLIC,
    ROOT,
    VIDEO,
    BytesStorage,
    index,
    video_track,
)

THUMBNAILS_FOLDER = f"media/{VIDEO}/thumbnails/job_1"


@pytest.fixture
def public(clock: SettableClock) -> DeliveryWorker:
    return make_worker(clock, None, is_public=True)


@pytest.fixture
def private(clock: SettableClock, tmp_path: Path) -> DeliveryWorker:
    return make_worker(clock, tmp_path, is_public=False)


def cached(worker: DeliveryWorker) -> list[str]:
    return [info.path for info in worker.storage.walk(THUMBNAILS_FOLDER)]


@pytest.mark.parametrize(
    ("width_px", "height_px"), [(640, 360), (16, 16), (3840, 16), (100, 2000)]
)
def test_a_picture_has_exactly_the_size_that_was_asked_for(
    public: DeliveryWorker, width_px: int, height_px: int
) -> None:
    result = public.get(f"/t/{VIDEO}/{width_px}x{height_px}.jpg")

    assert result.status_code == 200
    assert result.headers["content-type"] == "image/jpeg"
    assert result.headers["cache-control"] == "public, max-age=600"
    with Image.open(BytesIO(result.content)) as image:
        assert image.format == "JPEG"
        assert image.size == (width_px, height_px)


def test_a_picture_is_cropped_and_not_squeezed(public: DeliveryWorker) -> None:
    result = public.get(f"/t/{VIDEO}/20x200.jpg")

    with Image.open(BytesIO(result.content)) as image:
        # The border of the poster's halves stays in the middle.
        left, right = image.getpixel((2, 100)), image.getpixel((17, 100))
    assert isinstance(left, tuple)
    assert isinstance(right, tuple)
    red, _, blue = left
    assert red > 200
    assert blue < 60
    red, _, blue = right
    assert red < 60
    assert blue > 200


def test_a_size_is_made_once_and_kept(public: DeliveryWorker) -> None:
    first = public.get(f"/t/{VIDEO}/64x64.jpg")
    assert cached(public) == [f"{THUMBNAILS_FOLDER}/64x64.jpg"]
    assert isinstance(public.storage, BytesStorage)
    del public.storage.objects[f"{ROOT}/a1/poster.jpg"]

    again = public.get(f"/t/{VIDEO}/64x64.jpg")

    assert again.content == first.content
    assert again.headers["etag"] == first.headers["etag"]
    known = {"If-None-Match": first.headers["etag"]}
    assert public.get(f"/t/{VIDEO}/64x64.jpg", headers=known).status_code == 304


def test_at_most_64_sizes_are_kept_and_the_oldest_make_room(
    public: DeliveryWorker,
) -> None:
    for number in range(MAX_THUMBNAIL_SIZES - 1):
        path = f"{THUMBNAILS_FOLDER}/{number}.jpg"
        public.storage.write(path, BytesIO(b"x"), content_type="")

    for side in (64, 65, 66):
        assert public.get(f"/t/{VIDEO}/{side}x{side}.jpg").status_code == 200

    assert len(cached(public)) == MAX_THUMBNAIL_SIZES
    assert f"{THUMBNAILS_FOLDER}/66x66.jpg" in cached(public)


@pytest.mark.parametrize(
    "size", ["15x16", "16x15", "3841x16", "16x3841", "999999x1", "1x1"]
)
def test_a_size_outside_the_limits_is_refused(
    public: DeliveryWorker, size: str
) -> None:
    result = public.get(f"/t/{VIDEO}/{size}.jpg")

    assert outcome(result) == (400, "invalid_parameters")
    assert result.json["errors"][0]["location"] == "path.size"


@pytest.mark.parametrize(
    "name",
    [
        "64x64",
        "64x64.png",
        "64X64.jpg",
        "064x64.jpg",
        "-64x64.jpg",
        "64x64.jpg%00",
        "..%2f64x64.jpg",
        "64.0x64.jpg",
        "%D9%A6%D9%A4x64.jpg",
        "1234567x64.jpg",
        "64x64.jpg/",
        "",
    ],
)
def test_a_name_of_another_form_finds_nothing(
    public: DeliveryWorker, name: str
) -> None:
    assert outcome(public.get(f"/t/{VIDEO}/{name}")) == NO_FILE


def test_a_private_picture_needs_a_token(private: DeliveryWorker) -> None:
    path = f"/t/{VIDEO}/64x64.jpg"

    assert outcome(private.get(path)) == UNAUTHORIZED
    assert outcome(private.get(path, "token=x")) == UNAUTHORIZED
    for use in (TokenUse.PLAYBACK, TokenUse.THUMBNAIL):
        result = private.get(path, f"token={private.token(use=use)}")
        assert result.status_code == 200
        assert result.headers["cache-control"] == "private, max-age=600"
    shared = private.token(use=TokenUse.SHARE, share_id=ShareLinkId("shr_" + "0" * 22))
    assert outcome(private.get(path, f"token={shared}")) == FORBIDDEN
    theirs = private.token(video_id=OTHER)
    assert outcome(private.get(path, f"token={theirs}")) == FORBIDDEN
    bound = private.token(domains=["example.com"])
    assert outcome(private.get(path, f"token={bound}")) == FORBIDDEN
    page = {"Referer": "https://example.com/"}
    assert private.get(path, f"token={bound}", page).status_code == 200


def test_a_public_picture_needs_none(public: DeliveryWorker) -> None:
    assert public.get(f"/t/{PUBLIC}/64x64.jpg").status_code == 200
    assert public.get(f"/t/{VIDEO}/64x64.jpg", "token=x").status_code == 200


def test_there_is_no_picture_until_one_exists(public: DeliveryWorker) -> None:
    assert outcome(public.get(f"/t/{OTHER}/64x64.jpg")) == NOT_FOUND
    public.change(state=VideoState.TRANSCODING, media_root=None)
    assert outcome(public.get(f"/t/{VIDEO}/64x64.jpg")) == NOT_FOUND


def test_a_video_without_a_poster_has_no_picture(public: DeliveryWorker) -> None:
    assert isinstance(public.storage, BytesStorage)
    del public.storage.objects[f"{ROOT}/a1/poster.jpg"]
    assert outcome(public.get(f"/t/{VIDEO}/64x64.jpg")) == NOT_FOUND

    media = index(video_track())
    public.change(load_media=lambda: media)

    assert outcome(public.get(f"/t/{VIDEO}/64x64.jpg")) == NO_FILE


def test_a_picture_that_was_being_made_leaves_nothing_behind_a_delete(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def delete_meanwhile(
        _: object, picture: bytes, width_px: int, height_px: int
    ) -> bytes:
        public.change(state=VideoState.DELETED)
        public.storage.delete_tree(f"media/{VIDEO}")
        return crop_to_fill(picture, width_px, height_px)

    monkeypatch.setattr(DrawingProcess, "crop_to_fill", delete_meanwhile)

    assert outcome(public.get(f"/t/{VIDEO}/64x64.jpg")) == NOT_FOUND
    assert cached(public) == []


def test_a_picture_that_has_to_wait_too_long_is_refused(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    monkeypatch.setattr(
        DrawingProcess, "crop_to_fill", lambda *_: release.wait() and b""
    )
    for name in ("WAIT_FOR_RENDER_S", "MORE_FOR_RENDER_S"):
        monkeypatch.setattr(thumbnail_renders, name, 0.01)

    result = public.get(f"/t/{VIDEO}/64x64.jpg")

    release.set()
    assert outcome(result) == (503, "unavailable")
    assert "retry-after" in result.headers


def test_a_picture_that_takes_too_long_is_there_for_the_next_request(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    monkeypatch.setattr(
        DrawingProcess, "crop_to_fill", lambda *_: release.wait() and b"made"
    )
    for name in ("WAIT_FOR_RENDER_S", "MORE_FOR_RENDER_S"):
        monkeypatch.setattr(thumbnail_renders, name, 0.01)
    assert public.get(f"/t/{VIDEO}/64x64.jpg").status_code == 503

    release.set()
    until(lambda: cached(public), within_s=20)

    assert public.get(f"/t/{VIDEO}/64x64.jpg").content == b"made"


def test_pictures_leave_threads_to_those_who_watch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = threading.Event()
    monkeypatch.setattr(
        DrawingProcess, "crop_to_fill", lambda *_: release.wait() and b"made"
    )
    monkeypatch.setattr(thumbnail_renders, "WAIT_FOR_RENDER_S", 30)
    renders = thumbnail_renders.ThumbnailRenders(renders_of_one=1)

    def make(number: int) -> bytes:
        return renders.make(
            thumbnail_renders.RenderWanted(
                size=ThumbnailSize.read("64x64.jpg"),
                is_usual=False,
                organization=f"org_{number}",
                address=f"address {number}",
                read=lambda: b"poster",
                keep=lambda _: None,
            )
        )

    in_hand = thumbnail_renders.OTHERS_AT_A_TIME + thumbnail_renders.OTHERS_WAITING
    with ThreadPoolExecutor(in_hand + 4) as pool:
        asked = [pool.submit(make, number) for number in range(in_hand + 4)]
        refused = [
            asked.pop(asked.index(done)) for done in islice(as_completed(asked), 4)
        ]
        release.set()

    assert all(isinstance(one.exception(), UnavailableError) for one in refused)
    assert {made.result() for made in asked} == {b"made"}


def test_a_whole_picture_of_an_upright_video_waits_for_no_other_size(
    public: DeliveryWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    upright = {"width_px": 1080, "height_px": 1920, "short_edge_px": 1080}
    media = evolved_rungs(public.directory.entry.load_media(), upright)
    public.change(load_media=lambda: media)
    begun, release = threading.Event(), threading.Event()

    def draw(_: object, picture: bytes, width_px: int, height_px: int) -> bytes:
        if width_px == 64:
            begun.set()
            release.wait()
        return crop_to_fill(picture, width_px, height_px)

    monkeypatch.setattr(DrawingProcess, "crop_to_fill", draw)
    monkeypatch.setattr(thumbnail_renders, "WAIT_FOR_RENDER_S", 30)
    renders = thumbnail_renders.ThumbnailRenders(renders_of_one=1)
    thumbnails = attrs.evolve(public.thumbnails, renders=renders)

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(
            thumbnails.open, ThumbnailRequest(video=VIDEO, name="64x64.jpg")
        )
        begun.wait()
        try:
            with pytest.raises(UnavailableError, match="too many pictures"):
                thumbnails.open(ThumbnailRequest(video=VIDEO, name="66x66.jpg"))
            whole = thumbnails.open(ThumbnailRequest(video=VIDEO, name="202x360.jpg"))
        finally:
            release.set()

    assert slow.result().etag
    assert isinstance(whole.body, bytes)
    with Image.open(BytesIO(whole.body)) as image:
        assert image.size == (202, 360)


def evolved_rungs(media: MediaIndex | None, changes: dict[str, int]) -> MediaIndex:
    """
    Return media of another shape.
    """
    assert media is not None
    tracks = []
    for one in media.tracks:
        rung = one.track.rung and attrs.evolve(one.track.rung, **changes)
        tracks.append(attrs.evolve(one, track=attrs.evolve(one.track, rung=rung)))
    return attrs.evolve(media, tracks=tuple(tracks))
