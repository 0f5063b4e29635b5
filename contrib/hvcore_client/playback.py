"""Make the addresses at which videos play."""

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
    Return the address at which a video plays, with a token in it if the video needs one.

    Args:
        video: The video as the API or a webhook describes it.
        token: A token from ``tokens.sign`` or from a signed address.
        of: The kind of address: HLS (``playlist``), DASH (``manifest``) or a page
            (``embed``).

    Raises:
        ValueError: The video needs a token, and there is none; or it has no addresses,
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
