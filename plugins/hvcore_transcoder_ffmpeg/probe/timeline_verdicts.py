"""Judge a source's length and recordings by the times of its packets."""

from fractions import Fraction

import attrs

from hvcore.plugin_api import SEGMENT_S, UnusableSourceError
from hvcore_transcoder_ffmpeg.probe import joins
from hvcore_transcoder_ffmpeg.probe.source import Streams
from hvcore_transcoder_ffmpeg.probe.timestamps import Timeline
from hvcore_transcoder_ffmpeg.reasons import SEND_AGAIN


def told(streams: Streams, timeline: Timeline, there: int) -> Streams:
    """
    Return the streams of a source, with what its packets tell of recordings that follow one another.

    Args:
        there: The least number of recordings in the file, by its container. If the times
            show fewer, a warning is added.
    """
    is_whole = there <= timeline.recordings <= joins.MAX_RECORDINGS
    return attrs.evolve(
        streams,
        steps_s=timeline.steps_s,
        warnings=streams.warnings + (() if is_whole else (joins.INCOMPLETE,)),
    )


def told_of_copy(streams: Streams, timeline: Timeline, there: int) -> Streams:
    """
    Return the streams of a copy of a source, with a warning if it has several recordings.

    The recordings of a copy are not shifted: its indexes are not those of the source, and
    the muxer has changed the times that went back.

    Args:
        there: The least number of recordings in the source, by its container.
    """
    if max(there, timeline.recordings) == 1:
        return streams
    return attrs.evolve(streams, warnings=(*streams.warnings, joins.INCOMPLETE))


def length_s(streams: Streams, timeline: Timeline, rate: Fraction) -> float:
    """
    Return the length of a source in seconds.

    Args:
        rate: The frame rate of the renditions: the last picture is shown for at least a
            frame.
    """
    # The last picture of a file without durations is shown for one frame.
    end_s = max(timeline.end_s, timeline.last_s + float(1 / rate))
    return end_s - min(streams.start_s, timeline.first_s)


def require_enough(there_s: float, declared_s: float) -> None:
    """
    Refuse a source that was cut off so early that too little of it is left.

    One segment is enough, and of a video shorter than two segments, half of the video.

    Args:
        there_s: The length of the video that is left.
        declared_s: The length of the video in the headers.

    Raises:
        UnusableSourceError: Too little of the source is left.
    """
    if there_s < min(SEGMENT_S, declared_s / 2):
        raise UnusableSourceError(
            f"The file is incomplete: {there_s:.1f} of {declared_s:.0f} seconds of "
            f"the video are there. {SEND_AGAIN}"
        )
