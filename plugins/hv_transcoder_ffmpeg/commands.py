"""
Build the one ffmpeg command that makes all renditions of a video.
"""

from math import ceil
from pathlib import Path
from typing import Final

import attrs

from hv_transcoder_ffmpeg import filters
from hv_transcoder_ffmpeg.containers import ENCODE_DECODERS, input_options
from hv_transcoder_ffmpeg.encoders import audio_options, video_options
from hv_transcoder_ffmpeg.engine import Engine
from hv_transcoder_ffmpeg.source import Streams
from hvcore.plugin_api import (
    MAX_SOURCE_PIXELS,
    MAX_SOURCE_STREAMS,
    AudioRendition,
    TranscodeOrder,
)

POSTER_FILE: Final = "poster.jpg"
INIT_FILE: Final = "init.m4s"
PLAYLIST_FILE: Final = "playlist.m3u8"
"""ffmpeg insists on writing one; the core renders better ones."""

_SLACK_S: Final = 1.0
"""Durations in headers are rounded; nothing may be cut for that."""


@attrs.frozen(kw_only=True)
class Encode:
    """
    What one ffmpeg command has to make.

    Attributes:
        source: Absolute path.
        audio: The renditions as they are made, in the ladder's order.
        threads: Of each encoder; 0 lets it choose.
    """

    engine: Engine
    source: Path
    streams: Streams
    order: TranscodeOrder
    audio: tuple[AudioRendition, ...]
    threads: int = 0

    @property
    def max_frames(self) -> int:
        """
        More frames than this no rung of the source can have.
        """
        rate = self.order.ladder.rungs[0].frame_rate
        return ceil((self.order.source.duration_s + _SLACK_S) * rate)


def first_pass_command(encode: Encode) -> list[str]:
    """
    Return the command that only measures the pictures, for two passes.
    """
    command = [*_general(encode), *_video_graph(encode, with_poster=False)]
    for number, rung in enumerate(encode.order.ladder.rungs):
        command += _video_output(encode, number)
        command += video_options(
            rung,
            segment_s=encode.order.segment_s,
            threads=encode.threads,
            pass_number=1,
        )
        # What is encoded is thrown away; the encoder writes down what it saw.
        command += ["-f", "null", "-"]
    return command


def encode_command(encode: Encode, *, pass_number: int) -> list[str]:
    """
    Return the command that writes every file of the job.

    It decodes once, scales from rung to rung and encodes each rendition once.

    Args:
        pass_number: 0 for a single pass, else 2.
    """
    order = encode.order
    command = [*_general(encode), *_video_graph(encode, with_poster=True)]
    for number, rendition in enumerate(encode.audio):
        command += ["-filter_complex", _audio_graph(encode, number, rendition)]
    for number, rung in enumerate(order.ladder.rungs):
        command += _video_output(encode, number)
        command += video_options(
            rung,
            segment_s=order.segment_s,
            threads=encode.threads,
            pass_number=pass_number,
        )
        command += _segments(f"video/{rung.key}", order.segment_s)
    for number, rendition in enumerate(encode.audio):
        command += ["-map", f"[{filters.audio_label(number)}]"]
        command += [*_NO_NAMES, *audio_options(rendition)]
        command += _segments(rendition.name, order.segment_s)
    return command + _poster_output()


# Titles, places and times of the source are the owner's; none is published.
_NO_NAMES: Final = ("-map_metadata", "-1", "-map_chapters", "-1")


def _general(encode: Encode) -> list[str]:
    command = [str(encode.engine.ffmpeg), "-hide_banner", "-loglevel", "warning"]
    # It has no terminal to ask; and it never asks whether to overwrite.
    command += ["-nostdin", "-y"]
    # Progress for us, in place of the line that is made for people.
    command += ["-nostats", "-progress", "pipe:1", "-stats_period", "0.5"]
    # A damaged source may still give most of its pictures; how much is
    # enough is judged by what came out.
    command += ["-max_error_rate", "1"]
    # Refused before memory is taken for them.
    command += ["-max_pixels", str(MAX_SOURCE_PIXELS)]
    command += ["-max_streams", str(MAX_SOURCE_STREAMS)]
    # Subtitles and data are not even split from the file.
    command += ["-sn", "-dn"]
    if not encode.streams.video.is_turned:
        # Browsers' recordings change their size. A new graph would begin at 0
        # again; the scaler takes the change, the filters that turn do not.
        command += ["-reinit_filter:v", "0"]
    # Nothing of what lies behind the video's end is read.
    duration_s = encode.order.source.duration_s + _SLACK_S
    command += ["-t", f"{duration_s:.3f}"]
    return command + input_options(
        encode.source, encode.streams.container, ENCODE_DECODERS
    )


def _video_graph(encode: Encode, *, with_poster: bool) -> list[str]:
    order = encode.order
    graph = filters.video_graph(
        encode.streams.video,
        order.ladder.rungs,
        duration_s=order.source.duration_s,
        can_tone_map=encode.engine.can_tone_map,
        with_poster=with_poster,
    )
    return ["-filter_complex", graph]


def _audio_graph(encode: Encode, number: int, rendition: AudioRendition) -> str:
    # A graph of its own: in one graph with the pictures, these would pile up
    # in memory until the first sound comes, which may be the file's end.
    tracks = {track.stream_index: track for track in encode.streams.audio}
    return filters.audio_graph(
        number,
        rendition,
        tracks[rendition.stream_index],
        duration_s=encode.order.source.duration_s,
        delay_s=encode.streams.audio_delays_s.get(rendition.stream_index, 0.0),
        priming_samples=encode.engine.priming_samples[rendition.codec],
    )


def _video_output(encode: Encode, number: int) -> list[str]:
    options = ["-map", f"[{filters.video_label(number)}]", *_NO_NAMES]
    # The graph has made the rate constant; ffmpeg adds and drops nothing.
    options += ["-fps_mode", "passthrough"]
    # Two pictures ten hours apart would make a million copies.
    return [*options, "-frames:v", str(encode.max_frames)]


def _poster_output() -> list[str]:
    options = ["-map", f"[{filters.POSTER}]", *_NO_NAMES, "-fps_mode", "passthrough"]
    # 3 of 31: thumbnails of every size are made from it.
    options += ["-c:v", "mjpeg", "-q:v", "3"]
    # The full range under the usual name of the format: the special name that
    # ffmpeg has for it makes the scaler print a warning for every slice.
    options += ["-strict", "unofficial"]
    # One file, overwritten by each picture that comes.
    return [*options, "-f", "image2", "-update", "1", f"file:{POSTER_FILE}"]


def _segments(folder: str, segment_s: int) -> list[str]:
    return [
        "-f",
        "hls",
        "-hls_time",
        str(segment_s),
        # All segments are listed, and the list is written once, at the end.
        "-hls_list_size",
        "0",
        "-hls_playlist_type",
        "vod",
        "-hls_segment_type",
        "fmp4",
        # CMAF's brand; decode times that begin at 0 without an edit list, which
        # some players ignore (ffmpeg 8 writes one unless it is told not to).
        "-hls_segment_options",
        "movflags=+cmaf+negative_cts_offsets:use_editlist=0",
        "-start_number",
        "0",
        "-hls_fmp4_init_filename",
        INIT_FILE,
        "-hls_segment_filename",
        f"{folder}/%d.m4s",
        f"{folder}/{PLAYLIST_FILE}",
    ]
