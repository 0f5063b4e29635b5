"""Videos that are deleted within a transaction of the host program."""

import pytest
import sqlalchemy as sa

from hvcore.embedding import (
    AlreadyDeletedError,
    ConflictError,
    InvalidParametersError,
    VideoNotFoundError,
    VideoState,
)
from hvcore.files.changes_file import CHANGES_BYTES
from hvcore.testing import make_ready_video
from tests.embedding.conftest import Host

NEW_ORDER = sa.text("INSERT INTO orders (id) VALUES ('1')")


def test_a_deletion_is_committed_with_the_hosts_own_changes(host: Host) -> None:
    shop = host.shop
    video = make_ready_video(shop)
    host.queue.messages.clear()

    with host.engine.begin() as connection:
        connection.execute(NEW_ORDER)
        inside = shop.in_transaction(connection)
        inside.delete(video.id)
        with pytest.raises(AlreadyDeletedError):
            inside.delete(video.id)
        assert host.queue.messages == []

    with pytest.raises(VideoNotFoundError):
        shop.find(video.id)
    assert len(host.rows("SELECT * FROM orders")) == 1
    # Its files go at once, and once more later.
    assert len(host.queue.messages) == 1


def test_a_deletion_vanishes_with_the_hosts_own_changes(host: Host) -> None:
    shop = host.shop
    video = make_ready_video(shop)

    with host.engine.connect() as connection:
        connection.execute(NEW_ORDER)
        shop.in_transaction(connection).delete(video.id)
        connection.rollback()

    assert shop.find(video.id).state is VideoState.READY
    assert host.rows("SELECT * FROM orders") == []
    services = host.hv._process.services
    with services.storage.open(f"{media_root(host, video.id)}/master.m3u8") as file:
        assert file.read(7) == b"#EXTM3U"


def test_delivery_is_told_of_a_deletion_after_the_commit_and_not_before(
    host: Host,
) -> None:
    shop = host.shop
    video = make_ready_video(shop)
    changes = host.hv._process.services.deletion.changes.file
    assert changes is not None
    changes.parent.mkdir(parents=True, exist_ok=True)
    changes.write_bytes(bytes(CHANGES_BYTES))

    with host.engine.begin() as connection:
        shop.in_transaction(connection).delete(video.id)
        assert changes.read_bytes() == bytes(CHANGES_BYTES)

    assert changes.read_bytes() != bytes(CHANGES_BYTES)


def test_a_video_of_another_environment_is_not_deleted(host: Host) -> None:
    video = make_ready_video(host.hv.environment("other"))

    with host.engine.begin() as connection, pytest.raises(VideoNotFoundError):
        host.shop.in_transaction(connection).delete(video.id)


def media_root(host: Host, video_id: str) -> str:
    with host.hv._process.services.uow.read() as work:
        found = work.videos.find(video_id)
    assert found is not None
    return str(found.media_root)


def test_a_deleted_video_is_restored_while_it_is_kept(host: Host) -> None:
    shop = host.shop
    video = make_ready_video(shop)

    shop.put_in_bin(video.id)
    with pytest.raises(VideoNotFoundError):
        shop.find(video.id)
    restored = shop.restore(video.id)

    assert restored == shop.find(video.id)
    assert restored.state is VideoState.READY


def test_a_deletion_of_a_transaction_keeps_the_video(host: Host) -> None:
    shop = host.shop
    video = make_ready_video(shop)
    with host.engine.begin() as connection:
        shop.in_transaction(connection).put_in_bin(video.id, keep_hours=1)

    shop.restore(video.id)
    shop.delete(video.id)

    with pytest.raises(ConflictError, match="cannot be restored"):
        shop.restore(video.id)


@pytest.mark.cases(4)
@pytest.mark.parametrize("hours", [0, 24, True, "5"])
def test_hours_that_are_not_possible_delete_nothing(host: Host, hours: int) -> None:
    video = make_ready_video(host.shop)

    with pytest.raises(InvalidParametersError, match="keep_hours"):
        host.shop.put_in_bin(video.id, keep_hours=hours)

    assert host.shop.find(video.id).state is VideoState.READY
