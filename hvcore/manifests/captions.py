"""
Captions in HLS: what the master playlist says of them, and their own playlists.

Source: RFC 8216, sections 3.5 and 4.3.4.1. Captions come and go while a video
is published, so nothing of this is stored: delivery writes it for each answer.
"""

import math
from collections.abc import Sequence
from typing import Final

from hvcore.domain.captions import CaptionTrack
from hvcore.manifests.hls import VERSION, quotable, unique_name

GROUP: Final = "subs"
_VARIANT: Final = "#EXT-X-STREAM-INF:"


def captions_playlist_name(language: str) -> str:
    """
    Return the name of a language's playlist, beside the master playlist.
    """
    return f"captions-{language}.m3u8"


def captions_file_name(language: str) -> str:
    """
    Return the name of a language's WebVTT file, beside its playlist.
    """
    return f"captions-{language}.vtt"


def offer_captions(master: str, tracks: Sequence[CaptionTrack]) -> str:
    """
    Return a master playlist that offers captions with every variant.
    """
    if not tracks:
        return master
    lines = master.split("\n")
    is_variant = [line.startswith(_VARIANT) for line in lines]
    first = is_variant.index(True)
    written = [
        f'{line},SUBTITLES="{GROUP}"' if found else line
        for line, found in zip(lines, is_variant, strict=True)
    ]
    written[first:first] = _media_lines(tracks)
    return "\n".join(written)


def captions_playlist(language: str, *, duration_s: float) -> str:
    """
    Render the playlist of a language: one segment, as long as the video.

    Its target duration is its own, as subtitles of finished videos may have
    (RFC 8216, section 6.2.4).
    """
    lines = [
        "#EXTM3U",
        f"#EXT-X-VERSION:{VERSION}",
        f"#EXT-X-TARGETDURATION:{max(1, math.ceil(duration_s))}",
        "#EXT-X-MEDIA-SEQUENCE:0",
        "#EXT-X-PLAYLIST-TYPE:VOD",
        f"#EXTINF:{duration_s:.6f},",
        captions_file_name(language),
        "#EXT-X-ENDLIST",
    ]
    return "\n".join([*lines, ""])


def _media_lines(tracks: Sequence[CaptionTrack]) -> list[str]:
    names = set[str]()
    return [
        f'#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="{GROUP}",'
        f'NAME="{unique_name(quotable(track.label) or track.language, names)}",'
        f'LANGUAGE="{track.language}",AUTOSELECT=YES,DEFAULT=NO,'
        f'URI="{captions_playlist_name(track.language)}"'
        for track in tracks
    ]
