"""
Calls of a real service, by both clients.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from hvcore_client import (
    AlreadyDeletedError,
    ForbiddenError,
    HvClient,
    InvalidParametersError,
    NotFoundError,
    PreconditionFailedError,
    UnauthorizedError,
    VideoFailedError,
    WaitedTooLongError,
    animation_url,
    picture_url,
    playback_url,
)
from hvcore_client.coding import encode
from tests.plugins.client.conftest import Service, async_client
from tests.support.http.world import job_of, media


def test_videos_are_listed_changed_and_deleted(
    service: Service, client: HvClient
) -> None:
    video_id = service.world.ready(name="Sea")

    assert client.get_who_am_i().org_id == "org_a"
    assert client.get_health().status in {"ok", "degraded", "down"}
    details = client.get_video(video_id)
    assert (details.id, details.status.ready) == (video_id, True)
    assert details.created_at.tzinfo is UTC
    changed = client.update_video(
        video_id, description="Waves", external_id="my-1", metadata={"order": "7"}
    )
    assert (changed.description, changed.external_id) == ("Waves", "my-1")
    found = client.list_videos(external_id="my-1").videos
    assert [video.id for video in found] == [video_id]
    # What is not named stays; None removes.
    assert client.update_video(video_id, external_id=None).external_id is None
    assert client.get_video(video_id).description == "Waves"
    deleted = client.delete_video(video_id, reason="user_request")
    assert deleted.deleted_at.tzinfo is UTC
    with pytest.raises(NotFoundError, match="no such video") as missing:
        client.get_video(video_id)
    assert (missing.value.status, missing.value.code) == (404, "video_not_found")
    assert missing.value.request_id


def test_a_list_takes_several_metadata_and_a_visibility(
    service: Service, client: HvClient
) -> None:
    both, one = service.world.ready(is_public=False), service.world.ready()
    client.update_video(both, metadata={"order": "8", "hall": "a,b"})
    client.update_video(one, metadata={"order": "8"})

    def found(**filters: Any) -> list[str]:  # noqa: ANN401 - of a list
        return sorted(video.id for video in client.iterate_videos(**filters))

    assert found(metadata=["order:8", "hall:a,b"]) == [both]
    assert (
        found(metadata="order:8") == found(metadata=["order:8"]) == sorted([both, one])
    )
    assert found(metadata="order:8", allow_public_access=False) == [both]
    assert found(metadata="order:8", allow_public_access=True) == [one]


def test_a_second_deletion_is_an_error_of_its_own(
    service: Service, client: HvClient
) -> None:
    video_id = service.world.ready()
    client.delete_video(video_id)

    for delete in (
        lambda: client.delete_video(video_id),
        lambda: client.delete_video_in_organization("org_a", video_id),
    ):
        with pytest.raises(AlreadyDeletedError) as refused:
            delete()
        assert (refused.value.status, refused.value.code) == (400, "already_deleted")
        # Programs of before caught it as this.
        assert isinstance(refused.value, InvalidParametersError)


def test_a_change_for_an_older_state_is_refused(
    service: Service, client: HvClient
) -> None:
    video_id = service.world.ready(name="Sea")
    seen = client.get_video(video_id)
    changed = client.update_video(video_id, tags=["a"], if_match=seen.etag)

    with pytest.raises(PreconditionFailedError) as refused:
        client.update_video(video_id, tags=["b"], if_match=seen.etag)

    assert (refused.value.status, refused.value.code) == (412, "precondition_failed")
    found = client.get_video_details_in_organization("org_a", video_id)
    assert found.tags == ["a"]
    assert found.etag == changed.etag != seen.etag
    # It is no member of the JSON.
    assert "etag" not in str(encode(found))
    in_other_family = client.update_video_in_organization(
        "org_a", video_id, tags=["b"], if_match=f"W/{found.etag}"
    )
    assert in_other_family.tags == ["b"]


def test_links_and_keys_are_made_and_revoked(
    service: Service, client: HvClient
) -> None:
    video_id = service.world.ready()
    until = datetime.now(UTC) + timedelta(days=400)

    key = client.create_edge_key(video_id, domains=["example.com"], expires_at=until)
    assert key.expires_at is not None
    assert abs(key.expires_at - until) < timedelta(seconds=1)
    assert client.list_edge_keys(video_id).edge_keys[0].edge_key == key.edge_key
    assert client.revoke_edge_key(key.edge_key).revoked_at
    link = client.create_share_link(video_id, max_views=5)
    assert link.max_views == 5
    assert client.revoke_share_link(video_id, link.share_id).revoked_at


def test_captions_chapters_and_tables_are_texts(
    service: Service, client: HvClient
) -> None:
    video_id = service.world.ready()
    vtt = "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n"
    srt = "1\n00:00:00,000 --> 00:00:02,000\nHallo\n"

    client.set_captions(video_id, "en", content=vtt, label="English & more")
    listed = client.set_captions(
        video_id, "de", content=srt.encode(), content_type="application/x-subrip"
    )

    assert {c.language: c.label for c in listed.captions} == {
        "en": "English & more",
        "de": "de",
    }
    table = client.get_usage(period_days=7, format="csv")
    assert "totalVideos" in table
    assert client.get_usage(period_days=7).usage[0].total_videos >= 1


def test_the_other_family_names_organization_and_environment(
    service: Service, client: HvClient
) -> None:
    video_id = service.world.ready()

    assert client.get_video_details_in_organization("org_a", video_id).id == video_id
    environments = client.list_environments_in_organization("org_a").environments
    assert "live" in {found.name for found in environments}
    with pytest.raises(ForbiddenError, match="another organization"):
        client.list_videos_in_environment("org_b", "theirs")


def test_all_pages_of_a_list_are_gone_through(
    service: Service, client: HvClient
) -> None:
    made = [service.world.ready(name=f"paged {number}") for number in range(5)]

    found = [
        video.id
        for video in client.iterate_videos(
            search="paged", page_size=2, sort_by="name", sort_dir="asc"
        )
    ]
    events = [event.video_id for event in client.iterate_events(limit=2)]

    assert found == made
    assert set(made) <= set(events)
    assert len(events) == len({(e.id) for e in client.iterate_events(limit=200)})


def test_a_refusal_says_what_is_wrong_where(client: HvClient) -> None:
    with pytest.raises(InvalidParametersError) as refused:
        client.process_video(
            gcs_path="none", video_quality="high", allow_public_access=True
        )

    assert refused.value.problems[0].location == "body.gcsPath"
    assert "/v1/videos/process: 400" in str(refused.value)


def test_an_unknown_key_is_told_without_being_shown(service: Service) -> None:
    key = "hv_live_" + "k" * 32
    with httpx.Client(trust_env=False) as http:
        client = HvClient(service.url, key, http=http)

        with pytest.raises(UnauthorizedError) as refused:
            client.list_videos()

    for text in (str(refused.value), repr(client), repr(client._options)):
        assert key not in text


def test_a_video_is_waited_for(service: Service, client: HvClient) -> None:
    world, told = service.world, list[int]()
    video_id = world.transcoding(is_public=False)

    def finish(_seconds: float) -> None:
        world.change(video_id, lambda v: v.mark_ready(job_of(v), media(75.5)))

    client._sleep = finish
    video = client.wait_until_ready(video_id, on_progress=told.append)

    assert video.status.ready
    assert told == [0, 100]
    with pytest.raises(ValueError, match="private"):
        playback_url(video)
    assert playback_url(video, "a.b.c").endswith("master.m3u8?token=a.b.c")


def test_a_public_video_needs_no_token(service: Service, client: HvClient) -> None:
    video = client.get_video(service.world.ready(is_public=True))
    client.delete_video(service.world.ready())
    event = next(e for e in client.iterate_events() if e.playback is None)

    assert playback_url(video) == playback_url(video, "a.b.c")
    assert playback_url(video, of="manifest").endswith("manifest.mpd")
    with pytest.raises(ValueError, match="cannot be played"):
        playback_url(event, "a.b.c")


def test_pictures_at_a_moment_have_addresses(
    service: Service, client: HvClient
) -> None:
    video = client.get_video(service.world.ready(is_public=False))
    assert video.playback is not None
    folder = video.playback.thumbnail_url.rpartition("/")[0]

    moment = picture_url(
        video, "a.b", width_px=64, height_px=36, time_s=12.59, file_format="webp"
    )
    moving = animation_url(video, "a.b", start_s=1, end_s=4.5, width_px=160)

    assert picture_url(video, "a.b") == f"{folder}/640x360.jpg?token=a.b"
    assert moment == f"{folder}/64x36.webp?time=12.5&token=a.b"
    assert "time=0.3&" in picture_url(video, "a.b", time_s=0.3)
    query = "start=1.0&end=4.5&width=160&token=a.b"
    assert moving == f"{folder}/animated.webp?{query}"
    assert animation_url(video, "a.b").endswith("?start=0.0&width=320&token=a.b")
    with pytest.raises(ValueError, match="private"):
        picture_url(video)
    for at_s in (-1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="from the beginning"):
            picture_url(video, "a.b", time_s=at_s)


def test_why_a_video_failed_is_told(service: Service, client: HvClient) -> None:
    video_id = service.world.failed(name="Broken")

    with pytest.raises(
        VideoFailedError, match=r"Broken.*There is no picture"
    ) as failed:
        client.wait_until_ready(video_id)

    assert (failed.value.video_id, failed.value.reason) == (
        video_id,
        "There is no picture.",
    )


def test_nobody_waits_longer_than_wanted(
    service: Service, client: HvClient, waits: list[float]
) -> None:
    video_id = service.world.transcoding()

    with pytest.raises(WaitedTooLongError):
        client.wait_until_ready(video_id, timeout_s=0.1)
    with pytest.raises(TimeoutError):
        client.wait_until_ready(video_id, timeout_s=0)

    assert waits == []


def test_many_calls_wait_side_by_side(service: Service) -> None:
    made = [service.world.ready(name=f"beside {number}") for number in range(6)]

    async def call() -> tuple[list[str], list[str]]:
        async with async_client(service) as client:
            details = await asyncio.gather(*map(client.get_video, made))
            with pytest.raises(NotFoundError, match="no such video"):
                await client.get_video("vid_0000000000000000000000")
            pages = client.iterate_videos(
                search="beside", page_size=4, sort_by="name", sort_dir="asc"
            )
            found = [video.id async for video in pages]
            ready = await client.wait_until_ready(made[0])
            assert ready.id == made[0]
            await client._http.aclose()
            return [video.id for video in details], found

    assert asyncio.run(call()) == (made, made)
