"""Addresses that play."""

from typing import Literal
from urllib.parse import quote

from hvcore_client.generated.models import (
    Playback,
    VideoDetails,
    VideoEvent,
    VideoSummary,
    WebhookEvent,
)


def playback_url(
    video: VideoDetails | VideoSummary | VideoEvent | WebhookEvent,
    token: str | None = None,
    *,
    of: Literal[
        "playlist", "manifest", "embed", "thumbnail", "storyboard"
    ] = "playlist",
) -> str:
    """
    Return an address of a video, with a token in it where it needs one.

    Args:
        video: What the API or a webhook has told of it.
        token: Of ``tokens.sign`` or of a signed address.
        of: Which address: HLS (``playlist``), DASH (``manifest``), a page (``embed``).

    Raises:
        ValueError: It needs a token, and there is none; or it has no addresses,
            because it cannot be played.
    """
    playback: Playback | None = video.playback
    if playback is None:
        raise ValueError("The video has no addresses: it cannot be played.")
    template: str = getattr(playback, f"{of}_url")
    if "{token}" not in template:
        return template
    if not token:
        raise ValueError(
            "The video is private: sign a token with hvcore_client.tokens.sign, or ask for "
            "get_signed_url."
        )
    return template.replace("{token}", quote(token, safe=""))
