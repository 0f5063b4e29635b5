"""The videos of an environment, as the host program's own code reaches them."""

import io
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from hvcore.embedding import (
    ConflictError,
    EmbeddedEnvironment,
    InvalidFileSizeError,
    InvalidParametersError,
    Overrides,
    PreconditionFailedError,
    Preset,
    QuotaExceededError,
    SortBy,
    SortDir,
    UnsupportedFormatError,
    VideoNotFoundError,
    VideoState,
    embed,
)
from hvcore.services.uploads import local_uploads
from hvcore.testing.recording_outbound import RecordingOutbound
from tests.embedding.conftest import ENVIRON, Host
from tests.support.databases.migrated import sqlite_of_a_service
from tests.support.fakes import MemoryQueue

FILM = b"\0\0\0\x18ftypmp42" + bytes(100_000)
"""As a file of MP4 begins."""


def film(shop: EmbeddedEnvironment, name: str, **video: object) -> str:
    source = io.BytesIO(FILM)
    return shop.upload(source, file_name=f"{name}.mp4", **video).id  # type: ignore[arg-type]  # a test's own


def test_a_video_is_found_by_its_id_its_public_id_and_the_hosts_own(host: Host) -> None:
    shop = host.shop
    upload = shop.grant_upload(
        file_name="a.mp4", external_id="order 1", metadata={"order": "1"}, tags=["new"]
    )

    found = shop.find(upload.video_id)

    assert shop.find(found.public_id) == found
    assert shop.find_external("order 1") == found
    assert (found.metadata, found.tags) == ({"order": "1"}, ("new",))
    with pytest.raises(VideoNotFoundError):
        shop.find_external("order 2")
    with pytest.raises(VideoNotFoundError):
        host.hv.environment("shop", "test").find_external("order 1")
    shop.delete(found.id)
    with pytest.raises(VideoNotFoundError):
        shop.find_external("order 1")


def test_a_second_video_with_the_same_external_id_is_refused(host: Host) -> None:
    host.shop.grant_upload(file_name="a.mp4", external_id="order 1")

    with pytest.raises(ConflictError, match="externalID"):
        host.shop.grant_upload(file_name="b.mp4", external_id="order 1")


def test_videos_are_listed_by_page_order_and_filter(host: Host) -> None:
    shop = host.shop
    for name in ("a", "b", "c"):
        film(shop, name, tags=[f"tag {name}"])
    shop.grant_upload(file_name="awaited.mp4")
    host.hv.environment("other").grant_upload(file_name="d.mp4")

    first = shop.list(page_size=2, sort_by=SortBy.NAME, sort_dir=SortDir.ASC)
    second = shop.list(page=2, page_size=2, sort_by=SortBy.NAME, sort_dir=SortDir.ASC)

    assert [video.name for video in first.videos] == ["a", "b"]
    assert [video.name for video in second.videos] == ["c"]
    assert first.total == second.total == 3
    assert [video.name for video in shop.list(tag="tag b").videos] == ["b"]
    today = datetime.now(UTC).date()
    assert shop.list(state=VideoState.READY, since=today, until=today).total == 0


def test_wrong_filters_of_a_list_are_refused_by_the_names_of_arguments(
    host: Host,
) -> None:
    with pytest.raises(InvalidParametersError) as raised:
        host.shop.list(page=0, page_size=1000, metadata="order")

    assert "page must be from 1" in str(raised.value)
    assert "page_size must be from 1 to 100" in str(raised.value)
    assert "metadata must be a key, a colon and a value" in str(raised.value)


def test_an_argument_that_is_not_there_is_no_argument_that_is_ignored(
    host: Host,
) -> None:
    with pytest.raises(TypeError, match="'heading'; possible are name, description"):
        host.shop.update("vid_x", heading="The film")  # type: ignore[call-arg]  # what is tried


def test_a_change_leaves_the_fields_that_it_does_not_name(host: Host) -> None:
    shop = host.shop
    video_id = film(
        shop, "a", description="old", external_id="1", metadata={"a": "1", "b": "2"}
    )

    changed = shop.update(
        video_id, name="new", description=None, is_public=True, metadata={"a": None}
    )

    assert changed == shop.find(video_id)
    assert (changed.name, changed.description, changed.is_public) == ("new", None, True)
    assert (changed.external_id, changed.metadata) == ("1", {"b": "2"})
    assert shop.update(video_id, external_id=None).external_id is None


def after_next_commit(host: Host, call: Callable[[], object]) -> None:
    """Have a function called when the connection of the next commit is given back."""
    engine = host.hv._process.services.engine
    seen: list[str] = []

    def on_commit(_: object) -> None:
        seen.append("commit")

    def on_checkin(*_: object) -> None:
        if seen == ["commit"]:
            seen.append("call")
            call()

    sa.event.listen(engine, "commit", on_commit)
    sa.event.listen(engine, "checkin", on_checkin)


def test_a_change_succeeds_whatever_comes_right_after_it(host: Host) -> None:
    shop = host.shop
    video_id = film(shop, "a")
    after_next_commit(host, lambda: shop.delete(video_id))

    changed = shop.update(video_id, name="new")

    assert changed.name == "new"
    with pytest.raises(VideoNotFoundError):
        shop.find(video_id)


def test_a_video_from_an_address_is_returned_whatever_comes_right_after_it(
    host: Host,
) -> None:
    shop, url = host.shop, "https://films.example.com/a.mp4"

    def delete() -> None:
        shop.delete(shop.find_external("1").id)

    after_next_commit(host, delete)

    made = shop.create_from_url(url, external_id="1")

    assert made.external_id == "1"
    with pytest.raises(VideoNotFoundError):
        shop.find(made.id)


def test_a_change_of_a_video_that_was_changed_meanwhile_is_refused(host: Host) -> None:
    shop = host.shop
    video_id = film(shop, "a")
    seen = shop.find(video_id)
    now = shop.update(video_id, name="of somebody else", if_match=seen.etag)

    with pytest.raises(PreconditionFailedError):
        shop.update(video_id, name="mine", if_match=seen.etag)

    assert shop.find(video_id) == now
    assert shop.update(video_id, name="mine", if_match=now.etag).name == "mine"


def test_a_file_of_the_machine_becomes_a_video(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    path.write_bytes(FILM)

    video = host.shop.upload(path, preset=Preset.HIGH, is_public=True)

    assert (video.state, video.name) == (VideoState.TRANSCODING, "film")
    assert video.is_public
    assert path.read_bytes() == FILM
    assert len(host.queue.messages) == 1
    assert stored(host, video.id) == FILM


def test_a_stream_is_read_from_where_it_is_to_its_end(host: Host) -> None:
    source = io.BytesIO(b"before" + FILM)
    source.seek(6)

    video = host.shop.upload(source, file_name="a.mp4", size_bytes=len(FILM))

    assert stored(host, video.id) == FILM
    assert not source.closed


class Trickle(io.RawIOBase):
    """A stream that gives a byte at a time, and at last what a test wants."""

    def __init__(self, data: bytes, end: object) -> None:
        self._data = iter(data)
        self._end = end

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes | None:
        del size
        byte = next(self._data, None)
        if byte is not None:
            return bytes([byte])
        if isinstance(self._end, Exception):
            raise self._end
        return self._end  # type: ignore[return-value]  # what is tried


def test_a_stream_that_gives_a_byte_at_a_time_is_taken_whole(host: Host) -> None:
    video = host.shop.upload(Trickle(FILM[:300], b""), file_name="a.mp4")  # type: ignore[arg-type]  # as good as a file

    assert stored(host, video.id) == FILM[:300]


@pytest.mark.parametrize(
    ("end", "error"),
    [(OSError("the camera is gone"), OSError), (None, InvalidParametersError)],
)
def test_a_stream_that_breaks_off_leaves_no_video_and_no_bytes(
    host: Host, end: object, error: type[Exception]
) -> None:
    shop = host.shop

    with pytest.raises(error):
        shop.upload(Trickle(FILM[:300], end), file_name="a.mp4", external_id="1")  # type: ignore[arg-type]  # as above

    with pytest.raises(VideoNotFoundError):
        shop.find_external("1")
    assert shop.list().total == 0
    services = host.hv._process.services
    assert list(services.uploads.incoming_dir().glob("upload-*")) == []


@pytest.mark.parametrize(
    ("source", "arguments", "error"),
    [
        (b"", {}, InvalidFileSizeError),
        (b"a text", {}, UnsupportedFormatError),
        (FILM, {"size_bytes": 5}, InvalidFileSizeError),
        (FILM, {"content_type": "text/plain"}, InvalidParametersError),
        (FILM, {"file_name": ""}, InvalidParametersError),
    ],
)
def test_a_source_that_no_upload_may_have_leaves_no_video(
    host: Host, source: bytes, arguments: dict[str, object], error: type[Exception]
) -> None:
    given = {"file_name": "a.mp4", "external_id": "1", **arguments}

    with pytest.raises(error):
        host.shop.upload(io.BytesIO(source), **given)  # type: ignore[arg-type]  # what is tried

    with pytest.raises(VideoNotFoundError):
        host.shop.find_external("1")


def test_a_stream_without_an_end_is_cut_off_at_the_largest_size(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_uploads, "MAX_UPLOAD_BYTES", len(FILM) - 1)

    with pytest.raises(InvalidFileSizeError, match="at most"):
        film(host.shop, "a", external_id="1")

    with pytest.raises(VideoNotFoundError):
        host.shop.find_external("1")


def test_an_upload_beyond_the_quota_leaves_no_video(host: Host) -> None:
    shop = host.shop
    host.hv._process.services.quotas.change(shop.org_id, {"stored_bytes": 1000})

    with pytest.raises(QuotaExceededError, match="storedBytes"):
        film(shop, "a", external_id="1")

    with pytest.raises(VideoNotFoundError):
        shop.find_external("1")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[EmbeddedEnvironment]:
    """An environment whose service reaches nobody."""
    (tmp_path / "hvcore.sqlite3").write_bytes(sqlite_of_a_service())
    with embed(
        tmp_path,
        environ=ENVIRON,
        overrides=Overrides(queue=MemoryQueue(), outbound=RecordingOutbound()),
    ) as hv:
        yield hv.environment("shop")


def test_a_file_at_an_address_becomes_a_video(shop: EmbeddedEnvironment) -> None:
    made = shop.create_from_url(
        "https://films.example.com/a%20film.mp4?token=x", external_id="1"
    )

    assert (made.state, made.name) == (VideoState.TRANSCODING, "a film")
    assert shop.find_external("1") == made


def test_an_address_that_is_not_fetched_is_refused(shop: EmbeddedEnvironment) -> None:
    for url in ("ftp://films.example.com/a.mp4", "films.example.com"):
        with pytest.raises(InvalidParametersError, match="url is refused"):
            shop.create_from_url(url)

    assert shop.list().total == 0


def stored(host: Host, video_id: str) -> bytes:
    services = host.hv._process.services
    with services.uow.read() as work:
        video = work.videos.find(video_id)
    assert video is not None
    with services.storage.open(video.source_path) as file:
        return file.read()
