"""Name the tracks of a source that are left out of its renditions."""

from collections.abc import Sequence
from typing import Any, Final

from hvcore.plugin_api import AudioTrackInfo
from hvcore_transcoder_ffmpeg.probe.report_fields import integer
from hvcore_transcoder_ffmpeg.probe.video_report import is_video

_OF_THE_PICTURES: Final = frozenset({"tmcd", "text"})
"""The tags of data tracks that need no warning: time code, and titles of chapters."""


def warnings(
    streams: Sequence[dict[str, Any]],
    shown: dict[str, Any],
    audio: Sequence[AudioTrackInfo],
) -> tuple[str, ...]:
    """
    Return a sentence that names the video, sound and data tracks that are left out.

    Args:
        streams: All tracks, as ffprobe reports them.
        shown: The video track that is encoded.
        audio: The audio tracks that are encoded.

    Returns:
        The sentence, or nothing if no track is left out.
    """
    heard = {track.stream_index for track in audio}
    spare = []
    for one in streams:
        kind = one.get("codec_type")
        if kind == "video" and one is not shown and is_video(one):
            size = f"{integer(one, 'width')}x{integer(one, 'height')}"
            spare.append(f"another video track ({size})")
        elif kind == "audio" and integer(one, "index") not in heard:
            spare.append("a sound track that cannot be read")
        elif kind == "data" and one.get("codec_tag_string") not in _OF_THE_PICTURES:
            spare.append("a data track")
    counted = [_counted(one, spare.count(one)) for one in dict.fromkeys(spare)]
    return (f"Left out of the file: {', '.join(counted)}.",) if counted else ()


def _counted(what: str, count: int) -> str:
    return what if count == 1 else f"{what}, {count} times"
