"""
The Python client of the video hosting API.

    from hvcore_client import HvClient

    with HvClient("https://api.example.com", "hv_live_…") as client:
        upload = client.upload("holiday.mp4", name="Holiday")
        video = client.wait_until_ready(upload.video_id)

``HvClient`` blocks, ``AsyncHvClient`` is for asyncio; they have the same methods.
``webhooks.verify`` checks what the service sends, ``tokens.sign`` lets private videos
play. It needs httpx and attrs, and nothing of the service.
"""

from hvcore_client import tokens, webhooks
from hvcore_client.async_client import AsyncHvClient
from hvcore_client.client import HvClient
from hvcore_client.errors import (
    AlreadyDeletedError,
    ApiError,
    ConflictError,
    ForbiddenError,
    HvClientError,
    InvalidParametersError,
    NotFoundError,
    PreconditionFailedError,
    QuotaExceededError,
    RateLimitedError,
    ServiceError,
    UnauthorizedError,
    UnexpectedAnswerError,
    UnreachableError,
    VideoFailedError,
    WaitedTooLongError,
    WebhookVerificationError,
)
from hvcore_client.generated import models
from hvcore_client.operation import NOT_SENT
from hvcore_client.playback import animation_url, picture_url, playback_url
from hvcore_client.version import __version__

__all__ = [
    "NOT_SENT",
    "AlreadyDeletedError",
    "ApiError",
    "AsyncHvClient",
    "ConflictError",
    "ForbiddenError",
    "HvClient",
    "HvClientError",
    "InvalidParametersError",
    "NotFoundError",
    "PreconditionFailedError",
    "QuotaExceededError",
    "RateLimitedError",
    "ServiceError",
    "UnauthorizedError",
    "UnexpectedAnswerError",
    "UnreachableError",
    "VideoFailedError",
    "WaitedTooLongError",
    "WebhookVerificationError",
    "__version__",
    "animation_url",
    "models",
    "picture_url",
    "playback_url",
    "tokens",
    "webhooks",
]
