"""
The documented answers, field by field.
"""

from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from typing import Any

import attrs
import pytest

from hvcore.domain import ids
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import EnvId, JobId, OrgId, PublicId, VideoId
from hvcore.domain.playback.addresses import PlaybackRoots
from hvcore.domain.processing.encoding import (
    AudioCodec,
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
)
from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack
from hvcore.domain.processing.transcoding import AudioRendition, MediaFile, Rung, Track
from hvcore.domain.uploads.grants import UploadGrant, UploadGranted
from hvcore.domain.videos.catalog import VideoPage, VideoQuery, VideoSummary
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.wire import responses

CREATED = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)
RUNG = Rung(
    key="480p",
    short_edge_px=480,
    width_px=854,
    height_px=480,
    video_kbps=1000,
    frame_rate=Fraction(30),
    pixel_format=PixelFormat.YUV420P,
    rate_control=RateControl.VARIABLE,
    two_pass=False,
    speed=Speed.VERYFAST,
)
AUDIO = AudioRendition(
    name="audio", stream_index=1, codec=AudioCodec.AAC, kbps=128, channels=2
)


def video(
    state: VideoState = VideoState.READY,
    **changes: Any,  # noqa: ANN401 - any field
) -> Video:
    made = Video(
        id=VideoId("vid_1"),
        public_id=PublicId("pubvid_1"),
        org_id=OrgId("org_a"),
        env_id=EnvId("env_1"),
        name="A name",
        state=state,
        is_public=True,
        settings=EncodingSettings(preset=Preset.HIGH),
        source_path="uploads/1",
        created_at=CREATED,
        job_id=JobId("job_1"),
    )
    return attrs.evolve(made, **changes)


def summary(description: str | None = None) -> VideoSummary:
    return VideoSummary(
        id=VideoId("vid_1"),
        public_id=PublicId("pubvid_1"),
        name="A name",
        description=description,
        state=VideoState.READY,
        is_public=True,
        preset=Preset.HIGH,
        created_at=CREATED,
        duration_s=75.5,
    )


def track(
    *, rung: Rung | None = None, audio: AudioRendition | None = None
) -> PublishedTrack:
    file = MediaFile(size_bytes=1, sha256="0" * 64)
    made = Track(
        name="t", codecs="avc1", init=file, segments=(), rung=rung, audio=audio
    )
    return PublishedTrack(track=made, pieces=())


def media(
    *tracks: PublishedTrack, duration_s: float = 75.5, warnings: tuple[str, ...] = ()
) -> MediaIndex:
    return MediaIndex(tracks=tracks, duration_s=duration_s, warnings=warnings)


ROOTS = PlaybackRoots(
    worker_url="https://w", player_url="https://p", org_id="org_1", env_id="env_1"
)
SIZE_PX = (640, 360)
PLAYS = ROOTS.of("vid_1", is_public=True, size_px=SIZE_PX)


def details(of: Video) -> responses.Payload:
    return responses.video_details(
        of,
        served=0,
        thumbnail_url="https://w/t.jpg",
        addresses=ROOTS.of(of.id, is_public=of.is_public, size_px=SIZE_PX),
    )


def encodings(of: Video) -> list[dict[str, object]]:
    found = details(of)["encodings"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (CREATED, "2026-01-02T03:04:05.678Z"),
        (CREATED.replace(microsecond=0), "2026-01-02T03:04:05.000Z"),
        (
            CREATED.astimezone(timezone(timedelta(hours=2))),
            "2026-01-02T03:04:05.678Z",
        ),
    ],
)
def test_timestamps_are_utc_with_milliseconds(moment: datetime, text: str) -> None:
    assert responses.timestamp(moment) == text


@pytest.mark.parametrize(
    ("duration_s", "text"),
    [
        (0, "0:00"),
        (0.5, "0:01"),
        (2.5, "0:03"),
        (59.4, "0:59"),
        (59.5, "1:00"),
        (61, "1:01"),
        (4503, "75:03"),
    ],
)
def test_durations_are_whole_seconds_and_minutes_are_not_wrapped(
    duration_s: float, text: str
) -> None:
    assert responses.clock_time(duration_s) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 views"), (1, "1 view"), (2, "2 views"), (1234567, "1,234,567 views")],
)
def test_views_are_human_readable(count: int, text: str) -> None:
    assert responses.views(count) == text


def test_a_list_item_has_exactly_the_documented_fields() -> None:
    item = responses.video_item(
        summary(),
        served=1,
        thumbnail_url="https://w/t/vid_1/640x360.jpg",
        addresses=PLAYS,
    )

    assert item == {
        "id": "vid_1",
        "name": "A name",
        "duration": "1:16",
        "durationSeconds": 75.5,
        "createdAt": "2026-01-02T03:04:05.678Z",
        "thumbnailUrl": "https://w/t/vid_1/640x360.jpg",
        "status": "ready",
        "served": "1 view",
        "allowPublicAccess": True,
        "videoQuality": "high",
        "playback": {
            "playlistURL": "https://w/v1/public/org_1/env_1/vid_1/master.m3u8",
            "manifestURL": "https://w/v1/public/org_1/env_1/vid_1/manifest.mpd",
            "embedURL": "https://p/v1/embed/vid_1",
            "thumbnailURL": "https://w/t/vid_1/640x360.jpg",
            "storyboardURL": "https://w/v1/public/org_1/env_1/vid_1/storyboard.vtt",
            "needsToken": False,
        },
    }


def test_a_private_video_says_where_a_token_goes() -> None:
    playback = details(video(is_public=False))["playback"]

    assert playback == {
        "playlistURL": "https://w/v1/private/vid_1/master.m3u8?token={token}",
        "manifestURL": "https://w/v1/private/vid_1/manifest.mpd?token={token}",
        "embedURL": "https://p/v1/embed/vid_1?token={token}",
        "thumbnailURL": "https://w/t/vid_1/640x360.jpg?token={token}",
        "storyboardURL": "https://w/v1/private/vid_1/storyboard.vtt?token={token}",
        "needsToken": True,
    }


def test_a_description_is_present_if_provided() -> None:
    described = video(description="Words")

    item = responses.video_item(
        summary(description="Words"), served=0, thumbnail_url="", addresses=PLAYS
    )

    assert item["description"] == "Words"
    assert details(described)["description"] == "Words"
    assert "description" not in details(video())


@pytest.mark.parametrize(
    ("total", "page", "pages", "has_next", "has_previous"),
    [
        (0, 1, 0, False, False),
        (1, 1, 1, False, False),
        (20, 1, 1, False, False),
        (21, 1, 2, True, False),
        (21, 2, 2, False, True),
        (60, 2, 3, True, True),
        (21, 9, 2, False, True),
        (0, 9, 0, False, False),
    ],
)
def test_pagination_counts_pages(
    *, total: int, page: int, pages: int, has_next: bool, has_previous: bool
) -> None:
    query = VideoQuery(page=page, page_size=20)

    payload = responses.video_list(
        VideoPage(videos=(), total=total),
        query,
        served={},
        thumbnails={},
        roots=ROOTS,
    )

    assert payload["pagination"] == {
        "total": total,
        "page": page,
        "pageSize": 20,
        "totalPages": pages,
        "hasNext": has_next,
        "hasPrevious": has_previous,
    }


def test_a_list_joins_views_and_thumbnails() -> None:
    one = summary()
    query = VideoQuery(page=1, page_size=20)

    payload = responses.video_list(
        VideoPage(videos=(one,), total=1),
        query,
        served={one.id: 7},
        thumbnails={one.id: "https://w/1"},
        roots=ROOTS,
    )

    assert payload["videos"] == [
        responses.video_item(
            one, served=7, thumbnail_url="https://w/1", addresses=PLAYS
        )
    ]


@pytest.mark.parametrize(
    ("state", "flag"),
    [
        (VideoState.READY, "ready"),
        (VideoState.TRANSCODING, "transcoding"),
        (VideoState.FAILED, "failed"),
        (VideoState.AWAITING_UPLOAD, None),
    ],
)
def test_the_details_status_is_three_flags(state: VideoState, flag: str | None) -> None:
    names = ("ready", "transcoding", "failed")

    assert details(video(state))["status"] == {name: name == flag for name in names}


def test_the_details_echo_the_request() -> None:
    settings = EncodingSettings(
        preset=Preset.ULTRA,
        max_edge_px=1080,
        max_frame_rate=30,
        pixel_format=PixelFormat.AUTO_DETECT,
        rate_control=RateControl.CONSTANT,
        two_pass=True,
        speed=Speed.MEDIUM,
        audio_codec=AudioCodec.MP3,
    )

    shown = details(video(VideoState.TRANSCODING, settings=settings))

    assert {
        "id": "vid_1",
        "publicID": "vid_1",
        "videoQuality": "ultra",
        "maxEdgeLength": 1080,
        "maxFrameRate": 30,
        "pixelFormat": "autoDetect",
        "rateControlMode": "constantBitrate",
        "twoPassVBREncoding": True,
        "compressionRatio": "medium",
        "audioCodec": "mp3",
        "allowPublicAccess": True,
        "served": "0 views",
    }.items() <= shown.items()


def test_automatic_caps_are_minus_one() -> None:
    shown = details(video())

    assert (shown["maxEdgeLength"], shown["maxFrameRate"]) == (-1, -1)


def test_before_ready_there_is_no_duration_and_no_encoding() -> None:
    shown = details(video(VideoState.TRANSCODING, progress=42))

    assert shown["duration"] == "0:00"
    assert shown["durationSeconds"] == 0
    assert shown["encodings"] == []
    assert shown["progress"] == 42


def test_only_a_transcoding_video_shows_progress() -> None:
    assert "progress" not in details(video(progress=100))


def test_a_failed_video_says_why() -> None:
    failed = video(VideoState.FAILED, failure_reason="No picture.")

    assert details(failed)["failureReason"] == "No picture."
    assert "failureReason" not in details(video())


def test_warnings_are_shown_if_there_are_any() -> None:
    assert details(video(media=media(warnings=("w",))))["warnings"] == ["w"]
    assert "warnings" not in details(video(media=media()))


def test_an_encoding_has_exactly_the_documented_fields() -> None:
    made = video(media=media(track(rung=RUNG), track(audio=AUDIO)))

    assert encodings(made) == [
        {
            "key": "480p",
            "shortEdgePixels": 480,
            "shortEdgeIsWidth": False,
            "videoStreamBitrate": 1000,
            "audioStreamBitrate": 128,
            "audioFormat": "aac",
            "maxFrameRate": 30,
            "pixelFormat": "yuv420p",
            "rateControlMode": "variableBitrate",
            "twoPassVBREncoding": False,
            "compressionRatio": "veryfast",
        }
    ]


def test_without_audio_the_bitrate_is_zero_and_the_format_empty() -> None:
    made = encodings(video(media=media(track(rung=RUNG))))

    assert (made[0]["audioStreamBitrate"], made[0]["audioFormat"]) == (0, "")


def test_a_portrait_rungs_short_edge_is_its_width() -> None:
    portrait = attrs.evolve(RUNG, width_px=480, height_px=854)

    assert encodings(video(media=media(track(rung=portrait))))[0]["shortEdgeIsWidth"]


def test_a_fractional_frame_rate_is_a_number() -> None:
    ntsc = attrs.evolve(RUNG, frame_rate=Fraction(30000, 1001))

    shown = encodings(video(media=media(track(rung=ntsc))))

    assert shown[0]["maxFrameRate"] == 29.97


def test_another_codec_than_the_one_asked_for_is_named() -> None:
    settings = EncodingSettings(preset=Preset.HIGH, audio_codec=AudioCodec.AAC_HE)
    made = video(settings=settings, media=media(track(audio=AUDIO)))

    assert details(made)["audioCodec"] == "aac-he"
    assert details(made)["effectiveAudioCodec"] == "aac"


def test_a_grant_is_rendered_with_its_video_where_there_is_one() -> None:
    grant = UploadGrant(
        id=ids.new_grant_id(),
        org_id=OrgId("org_a"),
        env_id=EnvId("env_1"),
        path="uploads/x",
        file_name="clip.mp4",
        content_type=None,
        size_bytes=None,
        created_at=CREATED,
        expires_at=CREATED.replace(microsecond=0),
    )
    shown = {
        "signedURL": "https://u/1",
        "bucketPath": "uploads/x",
        "expiresAt": int(CREATED.timestamp()),
    }

    alone = responses.upload_grant(UploadGranted(grant=grant, signed_url="https://u/1"))
    grant.video_id = VideoId("vid_1")
    joined = responses.upload_grant(
        UploadGranted(grant=grant, signed_url="https://u/1")
    )

    assert alone == shown
    assert joined == shown | {"assetId": "vid_1", "videoID": "vid_1"}


def test_a_deletion_says_when() -> None:
    shown = responses.deletion(video(VideoState.DELETED, deleted_at=CREATED))

    assert shown["status"] == "deleted"
    assert shown["deletedAt"] == "2026-01-02T03:04:05.678Z"
    assert shown["message"]


def test_an_environment_is_shown_under_its_name() -> None:
    env = Environment(
        id=EnvId("env_1"),
        org_id=OrgId("org_a"),
        name="live",
        kind=EnvironmentKind.PRODUCTION,
        created_at=CREATED,
    )

    assert responses.environments([env]) == {
        "environments": [
            {
                "envID": "live",
                "orgID": "org_a",
                "name": "live",
                "kind": "production",
                "createdAt": "2026-01-02T03:04:05.678Z",
            }
        ]
    }
