"""Decide whether enough of a damaged source could be decoded."""

from typing import Final

from hvcore.plugin_api import Track, UnusableSourceError
from hvcore_transcoder_ffmpeg.encode.commands import Encode
from hvcore_transcoder_ffmpeg.reasons import UNDECODABLE

_ENOUGH: Final = 0.5
_COMPLETE: Final = 0.95

_ENDS_EARLY: Final = "The file is damaged: its video ends early."
"""The warning of a part that lacks frames at its end. Several parts may give the same
warning; the video shows equal warnings once."""


def judge(encode: Encode, tracks: tuple[Track, ...]) -> tuple[str, ...]:
    """
    Return warnings about a missing end of a damaged source; refuse a source without enough.

    One segment is enough, and of a video shorter than two segments, half of the video.

    Args:
        tracks: The tracks of the part, a video rung first; empty if nothing of the part
            could be decoded.

    Raises:
        UnusableSourceError: Too little of the source could be decoded.
    """
    order, span = encode.order, encode.span
    wanted_s = max(order.source.duration_s, encode.streams.video.declared_s)
    made_s = sum(one.duration_s for track in tracks[:1] for one in track.segments)
    worth_s = min(order.segment_s, wanted_s * _ENOUGH)
    if span.first_segment == 0 and made_s < worth_s:
        raise UnusableSourceError(UNDECODABLE)
    if span.end_segment is not None:
        is_complete = span.is_complete(round(made_s * span.frame_rate))
        return () if is_complete else (_ENDS_EARLY,)
    there_s = span.begins_s + made_s
    if made_s and there_s >= wanted_s * _COMPLETE - 1:
        return ()
    if not span.is_whole:
        return (_ENDS_EARLY,)
    return (f"The file is damaged: {made_s:.0f} of {wanted_s:.0f} s are there.",)
