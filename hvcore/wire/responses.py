"""
The JSON payloads of API answers about videos and uploads.

Source: the interface document, "Resources and fields" and the responses under "Endpoints".
Every function returns a payload; :mod:`hvcore.wire.envelope` wraps it.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final

from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import VideoId
from hvcore.domain.playback.addresses import PlaybackAddresses, PlaybackRoots
from hvcore.domain.processing.encoding import AUTO
from hvcore.domain.processing.transcoding import AudioRendition, Rung
from hvcore.domain.uploads.grants import UploadGranted
from hvcore.domain.videos.catalog import VideoPage, VideoQuery, VideoSummary
from hvcore.domain.videos.spoken_texts import SpokenHit
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.thumbnails import LIST_THUMBNAIL_PX
from hvcore.domain.videos.video import Video
from hvcore.wire.videos.chapters import chapter_list
from hvcore.wire.videos.labels import shown_labels
from hvcore.wire.videos.playback import playback
from hvcore.wire.videos.sources import shown_source

Payload = dict[str, object]

DELETED_MESSAGE: Final = (
    "The video is deleted. Its files are removed within 24 hours; its analytics "
    "are kept."
)
BINNED_MESSAGE: Final = (
    "The video is deleted, and can be restored until {until}. Then its files are "
    "removed; its analytics are kept."
)


def upload_grant(granted: UploadGranted) -> Payload:
    """Return the JSON payload of an upload grant, with its video's id if the grant has a video."""
    payload: Payload = {
        "signedURL": granted.signed_url,
        "bucketPath": granted.grant.path,
        "expiresAt": int(granted.grant.expires_at.timestamp()),
    }
    if granted.is_direct:
        payload["direct"] = True
        # The store's signature covers it.
        if granted.grant.content_type is not None:
            payload["contentType"] = granted.grant.content_type
    if granted.parts:
        payload["parts"] = [
            {
                "partNumber": part.number,
                "size": part.size_bytes,
                "signedURL": part.signed_url,
            }
            for part in granted.parts
        ]
    if granted.grant.video_id is not None:
        payload["assetId"] = payload["videoID"] = granted.grant.video_id
    return payload


def video_list(
    page: VideoPage,
    query: VideoQuery,
    *,
    served: Mapping[VideoId, int],
    thumbnails: Mapping[VideoId, str],
    roots: PlaybackRoots,
) -> Payload:
    """
    Return the JSON payload of one page of a list of videos.

    Args:
        page: The videos, and the number of all videos.
        query: The filters and the page that were asked for.
        served: The estimated views by video id; a missing video has none.
        thumbnails: Thumbnail URLs by video id.
        roots: The URLs below which the videos of the environment play.
    """
    pages = math.ceil(page.total / query.page_size)
    items = [
        video_item(
            video,
            served=served.get(video.id, 0),
            thumbnail_url=thumbnails[video.id],
            addresses=roots.of(
                video.id, is_public=video.is_public, size_px=LIST_THUMBNAIL_PX
            ),
        )
        for video in page.videos
    ]
    if query.spoken:
        for video, item in zip(page.videos, items, strict=True):
            item["spokenHits"] = spoken_hits(page.spoken_hits.get(video.id, ()))
    return {
        "videos": items,
        "pagination": {
            "total": page.total,
            "page": query.page,
            "pageSize": query.page_size,
            "totalPages": pages,
            "hasNext": page.has_next if query.spoken else query.page < pages,
            "hasPrevious": query.page > 1 and page.total > 0,
            **({"totalIsMinimum": True} if page.has_more else {}),
        },
    }


def spoken_hits(hits: Sequence[SpokenHit]) -> Sequence[Payload]:
    """Return the JSON objects of the places in a video where the searched words are said."""
    return [
        {
            "startSeconds": hit.start_ms / 1000,
            "language": hit.language,
            "snippet": [
                {"text": part.text, "isMatch": part.is_match} for part in hit.snippet
            ],
        }
        for hit in hits
    ]


def video_item(
    video: VideoSummary,
    *,
    served: int,
    thumbnail_url: str,
    addresses: PlaybackAddresses,
) -> Payload:
    """
    Return the JSON object of a video in a list of videos.

    Args:
        served: The estimated number of views.
    """
    payload = _facts(video, served, thumbnail_url)
    payload["status"] = video.state.value
    payload["allowPublicAccess"] = video.is_public
    payload["videoQuality"] = video.preset.value
    payload["playback"] = playback(addresses)
    return payload


def video_details(
    video: Video,
    *,
    served: int,
    thumbnail_url: str,
    addresses: PlaybackAddresses,
    downloads: Sequence[tuple[str, str, str, str]] = (),
) -> Payload:
    """
    Return the JSON payload of a video with its settings, ladder and progress.

    Args:
        served: The estimated number of views.
        downloads: The files that may be downloaded: name, content type, URL and language of each.
    """
    settings = video.settings
    payload = _facts(video, served, thumbnail_url) | {
        "publicID": video.id,
        "status": {
            "ready": video.state is VideoState.READY,
            "transcoding": video.state is VideoState.TRANSCODING,
            "failed": video.state is VideoState.FAILED,
        },
        "videoQuality": settings.preset.value,
        "allowPublicAccess": video.is_public,
        "maxEdgeLength": settings.max_edge_px or AUTO,
        "maxFrameRate": settings.max_frame_rate or AUTO,
        "pixelFormat": settings.pixel_format.value,
        "rateControlMode": settings.rate_control.value,
        "twoPassVBREncoding": settings.two_pass,
        "compressionRatio": settings.speed.value,
        "audioCodec": settings.audio_codec.value,
        "encodings": _encodings(video),
        "playback": playback(addresses),
    }
    if video.allows_download:
        payload["allowDownload"] = True
    if downloads:
        payload["renditions"] = [
            {"name": name, "contentType": content_type, "url": url}
            | ({"language": language} if language else {})
            for name, content_type, url, language in downloads
        ]
    return payload | _further(video)


def deletion(video: Video) -> Payload:
    """Return the JSON payload about a deleted video, which may be in the bin."""
    if video.bin_stay is not None:
        until = timestamp(video.bin_stay.ends_at)
        return {
            "status": VideoState.DELETED.value,
            "deletedAt": timestamp(video.deleted_at) if video.deleted_at else "",
            "message": BINNED_MESSAGE.format(until=until),
            "restorableUntil": until,
        }
    return {
        "status": VideoState.DELETED.value,
        "deletedAt": timestamp(video.deleted_at) if video.deleted_at else "",
        "message": DELETED_MESSAGE,
    }


def environments(found: Iterable[Environment]) -> Payload:
    """Return the JSON payload of an organization's environments."""
    return {
        "environments": [
            {
                "envID": env.name,
                "orgID": env.org_id,
                "name": env.shown_name,
                "kind": env.kind.value,
                "createdAt": timestamp(env.created_at),
            }
            for env in found
        ]
    }


def timestamp(moment: datetime) -> str:
    """Return a moment as a text such as ``2026-01-02T03:04:05.678Z``."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def clock_time(duration_s: float) -> str:
    """Return a duration as ``M:SS``, halves rounded up, minutes not wrapped."""
    minutes, seconds = divmod(math.floor(duration_s + 0.5), 60)
    return f"{minutes}:{seconds:02}"


def views(count: int) -> str:
    """Return a number of views as a text such as ``1,234 views``."""
    return f"{count:,} {'view' if count == 1 else 'views'}"


def _facts(video: Video | VideoSummary, served: int, thumbnail_url: str) -> Payload:
    payload: Payload = {
        "id": video.id,
        "name": video.name,
        "duration": clock_time(video.duration_s),
        "durationSeconds": round(video.duration_s, 3),
        "createdAt": timestamp(video.created_at),
        "thumbnailUrl": thumbnail_url,
        "served": views(served),
    }
    if video.description is not None:
        payload["description"] = video.description
    return payload | shown_labels(video.labels) | shown_source(video.source)


def _further(video: Video) -> Payload:
    """Return the members that only some videos have."""
    payload: Payload = {}
    if video.state is VideoState.TRANSCODING:
        payload["progress"] = video.progress
    if video.state is VideoState.FAILED and video.failure_reason:
        payload["failureReason"] = video.failure_reason
    if video.media and video.media.warnings:
        payload["warnings"] = list(video.media.warnings)
    if video.chapters:
        payload["chapters"] = chapter_list(video.shown_chapters)
    audio = _first_audio(video)
    if audio and audio.codec is not video.settings.audio_codec:
        payload["effectiveAudioCodec"] = audio.codec.value
    return payload


def _encodings(video: Video) -> list[Payload]:
    audio = _first_audio(video)
    return [_encoding(rung, audio) for rung in video.rungs]


def _encoding(rung: Rung, audio: AudioRendition | None) -> Payload:
    return {
        "key": rung.key,
        "shortEdgePixels": rung.short_edge_px,
        "shortEdgeIsWidth": rung.width_px < rung.height_px,
        "videoStreamBitrate": rung.video_kbps,
        "audioStreamBitrate": audio.kbps if audio else 0,
        "audioFormat": audio.codec.value if audio else "",
        "maxFrameRate": _number(rung.frame_rate),
        "pixelFormat": rung.pixel_format.value,
        "rateControlMode": rung.rate_control.value,
        "twoPassVBREncoding": rung.two_pass,
        "compressionRatio": rung.speed.value,
    }


def _first_audio(video: Video) -> AudioRendition | None:
    tracks = video.media.tracks if video.media else ()
    return next((t.track.audio for t in tracks if t.track.audio), None)


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else round(float(value), 3)
