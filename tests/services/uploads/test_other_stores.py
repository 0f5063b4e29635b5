"""
Files that are sent straight to Azure and to Google, which fail now and then.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import urllib3

from hvcore.domain.uploads.direct import LATE_PURGE_AFTER
from hvcore.domain.videos.states import VideoState
from tests.services.uploads.direct import DATA, granted, granted_video, take_in
from tests.services.uploads.stores import Site, new_bucket, sent, site_of
from tests.support.stores.faulty_store import FAULTS, Fault

REQUESTS: Final = {
    "azure": {
        "looking": ("HEAD", "/arrival", False),
        "listing": ("GET", "/arrival", False),
        "committing": ("PUT", "/arrival", False),
        "copying": ("PUT", "/uploads/", True),
        "removing": ("DELETE", "", False),
    },
    "google": {
        "looking": ("GET", "arrival", False),
        "listing": ("GET", "/o", False),
        "copying": ("POST", "/rewriteTo/", True),
        "removing": ("DELETE", "", False),
    },
}
FAULTS_OF_GOOGLE: Final = [
    # Its client waits for seconds before it tries again, so these are not all.
    ("google", "looking", Fault.RESET),
    ("google", "listing", Fault.HALF_ANSWER),
    ("google", "copying", Fault.ANSWER_LOST),
    ("google", "removing", Fault.ANSWER_LOST),
]
FAULTS: Final = [
    ("azure", where, fault) for where in REQUESTS["azure"] for fault in FAULTS
] + FAULTS_OF_GOOGLE


@pytest.fixture
def azure(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    with site_of(new_bucket("azure", request), tmp_path) as made:
        yield made


@pytest.fixture
def google(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    with site_of(new_bucket("google", request), tmp_path) as made:
        yield made


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Site:
    made: Site = request.getfixturevalue(request.param)
    return made


def each_store(*kinds: str) -> pytest.MarkDecorator:
    """
    Run a test with the stores of these kinds.
    """
    return pytest.mark.parametrize("site", [_of(kind) for kind in kinds], indirect=True)


def _of(kind: str, *values: object) -> object:
    # Azure's server comes with npm.
    marks = [pytest.mark.services] if kind == "azure" else []
    return pytest.param(kind, *values, marks=marks)


@each_store("azure", "google")
def test_a_sent_file_is_processed_once_it_is_asked_for(site: Site) -> None:
    answer = granted(site.world)
    assert answer.is_direct
    assert answer.signed_url.startswith(f"{site.store.url}/")
    assert sent(answer)

    video_id = site.world.services.processing.process(
        site.world.env, answer.grant.path, site.world.wanted()
    )
    take_in(site.world)

    video = site.world.video(video_id)
    assert video.state is VideoState.TRANSCODING
    assert site.bucket.paths(answer.grant.path) == [video.source_path]
    assert site.bucket.content(video.source_path) == DATA


@each_store("azure", "google")
def test_bytes_sent_later_change_nothing_and_are_removed(site: Site) -> None:
    answer = granted_video(site.world)
    sent(answer)
    take_in(site.world)
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING

    assert sent(answer, DATA[::-1])

    assert site.bucket.content(video.source_path) == DATA
    assert len(site.bucket.paths(answer.grant.path)) == 2
    site.world.clock.move(seconds=LATE_PURGE_AFTER.total_seconds() + 3600)
    take_in(site.world)
    assert site.has_one_right_file(answer)


@pytest.mark.cases(6)
@pytest.mark.parametrize(
    ("site", "where", "fault"),
    [_of(*fault) for fault in FAULTS],
    indirect=["site"],
)
def test_a_fault_of_the_store_costs_time_and_nothing_else(
    site: Site, where: str, fault: Fault
) -> None:
    answer = granted_video(site.world)
    assert sent(answer)

    struck = site.store.struck
    method, path, copies = REQUESTS[site.bucket.kind][where]
    site.store.strike_once(fault, method, path, copies=copies)
    take_in(site.world)

    assert site.store.struck == struck + 1
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING, video.failure_reason
    site.world.clock.move(hours=10)
    take_in(site.world)
    assert site.has_one_right_file(answer)


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("site", "fault"),
    [_of(kind, fault) for kind in REQUESTS for fault in FAULTS],
    indirect=["site"],
)
def test_a_fault_while_a_file_is_sent_publishes_nothing_wrong(
    site: Site, fault: Fault
) -> None:
    answer = granted_video(site.world)
    video_id = answer.grant.video_id or ""
    site.store.strike_once(fault, "PUT", "/arrival")

    try:
        was_taken = sent(answer)
    except urllib3.exceptions.HTTPError:
        was_taken = False
    take_in(site.world)

    has_come = fault in {Fault.ANSWER_LOST, Fault.HALF_ANSWER}
    assert was_taken <= has_come
    expected = VideoState.TRANSCODING if has_come else VideoState.AWAITING_UPLOAD
    assert site.world.video(video_id).state is expected
    if not has_come:
        assert site.bucket.paths(answer.grant.path) == []
        assert sent(answer)
        take_in(site.world)
    assert site.world.video(video_id).state is VideoState.TRANSCODING
    site.world.clock.move(hours=10)
    take_in(site.world)
    assert site.has_one_right_file(answer)


@each_store("azure", "google")
def test_a_file_that_changes_while_it_is_taken_in_is_taken_whole(site: Site) -> None:
    answer = granted_video(site.world)
    sent(answer, DATA[::-1])
    others = iter([DATA])

    def replace(method: str, path: str, is_copy: bool) -> None:  # noqa: FBT001 - see FaultyStore.strikes
        del method, path
        if is_copy:
            for data in others:
                sent(answer, data)

    site.store.strikes = replace
    take_in(site.world)

    assert next(others, None) is None
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING
    # Azure's address writes a block, which changes no object.
    whole = DATA if site.bucket.kind == "google" else DATA[::-1]
    assert site.bucket.content(video.source_path) == whole


@each_store("azure")
def test_while_the_store_is_away_files_wait(site: Site) -> None:
    answer = granted_video(site.world)
    sent(answer)

    site.store.strikes = lambda *_: Fault.ERROR_503
    take_in(site.world)
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.AWAITING_UPLOAD

    site.store.strikes = lambda *_: None
    take_in(site.world)
    assert site.world.video(video.id).state is VideoState.TRANSCODING


@each_store("google")
def test_google_refuses_what_was_not_granted(site: Site) -> None:
    answer = granted(site.world)

    assert not sent(answer, DATA + b"x")
    assert not sent(answer, DATA, "video/webm")
    assert site.bucket.paths(answer.grant.path) == []
