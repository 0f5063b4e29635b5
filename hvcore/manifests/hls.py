"""
Render the HLS playlists of a published video.

Source: RFC 8216. Video and audio are separate renditions; audio renditions
are in one group per codec, and every rung (video rendition) is offered with every group.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from hvcore.domain.processing.encoding import AudioCodec
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import AudioRendition, Rung, Track, VideoRange
from hvcore.manifests.bitrates import average_bps, peak_bps
from hvcore.manifests.iframes import first_pictures
from hvcore.manifests.languages import language_tag

MASTER: Final = "master.m3u8"
VERSION: Final = 7
"""EXT-X-MAP outside of I-frame playlists needs 6, fragmented MP4 is used with 7."""

STARTS_WELL_BPS: Final = 2_000_000
"""What Apple's authoring specification starts Wi-Fi viewers with."""


@attrs.frozen(kw_only=True)
class _Variant:
    rung: Rung
    range: VideoRange
    playlist: str
    peak_bps: int
    average_bps: int
    codecs: tuple[str, ...]
    group: str | None


def playlists(media: MediaIndex) -> Mapping[str, str]:
    """
    Render all HLS playlists of a video; return the texts by file name.

    The files are directly in the video's folder, and all URIs in the playlists are relative to
    that folder.
    """
    target_s = target_duration_s(media)
    texts = {MASTER: multivariant_playlist(media)}
    for published in media.tracks:
        track, pictures = published.track, first_pictures(published.track)
        texts[playlist_name(track)] = media_playlist(track, target_s=target_s)
        if pictures:
            texts[playlist_name(pictures)] = _media_playlist(
                pictures, target_s, init=track.name, more=["#EXT-X-I-FRAMES-ONLY"]
            )
    return texts


def playlist_name(track: Track) -> str:
    """Return the file name of a track's playlist: ``video/720p`` gives ``video-720p.m3u8``."""
    return playlist_at(track.name)


def playlist_at(name: str) -> str:
    """Return the file name of the playlist of the track with this name: ``video/720p`` gives ``video-720p.m3u8``."""
    return name.replace("/", "-") + ".m3u8"


def target_duration_s(media: MediaIndex) -> int:
    """
    Return the target duration of a video's playlists: the longest segment, rounded to whole seconds.

    All playlists of a video must declare the same target duration (RFC 8216, section
    6.2.4), and it is compared with rounded durations (section 4.3.3.1): a
    segment of 6.016 s, as AAC frames make it, counts as 6 s.
    """
    return max(_longest_s(published.track) for published in media.tracks)


def media_playlist(track: Track, *, target_s: int) -> str:
    """
    Render the media playlist of one rendition (track).

    Args:
        target_s: The target duration from :func:`target_duration_s`.
    """
    return _media_playlist(
        track, target_s, init=track.name, more=["#EXT-X-INDEPENDENT-SEGMENTS"]
    )


def _media_playlist(
    track: Track, target_s: int, *, init: str, more: Sequence[str]
) -> str:
    lines = [
        "#EXTM3U",
        f"#EXT-X-VERSION:{VERSION}",
        f"#EXT-X-TARGETDURATION:{target_s}",
        "#EXT-X-MEDIA-SEQUENCE:0",
        "#EXT-X-PLAYLIST-TYPE:VOD",
        *more,
        f'#EXT-X-MAP:URI="{init}/init.m4s"',
    ]
    for segment in track.segments:
        lines.append(f"#EXTINF:{segment.duration_s:.6f},")
        lines.append(f"{track.name}/{segment.number}.m4s")
    lines.append("#EXT-X-ENDLIST")
    return _text(lines)


def multivariant_playlist(media: MediaIndex) -> str:
    """
    Render the master playlist of a video.

    Most players begin with the first variant: it is the best one that needs at most
    STARTS_WELL_BPS, so that playback starts at once and not blurred. The other variants follow by
    rising bit rate. Variants with AAC come
    before those with another codec, because every player plays it.
    """
    target_s = target_duration_s(media)
    video = [p.track for p in media.tracks if p.track.rung]
    groups = _audio_groups([p.track for p in media.tracks if p.track.audio])
    lines = [
        "#EXTM3U",
        f"#EXT-X-VERSION:{VERSION}",
        "#EXT-X-INDEPENDENT-SEGMENTS",
    ]
    for group, members in groups.items():
        lines += _media_lines(group, members)
    for chosen, members in groups.items() or [(None, [])]:
        variants = [_variant(track, chosen, members, target_s) for track in video]
        for variant in _in_order(variants):
            lines += _variant_lines(variant)
    for pictures in filter(None, map(first_pictures, video)):
        lines.append(_pictures_line(_variant(pictures, None, [], target_s)))
    return _text(lines)


def _audio_groups(tracks: Sequence[Track]) -> dict[str, list[Track]]:
    groups: dict[str, list[Track]] = {}
    for track in sorted(tracks, key=lambda t: _audio_of(t).codec is not AudioCodec.AAC):
        groups.setdefault(f"audio-{_audio_of(track).codec.value}", []).append(track)
    return groups


def _media_lines(group: str, members: Sequence[Track]) -> list[str]:
    # Corresponding members of all groups must look alike but for URI and
    # CHANNELS (RFC 8216, section 4.3.4.1.1): everything here follows from
    # the source's track and its place in the group.
    lines, names, languages = [], set[str](), set[str]()
    for place, track in enumerate(members):
        audio = _audio_of(track)
        language = language_tag(audio.language)
        name = unique_name(quotable(audio.title) or language or "Audio", names)
        # Of several in one language a player may choose the first by itself.
        is_first = place == 0
        may_choose = is_first or (bool(language) and language not in languages)
        languages.add(language)
        lines.append(
            f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="{group}",NAME="{name}",'
            + (f'LANGUAGE="{language}",' if language else "")
            + f"DEFAULT={_yes(is_first)},AUTOSELECT={_yes(may_choose)},"
            + f'CHANNELS="{audio.channels}",URI="{playlist_name(track)}"'
        )
    return lines


def _variant(
    track: Track, group: str | None, members: Sequence[Track], target_s: int
) -> _Variant:
    # The dearest rendition of the group counts: BANDWIDTH is the largest sum
    # that any playable combination can reach.
    codecs = dict.fromkeys([track.codecs, *(member.codecs for member in members)])
    return _Variant(
        rung=_rung_of(track),
        range=track.video_range,
        playlist=playlist_name(track),
        peak_bps=peak_bps(track, target_s=target_s)
        + max((peak_bps(m, target_s=target_s) for m in members), default=0),
        average_bps=average_bps(track)
        + max((average_bps(m) for m in members), default=0),
        codecs=tuple(codecs),
        group=group,
    )


def _in_order(variants: Sequence[_Variant]) -> list[_Variant]:
    cheapest_first = sorted(variants, key=lambda variant: variant.peak_bps)
    good = [v for v in cheapest_first if v.peak_bps <= STARTS_WELL_BPS]
    first = good[-1] if good else cheapest_first[0]
    return [first, *(v for v in cheapest_first if v is not first)]


def _variant_lines(variant: _Variant) -> list[str]:
    attributes = [
        *_common_attributes(variant),
        f"FRAME-RATE={float(variant.rung.frame_rate):.3f}",
        "CLOSED-CAPTIONS=NONE",
    ]
    if variant.group:
        attributes.append(f'AUDIO="{variant.group}"')
    return [f"#EXT-X-STREAM-INF:{','.join(attributes)}", variant.playlist]


def _pictures_line(variant: _Variant) -> str:
    attributes = [*_common_attributes(variant), f'URI="{variant.playlist}"']
    return f"#EXT-X-I-FRAME-STREAM-INF:{','.join(attributes)}"


def _common_attributes(variant: _Variant) -> list[str]:
    rung = variant.rung
    attributes = [
        f"BANDWIDTH={variant.peak_bps}",
        f"AVERAGE-BANDWIDTH={variant.average_bps}",
        f'CODECS="{",".join(variant.codecs)}"',
        f"RESOLUTION={rung.width_px}x{rung.height_px}",
    ]
    # SDR is what its absence means.
    if variant.range is not VideoRange.SDR:
        attributes.append(f"VIDEO-RANGE={variant.range.value}")
    return attributes


def _longest_s(track: Track) -> int:
    longest_s = max((segment.duration_s for segment in track.segments), default=0)
    # As EXTINF declares it, and halves go up: round() would make them even.
    return max(1, math.floor(round(longest_s, 6) + 0.5))


def unique_name(name: str, taken: set[str]) -> str:
    """
    Return a NAME that no other rendition of the group has, and add it to the group's names.

    Source: RFC 8216, section 4.3.4.1.1.
    """
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name} {number}", number + 1
    taken.add(candidate)
    return candidate


def quotable(text: str) -> str:
    """Return a text for a quoted attribute of a playlist: without forbidden characters, at most 100 characters long."""
    # Titles come out of strangers' files: a quote or a line break would end
    # the attribute and begin another (RFC 8216, section 4.2).
    visible = "".join(c if c.isprintable() else " " for c in text.replace('"', "'"))
    # hls.js looks for tags in the middle of lines, too: a title could send it
    # to another server, token and all. Put in and not taken out, because what
    # is left could be a tag again.
    return " ".join(visible.split()).replace("#EXT", "# EXT")[:100]


def _audio_of(track: Track) -> AudioRendition:
    if track.audio is None:
        raise ValueError(f"{track.name} is no audio rendition")
    return track.audio


def _rung_of(track: Track) -> Rung:
    if track.rung is None:
        raise ValueError(f"{track.name} is no video rendition")
    return track.rung


def _yes(value: bool) -> str:  # noqa: FBT001 - a statement, not a switch
    return "YES" if value else "NO"


def _text(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"
