"""Build the ffmpeg command that makes a part of a video, or all of it."""

from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import (
    MAX_SOURCE_PIXELS,
    AudioRendition,
    Part,
    TranscodeOrder,
)
from hvcore_transcoder_ffmpeg.encode import filters, pictures
from hvcore_transcoder_ffmpeg.encode.encoders import (
    NO_NAMES,
    audio_options,
    video_options,
)
from hvcore_transcoder_ffmpeg.encode.spans import SLACK_S, Span
from hvcore_transcoder_ffmpeg.engine.engine import FFMPEG, FfmpegEngine
from hvcore_transcoder_ffmpeg.probe.containers import (
    ENCODE_DECODERS,
    MAX_OPENED_STREAMS,
    input_options,
)
from hvcore_transcoder_ffmpeg.probe.geometry import decoded_as_stored
from hvcore_transcoder_ffmpeg.probe.source import Streams

INIT_FILE: Final = "init.m4s"
PLAYLIST_FILE: Final = "playlist.m3u8"
"""The playlist that ffmpeg insists on writing; the core renders better ones."""

HEAD_FILE: Final = ".head"
"""The file that tells which frame of the part came first."""


@attrs.frozen(kw_only=True)
class Encode:
    """
    Describe the input and the output of one ffmpeg command that makes a part.

    Attributes:
        source: The absolute path of the source.
        audio: The audio renditions to make, in the ladder's order; empty if the part has
            no sound.
        lead_s: The seconds before the part at which the decoder begins; None for the
            beginning of the file.
        threads: The threads of each encoder; 0 lets the encoder choose.
    """

    engine: FfmpegEngine
    source: Path
    streams: Streams
    part: Part
    audio: tuple[AudioRendition, ...]
    lead_s: float | None = None
    threads: int = 0

    @property
    def order(self) -> TranscodeOrder:
        """The order of the job that the part belongs to."""
        return self.part.order

    @property
    def span(self) -> Span:
        return Span.of(self.part)

    @property
    def has_head(self) -> bool:
        """True if ffmpeg writes HEAD_FILE, because the part's first frame may be missing."""
        return self.part.has_pictures and self.span.first_segment > 0

    @property
    def seeks_to_s(self) -> float:
        """The time in the source, in seconds, at which the decoder begins."""
        if self.lead_s is None:
            return 0.0
        return max(0.0, self.span.begins_s - self.lead_s)


def first_pass_command(encode: Encode) -> list[str]:
    """Return the ffmpeg command of the first of two passes, which only measures the pictures."""
    command = [*_general(encode), *_video_graph(encode, with_pictures=False)]
    for number, rung in enumerate(encode.order.ladder.rungs):
        command += _video_output(encode, number)
        command += video_options(
            rung,
            encode.span,
            threads=encode.threads,
            pass_number=1,
        )
        # What is encoded is thrown away; the encoder writes down what it saw.
        command += ["-f", "null", "-"]
    return command + _head_output(encode)


def encode_command(encode: Encode, *, pass_number: int) -> list[str]:
    """
    Return the ffmpeg command that writes every file of a part.

    The command decodes once, scales from rung to rung and encodes each rendition once.

    Args:
        pass_number: 0 for a single pass; 2 for the second of two passes.
    """
    command, outputs = _general(encode), list[str]()
    if encode.part.has_pictures:
        command += _video_graph(encode, with_pictures=True)
        outputs += _rungs(encode, pass_number)
    for number, rendition in enumerate(encode.audio):
        command += ["-filter_complex", _audio_graph(encode, number, rendition)]
        outputs += ["-map", f"[{filters.audio_label(number)}]"]
        outputs += [*NO_NAMES, *audio_options(rendition)]
        outputs += _segments(rendition.name, encode.order.segment_s, 0)
    if encode.part.has_pictures:
        outputs += pictures.outputs(encode.order)
    return command + outputs


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
    command += ["-max_streams", str(MAX_OPENED_STREAMS)]
    # Subtitles and data are not even split from the file.
    command += ["-sn", "-dn"]
    # Browsers' recordings change their size. A new graph would begin at 0 again; the
    # scaler takes the change.
    command += ["-reinit_filter:v", "0"]
    command += decoded_as_stored(can_crop=encode.engine.can_crop)
    if encode.seeks_to_s:
        # From the key frame before it on, under the times that pictures have in
        # the whole file; what is too early is dropped by their number.
        command += ["-noaccurate_seek", "-ss", f"{encode.seeks_to_s:.6f}"]
        command += ["-copyts", "-start_at_zero"]
    else:
        # Nothing of what is behind the video's end is read.
        command += ["-t", f"{encode.order.source.duration_s + SLACK_S:.3f}"]
    command += encode.engine.decoding(FFMPEG)
    if encode.streams.lacks_tracks:
        # ffmpeg would let the earliest track of the file begin at 0, even one that
        # nobody can open.
        command += ["-copyts", "-itsoffset", f"{-encode.streams.start_s:.6f}"]
    return command + input_options(
        encode.source, encode.streams.container, ENCODE_DECODERS
    )


def _video_graph(encode: Encode, *, with_pictures: bool) -> list[str]:
    order, video = encode.order, encode.streams.video
    can_tone_map = encode.engine.can_tone_map
    rungs = order.ladder.rungs
    graph = filters.video_graph(
        video,
        rungs,
        span=encode.span,
        is_sought=encode.seeks_to_s > 0,
        steps_s=encode.streams.steps_s.get(video.index, ()),
        can_tone_map=can_tone_map,
        with_head=encode.has_head,
        with_poster=with_pictures,
        with_stills=with_pictures and order.still_interval_s > 0,
    )
    if with_pictures:
        is_hdr = can_tone_map and filters.is_hdr_output(video, rungs)
        chains = pictures.chains(order, encode.span, tone_map=is_hdr)
        graph = ";".join([graph, *chains])
    return ["-filter_complex", graph]


def _audio_graph(encode: Encode, number: int, rendition: AudioRendition) -> str:
    # A graph of its own: in one graph with the pictures, these would pile up
    # in memory until the first sound comes, which may be the file's end.
    return filters.audio_graph(
        number,
        rendition,
        own_mix=encode.streams.own_mixes.get(rendition.stream_index, ""),
        duration_s=encode.order.source.duration_s,
        priming_samples=encode.engine.priming_samples[rendition.codec],
        steps_s=encode.streams.steps_s.get(rendition.stream_index, ()),
    )


def _rungs(encode: Encode, pass_number: int) -> list[str]:
    span, options = encode.span, list[str]()
    for number, rung in enumerate(encode.order.ladder.rungs):
        options += _video_output(encode, number)
        options += video_options(
            rung, span, threads=encode.threads, pass_number=pass_number
        )
        folder = f"video/{rung.key}"
        options += _segments(folder, span.cut_after_s, span.first_segment)
    return options + _head_output(encode)


def _head_output(encode: Encode) -> list[str]:
    if not encode.has_head:
        return []
    # A list of one frame: its number within the part should be 0.
    options = ["-map", f"[{filters.HEAD}]", "-fps_mode", "passthrough"]
    return [*options, "-frames:v", "1", "-f", "framecrc", f"file:{HEAD_FILE}"]


def _video_output(encode: Encode, number: int) -> list[str]:
    options = ["-map", f"[{filters.video_label(number)}]", *NO_NAMES]
    # The graph has made the rate constant; ffmpeg adds and drops nothing.
    options += ["-fps_mode", "passthrough"]
    return [*options, "-frames:v", str(encode.span.max_frames)]


def _segments(folder: str, segment_s: float, first_number: int) -> list[str]:
    return [
        "-f",
        "hls",
        "-hls_time",
        f"{segment_s:.6f}",
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
        str(first_number),
        "-hls_fmp4_init_filename",
        INIT_FILE,
        "-hls_segment_filename",
        f"{folder}/%d.m4s",
        f"{folder}/{PLAYLIST_FILE}",
    ]
