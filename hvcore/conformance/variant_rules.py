"""
Check the attributes of variants (EXT-X-STREAM-INF) against the measured renditions.

Source: RFC 8216bis, section 4.4.6.2; Apple's authoring specification, 1 and 9.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import attrs

from hvcore.conformance.codecs import avc, hevc
from hvcore.conformance.codecs.pictures import HDR_TRANSFERS
from hvcore.conformance.playlists import Playlist, Tagged
from hvcore.conformance.renditions import Rendition
from hvcore.conformance.report import CheckLog, clean

_TOLERANCE: Final = Fraction(1, 10)
_RATE_TOLERANCE: Final = Fraction(1, 2000)
"""The relative error that a declared frame rate may have: half of what 24 and 23.976 differ by."""
_MOST_FRAMES: Final = 60
_MP3: Final = frozenset({"mp4a.6b", "mp4a.69", "mp4a.40.34"})
_NUMBER: Final = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9})?")


@attrs.frozen(kw_only=True)
class Variant:
    """
    A variant of a multivariant playlist, with the renditions that it plays.

    Attributes:
        tag: The variant's EXT-X-STREAM-INF tag.
        main: The rendition at the URI of the variant's tag.
        sound: The renditions of its audio group that have files of their own.
    """

    tag: Tagged
    main: Rendition
    sound: tuple[Rendition, ...]

    @property
    def place(self) -> str:
        """The line number of the variant in the multivariant playlist, as text."""
        return f"line {self.tag.line}"


def check_variant(master: Playlist, variant: Variant, report: CheckLog) -> None:
    """Check that a variant's tag states the bit rates, codecs, resolution, frame rate, range and captions that its files have."""
    _check_rates(master, variant, report)
    _check_codecs(master, variant, report)
    if variant.main.kind == "vide":
        _check_resolution(master, variant, report)
        _check_frame_rate(master, variant, report)
        _check_range(master, variant, report)
        _check_captions(master, variant, report)


def check_rendition(rendition: Rendition, report: CheckLog) -> None:
    """Check that a video rendition has at most 60 frames a second and a high enough codec level."""
    track, rate = rendition.track, rendition.frame_rate
    if track is None or rate is None or not track.level:
        return
    if rate > _MOST_FRAMES + _RATE_TOLERANCE * rate:
        report.add(
            "frame-rate-limit",
            rendition.playlist.name,
            f"There are {float(rate):.3f} frames a second.",
        )
    codec = avc if track.entry.startswith("avc") else hevc
    for picture in track.pictures:
        if not codec.level_covers(track.level, picture, float(rate)):
            report.add(
                "codec-level",
                track.name,
                f"Level {track.level} is too low for {picture.width_px}x"
                f"{picture.height_px} at {float(rate):.3f} frames a second.",
                "stsd",
            )


def check_channels(
    master: Playlist, tag: Tagged, rendition: Rendition, report: CheckLog
) -> None:
    """Check the CHANNELS attribute of an audio rendition against its init segment."""
    declared = tag.get("CHANNELS").partition("/")[0]
    found = rendition.track.channels if rendition.track else 0
    if not declared or (found and declared != str(found)):
        report.add(
            "channels",
            master.name,
            f"CHANNELS is {declared or 'not there'}; the audio has {found or 'some'}.",
            f"line {tag.line}",
        )


def _check_captions(master: Playlist, variant: Variant, report: CheckLog) -> None:
    parts = variant.main.parts
    if variant.tag.get("CLOSED-CAPTIONS") != "NONE":
        return
    if any(part.segment.has_captions for part in parts if part.segment):
        report.add(
            "closed-captions",
            master.name,
            "CLOSED-CAPTIONS is NONE, and there are some in the pictures.",
            variant.place,
        )


def _check_rates(master: Playlist, variant: Variant, report: CheckLog) -> None:
    rates = [one.rates_bps for one in variant.sound]
    main = variant.main.rates_bps
    if main is None or None in rates:
        return
    known = [rate for rate in rates if rate]
    peak = main[0] + max((rate[0] for rate in known), default=0)
    average = main[1] + max((rate[1] for rate in known), default=0)
    declared = _number(variant.tag.get("BANDWIDTH"))
    if declared is not None:
        _compare("bandwidth", "BANDWIDTH", declared, peak, (master, variant, report))
        if declared < int(peak):
            report.add(
                "bandwidth-covers",
                master.name,
                f"BANDWIDTH is {declared}, the measured peak {float(peak):.0f}.",
                variant.place,
            )
    declared = _number(variant.tag.get("AVERAGE-BANDWIDTH"))
    if declared is None:
        report.add(
            "average-bandwidth",
            master.name,
            "There is no usable AVERAGE-BANDWIDTH.",
            variant.place,
        )
    else:
        where = (master, variant, report)
        _compare("average-bandwidth", "AVERAGE-BANDWIDTH", declared, average, where)


def _compare(
    rule: str,
    name: str,
    declared: Fraction,
    measured: Fraction,
    where: tuple[Playlist, Variant, CheckLog],
) -> None:
    master, variant, report = where
    if abs(measured - declared) > _TOLERANCE * declared:
        report.add(
            rule,
            master.name,
            f"{name} is {declared}, measured are {float(measured):.0f} bits a second.",
            variant.place,
        )


def _check_codecs(master: Playlist, variant: Variant, report: CheckLog) -> None:
    tracks = [one.track for one in (variant.main, *variant.sound)]
    declared = [c.strip().lower() for c in variant.tag.get("CODECS").split(",") if c]
    found = {track.codecs.lower() for track in tracks if track}
    if not declared:
        report.add("codecs", master.name, "There is no CODECS.", variant.place)
        return
    if None in tracks:
        return
    missing = [codec for codec in sorted(found) if not _lists(declared, codec)]
    extra = [codec for codec in declared if not any(_lists([codec], c) for c in found)]
    for codec in missing:
        report.add(
            "codecs",
            master.name,
            f"CODECS is {','.join(declared)}; it lacks {codec}.",
            variant.place,
        )
    for codec in extra:
        report.add(
            "codecs",
            master.name,
            f"CODECS has {codec}, which no init segment of the variant holds.",
            variant.place,
        )


def _lists(declared: Sequence[str], codec: str) -> bool:
    if codec in _MP3:
        return bool(_MP3.intersection(declared))
    if "." not in codec:
        # Of a codec that this check does not know, the sample entry alone.
        return any(one.partition(".")[0] == codec for one in declared)
    return codec in declared


def _check_resolution(master: Playlist, variant: Variant, report: CheckLog) -> None:
    track = variant.main.track
    declared = variant.tag.get("RESOLUTION")
    found = {f"{p.width_px}x{p.height_px}" for p in track.pictures} if track else set()
    if not declared or (found and found != {declared}):
        report.add(
            "resolution",
            master.name,
            f"RESOLUTION is {clean(declared) or 'not there'}; the bitstream has "
            f"{', '.join(sorted(found)) or 'none that can be read'}.",
            variant.place,
        )


def _check_frame_rate(master: Playlist, variant: Variant, report: CheckLog) -> None:
    declared = _number(variant.tag.get("FRAME-RATE"))
    measured = variant.main.frame_rate
    if declared is None:
        report.add(
            "frame-rate", master.name, "There is no usable FRAME-RATE.", variant.place
        )
        return
    if measured is None:
        return
    # Three decimals are all that it has.
    allowed = max(_RATE_TOLERANCE * measured, Fraction(1, 1000))
    if abs(declared - measured) > allowed:
        report.add(
            "frame-rate",
            master.name,
            f"FRAME-RATE is {float(declared):.3f}; the samples have "
            f"{float(measured):.3f} frames a second.",
            variant.place,
        )


def _check_range(master: Playlist, variant: Variant, report: CheckLog) -> None:
    track = variant.main.track
    if track is None or not track.pictures:
        return
    declared = variant.tag.get("VIDEO-RANGE") or "SDR"
    found = HDR_TRANSFERS.get(track.transfer or 0, "SDR")
    if declared != found:
        report.add(
            "video-range",
            master.name,
            f"VIDEO-RANGE is {declared}; the bitstream is {found}.",
            variant.place,
        )


def _number(text: str) -> Fraction | None:
    return Fraction(text) if _NUMBER.fullmatch(text) else None
