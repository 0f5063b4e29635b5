"""Write the multivariant playlists (RFC 8216) of CMAF and HLS output groups."""

from collections.abc import Iterator, Sequence
from typing import Final

from hvcore_mediaconvert_local.encoding.renditions import LocalRendition

AUDIO_GROUP: Final = "program_audio_0"
"""MediaConvert's name of the audio group for renditions without a given group."""


def multivariant_playlist(renditions: Sequence[LocalRendition]) -> str:
    """Return the multivariant playlist of an output group's renditions."""
    audios = [one for one in renditions if one.output.video is None]
    videos = [one for one in renditions if one.output.video is not None]
    lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-INDEPENDENT-SEGMENTS"]
    if videos:
        lines += [_media(one, number) for number, one in enumerate(audios)]
        for video in videos:
            lines += _variants(video, audios)
    else:
        for audio in audios:
            lines += [_stream(audio, (), ""), audio.playlist_name]
    return "\n".join([*lines, ""])


def _group_of(audio: LocalRendition) -> str:
    return audio.output.audio_group or AUDIO_GROUP


def _media(audio: LocalRendition, number: int) -> str:
    (sound, *_) = audio.output.audios
    is_default = audio.output.is_default_audio and number == 0
    attributes = [
        "TYPE=AUDIO",
        f'GROUP-ID="{_group_of(audio)}"',
        *([f'LANGUAGE="{sound.language}"'] if sound.language else []),
        f'NAME="{sound.name or sound.language or f"Alternate Audio {number + 1}"}"',
        f"DEFAULT={'YES' if is_default else 'NO'}",
        "AUTOSELECT=YES",
        f'CHANNELS="{sound.channels}"',
        f'URI="{audio.playlist_name}"',
    ]
    return "#EXT-X-MEDIA:" + ",".join(attributes)


def _variants(video: LocalRendition, audios: Sequence[LocalRendition]) -> Iterator[str]:
    known = list(dict.fromkeys(map(_group_of, audios)))
    wanted = [name for name in video.output.audio_sets if name in known] or known
    for group in wanted or [""]:
        beside = [one for one in audios if _group_of(one) == group]
        yield _stream(video, beside, group)
        yield video.playlist_name


def _stream(one: LocalRendition, beside: Sequence[LocalRendition], group: str) -> str:
    codecs = ",".join(
        dict.fromkeys(part for r in (one, *beside) for part in r.codecs.split(","))
    )
    peak = one.peak_bps + max((r.peak_bps for r in beside), default=0)
    average = one.average_bps + max((r.average_bps for r in beside), default=0)
    attributes = [f"BANDWIDTH={peak}", f"AVERAGE-BANDWIDTH={average}"]
    attributes.append(f'CODECS="{codecs}"')
    if one.width_px and one.frame_rate:
        attributes.append(f"RESOLUTION={one.width_px}x{one.height_px}")
        attributes.append(f"FRAME-RATE={float(one.frame_rate):.3f}")
    if group:
        attributes.append(f'AUDIO="{group}"')
    return "#EXT-X-STREAM-INF:" + ",".join(attributes)
