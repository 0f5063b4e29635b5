"""Name the documented formats and codecs that this machine's ffmpeg cannot make or read."""

from typing import Final

from hvcore.plugin_api import AudioCodec, Lack
from hvcore_transcoder_ffmpeg.engine.engine import (
    AUDIO_ENCODERS,
    PIXEL_FORMATS,
    FfmpegEngine,
    video_encoder,
)

_INSTALL: Final = "Install an ffmpeg with it, or set transcoder.options.ffmpeg"
_HE_AAC: Final = frozenset({AudioCodec.AAC_HE, AudioCodec.AAC_HE_V2})
_DECODERS: Final = {
    "libdav1d": "AV1",
    "prores": "ProRes",
    "opus": "Opus",
    "vorbis": "Vorbis",
}
"""The optional decoders, with the codec that cannot be read without each of them."""


def lacks(engine: FfmpegEngine, *, may_substitute: bool) -> tuple[Lack, ...]:
    """
    Return the optional features that an ffmpeg lacks: an entry for each thing to install.

    Args:
        may_substitute: Whether AAC-LC takes the place of HE-AAC.
    """
    found = [*_formats(engine), *_codecs(engine, may_substitute=may_substitute)]
    if not engine.can_tone_map:
        found.append(
            Lack(
                what="Without the filters zscale and tonemap, HDR videos look pale, "
                "and the colours of BT.2020 and Display P3 are wrong.",
                fix="Install an ffmpeg with libzimg, or set "
                "transcoder.options.ffmpeg and transcoder.options.ffprobe.",
            )
        )
    found += [
        Lack(
            what=f"Without the decoder {name}, {what} cannot be read.",
            fix=f"{_INSTALL} and transcoder.options.ffprobe.",
        )
        for name, what in _DECODERS.items()
        if name not in engine.decoders
    ]
    return tuple(found)


def _formats(engine: FfmpegEngine) -> list[Lack]:
    missing: dict[str, list[str]] = {}
    for one in PIXEL_FORMATS:
        if one not in engine.pixel_formats:
            missing.setdefault(video_encoder(one), []).append(one.value)
    return [
        Lack(
            what=f"The encoder {encoder} cannot make: {', '.join(names)}.",
            fix=f"{_INSTALL} and transcoder.options.ffprobe.",
            is_refused=True,
        )
        for encoder, names in missing.items()
    ]


def _codecs(engine: FfmpegEngine, *, may_substitute: bool) -> list[Lack]:
    missing: dict[str, list[AudioCodec]] = {}
    for codec, (encoder, _) in AUDIO_ENCODERS.items():
        if codec not in engine.priming_samples:
            missing.setdefault(encoder, []).append(codec)
    found = []
    for encoder, codecs in missing.items():
        names = ", ".join(codec.value for codec in codecs)
        is_he = _HE_AAC.issuperset(codecs)
        what = f"Without the encoder {encoder} there is no {names}"
        fix = f"{_INSTALL} and transcoder.options.ffprobe"
        if is_he and may_substitute:
            what += "; AAC-LC takes its place"
        elif is_he:
            fix += ", or let AAC-LC take its place: transcoder.options."
            fix += "substitute_audio = true"
        found.append(Lack(what=f"{what}.", fix=f"{fix}.", is_refused=True))
    return found
