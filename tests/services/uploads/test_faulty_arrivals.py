"""
Files that are sent straight to a store which fails now and then.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
import urllib3

from hvcore.domain.uploads.grants import UploadGranted
from hvcore.domain.videos.states import VideoState
from tests.faulty_store import Fault, FaultyStore, faulty_store
from tests.services.conftest import World
from tests.services.uploads.direct import (
    DATA,
    content,
    direct_world,
    granted_video,
    new_bucket_of,
    objects,
    put,
    take_in,
)


@attrs.frozen(kw_only=True)
class Site:
    """
    A service and its store, with a proxy between them and before the senders.
    """

    world: World
    store: FaultyStore
    behind: str
    bucket: str

    def has_one_right_file(self, granted: UploadGranted) -> bool:
        video = self.world.video(granted.grant.video_id or "")
        (path,) = objects(self.behind, self.bucket, granted.grant.path)
        return (
            path == video.source_path
            and content(self.behind, self.bucket, path) == DATA
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, swift: str) -> Iterator[Site]:
    bucket, folder = new_bucket_of(swift), tmp_path_factory.mktemp("faulty")
    with (
        faulty_store(swift) as store,
        direct_world(Path(folder), store.url, bucket) as world,
    ):
        yield Site(world=world, store=store, behind=swift, bucket=bucket)


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize(
    ("method", "path", "copies"),
    [
        ("HEAD", "/arrival", False),
        ("PUT", "/uploads/", True),
        ("POST", "", False),
        ("GET", "", False),
    ],
    ids=["looking", "copying", "removing", "listing"],
)
def test_a_fault_of_the_store_costs_time_and_nothing_else(
    site: Site, fault: Fault, method: str, path: str, *, copies: bool
) -> None:
    answer = granted_video(site.world)
    assert put(answer) == 200

    struck = site.store.struck
    site.store.strike_once(fault, method, path, copies=copies)
    take_in(site.world)

    assert site.store.struck == struck + 1
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING, video.failure_reason
    site.world.clock.move(hours=10)
    take_in(site.world)
    assert site.has_one_right_file(answer)


@pytest.mark.parametrize("fault", Fault)
def test_a_fault_while_a_file_is_sent_publishes_nothing_wrong(
    site: Site, fault: Fault
) -> None:
    answer = granted_video(site.world)
    video_id = answer.grant.video_id or ""
    site.store.strike_once(fault, "PUT", "/arrival")

    try:
        status = put(answer)
    except urllib3.exceptions.HTTPError:
        status = None
    take_in(site.world)

    has_come = fault in {Fault.ANSWER_LOST, Fault.HALF_ANSWER}
    assert (status == 200) <= has_come
    expected = VideoState.TRANSCODING if has_come else VideoState.AWAITING_UPLOAD
    assert site.world.video(video_id).state is expected
    if not has_come:
        assert objects(site.behind, site.bucket, answer.grant.path) == []
        assert put(answer) == 200
        take_in(site.world)
    assert site.world.video(video_id).state is VideoState.TRANSCODING
    site.world.clock.move(hours=10)
    take_in(site.world)
    assert site.has_one_right_file(answer)


def test_a_file_that_changes_while_it_is_taken_in_is_taken_whole(site: Site) -> None:
    answer = granted_video(site.world)
    put(answer, DATA[::-1])
    others = iter([DATA])

    def replace(method: str, path: str, is_copy: bool) -> None:  # noqa: FBT001 - see FaultyStore.strikes
        del path
        if method == "PUT" and is_copy:
            for data in others:
                put(answer, data)

    site.store.strikes = replace
    take_in(site.world)

    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING
    assert content(site.behind, site.bucket, video.source_path) == DATA


def test_while_the_store_is_away_files_wait(site: Site) -> None:
    answer = granted_video(site.world)
    put(answer)

    site.store.strikes = lambda *_: Fault.ERROR_503
    take_in(site.world)
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.AWAITING_UPLOAD

    site.store.strikes = lambda *_: None
    take_in(site.world)
    assert site.world.video(video.id).state is VideoState.TRANSCODING
