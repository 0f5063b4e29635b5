"""Write the DASH manifests (ISO/IEC 23009-1) of CMAF output groups."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hvcore_mediaconvert_local.encoding.renditions import LocalRendition

_NAMESPACE: Final = "urn:mpeg:dash:schema:mpd:2011"
_TIMESCALE: Final = 1_000_000
"""The units of time in a second: durations in playlists have six decimals."""


def dash_manifest(renditions: Sequence[LocalRendition]) -> bytes:
    """Return the DASH manifest of an output group's renditions."""
    longest_s = max(one.duration_s for one in renditions)
    segment_s = max(part.duration_s for one in renditions for part in one.segments)
    root = Element(
        "MPD",
        {
            "xmlns": _NAMESPACE,
            "profiles": "urn:mpeg:dash:profile:isoff-live:2011",
            "type": "static",
            "minBufferTime": f"PT{segment_s:.3f}S",
            "mediaPresentationDuration": f"PT{longest_s:.3f}S",
        },
    )
    period = SubElement(root, "Period", {"id": "1", "start": "PT0S"})
    ordered = sorted(enumerate(renditions), key=lambda pair: _set_of(pair[1]))
    for _, members in groupby(ordered, key=lambda pair: _set_of(pair[1])):
        _adaptation_set(period, list(members))
    indent(root)
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _set_of(one: LocalRendition) -> tuple[str, str]:
    if one.output.video:
        return ("video", one.output.video.codec)
    (sound, *_) = one.output.audios
    return ("audio", sound.language)


def _adaptation_set(
    period: Element, members: Sequence[tuple[int, LocalRendition]]
) -> None:
    kind, detail = _set_of(members[0][1])
    facts = {"contentType": kind, "mimeType": f"{kind}/mp4", "segmentAlignment": "true"}
    if kind == "video":
        facts["startWithSAP"] = "1"
    elif detail:
        facts["lang"] = detail
    found = SubElement(period, "AdaptationSet", facts)
    for number, one in members:
        facts = {"id": str(number + 1), "bandwidth": str(one.peak_bps)}
        facts["codecs"] = one.codecs
        if one.width_px and one.frame_rate:
            facts |= {"width": str(one.width_px), "height": str(one.height_px)}
            facts["frameRate"] = str(one.frame_rate)
        elif one.output.audios:
            facts["audioSamplingRate"] = str(one.output.audios[0].sample_rate_hz)
        representation = SubElement(found, "Representation", facts)
        if one.init_range is None:
            _template(representation, one)
        else:
            _ranges(representation, one, one.init_range)


def _template(representation: Element, one: LocalRendition) -> None:
    suffix = one.init_name.rpartition(".")[2]
    # A dollar sign begins what is filled in.
    base = one.base.replace("$", "$$")
    template = SubElement(
        representation,
        "SegmentTemplate",
        {
            "timescale": str(_TIMESCALE),
            "initialization": f"{base}{one.init_name}",
            "media": f"{base}_$Number%09d$.{suffix}",
            "startNumber": "1",
        },
    )
    timeline = SubElement(template, "SegmentTimeline")
    _times(timeline, one)


def _ranges(
    representation: Element, one: LocalRendition, init_range: tuple[int, int]
) -> None:
    suffix = one.init_name.rpartition(".")[2]
    SubElement(representation, "BaseURL").text = f"{one.base}.{suffix}"
    listed = SubElement(representation, "SegmentList", {"timescale": str(_TIMESCALE)})
    offset, size = init_range
    SubElement(listed, "Initialization", {"range": f"{offset}-{offset + size - 1}"})
    _times(SubElement(listed, "SegmentTimeline"), one)
    for part in one.segments:
        first = part.offset_bytes or 0
        SubElement(
            listed,
            "SegmentURL",
            {"mediaRange": f"{first}-{first + part.size_bytes - 1}"},
        )


def _times(timeline: Element, one: LocalRendition) -> None:
    for number, part in enumerate(one.segments):
        facts = {"t": "0"} if number == 0 else {}
        SubElement(
            timeline, "S", facts | {"d": str(round(part.duration_s * _TIMESCALE))}
        )
