"""
Ready videos without an encoder, in the database of a host program.
"""

import pytest

from hvcore.embedding import ConflictError, VideoState
from hvcore.testing import make_ready_video
from tests.embedding.conftest import Host


def test_ready_videos_of_both_databases_have_their_events_and_their_poster(
    host: Host,
) -> None:
    shop = host.shop

    videos = [make_ready_video(shop, external_id=str(number)) for number in range(3)]

    assert shop.list(state=VideoState.READY).total == 3
    assert shop.find_external("2") == videos[2]
    services = host.hv._process.services
    with services.uow.read() as work:
        found = work.videos.find(videos[0].id)
    assert found is not None
    assert found.event_count == 2
    assert found.media is not None
    with services.storage.open(f"{found.media_root}/{found.media.poster}") as file:
        assert file.read(2) == b"\xff\xd8"


def test_a_refused_upload_becomes_no_ready_video(host: Host) -> None:
    make_ready_video(host.shop, external_id="1")

    with pytest.raises(ConflictError, match="externalID belongs"):
        make_ready_video(host.shop, external_id="1")
