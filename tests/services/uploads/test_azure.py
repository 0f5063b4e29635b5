"""
What is only so with files that are sent straight to Azure.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs
import pytest
import urllib3

from hvcore.domain.uploads.grants import FileWanted, UploadGranted
from hvcore.domain.videos.states import VideoState
from hvcore.errors import InvalidGcsPathError
from tests.services.conftest import MP4
from tests.services.uploads.direct import (
    DATA,
    file_of,
    granted,
    granted_video,
    take_in,
)
from tests.services.uploads.stores import Site, new_bucket, sent, site_of
from tests.support.stores.faulty_store import Fault

pytestmark = [pytest.mark.services, pytest.mark.long]

MIB: Final = 1024**2
LARGE: Final = bytes(range(256)) * (11 * MIB // 256)


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    with site_of(new_bucket("azure", request), tmp_path) as made:
        yield made


@pytest.fixture
def smaller_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    # So that a test sends 11 MiB.
    monkeypatch.setattr("hvcore.domain.uploads.direct.PARTS_FROM_BYTES", 6 * MIB)
    monkeypatch.setattr("hvcore.domain.uploads.direct.PART_BYTES", 5 * MIB)


def granted_parts(site: Site) -> UploadGranted:
    file = attrs.evolve(file_of(LARGE), wants_parts=True)
    return site.world.services.uploads.grant_video(
        site.world.env, file, site.world.wanted()
    )


def send(answer: UploadGranted, numbers: Sequence[int]) -> list[int]:
    statuses = []
    with urllib3.PoolManager(retries=False) as pool:
        for part in answer.parts:
            if part.number in numbers:
                at = 5 * MIB * (part.number - 1)
                body = LARGE[at : at + part.size_bytes]
                statuses.append(pool.request("PUT", part.signed_url, body=body).status)
    return statuses


def complete(site: Site, answer: UploadGranted) -> None:
    site.world.services.direct_uploads.complete(
        site.world.caller, site.world.env.org_id, answer.grant.video_id or ""
    )


def test_addresses_that_bind_nothing_are_not_given_where_they_must(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with site_of(new_bucket("azure", request), tmp_path, mode="auto") as site:
        assert not granted(site.world).is_direct


@pytest.mark.parametrize(("mib", "is_direct"), [(4000, True), (4001, False)])
def test_a_file_that_no_block_can_hold_comes_through_the_service(
    site: Site, mib: int, *, is_direct: bool
) -> None:
    file = FileWanted(file_name="a", content_type=MP4, size_bytes=mib * MIB)

    answer = site.world.services.uploads.grant(site.world.env, file)

    assert answer.is_direct is is_direct


@pytest.mark.parametrize(("data", "count"), [(DATA[1:], len(DATA) - 1), (b"", 0)])
def test_a_file_of_another_size_fails_with_its_reason_and_goes(
    site: Site, data: bytes, count: int
) -> None:
    answer = granted_video(site.world)
    assert sent(answer, data)

    take_in(site.world)

    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.FAILED
    assert f"{count} bytes" in (video.failure_reason or "")
    assert site.bucket.paths(answer.grant.path) == []


def send_archived(answer: UploadGranted) -> None:
    # The address permits any writing of the object.
    url = answer.signed_url.partition("&comp=block")[0]
    headers = {
        "x-ms-blob-type": "BlockBlob",
        "x-ms-access-tier": "Archive",
        "Content-Type": MP4,
    }
    with urllib3.PoolManager(retries=False) as pool:
        assert pool.request("PUT", url, body=DATA, headers=headers).status == 201


@pytest.fixture
def locked(site: Site) -> Iterator[Site]:
    """
    The site with a store that tells of sent files that their key is missing.

    Azurite passes such keys over.
    """
    site.store.locked = "BlobUsesCustomerSpecifiedEncryption"
    yield site
    site.store.locked = None


def test_an_archived_file_fails_with_its_reason_and_goes(site: Site) -> None:
    answer = granted_video(site.world)
    send_archived(answer)

    take_in(site.world)

    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.FAILED
    assert "archived" in (video.failure_reason or "")
    assert site.bucket.paths(answer.grant.path) == []


def test_a_file_whose_key_only_its_sender_has_fails_with_its_reason_and_goes(
    locked: Site,
) -> None:
    answer = granted_video(locked.world)
    sent(answer)

    take_in(locked.world)

    video = locked.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.FAILED
    assert "encrypted" in (video.failure_reason or "")
    assert locked.bucket.paths(answer.grant.path) == []


def test_a_file_whose_key_only_its_sender_has_is_refused_when_it_is_to_be_processed(
    locked: Site,
) -> None:
    answer, world = granted(locked.world), locked.world
    sent(answer)

    with pytest.raises(InvalidGcsPathError, match="encrypted with a key"):
        world.services.processing.process(world.env, answer.grant.path, world.wanted())

    assert locked.bucket.paths(answer.grant.path) == []


def test_a_file_of_another_size_is_refused_when_it_is_to_be_processed(
    site: Site,
) -> None:
    answer, world = granted(site.world), site.world
    sent(answer, DATA[1:])

    with pytest.raises(InvalidGcsPathError, match=f"and {len(DATA)} were announced"):
        world.services.processing.process(world.env, answer.grant.path, world.wanted())

    assert site.bucket.paths(answer.grant.path) == []
    sent(answer)
    world.services.processing.process(world.env, answer.grant.path, world.wanted())


@pytest.mark.usefixtures("smaller_parts")
def test_parts_become_one_file(site: Site) -> None:
    answer = granted_parts(site)
    assert [part.size_bytes for part in answer.parts] == [5 * MIB, 5 * MIB, MIB]

    assert send(answer, [3, 1]) == [201, 201]
    with pytest.raises(InvalidGcsPathError, match="No bytes"):
        complete(site, answer)
    assert send(answer, [2]) == [201]
    complete(site, answer)
    take_in(site.world)

    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING
    assert site.bucket.paths(answer.grant.path) == [video.source_path]
    assert site.bucket.content(video.source_path) == LARGE


@pytest.mark.usefixtures("smaller_parts")
def test_a_file_with_parts_may_be_sent_with_one_put(site: Site) -> None:
    answer = granted_parts(site)
    send(answer, [1])

    assert sent(answer, LARGE)
    take_in(site.world)

    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING
    assert site.bucket.content(video.source_path) == LARGE


@pytest.mark.usefixtures("smaller_parts")
def test_abandoned_parts_are_ended(site: Site) -> None:
    kept, cancelled = granted_parts(site), granted_parts(site)
    send(kept, [1])
    send(cancelled, [1])
    site.world.services.deletion.delete(
        site.world.caller, site.world.env.org_id, cancelled.grant.video_id or "", None
    )
    assert site.bucket.paths(kept.grant.path)
    assert site.bucket.paths(cancelled.grant.path)

    site.world.clock.move(hours=26)
    take_in(site.world)
    site.world.services.uploads.expire()
    take_in(site.world)

    assert site.bucket.paths(kept.grant.path) == []
    assert site.bucket.paths(cancelled.grant.path) == []


@pytest.mark.usefixtures("smaller_parts")
@pytest.mark.parametrize("fault", [Fault.ERROR_503, Fault.ANSWER_LOST])
def test_a_fault_while_parts_are_joined_costs_time_and_nothing_else(
    site: Site, fault: Fault
) -> None:
    answer = granted_parts(site)
    send(answer, [1, 2, 3])
    struck = site.store.struck
    site.store.strike_once(fault, "PUT", "/arrival")

    take_in(site.world)

    assert site.store.struck == struck + 1
    video = site.world.video(answer.grant.video_id or "")
    assert video.state is VideoState.TRANSCODING
    assert site.bucket.content(video.source_path) == LARGE
