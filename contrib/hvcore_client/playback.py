"""Make the addresses at which videos play, and the addresses of their pictures."""

import math
from typing import Final, Literal, TypeAlias
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from hvcore_client.generated.models import (
    Playback,
    VideoDetails,
    VideoEvent,
    VideoSummary,
    WebhookEvent,
)

_MOST_S: Final = 1_000_000
_UNSEEN: Final = 1e-6
"""Of a step: 0.3 s are a little less than three tenths."""
_Video: TypeAlias = VideoDetails | VideoSummary | VideoEvent | WebhookEvent


def playback_url(
    video: _Video,
    token: str | None = None,
    *,
    of: Literal[
        "playlist", "manifest", "embed", "thumbnail", "storyboard"
    ] = "playlist",
) -> str:
    """
    Return an address of a playable video, with a token in it if the video needs one.

    Args:
        video: The video as the API or a webhook describes it.
        token: A token from ``tokens.sign`` or from a signed address.
        of: The kind of address: HLS (``playlist``), DASH (``manifest``), a page with
            the player (``embed``), the poster (``thumbnail``) or the preview pictures
            for seeking (``storyboard``).

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


def picture_url(  # noqa: PLR0913 - what there is to choose of a picture
    video: _Video,
    token: str | None = None,
    *,
    width_px: int = 640,
    height_px: int = 360,
    time_s: float | None = None,
    file_format: Literal["jpg", "webp"] = "jpg",
) -> str:
    """
    Return the address of a still picture of a video, cropped to fill the given size.

    Args:
        video: The video as the API or a webhook describes it.
        token: A token from ``tokens.sign`` if the video is private; one with the use
            ``thumbnail`` is enough.
        width_px: The width of the picture, 16 to 3840.
        height_px: The height of the picture, 16 to 3840.
        time_s: The moment of the video that is shown, in steps of 0.1 s; None for the
            video's poster.

    Raises:
        ValueError: The video needs a token, and there is none; or it cannot be played;
            or the moment is before the beginning.
    """
    query = {} if time_s is None else {"time": _seconds(time_s)}
    name = f"{width_px}x{height_px}.{file_format}"
    return _beside(playback_url(video, token, of="thumbnail"), name, query)


def animation_url(
    video: _Video,
    token: str | None = None,
    *,
    start_s: float = 0,
    end_s: float | None = None,
    width_px: int = 320,
) -> str:
    """
    Return the address of a short animation (WebP without sound) made from a part of a video.

    Args:
        video: The video as the API or a webhook describes it.
        token: A token from ``tokens.sign`` if the video is private; one with the use
            ``thumbnail`` is enough.
        start_s: The moment of the video at which the animation begins.
        end_s: The moment of the video at which it ends, at most 10 s after the start;
            None for 5 s after the start, or the video's end.
        width_px: The most pixels of a side, 16 to 640.

    Raises:
        ValueError: The video needs a token, and there is none; or it cannot be played;
            or a moment is before the beginning.
    """
    query = {"start": _seconds(start_s)}
    if end_s is not None:
        query["end"] = _seconds(end_s)
    query["width"] = str(width_px)
    address = playback_url(video, token, of="thumbnail")
    return _beside(address, "animated.webp", query)


def _beside(address: str, name: str, query: dict[str, str]) -> str:
    parts = urlsplit(address)
    path = f"{parts.path.rpartition('/')[0]}/{name}"
    asked = "&".join(filter(None, (urlencode(query), parts.query)))
    return urlunsplit(parts._replace(path=path, query=asked))


def _seconds(at_s: float) -> str:
    if not 0 <= at_s < _MOST_S:
        raise ValueError("A moment is a number of seconds from the beginning.")
    # Cut, as the service does: rounded, the last moment may be behind the end.
    return f"{math.floor(at_s * 10 + _UNSEEN) / 10:.1f}"
