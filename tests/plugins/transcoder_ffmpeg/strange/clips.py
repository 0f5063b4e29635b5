"""
All strange sources, each under the name of its file.
"""

from typing import Final

from tests.plugins.transcoder_ffmpeg.strange.codecs import CODECS
from tests.plugins.transcoder_ffmpeg.strange.damaged import DAMAGED
from tests.plugins.transcoder_ffmpeg.strange.files import OTHERS
from tests.plugins.transcoder_ffmpeg.strange.packages import PACKAGES
from tests.plugins.transcoder_ffmpeg.strange.pictures import COLOURS, CROPS, SHAPES
from tests.plugins.transcoder_ffmpeg.strange.sound import SOUNDS
from tests.plugins.transcoder_ffmpeg.strange.sources import Strange
from tests.plugins.transcoder_ffmpeg.strange.times import TIMES

STRANGE: Final[tuple[Strange, ...]] = (
    *CROPS,
    *SHAPES,
    *COLOURS,
    *CODECS,
    *SOUNDS,
    *TIMES,
    *PACKAGES,
    *DAMAGED,
    *OTHERS,
)

LONG: Final = frozenset(
    {
        "10-bit-444.mp4",
        "11-khz.mp4",
        "16-bit-444.mkv",
        "2-1.mov",
        "5-1-side.mkv",
        "7-1.mov",
        "96-khz.mov",
        "ac3.mp4",
        "adpcm.avi",
        "alac.mov",
        "alpha.mov",
        "animation.mov",
        "beginning-cut-away-and-ignored.mkv",
        "begins-after-a-day.mp4",
        "chapters.mp4",
        "clock-of-nothing.mp4",
        "coarse-clock.mp4",
        "cut-off-fragments.mp4",
        "cut-off.avi",
        "cut-off.mkv",
        "dnxhr.mov",
        "dts.mkv",
        "edit-at-half-speed.mp4",
        "edit-of-the-end.mp4",
        "ffv1.mkv",
        "fields-begin-in-the-middle.mkv",
        "fields-bottom-first.mp4",
        "fields-turned.mkv",
        "four-pixels.mp4",
        "fragments-with-an-index.mp4",
        "full-range-said-limited.mp4",
        "gbrp-14.mkv",
        "gray-16.mkv",
        "hdr-of-8-bits.mp4",
        "hdr-rgb.mkv",
        "hev1-open-gop.mkv",
        "holes.mkv",
        "huffyuv.avi",
        "index-in-front.mp4",
        "jump-of-an-hour.mkv",
        "languages-nobody-chose.mp4",
        "matrix-of-zeros.mp4",
        "mjpeg.avi",
        "mono.mkv",
        "mp3.avi",
        "mpeg1.mkv",
        "mpeg4.mp4",
        "msmpeg4.avi",
        "no-avi-index.avi",
        "no-parameters.mp4",
        "no-samples.mp4",
        "oblong-beyond-belief.mp4",
        "oblong-narrow.mp4",
        "one-in-five-seconds.mp4",
        "one-key-frame.mp4",
        "one-picture.mp4",
        "only-a-header.mp4",
        "packets-without-length.mp4",
        "picture-begins-after-the-sound.mkv",
        "raw.mov",
        "rgb.avi",
        "shape-changes.mkv",
        "sound-becomes-surround.mkv",
        "sound-begins-when-all-is-over.mkv",
        "sound-of-one-packet.mp4",
        "sparse-chroma.mkv",
        "square.mp4",
        "too-wide-when-square.mp4",
        "truehd.mkv",
        "turned-180.mp4",
        "turned-270.mp4",
        "turned-and-mirrored.mp4",
        "twelve-hours.mkv",
        "two-pictures.webm",
        "unpacked.avi",
        "upside-down.mp4",
        "vorbis.mkv",
        "vp8.webm",
        "without-cues.mkv",
        "ycgco.mp4",
    }
)
"""Those that take minutes, or go the way of another one."""

OF_VERSIONS: Final = frozenset(
    {
        "cropped-and-rolled.mkv",
        "cropped-and-shown-as-before.mkv",
        "cropped-by-the-stream.mp4",
        "cropped.mkv",
        "cropped.mp4",
        "cut-off.mp4",
        "dolby-vision-10.mp4",
        "hdr10.mkv",
        "recordings-behind-each-other.mkv",
        "red-of-bt2020.mp4",
        "size-changes.webm",
        "turned-and-oblong.mp4",
        "turned-by-the-stream.mp4",
    }
)
"""What other versions of ffmpeg have seen, reported or written in another way."""
