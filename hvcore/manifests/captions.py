"""
Write captions into HLS playlists and DASH manifests.

Source: RFC 8216, sections 3.5 and 4.3.4.1; ISO/IEC 23009-1, sections 5.3.3 and
5.8.5.5; Apple's AVMediaCharacteristic for machine-generated captions. Captions come and go while a video is published, so these texts are not
stored: delivery renders them for each response.
"""

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Final

from hvcore.domain.videos.captions import FORCED_ENDING, WEBVTT_TYPE, CaptionTrack
from hvcore.manifests.automatic_names import automatic_name
from hvcore.manifests.dash import ROLES
from hvcore.manifests.hls import VERSION, quotable, unique_name
from hvcore.manifests.language_names import language_name

GROUP: Final = "subs"
_VARIANT: Final = "#EXT-X-STREAM-INF:"
_PERIOD_END: Final = "  </Period>"
_MACHINE_GENERATED: Final = 'CHARACTERISTICS="public.machine-generated",'
_TEXT_BPS: Final = 256
"""What a representation has to say; texts are next to nothing."""


def captions_playlist_name(language: str) -> str:
    """Return the file name of the captions playlist of a language, beside the master playlist."""
    return f"captions-{language}.m3u8"


def captions_file_name(language: str) -> str:
    """Return the file name of the WebVTT captions of a language, beside their playlist."""
    return f"captions-{language}.vtt"


def offer_captions(master: str, tracks: Sequence[CaptionTrack]) -> str:
    """Return an HLS master playlist with the given captions added to it, for every variant."""
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


def offer_captions_in_manifest(manifest: str, tracks: Sequence[CaptionTrack]) -> str:
    """
    Return a DASH manifest that the service has rendered, with the given captions added.

    The captions of a language are one file for the whole video, outside of the segments.
    """
    before, end, after = manifest.rpartition(_PERIOD_END)
    return "".join([before, *map(_adaptation_set, tracks), end, after])


def captions_playlist(language: str, *, duration_s: float) -> str:
    """
    Render the captions playlist of a language: one segment, as long as the video.

    Its target duration may differ from the video's, as subtitles of finished videos may have
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
        f'NAME="{unique_name(_shown_name(track), names)}",'
        f'LANGUAGE="{track.language}",AUTOSELECT=YES,DEFAULT=NO,'
        # Else a player shows signs alone to who asks for subtitles.
        f"{'FORCED=YES,' if track.is_forced else ''}"
        f"{_MACHINE_GENERATED if track.is_generated else ''}"
        f'URI="{captions_playlist_name(track.language)}"'
        for track in tracks
    ]


def _shown_name(track: CaptionTrack) -> str:
    """Return the name by which viewers choose a track, and which says if a machine wrote it."""
    name = _own_name(track)
    return automatic_name(name, track.language) if track.is_generated else name


def _own_name(track: CaptionTrack) -> str:
    """Return the track's title; where it has none, the language's name."""
    label = quotable(track.label)
    # What has no title is labelled with the tag.
    for ending in ("", FORCED_ENDING):
        if label == track.language + ending:
            return language_name(track.language) + ending
    return label or language_name(track.language)


def _adaptation_set(track: CaptionTrack) -> str:
    found = ET.Element(
        "AdaptationSet",
        {"contentType": "text", "mimeType": WEBVTT_TYPE, "lang": track.language},
    )
    ET.SubElement(found, "Label").text = _shown_name(track)
    role = "forced-subtitle" if track.is_forced else "subtitle"
    ET.SubElement(found, "Role", {"schemeIdUri": ROLES, "value": role})
    name = captions_file_name(track.language)
    representation = ET.SubElement(
        found, "Representation", {"id": name, "bandwidth": str(_TEXT_BPS)}
    )
    ET.SubElement(representation, "BaseURL").text = name
    ET.indent(found, level=2)
    return f"    {ET.tostring(found, encoding='unicode')}\n"
