"""Build the ffmpeg filter graphs that turn a decoded source into the pictures and sound of renditions."""

from collections.abc import Sequence
from typing import Final

from hvcore.plugin_api import AudioCodec, AudioRendition, FrameSpan, Rung
from hvcore_transcoder_ffmpeg.encode.spans import Span
from hvcore_transcoder_ffmpeg.engine.engine import PIXEL_FORMATS
from hvcore_transcoder_ffmpeg.probe.joins import shifting
from hvcore_transcoder_ffmpeg.probe.source import VideoStream

SAMPLE_RATE_HZ: Final = 48000
"""The sample rate of all audio renditions: the only one that every codec takes."""

_MP3_FRAME_SAMPLES: Final = 1152

POSTER: Final = "poster"
STILLS: Final = "stills"
"""Outputs of the graph; their chains begin at POSTER_PAD and STILLS_PAD."""
HEAD: Final = "head"
POSTER_PAD: Final = "p"
STILLS_PAD: Final = "s"

_HD_HEIGHT_PX: Final = 720
_8_BITS: Final = 8
_LAYOUTS: Final = {1: "mono", 2: "stereo", 6: "5.1"}
_IN_STEP: Final = "async=480:min_comp=0.005:min_hard_comp=0.018:flags=res"
"""How sound is kept in step with the picture, by its times.

What is lost is silence and what is too much is cut, from 18 ms on: viewers notice 40
(EBU R37). Below that, which clocks that drift come to, it is played up to 1 % faster or
slower (480 of 48,000 samples), which nobody hears; holes would click. Browsers' times
are off by 2 ms, which is left alone. flags: with the resampler at work from the
beginning; ffmpeg 5 loses 0.2 s where it begins in the middle.
"""

_LOSS_S: Final = 0.06
_STEADY: Final = (
    "asetpts='if(N,st(2,PREV_OUTPTS+ld(1));st(3,PTS-ld(2));st(1,NB_SAMPLES);"
    f"ld(2)+ld(3)*if(gt(abs(ld(3))*TB,{_LOSS_S}),1,0.1),st(1,NB_SAMPLES);PTS)'"
)
"""Times without the jitter of recorders that note when they got a packet.

Each is where the packet before it ended, and a tenth of what the file says is away from
that; all of it where that is more than a packet may be late. Corrected one by one, times
that jitter by 20 ms gave seven clicks a second.
"""

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

_MATRIX_CODES: Final = {
    "bt709": 1,
    "fcc": 4,
    "bt601": 5,
    "smpte170m": 6,
    "smpte240m": 7,
    "bt2020": 9,
}
"""Numbers that zscale takes for the matrices (ITU-T H.273)."""
_PRIMARIES: Final = frozenset(
    {
        *("bt470m", "bt470bg", "smpte170m", "smpte240m", "film", "bt2020"),
        *("smpte431", "smpte432", "jedec-p22", "ebu3213"),
    }
)
"""Other ones than bt709's, of which zscale knows how to make these."""
_YCGCO: Final = "ycgco"
_SRGB: Final = "iec61966-2-1"

_BT709: Final = (
    "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709"
)

_NOT_OF_HDR: Final = {"A53_CC": 1, "DYNAMIC_HDR_PLUS": 17, "DOVI_RPU": 23, "DOVI": 24}
"""Side data that does not describe an HDR output, by ffmpeg's numbers (libavutil/frame.h):
old versions know the data, and not its name as an option. Mastering display and light
level stay: they describe the output as they did the source."""

JPEG: Final = "in_color_matrix=bt709:out_color_matrix=bt601:out_range=pc"
"""JPEG uses the full range and, by JFIF, the matrix of bt601."""


def video_label(number: int) -> str:
    """Return the name that a filter graph gives to the output for a rung."""
    return f"v{number}"


def audio_label(number: int) -> str:
    """Return the name that a filter graph gives to the output for an audio rendition."""
    return f"a{number}"


def video_graph(  # noqa: PLR0913 - each says one thing
    video: VideoStream,
    rungs: tuple[Rung, ...],
    *,
    span: Span,
    is_sought: bool,
    steps_s: Sequence[float],
    can_tone_map: bool,
    with_head: bool,
    with_poster: bool,
    with_stills: bool,
) -> str:
    """
    Return the filter graph that turns the decoded pictures into every rung.

    Each rung is scaled from the next larger one, which costs less than
    scaling all from the source and looks the same (VMAF within 0.2).

    Args:
        rungs: The rungs from the smallest to the largest, all of one frame rate and
            pixel format.
        span: The frames to make; their times begin at 0, wherever they are in the video.
        is_sought: Whether the decoder begins shortly before the frames, instead of at
            the file's beginning.
        steps_s: How much later each further recording in the file is shown.
        can_tone_map: Whether this machine's ffmpeg can turn HDR into SDR.
        with_head: Whether the smallest rung's pictures go to HEAD, too.
        with_poster: Whether the largest rung's pictures go to POSTER_PAD, too.
        with_stills: Whether the smallest rung's pictures go to STILLS_PAD, too.
    """
    top = len(rungs) - 1
    keeps_hdr = is_hdr_output(video, rungs)
    chain = _scalable(video, can_convert=can_tone_map)
    chain += [f"setpts={shifting(steps_s)}"] if steps_s else []
    chain += _even_time(video, span, is_sought=is_sought)
    chain += _picture(video, rungs[top], keeps_hdr=keeps_hdr, can_tone_map=can_tone_map)
    # Behind tone mapping, which looks for the light of the source's screen there.
    chain += _side_data_removal(keeps_hdr=keeps_hdr)
    graph = []
    source = f"0:{video.index}"
    for number in range(top, -1, -1):
        if number < top:
            chain = [_scale(rungs[number]), "setsar=1"]
        outputs = [video_label(number)]
        outputs += [f"c{number}"] if number else []
        outputs += [POSTER_PAD] if number == top and with_poster else []
        outputs += [STILLS_PAD] if number == 0 and with_stills else []
        outputs += [HEAD] if number == 0 and with_head else []
        split = [f"split={len(outputs)}"] if len(outputs) > 1 else []
        labels = "".join(f"[{label}]" for label in outputs)
        graph.append(f"[{source}]{','.join(chain + split)}{labels}")
        source = f"c{number}"
    return ";".join(graph)


def is_hdr_output(video: VideoStream, rungs: tuple[Rung, ...]) -> bool:
    """Return whether the rungs are HDR: the source is HDR, and the rungs have more than 8 bits."""
    return video.colour.is_hdr and rungs[-1].pixel_format.bit_depth > _8_BITS


def still_graph(video: VideoStream, *, at_s: float, can_tone_map: bool) -> str:
    """
    Return the filter graph for a JPEG of the first frame at or after a moment of a rung.

    Args:
        video: A rung that this transcoder made: upright, with square pixels, bt709
            unless it is HDR.
        at_s: The moment in seconds after the first frame, whatever time that frame has.
        can_tone_map: Whether ffmpeg has the filters that turn HDR into standard dynamic
            range.
    """
    chain = ["setpts=PTS-STARTPTS", f"select='gte(t,{at_s:.6f})'"]
    if video.colour.is_hdr and can_tone_map:
        chain += tone_map()
    chain += [f"scale={JPEG}", "format=yuv420p"]
    return f"[0:{video.index}]{','.join(chain)}[{POSTER}]"


def frames_graph(video: VideoStream, span: FrameSpan, *, can_tone_map: bool) -> str:
    """
    Return the filter graph for JPEGs of the evenly spaced frames of a span of a rung.

    Args:
        video: A rung that this transcoder made: upright, with square pixels, bt709
            unless it is HDR.
        span: The frames; the seconds count from the first frame, whatever time it has.
        can_tone_map: Whether ffmpeg has the filters that turn HDR into standard dynamic
            range.
    """
    first = int(span.start_s * span.frames_per_s)
    chain = ["setpts=PTS-STARTPTS"]
    # Before the cut: a slide of ten seconds is one frame of the rung.
    chain.append(f"fps={span.frames_per_s}")
    chain.append(f"trim=start_frame={first}:end_frame={first + span.count}")
    # Else ffmpeg repeats the first frame until its time has come.
    chain.append("setpts=PTS-STARTPTS")
    # After the cut, and before tone mapping, which costs more than all else.
    chain.append(f"scale={span.width_px}:{span.height_px}")
    if video.colour.is_hdr and can_tone_map:
        chain += tone_map()
    chain.append(f"scale={JPEG}")
    chain.append("format=yuv420p")
    return f"[0:{video.index}]{','.join(chain)}[{POSTER}]"


def audio_graph(  # noqa: PLR0913 - each says one thing
    number: int,
    rendition: AudioRendition,
    *,
    own_mix: str,
    duration_s: float,
    priming_samples: int,
    steps_s: Sequence[float],
) -> str:
    """
    Return the filter graph that makes one audio rendition.

    Args:
        number: The index of the rendition among the outputs of the graph.
        own_mix: Filters that mix the track's channels before all other filters; "" if
            ffmpeg mixes them.
        duration_s: The length of the video, to which sound is cut or filled up with
            silence.
        priming_samples: The samples that the encoder puts in front. As many are cut from
            the beginning: then decode times begin at 0, no edit list is needed, and
            picture and sound are in step in every player.
        steps_s: How much later each further recording in the file is heard.
    """
    chain = [f"asetpts={shifting(steps_s)}"] if steps_s else []
    chain += [own_mix, _STEADY] if own_mix else [_STEADY]
    # first_pts: silence until it begins, also where the first packets are damaged
    # or some decoder makes nothing of them.
    # rematrix_maxval: what several loudspeakers play at once is not clipped in
    # two; swresample sees to that only where samples are whole numbers.
    chain.append(f"aresample={SAMPLE_RATE_HZ}:{_IN_STEP}:first_pts=0:rematrix_maxval=1")
    layout = _LAYOUTS[rendition.channels]
    chain.append(f"aformat=sample_rates={SAMPLE_RATE_HZ}:channel_layouts={layout}")
    end_samples = round(duration_s * SAMPLE_RATE_HZ)
    if rendition.codec is AudioCodec.MP3:
        end_samples -= _last_frame_excess(end_samples, priming_samples)
    # A video of one frame may be shorter than what is cut from the beginning.
    end_samples = max(end_samples, priming_samples + 1)
    # Both end with the video: a track that is shorter makes some players wait.
    chain.append(f"apad=whole_len={end_samples}")
    chain.append(f"atrim=start_pts={priming_samples}:end_pts={end_samples}")
    return f"[0:{rendition.stream_index}]{','.join(chain)}[{audio_label(number)}]"


def _last_frame_excess(samples: int, priming_samples: int) -> int:
    """
    Return the number of samples to cut at the end, so that LAME adds no further frame.

    ffmpeg would give that further MP3 frame a time before the end of the preceding frame.
    """
    in_last_frame = (samples - 1) % _MP3_FRAME_SAMPLES + 1
    return max(0, in_last_frame - priming_samples) if priming_samples else 0


def _even_time(video: VideoStream, span: Span, *, is_sought: bool) -> list[str]:
    filters = []
    geometry = video.geometry
    if video.may_have_fields or geometry.filters():
        # These filters must not see a picture of another size; the scaler passes
        # all others on as they are.
        size = f"{geometry.decoded_width_px}:{geometry.decoded_height_px}"
        filters.append(f"scale={size}")
    if video.may_have_fields:
        # One frame for two fields, and only of frames that say they are fields: that
        # may begin anywhere in a film. Of others it passes on what it gets. Before
        # the picture is turned, when fields are still rows.
        filters.append("bwdif=mode=send_frame:deint=interlaced")
    rate = f"{span.frame_rate.numerator}/{span.frame_rate.denominator}"
    # start_time: a video that begins after its sound shows its first picture
    # until then, so that both begin at 0.
    # pass: a last picture that lasts less than half a frame is shown, too; and a
    # frame too many, which is cut, comes of times that are rounded.
    even = f"fps={rate}:eof_action=pass"
    filters.append(even if is_sought else f"{even}:start_time=0")
    # In units of a frame, counted over the whole video.
    first, end = span.first_frame, span.last_frame + 1
    filters.append(f"trim=start_pts={first}:end_pts={end}")
    if not span.is_whole:
        filters.append(f"setpts=PTS-{first}")
    return filters + geometry.filters()


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
        return chain if keeps_hdr else [*chain, *tone_map(), f"format={wanted}"]
    if (
        video.colour.primaries in _PRIMARIES
        and can_tone_map
        and not video.colour.is_hdr
    ):
        return _converted(video, top, wanted)
    colours = ""
    if not (video.colour.is_usual and _matrix(video) == "bt709"):
        # out_range: full-range numbers of phones and cameras become the usual ones.
        colours = f"in_color_matrix={_matrix(video)}:out_color_matrix=bt709"
        colours += ":out_range=tv"
    # Where neither size nor colours change, it passes pictures on uncopied, as long
    # as it was told nothing of colours: 3 % of an encode.
    return [_scale(top, colours), f"format={wanted}", "setsar=1", _BT709]


def _side_data_removal(*, keeps_hdr: bool) -> list[str]:
    """
    Return the filters that remove side data of the source from all renditions.

    Encoders write all side data that they find: captions at the frame rate of the source,
    and the properties of a screen whose colours the pictures no longer have.
    """
    if not keeps_hdr:
        return ["sidedata=mode=delete"]
    return [f"sidedata=mode=delete:type={n}" for n in _NOT_OF_HDR.values()]


def _scalable(video: VideoStream, *, can_convert: bool) -> list[str]:
    """
    Return the filters that convert pictures with a colour matrix unknown to the scaler.

    New versions of the scaler refuse such pictures; old versions assume another matrix.
    """
    if video.colour.matrix in {"", "gbr", *_MATRICES}:
        return []
    if video.colour.matrix == _YCGCO and can_convert:
        return [f"zscale=matrixin={_YCGCO}:matrix=bt709:range=limited"]
    return ["setparams=colorspace=unknown"]


def _converted(video: VideoStream, top: Rung, wanted: str) -> list[str]:
    """
    Return the filters that convert SDR pictures with other primaries to those of bt709.

    The filters take a tenth of the time of an encode. Without them, the colours of a
    phone would be pale, and pure red of bt2020 would be orange.
    """
    matrix = _matrix(video)
    range_and_matrix = (
        f"in_color_matrix={matrix}:out_color_matrix={matrix}:out_range=tv"
    )
    # The curve stays as it is, and so does its name: screens show both alike.
    transfer = _SRGB if video.colour.transfer == _SRGB else "bt709"
    converted = (
        f"zscale=matrixin={_MATRIX_CODES[matrix]}:matrix=bt709:"
        f"primariesin={video.colour.primaries}:primaries=bt709:"
        f"transferin={transfer}:transfer={transfer}:rangein=limited:range=limited"
    )
    ends = [f"format={wanted}", "setsar=1", _BT709]
    return [_scale(top, range_and_matrix), f"format={wanted}", converted, *ends]


def tone_map() -> list[str]:
    """Return the filters that convert HDR pictures to SDR."""
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
    if video.colour.matrix == _YCGCO:
        # Converted in front of everything else.
        return "bt709"
    # Unsaid, it is the one of the television of that size; scale would take
    # bt601 for all.
    geometry = video.geometry
    edge_px = min(geometry.decoded_width_px, geometry.decoded_height_px)
    is_hd = edge_px >= _HD_HEIGHT_PX
    return "bt709" if is_hd else "bt601"
