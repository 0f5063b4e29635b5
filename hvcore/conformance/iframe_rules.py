"""
Check the I-frame playlists of a video.

Source: RFC 8216bis, sections 4.4.3.6 and 4.4.6.3; Apple's authoring specification, 6
and 9.
"""

from collections.abc import Sequence

from hvcore.conformance.examiner import Examiner
from hvcore.conformance.playlists import Playlist, Tagged
from hvcore.conformance.renditions import Rendition
from hvcore.conformance.report import CheckLog, clean


def check_iframes(
    master: Playlist,
    renditions: Sequence[Rendition],
    examiner: Examiner,
    report: CheckLog,
) -> None:
    """Check the I-frame playlists of a video, and their tags in the multivariant playlist."""
    video = [one for one in renditions if one.kind == "vide"]
    if not master.iframe_variants and video:
        report.add(
            "iframe-playlists", master.name, "There is no EXT-X-I-FRAME-STREAM-INF."
        )
    for tag in master.iframe_variants:
        pictures = examiner.pictures(tag.name) if tag.name else None
        if pictures is not None:
            if "EXT-X-I-FRAMES-ONLY" not in pictures.playlist.tags:
                report.add(
                    "iframe-attributes",
                    pictures.playlist.name,
                    "It lacks EXT-X-I-FRAMES-ONLY.",
                )
            _check_rate(master, tag, pictures, report)
        _check_attributes(master, tag, pictures, report)


def _check_attributes(
    master: Playlist, tag: Tagged, pictures: Rendition | None, report: CheckLog
) -> None:
    track = pictures.track if pictures else None
    sizes = {f"{p.width_px}x{p.height_px}" for p in track.pictures} if track else set()
    codecs = {track.codecs.lower()} if track and track.pictures else set()
    for attribute, found in (("CODECS", codecs), ("RESOLUTION", sizes)):
        declared = tag.get(attribute)
        if not declared or (found and found != {declared.lower()}):
            report.add(
                "iframe-attributes",
                master.name,
                f"{attribute} is {clean(declared) or 'not there'}; the bitstream has "
                f"{', '.join(sorted(found)) or 'none that can be read'}.",
                f"line {tag.line}",
            )


def _check_rate(
    master: Playlist, tag: Tagged, pictures: Rendition, report: CheckLog
) -> None:
    declared, rates = tag.get("BANDWIDTH"), pictures.rates_bps
    if rates and declared.isdecimal() and int(declared[:15]) < int(rates[0]):
        report.add(
            "iframe-bandwidth",
            master.name,
            f"BANDWIDTH is {clean(declared)}, the measured peak {float(rates[0]):.0f}.",
            f"line {tag.line}",
        )
