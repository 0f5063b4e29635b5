"""Check a video: from its multivariant playlist to the first picture of each segment."""

from typing import Final

from hvcore.conformance.alignment_rules import check_together
from hvcore.conformance.certificate import Certificate, CheckLog
from hvcore.conformance.examiner import Examiner
from hvcore.conformance.iframe_rules import check_iframes
from hvcore.conformance.playlist_reading import read_playlist
from hvcore.conformance.playlist_rules import check_multivariant
from hvcore.conformance.playlists import Playlist
from hvcore.conformance.renditions import Rendition
from hvcore.conformance.shape_rules import check_shapes
from hvcore.conformance.source import Source
from hvcore.conformance.variant_rules import (
    Variant,
    check_channels,
    check_rendition,
    check_variant,
)

_INDEPENDENT: Final = "EXT-X-INDEPENDENT-SEGMENTS"


def check(
    source: Source, name: str, *, shown_px: tuple[int, int] | None = None
) -> Certificate:
    """
    Check all playlists and segments that a multivariant playlist leads to.

    Whatever the files hold, this returns: what is wrong is in the certificate.
    Memory and time grow with the number of segments, which is limited, and not
    with their sizes.

    Args:
        name: Of the multivariant playlist, as the source knows it.
        shown_px: Width and height of the video's source as it is shown, where it is
            known.
    """
    report = CheckLog()
    master = read_playlist(source, name, report)
    if master is not None:
        examiner = Examiner(source, report)
        if master.segments and not master.is_multivariant:
            report.add(
                "multivariant", name, "This is a media playlist; only it was examined."
            )
            check_rendition(examiner.of(master), report)
        else:
            _check_all(master, examiner, report, shown_px)
    return report.certificate()


def _check_all(
    master: Playlist,
    examiner: Examiner,
    report: CheckLog,
    shown_px: tuple[int, int] | None,
) -> None:
    check_multivariant(master, report)
    examiner.read_session_data(master)
    groups: dict[str, list[Rendition]] = {}
    found: dict[str, Rendition] = {}
    for tag in master.renditions:
        if tag.name is None:
            continue
        if tag.get("TYPE") == "SUBTITLES":
            examiner.read_texts(tag.name)
            continue
        rendition = examiner.examine(tag.name)
        if rendition is not None:
            groups.setdefault(tag.get("GROUP-ID"), []).append(rendition)
            found[tag.name] = rendition
            if tag.get("TYPE") == "AUDIO":
                check_channels(master, tag, rendition, report)
    for tag in master.variants:
        main = examiner.examine(tag.name) if tag.name else None
        if main is not None and tag.name is not None:
            found.setdefault(tag.name, main)
            sound = tuple(groups.get(tag.get("AUDIO"), ()))
            check_variant(master, Variant(tag=tag, main=main, sound=sound), report)
    renditions = list(found.values())
    for rendition in renditions:
        check_rendition(rendition, report)
    check_together(renditions, report)
    check_shapes(renditions, shown_px, report)
    check_iframes(master, renditions, examiner, report)
    _check_independent(master, renditions, report)


def _check_independent(
    master: Playlist, renditions: list[Rendition], report: CheckLog
) -> None:
    video = [one.playlist for one in renditions if one.kind == "vide"]
    if _INDEPENDENT in master.tags or not video:
        return
    report.add("independent-multivariant", master.name, "It does not say so.")
    for playlist in video:
        if _INDEPENDENT not in playlist.tags:
            report.add(
                "independent-segments",
                playlist.name,
                "Neither it nor the multivariant playlist says so.",
            )
