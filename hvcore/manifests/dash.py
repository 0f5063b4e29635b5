"""
Render the DASH manifest of a published video.

Source: ISO/IEC 23009-1, a static presentation of the profile isoff-live: one
period, whose segments are the files that the HLS playlists name. Previews for
seeking: DASH-IF, "Guidelines for Implementation: DASH-IF Interoperability
Points", section 6.2.6.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, groupby, pairwise
from typing import Final

from hvcore.domain.processing.encoding import AudioCodec
from hvcore.domain.processing.media_index import MediaIndex, Storyboard
from hvcore.domain.processing.transcoding import AudioRendition, Rung, Track
from hvcore.manifests.bitrates import peak_bps
from hvcore.manifests.hls import quotable, target_duration_s
from hvcore.manifests.languages import language_tag
from hvcore.manifests.storyboard import sheet_name

MANIFEST: Final = "manifest.mpd"
ROLES: Final = "urn:mpeg:dash:role:2011"

TICKS_PER_S: Final = 1_000_000
"""Of every timeline; what the tracks themselves count in is not in the index."""

_NAMESPACE: Final = "urn:mpeg:dash:schema:mpd:2011"
_PROFILE: Final = "urn:mpeg:dash:profile:isoff-live:2011"
# ISO/IEC 23091-3: 1, 2 and 6 stand for as many channels, as we make them.
_TILES: Final = "http://dashif.org/guidelines/thumbnail_tile"
_CHANNELS: Final = "urn:mpeg:mpegB:cicp:ChannelConfiguration"


def manifest(media: MediaIndex) -> str:
    """
    Render the DASH manifest of a published video.

    The manifest is in the folder of the HLS master playlist; all URLs in it are relative to that
    folder. Audio comes in one adaptation set for each rendition, since no two renditions have the
    same sound in the same codec. Renditions with AAC, which every player plays, come first, and
    of each codec the default rendition.
    """
    tracks = [published.track for published in media.tracks]
    target_s = target_duration_s(media)
    root = ET.Element(
        "MPD",
        {
            "xmlns": _NAMESPACE,
            "profiles": _PROFILE,
            "type": "static",
            # The sound may end a little after the picture.
            "mediaPresentationDuration": _duration(max(map(_end, tracks))),
            # The bandwidths are peaks of runs about as long as a segment: who
            # has that much in hand is never late (section 5.3.5.2).
            "minBufferTime": _duration(target_s * TICKS_PER_S),
        },
    )
    period = ET.SubElement(root, "Period", {"id": "0", "start": "PT0S"})
    rungs = [(track, track.rung) for track in tracks if track.rung]
    _add_video(period, rungs, target_s)
    sounds = [(track, track.audio) for track in tracks if track.audio]
    main = {audio.stream_index for _, audio in sounds[:1]}
    for track, audio in sorted(
        sounds, key=lambda sound: sound[1].codec is not AudioCodec.AAC
    ):
        role = "main" if audio.stream_index in main else "alternate"
        _add_audio(period, track, audio, role=role, target_s=target_s)
    if media.storyboard:
        _add_previews(period, media.storyboard)
    ET.indent(root)
    text = ET.tostring(root, encoding="utf-8", xml_declaration=True).decode()
    return f"{text}\n"


def _add_video(
    period: ET.Element, rungs: Sequence[tuple[Track, Rung]], target_s: int
) -> None:
    found = _add_set(
        period,
        "video",
        maxWidth=str(max(rung.width_px for _, rung in rungs)),
        maxHeight=str(max(rung.height_px for _, rung in rungs)),
        maxFrameRate=str(max(rung.frame_rate for _, rung in rungs)),
    )
    _describe(found, "Role", ROLES, "main")
    for track, rung in rungs:
        _add_representation(
            found,
            track,
            target_s,
            width=str(rung.width_px),
            height=str(rung.height_px),
            frameRate=str(rung.frame_rate),
        )


def _add_audio(
    period: ET.Element,
    track: Track,
    audio: AudioRendition,
    *,
    role: str,
    target_s: int,
) -> None:
    language = language_tag(audio.language)
    found = _add_set(period, "audio", **({"lang": language} if language else {}))
    _describe(found, "AudioChannelConfiguration", _CHANNELS, str(audio.channels))
    # Of printable characters alone: XML has no way to write most others (XML
    # 1.0, section 2.2).
    title = quotable(audio.title)
    if title:
        ET.SubElement(found, "Label").text = title
    _describe(found, "Role", ROLES, role)
    _add_representation(found, track, target_s)


def _add_previews(period: ET.Element, storyboard: Storyboard) -> None:
    """
    Offer the sheets of the storyboard as a track of pictures.

    Tiles are found by their place on a full sheet; the first one is full, or the
    only one. The last may be shorter, which moves nothing on it.
    """
    first = storyboard.sprites[0]
    columns = min(storyboard.columns, first.count)
    rows = -(-first.count // columns)
    sheet_s = storyboard.interval_s * columns * rows
    found = ET.SubElement(
        period,
        "AdaptationSet",
        {"id": str(len(period)), "contentType": "image", "mimeType": "image/jpeg"},
    )
    ET.SubElement(
        found,
        "SegmentTemplate",
        {
            "media": sheet_name("$Number$"),
            "duration": str(sheet_s),
            "startNumber": "0",
        },
    )
    largest = max(sheet.file.size_bytes for sheet in storyboard.sprites)
    representation = ET.SubElement(
        found,
        "Representation",
        {
            "id": "storyboard",
            "bandwidth": str(max(1, -(-largest * 8 // sheet_s))),
            "width": str(columns * storyboard.tile_width_px),
            "height": str(rows * storyboard.tile_height_px),
        },
    )
    _describe(representation, "EssentialProperty", _TILES, f"{columns}x{rows}")


def _add_set(period: ET.Element, kind: str, **attributes: str) -> ET.Element:
    return ET.SubElement(
        period,
        "AdaptationSet",
        {
            "id": str(len(period)),
            "contentType": kind,
            "mimeType": f"{kind}/mp4",
            "segmentAlignment": "true",
            "startWithSAP": "1",
            **attributes,
        },
    )


def _add_representation(
    found: ET.Element, track: Track, target_s: int, **attributes: str
) -> None:
    representation = ET.SubElement(
        found,
        "Representation",
        {
            "id": track.name.replace("/", "-"),
            "bandwidth": str(peak_bps(track, target_s=target_s)),
            "codecs": track.codecs,
            **attributes,
        },
    )
    template = ET.SubElement(
        representation,
        "SegmentTemplate",
        {
            "timescale": str(TICKS_PER_S),
            "startNumber": "0",
            "initialization": f"{track.name}/init.m4s",
            "media": f"{track.name}/$Number$.m4s",
        },
    )
    _add_timeline(template, track)


def _add_timeline(template: ET.Element, track: Track) -> None:
    timeline = ET.SubElement(template, "SegmentTimeline")
    durations = [end - start for start, end in pairwise(_boundaries(track))]
    start = {"t": "0"}
    for duration, run in groupby(durations):
        repeated = len(list(run)) - 1
        again = {"r": str(repeated)} if repeated else {}
        ET.SubElement(timeline, "S", {**start, "d": str(duration), **again})
        start = {}


def _boundaries(track: Track) -> list[int]:
    # Each is rounded by itself: rounded durations would add up to a drift.
    exact_s = accumulate(
        (Fraction(s.duration_s) for s in track.segments), initial=Fraction(0)
    )
    return [round(at_s * TICKS_PER_S) for at_s in exact_s]


def _end(track: Track) -> int:
    return _boundaries(track)[-1]


def _duration(ticks: int) -> str:
    seconds, rest = divmod(ticks, TICKS_PER_S)
    return f"PT{seconds}.{rest:06d}S"


def _describe(found: ET.Element, name: str, scheme: str, value: str) -> None:
    ET.SubElement(found, name, {"schemeIdUri": scheme, "value": value})
