"""
Turn one decoded source into the pictures and the sound of every rendition.
"""

from fractions import Fraction
from typing import Final

from hv_transcoder_ffmpeg.engine import PIXEL_FORMATS
from hv_transcoder_ffmpeg.source import VideoStream
from hvcore.plugin_api import AudioRendition, AudioTrackInfo, Rung

SAMPLE_RATE_HZ: Final = 48000
"""The one rate that every codec of the interface takes."""

POSTER: Final = "poster"
_MAX_POSTER_PX: Final = 1920
_MAX_POSTER_AT_S: Final = 10.0
_POSTER_AT: Final = 0.1
"""A tenth into the video the opening black is over."""

_HD_HEIGHT_PX: Final = 720
_8_BITS: Final = 8
_LAYOUTS: Final = {1: "mono", 2: "stereo", 6: "5.1"}
_MAX_KNOWN_CHANNELS: Final = 8
"""With more, ffmpeg knows no loudspeakers to mix from."""

_MATRICES: Final = {
    "bt709": "bt709",
    "smpte170m": "smpte170m",
    "bt470bg": "bt601",
    "fcc": "fcc",
    "smpte240m": "smpte240m",
    "bt2020nc": "bt2020",
    "bt2020c": "bt2020",
}
"""By ffprobe's name, the name that the scale filter takes."""

_BT709: Final = (
    "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709"
)

_JPEG: Final = "in_color_matrix=bt709:out_color_matrix=bt601:out_range=pc"
"""JPEG uses the full range and, by JFIF, the matrix of bt601."""


def video_label(number: int) -> str:
    """
    Return the graph's output of a rung.
    """
    return f"v{number}"


def audio_label(number: int) -> str:
    """
    Return the graph's output of an audio rendition.
    """
    return f"a{number}"


def video_graph(
    video: VideoStream,
    rungs: tuple[Rung, ...],
    *,
    duration_s: float,
    can_tone_map: bool,
    with_poster: bool,
) -> str:
    """
    Return the graph that decodes into every rung, and a poster.

    Each rung is scaled from the next larger one, which costs less than
    scaling all from the source and looks the same (VMAF within 0.2).

    Args:
        rungs: From the smallest to the largest, all of one rate and format.
        duration_s: Of the video; the poster is taken early in it.
    """
    top = len(rungs) - 1
    keeps_hdr = video.colour.is_hdr and rungs[top].pixel_format.bit_depth > _8_BITS
    chain = [*_even_time(video, rungs[top].frame_rate)]
    chain += _picture(video, rungs[top], keeps_hdr=keeps_hdr, can_tone_map=can_tone_map)
    graph = []
    source = f"0:{video.index}"
    for number in range(top, -1, -1):
        if number < top:
            chain = [_scale(rungs[number]), "setsar=1"]
        outputs = [video_label(number)]
        outputs += [f"c{number}"] if number else []
        outputs += ["p"] if number == top and with_poster else []
        split = [f"split={len(outputs)}"] if len(outputs) > 1 else []
        labels = "".join(f"[{label}]" for label in outputs)
        graph.append(f"[{source}]{','.join(chain + split)}{labels}")
        source = f"c{number}"
    if with_poster:
        tone = _tone_map() if keeps_hdr and can_tone_map else []
        graph.append(_poster(rungs[top], duration_s, tone))
    return ";".join(graph)


def still_graph(video: VideoStream, *, at_s: float, can_tone_map: bool) -> str:
    """
    Return the graph that gives the first frame at or after a moment.

    Args:
        video: A rung that was made here: upright, of square pixels, bt709
            unless it is HDR.
        at_s: From the first frame, whatever time that one has.
    """
    chain = ["setpts=PTS-STARTPTS", f"select='gte(t,{at_s:.6f})'"]
    if video.colour.is_hdr and can_tone_map:
        chain += _tone_map()
    chain += [f"scale={_JPEG}", "format=yuv420p"]
    return f"[0:{video.index}]{','.join(chain)}[{POSTER}]"


def audio_graph(  # noqa: PLR0913 - each says one thing
    number: int,
    rendition: AudioRendition,
    track: AudioTrackInfo,
    *,
    duration_s: float,
    delay_s: float,
    priming_samples: int,
) -> str:
    """
    Return the graph of one audio rendition.

    Args:
        duration_s: Of the video; silence is added or sound is cut to it.
        priming_samples: What the encoder puts in front. As many are cut from
            the beginning: then decode times begin at 0, no edit list is
            needed, and picture and sound are in step in every player.
        delay_s: How much later than the file the track begins.
    """
    chain = []
    if track.channels > _MAX_KNOWN_CHANNELS:
        chain.append("pan=stereo|c0=c0|c1=c1")
    # async: sound that stops and goes on stays in step with the picture.
    resample = f"aresample={SAMPLE_RATE_HZ}:async=1"
    if delay_s * SAMPLE_RATE_HZ > priming_samples:
        # Silence until it begins. Not always, because ffmpeg would add it once
        # more in the middle where the sound changes its format.
        resample += ":first_pts=0"
    chain.append(resample)
    layout = _LAYOUTS[rendition.channels]
    chain.append(f"aformat=sample_rates={SAMPLE_RATE_HZ}:channel_layouts={layout}")
    # Both end with the video: a track that is shorter makes some players wait.
    chain.append(f"apad=whole_dur={duration_s:.6f}")
    chain.append(f"atrim=start_pts={priming_samples}:end={duration_s:.6f}")
    return f"[0:{rendition.stream_index}]{','.join(chain)}[{audio_label(number)}]"


def _even_time(video: VideoStream, rate: Fraction) -> list[str]:
    filters = []
    if video.is_interlaced:
        # This filter must not see a picture of another size; the scaler passes
        # all others on as they are.
        filters.append(f"scale={video.coded_width_px}:{video.coded_height_px}")
        # One frame for two fields, and only of frames that say they are fields.
        filters.append("bwdif=mode=send_frame:deint=interlaced")
    # start_time: a video that begins after its sound shows its first picture
    # until then, so that both begin at 0.
    filters.append(f"fps={rate.numerator}/{rate.denominator}:start_time=0")
    return filters


def _picture(
    video: VideoStream, top: Rung, *, keeps_hdr: bool, can_tone_map: bool
) -> list[str]:
    wanted = PIXEL_FORMATS[top.pixel_format]
    if video.colour.is_hdr and (keeps_hdr or can_tone_map):
        trc = video.colour.transfer
        hdr = (
            "setparams=range=tv:colorspace=bt2020nc:color_primaries=bt2020:"
            f"color_trc={trc}"
        )
        scaled = _scale(top, "in_color_matrix=bt2020:out_color_matrix=bt2020")
        deep = wanted if keeps_hdr else "yuv420p10le"
        chain = [scaled, f"format={deep}", "setsar=1", hdr]
        return chain if keeps_hdr else [*chain, *_tone_map(), f"format={wanted}"]
    matrix = f"in_color_matrix={_matrix(video)}:out_color_matrix=bt709"
    # out_range: full-range numbers of phones and cameras become the usual ones.
    scaled = _scale(top, f"{matrix}:out_range=tv")
    return [scaled, f"format={wanted}", "setsar=1", _BT709]


def _tone_map() -> list[str]:
    return [
        # Light itself, where white of a normal screen is 100 cd/m2.
        "zscale=transfer=linear:npl=100",
        "format=gbrpf32le",
        "zscale=primaries=bt709",
        # hable keeps detail in the highlights; desat=0 keeps their colour.
        "tonemap=hable:desat=0",
        "zscale=transfer=bt709:matrix=bt709:range=limited",
        "format=yuv420p",
        _BT709,
    ]


def _scale(rung: Rung, more: str = "") -> str:
    # bicubic: fast_bilinear costs 25 points of VMAF at 480p.
    scale = f"scale={rung.width_px}:{rung.height_px}:flags=bicubic"
    return f"{scale}:{more}" if more else scale


def _matrix(video: VideoStream) -> str:
    known = _MATRICES.get(video.colour.matrix)
    if known:
        return known
    # Unsaid, it is the one of the television of that size; scale would take
    # bt601 for all.
    is_hd = min(video.coded_width_px, video.coded_height_px) >= _HD_HEIGHT_PX
    return "bt709" if is_hd else "bt601"


def _poster(top: Rung, duration_s: float, tone: list[str]) -> str:
    at_s = min(_MAX_POSTER_AT_S, duration_s * _POSTER_AT)
    shrink = min(
        Fraction(1), Fraction(_MAX_POSTER_PX, max(top.width_px, top.height_px))
    )
    width, height = round(top.width_px * shrink), round(top.height_px * shrink)
    chain = [
        # The first picture, overwritten by a later one if the video gets there.
        f"select='eq(n,0)+gte(t,{at_s:.3f})*lt(prev_selected_t,{at_s:.3f})'",
        *tone,
        f"scale={width}:{height}:flags=bicubic:{_JPEG}",
        "format=yuv420p",
    ]
    return f"[p]{','.join(chain)}[{POSTER}]"
