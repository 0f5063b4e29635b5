"""
Sources whose pictures are strange: turned, oblong, tiny, deep, interlaced.
"""

import struct
from fractions import Fraction
from pathlib import Path
from typing import Final

from tests.plugins.transcoder_ffmpeg.clips import ffmpeg
from tests.plugins.transcoder_ffmpeg.strange.sources import (
    X264,
    Make,
    Ready,
    Refused,
    Strange,
    box_at,
    changed,
    element,
    made,
    picture,
    with_elements,
    with_more,
)

_RED: Final = (255, 0, 0)
_GREEN: Final = (0, 255, 0)
_BLUE: Final = (0, 0, 255)
_WHITE: Final = (255, 255, 255)
_QUARTERS: Final = (
    "color=red:size=160x90:rate=25:duration=0.4,"
    "drawbox=x=80:w=80:h=45:color=lime:t=fill,"
    "drawbox=y=45:w=80:h=45:color=blue:t=fill,"
    "drawbox=x=80:y=45:w=80:h=45:color=white:t=fill"
)
"""Red and green above, blue and white below."""

_FFV1: Final = ("-c:v", "ffv1", "-level", "3")
_SHORT: Final = 0.4


def _matrix(*rows: int, shape: str = "1") -> Make:
    plain = made("-f", "lavfi", "-i", f"{_QUARTERS},setsar={shape}", *X264)

    def turn(data: bytearray) -> None:
        at = data.index(b"tkhd") + 4 + 40
        a, b, c, d = (value * 65536 & 0xFFFFFFFF for value in rows)
        whole = (a, b, 0, c, d, 0, 0, 0, 1 << 30)
        data[at : at + 36] = b"".join(n.to_bytes(4, "big") for n in whole)

    return changed(plain, turn)


def _clap(data: bytearray) -> bytearray:
    """
    Say of 160x90 pixels that 160x68 are shown, which begin at row 10.
    """
    kinds = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"avc1")
    _, end = box_at(data, b"avc1", data.index(b"moov"))
    numbers = (160, 1, 68, 1, 0, 1, -1 & 0xFFFFFFFF, 1)
    content = b"clap" + b"".join(n.to_bytes(4, "big") for n in numbers)
    return with_more(data, kinds, end, end, content)


def _copied(make: Make, *options: str) -> Make:
    def run(path: Path) -> None:
        first = path.with_name(f"first-{path.name}")
        make(first)
        ffmpeg("-i", first, "-c", "copy", *options, path)

    return run


def _deep(pixels: str, *codec: str) -> Make:
    codec = codec or _FFV1
    return made(*picture(seconds=_SHORT), "-pix_fmt", pixels, *codec)


def _tagged(primaries: str, transfer: str, matrix: str, *options: str) -> Make:
    tags = ["-color_primaries", primaries, "-color_trc", transfer]
    tags += ["-colorspace", matrix, *(options or ("-pix_fmt", "yuv420p10le"))]
    return made(*picture(seconds=_SHORT), *X264, *tags)


def _red(primaries: str, transfer: str, matrix: str) -> Make:
    """
    Return what makes the red of bt709 in the numbers of other primaries.
    """
    chain = "format=gbrp,setparams=colorspace=gbr:color_primaries=bt709:range=pc"
    chain += f":color_trc={transfer},zscale=primaries={primaries}:matrix={matrix}"
    chain += f":transfer={transfer}:range=limited,format=yuv444p10le"
    names = {"2020_ncl": "bt2020nc", "709": "bt709"}
    tags = ["-color_primaries", primaries, "-color_trc", transfer]
    tags += ["-colorspace", names[matrix], "-pix_fmt", "yuv420p"]
    red = f"color=red:size=160x90:rate=25:duration={_SHORT}"
    return made("-f", "lavfi", "-i", red, "-vf", chain, *X264, "-crf", "5", *tags)


def _fields(scan: str, *options: str) -> Make:
    chain = f"interlace=scan={scan}"
    flags = ["-flags", "+ilme+ildct", *options]
    return made(*picture("160x96", "50", 1, chain), *X264, *flags)


def _quarters(chain: str, *options: str) -> Make:
    return made("-f", "lavfi", "-i", f"{_QUARTERS},{chain}", *options)


def _changing(*pieces: list[str]) -> Make:
    def make(path: Path) -> None:
        parts = []
        for number, piece in enumerate(pieces):
            part = path.with_name(f"{path.stem}-{number}{path.suffix}")
            ffmpeg(*piece, part)
            parts.append(part)
        listing = path.with_name(f"{path.stem}.txt")
        listing.write_text("".join(f"file '{part}'\n" for part in parts))
        ffmpeg("-f", "concat", "-safe", "0", "-i", listing, "-c", "copy", path)

    return make


def _oversized(data: bytearray) -> None:
    at = data.index(b"strf") + 12
    data[at : at + 8] = (8000).to_bytes(4, "little") + (5000).to_bytes(4, "little")


_IN_BAND: Final = (*X264, "-x264-params", "repeat-headers=1")
_RAW: Final = ("-c:v", "rawvideo")
_VP8: Final = ("-c:v", "libvpx", "-b:v", "200k", "-deadline", "realtime")
_VP9: Final = ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8")
_SMALL: Final = Ready(duration_s=_SHORT)

_BARS: Final = "scale=160:68:flags=neighbor,setsar=1,pad=160:90:0:10"
"""A film of another shape, between black bars of 10 and 12 rows."""


def _crop(width_px: int, height_px: int) -> bytes:
    """
    Return the elements that crop the bars of a Matroska file and show it in a size.
    """
    sizes = ((0x54BB, 10), (0x54AA, 12), (0x54B0, width_px), (0x54BA, height_px))
    return b"".join(element(kind, bytes([px])) for kind, px in sizes)


_CROP: Final = _crop(160, 68)
_ROLLED: Final = element(0x7670, element(0x7675, struct.pack(">f", -90)))
_METADATA: Final = "h264_metadata=display_orientation=insert"

CROPS: Final = (
    Strange(
        name="cropped.mkv",
        make=with_elements(_quarters(_BARS, *X264), _CROP),
        expected=Ready(size_px=(160, 68), duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="cropped-and-shown-as-before.mkv",
        make=with_elements(_quarters(_BARS, *X264), _crop(160, 90)),
        expected=Ready(size_px=(160, 68), duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="cropped-and-rolled.mkv",
        make=with_elements(_quarters(_BARS, *X264), _CROP + _ROLLED),
        expected=Ready(size_px=(68, 160), duration_s=_SHORT, corner=_BLUE),
    ),
    Strange(
        name="cropped.mp4",
        make=changed(_quarters(_BARS, *X264), _clap),
        expected=Ready(size_px=(160, 68), duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="cropped-by-the-stream.mp4",
        make=_copied(
            _quarters("pad=168:90:8:0", *X264), "-bsf:v", "h264_metadata=crop_left=8"
        ),
        expected=Ready(duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="turned-by-the-stream.mp4",
        make=_copied(_quarters("null", *X264), "-bsf:v", f"{_METADATA}:rotate=270"),
        expected=Ready(size_px=(90, 160), duration_s=_SHORT, corner=_BLUE),
    ),
    Strange(
        name="mirrored-by-the-stream.mkv",
        make=_copied(
            _quarters("null", *X264), "-bsf:v", f"{_METADATA}:flip=horizontal"
        ),
        expected=Ready(duration_s=_SHORT, corner=_GREEN),
    ),
)

SHAPES: Final = (
    Strange(
        name="turned-90.mp4",
        make=_matrix(0, 1, -1, 0),
        expected=Ready(size_px=(90, 160), duration_s=_SHORT, corner=_BLUE),
    ),
    Strange(
        name="turned-180.mp4",
        make=_matrix(-1, 0, 0, -1),
        expected=Ready(duration_s=_SHORT, corner=_WHITE),
    ),
    Strange(
        name="turned-270.mp4",
        make=_matrix(0, -1, 1, 0),
        expected=Ready(size_px=(90, 160), duration_s=_SHORT, corner=_GREEN),
    ),
    Strange(
        name="mirrored.mp4",
        make=_matrix(-1, 0, 0, 1),
        expected=Ready(duration_s=_SHORT, corner=_GREEN),
    ),
    Strange(
        name="upside-down.mp4",
        make=_matrix(1, 0, 0, -1),
        expected=Ready(duration_s=_SHORT, corner=_BLUE),
    ),
    Strange(
        name="turned-and-mirrored.mp4",
        make=_matrix(0, 1, 1, 0),
        expected=Ready(size_px=(90, 160), duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="turned-and-oblong.mp4",
        make=_matrix(0, 1, -1, 0, shape="2"),
        expected=Ready(size_px=(90, 320), duration_s=_SHORT, corner=_BLUE),
    ),
    Strange(
        name="matrix-of-zeros.mp4",
        make=_matrix(0, 0, 0, 0),
        expected=Ready(duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="oblong-wide.mp4",
        make=made(*picture("180x144", chain="setsar=64/45", seconds=_SHORT), *X264),
        expected=Ready(size_px=(256, 144), duration_s=_SHORT),
    ),
    Strange(
        name="oblong-narrow.mp4",
        make=made(*picture("160x90", chain="setsar=1/2", seconds=_SHORT), *X264),
        expected=Ready(size_px=(80, 90), duration_s=_SHORT),
    ),
    Strange(
        name="oblong-beyond-belief.mp4",
        make=made(*picture(chain="setsar=200/1", seconds=_SHORT), *X264),
        expected=_SMALL,
    ),
    Strange(
        name="odd.webm",
        make=made(*picture("161x91", seconds=_SHORT), *_VP8),
        expected=Ready(size_px=(160, 90), duration_s=_SHORT),
    ),
    Strange(
        name="one-pixel.mkv",
        make=made(
            *picture("160x90", chain="scale=1:1,setsar=1", seconds=_SHORT), *_FFV1
        ),
        expected=Ready(size_px=(2, 2), duration_s=_SHORT),
    ),
    Strange(
        name="four-pixels.mp4",
        make=made(
            *picture("160x90", chain="scale=2:2,setsar=1", seconds=_SHORT), *X264
        ),
        expected=Ready(size_px=(2, 2), duration_s=_SHORT),
    ),
    Strange(
        name="strip-tall.mp4",
        make=made(*picture(chain="scale=16:4096,setsar=1", seconds=_SHORT), *X264),
        expected=Ready(size_px=(16, 4096), duration_s=_SHORT),
    ),
    Strange(
        name="strip-wide.mp4",
        make=made(*picture(chain="scale=8192:64,setsar=1", seconds=_SHORT), *X264),
        expected=Ready(size_px=(8192, 64), duration_s=_SHORT),
    ),
    Strange(
        name="too-wide.mp4",
        make=made(*picture(chain="scale=8194:16,setsar=1", seconds=0.04), *X264),
        expected=Refused(reason="too large: at most 8192 pixels"),
    ),
    Strange(
        name="too-wide-when-square.mp4",
        make=made(*picture(chain="scale=4098:16,setsar=2", seconds=0.04), *X264),
        expected=Refused(reason="too large"),
    ),
    Strange(
        name="too-many-pixels.avi",
        make=changed(made(*picture(seconds=0.04), *_RAW), _oversized),
        expected=Refused(reason="too large"),
    ),
    Strange(
        name="portrait.mp4",
        make=made(*picture("90x160", seconds=_SHORT), *X264),
        expected=Ready(size_px=(90, 160), duration_s=_SHORT),
    ),
    Strange(
        name="square.mp4",
        make=made(*picture("120x120", seconds=_SHORT), *X264),
        expected=Ready(size_px=(120, 120), duration_s=_SHORT),
    ),
    Strange(
        name="fields-top-first.mp4",
        make=_fields("tff"),
        expected=Ready(size_px=(160, 96)),
    ),
    Strange(
        name="fields-bottom-first.mp4",
        make=_fields("bff", "-x264-params", "bff=1"),
        expected=Ready(size_px=(160, 96)),
    ),
    Strange(
        name="fields-turned.mkv",
        make=made(
            *picture("96x160", "50", 1, "interlace"),
            *["-c:v", "mpeg2video", "-flags", "+ilme+ildct"],
        ),
        expected=Ready(size_px=(96, 160)),
    ),
    Strange(
        name="telecine.mkv",
        make=made(
            *picture("160x96", "24000/1001", 1, "telecine=pattern=23"),
            *["-c:v", "mpeg2video", "-flags", "+ilme+ildct"],
        ),
        expected=Ready(
            size_px=(160, 96), frame_rate=Fraction(30000, 1001), within_s=0.08
        ),
    ),
    Strange(
        name="size-changes.webm",
        make=_changing(
            [*picture(seconds=_SHORT), *_VP8],
            [*picture("320x180", seconds=_SHORT), *_VP8],
        ),
        expected=Ready(duration_s=2 * _SHORT),
    ),
    Strange(
        name="shape-changes.mkv",
        make=_changing(
            [*picture(seconds=_SHORT), *_IN_BAND],
            [*picture("90x160", seconds=_SHORT), *_IN_BAND],
        ),
        expected=Ready(duration_s=2 * _SHORT),
    ),
    Strange(
        name="format-changes.mkv",
        make=_changing(
            [*picture(seconds=_SHORT), *_IN_BAND, "-pix_fmt", "yuv420p"],
            [*picture(seconds=_SHORT), *_IN_BAND, "-pix_fmt", "yuv444p10le"],
        ),
        expected=Ready(duration_s=2 * _SHORT),
    ),
    Strange(
        name="fields-begin-in-the-middle.mkv",
        make=_changing(
            [*picture("160x96", seconds=_SHORT), *_IN_BAND],
            [
                *picture("160x96", "50", _SHORT, "interlace"),
                *["-c:v", "libx264", "-preset", "ultrafast", "-flags", "+ilme+ildct"],
                *["-x264-params", "repeat-headers=1"],
            ],
        ),
        expected=Ready(size_px=(160, 96), duration_s=2 * _SHORT),
    ),
)

COLOURS: Final = (
    Strange(
        name="hdr10.mkv",
        make=made(
            *picture("160x96", seconds=_SHORT),
            *["-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le"],
            "-x265-params",
            "log-level=error:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:"
            "master-display=G(13250,34500)B(7500,3000)R(34000,16000)"
            "WP(15635,16450)L(10000000,1):max-cll=1000,400",
        ),
        expected=Ready(size_px=(160, 96), duration_s=_SHORT),
    ),
    Strange(
        name="hlg.mp4",
        make=_tagged("bt2020", "arib-std-b67", "bt2020nc"),
        expected=_SMALL,
    ),
    Strange(
        name="hdr-of-8-bits.mp4",
        make=_tagged("bt2020", "smpte2084", "bt2020nc", "-pix_fmt", "yuv420p"),
        expected=_SMALL,
    ),
    Strange(
        name="hdr-half-said.mp4",
        make=_tagged("unknown", "smpte2084", "unknown"),
        expected=_SMALL,
    ),
    Strange(
        name="hdr-rgb.mkv",
        make=_tagged("bt2020", "smpte2084", "rgb", "-pix_fmt", "gbrp10le", *_FFV1),
        expected=_SMALL,
    ),
    Strange(
        name="wide-colours-sdr.mp4",
        make=_tagged("bt2020", "bt2020-10", "bt2020nc"),
        expected=_SMALL,
    ),
    Strange(
        name="red-of-bt2020.mp4",
        make=_red("bt2020", "bt709", "2020_ncl"),
        expected=Ready(duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="red-of-a-phone.mov",
        make=_red("smpte432", "iec61966-2-1", "709"),
        expected=Ready(duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="ycgco.mp4",
        make=_quarters(
            "format=gbrp,zscale=matrix=ycgco:range=limited,format=yuv444p",
            *[*X264, "-colorspace", "ycgco"],
        ),
        expected=Ready(duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="h264-rgb.mkv",
        make=_quarters("null", "-c:v", "libx264rgb", "-preset", "ultrafast"),
        expected=Ready(duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="10-bit-422.mp4",
        make=_deep("yuv422p10le", *X264),
        expected=_SMALL,
    ),
    Strange(
        name="10-bit-444.mp4",
        make=_deep("yuv444p10le", *X264),
        expected=_SMALL,
    ),
    Strange(name="16-bit-444.mkv", make=_deep("yuv444p16le"), expected=_SMALL),
    Strange(name="gray.mp4", make=_deep("gray", *X264), expected=_SMALL),
    Strange(name="gray-16.mkv", make=_deep("gray16le"), expected=_SMALL),
    Strange(
        name="gbrp-14.mkv",
        make=_quarters("format=gbrp14le", *_FFV1),
        expected=Ready(duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="full-range.avi",
        make=_quarters("scale=out_range=pc,format=yuvj422p", "-c:v", "mjpeg"),
        expected=Ready(duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="full-range-said-limited.mp4",
        make=_deep("yuvj420p", *X264, "-color_range", "tv"),
        expected=_SMALL,
    ),
    Strange(
        name="palette.avi",
        make=_quarters("format=pal8", *_RAW),
        expected=Ready(duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="rgb.avi",
        make=_quarters("format=bgr24", *_RAW),
        expected=Ready(duration_s=_SHORT, corner=_RED),
    ),
    Strange(
        name="alpha.webm",
        make=_deep("yuva420p", *_VP9),
        expected=_SMALL,
    ),
    Strange(
        name="alpha.mov",
        make=_deep("yuva444p10le", "-c:v", "prores_ks", "-profile:v", "4444"),
        expected=_SMALL,
    ),
    Strange(name="sparse-chroma.mkv", make=_deep("yuv410p"), expected=_SMALL),
)
