"""
A program of somebody who calls the API: nothing of the client is Any to it.
"""

from datetime import datetime
from typing import assert_type

from hvcore_client import AsyncHvClient, HvClient, WebhookVerificationError, webhooks
from hvcore_client.generated.models import (
    UsageReport,
    VideoDetails,
    VideoSummary,
    WebhookEvent,
)


def use(client: HvClient) -> datetime:
    """
    Call what answers a model, a table, or a list that goes on.
    """
    assert_type(client.get_usage(period_days=7), UsageReport)
    assert_type(client.get_usage(format="csv"), str)
    names = [video.name for video in client.iterate_videos(status="ready")]
    upload = client.upload("a.mp4", name=names[0], video_quality="high", tags=["x"])
    video = client.wait_until_ready(upload.video_id)
    assert_type(video, VideoDetails)
    client.update_video(video.id, external_id=None, metadata={"key": None})
    return video.created_at


async def use_beside(client: AsyncHvClient) -> list[VideoSummary]:
    """
    Do the same in an event loop.
    """
    assert_type(await client.get_usage(format="ndjson"), str)
    return [video async for video in client.iterate_videos(page_size=5)]


def receive(headers: dict[str, str], body: bytes) -> str | None:
    """
    Take a webhook's request.
    """
    try:
        event = webhooks.verify("whsec_", headers, body)
    except WebhookVerificationError:
        return None
    assert_type(event, WebhookEvent)
    return event.video_id
