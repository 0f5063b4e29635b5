"""
Check playlists alone, without the files that they name.

Source: RFC 8216bis, sections 4.4 and 8; Apple's authoring specification.
"""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import Final

from hvcore.conformance.playlists import Playlist, Tagged
from hvcore.conformance.report import CheckLog, clean

_INDEPENDENT: Final = "EXT-X-INDEPENDENT-SEGMENTS"
_ONCE: Final = (
    *("EXT-X-VERSION", "EXT-X-TARGETDURATION", "EXT-X-PLAYLIST-TYPE"),
    *("EXT-X-MEDIA-SEQUENCE", "EXT-X-ENDLIST", _INDEPENDENT),
)
# A language, a script, a region, variants, extensions and private use; or private
# use alone (RFC 5646, section 2.1).
_LANGUAGE: Final = re.compile(
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})"
    r"(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*"
    r"(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?"
    r"|x(?:-[a-z0-9]{1,8})+",
    re.IGNORECASE,
)
_MOST_LANGUAGE: Final = 100
_MIRRORED: Final = ("LANGUAGE", "NAME", "DEFAULT", "AUTOSELECT", "CHARACTERISTICS")
_GROUPED: Final = ("AUDIO", "VIDEO", "SUBTITLES", "CLOSED-CAPTIONS")
_SPOKEN: Final = frozenset({"AUDIO", "SUBTITLES"})


def check_common(playlist: Playlist, report: CheckLog) -> None:
    """Check the rules that hold for multivariant and media playlists: single tags, and the version."""
    for tag in _ONCE:
        lines = playlist.tags.get(tag, ())
        if len(lines) > 1:
            rule = "playlist-version" if tag == "EXT-X-VERSION" else "playlist-syntax"
            report.add(
                rule, playlist.name, f"{tag} stands there twice.", f"line {lines[1]}"
            )
    for feature, version in playlist.needs.items():
        if playlist.version < version:
            report.add(
                "playlist-version",
                playlist.name,
                f"{feature} needs version {version}; the playlist says "
                f"{playlist.version}.",
            )


def check_media(playlist: Playlist, report: CheckLog, *, is_fragmented: bool) -> None:
    """
    Check a media playlist without its files: tags, durations and init segments.

    Args:
        is_fragmented: Whether each segment needs an init segment (EXT-X-MAP).
    """
    name = playlist.name
    check_common(playlist, report)
    if "EXT-X-ENDLIST" not in playlist.tags:
        report.add("endlist", name, "There is no EXT-X-ENDLIST.")
    if playlist.type != "VOD":
        found = playlist.type or "not there"
        report.add("playlist-type", name, f"EXT-X-PLAYLIST-TYPE is {clean(found)}.")
    if not playlist.segments:
        report.add("playlist-syntax", name, "It has no segments.")
    if playlist.target_s is None:
        report.add("target-duration", name, "EXT-X-TARGETDURATION is not usable.")
    else:
        for segment in playlist.segments:
            # Halves go up.
            if math.floor(segment.duration_s + Fraction(1, 2)) > playlist.target_s:
                report.add(
                    "target-duration",
                    name,
                    f"A segment lasts {float(segment.duration_s):.3f} s; the target "
                    f"duration is {playlist.target_s} s.",
                    f"line {segment.line}",
                )
    if is_fragmented:
        bare = next((s for s in playlist.segments if s.init is None), None)
        if bare is not None:
            report.add(
                "map",
                name,
                "No EXT-X-MAP stands before the segment.",
                f"line {bare.line}",
            )


def check_multivariant(playlist: Playlist, report: CheckLog) -> None:
    """Check the tags and attributes of a multivariant playlist, without the files that it names."""
    check_common(playlist, report)
    if not playlist.variants:
        report.add("multivariant", playlist.name, "It lists no variant.")
    by_type: dict[str, dict[str, list[Tagged]]] = {}
    for rendition in playlist.renditions:
        groups = by_type.setdefault(rendition.get("TYPE"), {})
        groups.setdefault(rendition.get("GROUP-ID"), []).append(rendition)
        _check_rendition(playlist, rendition, report)
    for kind, groups in by_type.items():
        for group, members in groups.items():
            _check_group(playlist, kind, group, members, report)
        _check_mirrored(playlist, kind, list(groups.values()), report)
    _check_session_data(playlist, report)
    for variant in playlist.variants:
        for kind in _GROUPED:
            named = variant.get(kind)
            is_none = kind == "CLOSED-CAPTIONS" and named == "NONE"
            if named and not is_none and named not in by_type.get(kind, {}):
                report.add(
                    "groups",
                    playlist.name,
                    f"There is no {kind} group {named}.",
                    f"line {variant.line}",
                )


def check_independent(
    playlist: Playlist, videos: Sequence[Playlist], report: CheckLog
) -> None:
    """
    Check that a multivariant playlist, or each media playlist of video, says that segments are independent.

    Args:
        playlist: The multivariant playlist.
        videos: The media playlists of its renditions with video.
    """
    if _INDEPENDENT in playlist.tags or not videos:
        return
    report.add("independent-multivariant", playlist.name, "It does not say so.")
    for one in videos:
        if _INDEPENDENT not in one.tags:
            report.add(
                "independent-segments",
                one.name,
                "Neither it nor the multivariant playlist says so.",
            )


def _check_session_data(playlist: Playlist, report: CheckLog) -> None:
    seen = set[tuple[str, str]]()
    for data in playlist.session_data:
        place = f"line {data.line}"
        key = (data.get("DATA-ID"), data.get("LANGUAGE"))
        if key in seen:
            message = f"{clean(key[0])} stands there twice."
            report.add("session-data", playlist.name, message, place)
        seen.add(key)
        if bool(data.get("URI")) == bool(data.get("VALUE")):
            message = "It needs one of VALUE and URI, and not both."
            report.add("session-data", playlist.name, message, place)


def _check_rendition(playlist: Playlist, rendition: Tagged, report: CheckLog) -> None:
    place = f"line {rendition.line}"
    language = rendition.get("LANGUAGE")
    if language and (
        len(language) > _MOST_LANGUAGE or not _LANGUAGE.fullmatch(language)
    ):
        report.add("language", playlist.name, f"{language} is no language tag.", place)
    if not language and rendition.get("TYPE") in _SPOKEN:
        report.add("language-present", playlist.name, "It has no LANGUAGE.", place)
    if rendition.get("DEFAULT") == "YES" and rendition.get("AUTOSELECT") == "NO":
        report.add(
            "default-autoselect",
            playlist.name,
            "DEFAULT=YES with AUTOSELECT=NO.",
            place,
        )


def _check_group(
    playlist: Playlist,
    kind: str,
    group: str,
    members: Sequence[Tagged],
    report: CheckLog,
) -> None:
    names = [member.get("NAME") for member in members]
    defaults = [member for member in members if member.get("DEFAULT") == "YES"]
    place = f"line {members[0].line}"
    if len(set(names)) < len(names):
        report.add(
            "rendition-names", playlist.name, f"Group {group} has a NAME twice.", place
        )
    if len(defaults) > 1:
        report.add(
            "rendition-names",
            playlist.name,
            f"Group {group} has {len(defaults)} DEFAULTs.",
            place,
        )
    if kind == "AUDIO" and not defaults:
        report.add(
            "default-audio", playlist.name, f"Group {group} has no DEFAULT.", place
        )


def _check_mirrored(
    playlist: Playlist, kind: str, groups: Sequence[Sequence[Tagged]], report: CheckLog
) -> None:
    shapes = [
        sorted(tuple(member.get(key) for key in _MIRRORED) for member in members)
        for members in groups
    ]
    if len(list(groupby(shapes))) > 1:
        report.add(
            "groups",
            playlist.name,
            f"The {kind} groups differ in more than URI and CHANNELS.",
            f"line {groups[1][0].line}",
        )
