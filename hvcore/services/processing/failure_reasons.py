"""Explain the conformance rules that a video broke to its owner."""

from collections.abc import Mapping
from typing import Final

from hvcore.domain.processing.encoding import PixelFormat
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import TranscodeOrder
from hvcore.manifests.iframes import first_pictures

SOURCE: Final = "source"
TRANSCODER: Final = "transcoder"

_MEANINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "a file of it is missing": ("readable",),
    "its files are not built as they should be": (
        *("boxes", "init-brands", "init-one-track", "init-no-samples"),
        *("init-fragments", "edit-list", "sample-entry", "entry-size"),
        *("fragment-structure", "fragment-base", "track-id", "sample-data"),
        *("in-band-parameter-sets", "webvtt"),
    ),
    "its parts do not follow each other without a gap": (
        *("sequence-number", "decode-time", "segment-duration", "target-duration"),
        *("same-target-duration",),
    ),
    "picture and sound do not end together": ("same-duration",),
    "a player cannot begin at each of its parts": (
        *("key-frame", "independent-segments"),
    ),
    "its pictures have not the shape of the source": (
        *("as-decoded", "same-shape", "source-shape"),
    ),
    "its qualities do not fit together": (
        *("aligned", "groups", "rendition-names", "default-autoselect"),
    ),
    "it is not what its playlists say": (
        *("bandwidth", "average-bandwidth", "codecs", "resolution", "frame-rate"),
        *("video-range", "codec-level", "language"),
    ),
    "it has no pictures for seeking that can be shown": (
        *("iframe-playlists", "iframe-attributes", "iframe-pictures"),
    ),
    "its playlists are not written as they should be": (
        *("playlist-header", "playlist-text", "playlist-syntax", "playlist-version"),
        *("playlist-type", "multivariant", "endlist", "map", "limits", "session-data"),
    ),
}
MEANINGS: Final[Mapping[str, str]] = {
    rule: meaning for meaning, rules in _MEANINGS.items() for rule in rules
}
"""What is wrong with a video, by the id of the rule (a MUST) that it breaks."""


def failure_reason(rule: str) -> str:
    """Return the text that tells an owner why a video that breaks a rule is not published."""
    meaning = MEANINGS.get(rule, "it is not built as it should be")
    return (
        f"The encoded video broke a rule that players rely on: {meaning} ({rule}). "
        "Try it once more; what was found is kept as the video's conformance."
    )


def chosen_by(rule: str, order: TranscodeOrder, media: MediaIndex) -> str | None:
    """
    Return the chooser of a setting that breaks a rule: a request parameter or the source.

    Returns:
        The name of a parameter of the process request, SOURCE or TRANSCODER; None if the
        service itself has caused the finding.
    """
    settings, source = order.settings, order.source.video
    if rule == "device-profile":
        is_chosen = settings.pixel_format is not PixelFormat.YUV420P
        return "pixelFormat" if is_chosen else SOURCE
    if rule == "frame-rate-limit":
        return "maxFrameRate" if settings.max_frame_rate else SOURCE
    if rule == "several-variants":
        edge_px, own_px = settings.max_edge_px, min(source.width_px, source.height_px)
        return "maxEdgeLength" if edge_px and edge_px < own_px else SOURCE
    if rule in {"language-present", "limits"}:
        return SOURCE
    if rule == "iframe-playlists":
        rungs = [one.track for one in media.tracks if one.track.rung]
        return None if any(map(first_pictures, rungs)) else TRANSCODER
    return None
