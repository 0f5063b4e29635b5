"""Check an HLS video: its multivariant playlist, its media playlists and all of their segments."""

from hvcore.conformance.alignment_rules import check_together
from hvcore.conformance.examiner import Examiner
from hvcore.conformance.iframe_rules import check_iframes
from hvcore.conformance.playlist_reading import read_playlist
from hvcore.conformance.playlist_rules import check_independent, check_multivariant
from hvcore.conformance.playlists import Playlist
from hvcore.conformance.renditions import Rendition
from hvcore.conformance.report import CheckLog, CheckReport
from hvcore.conformance.shape_rules import check_shapes
from hvcore.conformance.source import Source
from hvcore.conformance.variant_rules import (
    Variant,
    check_channels,
    check_rendition,
    check_variant,
)


def check(
    source: Source, name: str, *, shown_px: tuple[int, int] | None = None
) -> CheckReport:
    """
    Check all playlists and segments that a multivariant playlist leads to, and return the report.

    The check never raises because of what the files hold: each fault is a finding of
    the report. Memory and time grow with the number of segments, which is limited, and
    not with their sizes.

    Args:
        name: The name of the multivariant playlist in the source.
        shown_px: Width and height at which the video's source is shown; None if they are not known.
    """
    log = CheckLog()
    master = read_playlist(source, name, log)
    if master is not None:
        examiner = Examiner(source, log)
        if master.segments and not master.is_multivariant:
            log.add(
                "multivariant", name, "This is a media playlist; only it was examined."
            )
            check_rendition(examiner.of(master), log)
        else:
            _check_all(master, examiner, log, shown_px)
    return log.report()


def _check_all(
    master: Playlist,
    examiner: Examiner,
    log: CheckLog,
    shown_px: tuple[int, int] | None,
) -> None:
    check_multivariant(master, log)
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
                check_channels(master, tag, rendition, log)
    for tag in master.variants:
        main = examiner.examine(tag.name) if tag.name else None
        if main is not None and tag.name is not None:
            found.setdefault(tag.name, main)
            sound = tuple(groups.get(tag.get("AUDIO"), ()))
            check_variant(master, Variant(tag=tag, main=main, sound=sound), log)
    renditions = list(found.values())
    for rendition in renditions:
        check_rendition(rendition, log)
    check_together(renditions, log)
    check_shapes(renditions, shown_px, log)
    check_iframes(master, renditions, examiner, log)
    videos = [one.playlist for one in renditions if one.kind == "vide"]
    check_independent(master, videos, log)
