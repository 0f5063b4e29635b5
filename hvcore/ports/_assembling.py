"""Assembling: join the parts of a transcode job, as every transcoder backend does."""

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack, TrackPiece
from hvcore.domain.processing.transcoding import (
    PartDone,
    Segment,
    Track,
    TranscodeError,
    TranscodeOrder,
)

_SAME_ENCODERS: Final = (
    "they are the same if all workers have the same version of the transcoder and "
    "of its encoder: update all of them and process the video again"
)
_LONGEST: Final = 1.5
"""
Of a segment's planned length, besides a picture. Some services add the rest of a video
to its last segment; a key frame that is missing makes one twice as long.
"""


def merge_parts(
    order: TranscodeOrder, done: Sequence[tuple[str, PartDone]]
) -> MediaIndex:
    """
    Return a job's tracks, joined of the segments of all parts, in the ladder's order.

    Sound after the last picture is left out, except for the rest of its last segment.

    Raises:
        TranscodeError: A rendition is missing, segments do not follow one
            another or are longer than planned, or two parts made different init
            segments.
    """
    wanted = [f"video/{rung.key}" for rung in order.ladder.rungs]
    left_out = {name for _, part in done for name in part.left_out}
    wanted += [one.name for one in order.ladder.audio if one.name not in left_out]
    pictures, *others = (_merge_track(name, done) for name in wanted)
    for one in (pictures, *others):
        _require_planned_lengths(order, one.track)
    tracks = (
        pictures,
        *(
            _ended_with(pictures.track, one) if one.track.audio else one
            for one in _with_default_sound(others)
        ),
    )
    posters = [
        (part.poster_score, f"{folder}/{part.poster}")
        for folder, part in done
        if part.poster
    ]
    best = max(posters, key=lambda one: one[0], default=None)
    warnings = tuple(
        dict.fromkeys(warning for _, part in done for warning in part.warnings)
    )
    return MediaIndex(
        tracks=tracks,
        duration_s=sum(s.duration_s for s in tracks[0].track.segments),
        poster=best[1] if best else None,
        warnings=warnings,
    )


def _with_default_sound(tracks: Sequence[PublishedTrack]) -> Iterator[PublishedTrack]:
    """Make the first audio rendition the default one, where that was left out."""
    sounds = [one.track.audio for one in tracks if one.track.audio]
    first = None if any(one.is_default for one in sounds) else next(iter(sounds), None)
    for one in tracks:
        if first is None or one.track.audio is not first:
            yield one
            continue
        audio = attrs.evolve(first, is_default=True)
        yield attrs.evolve(one, track=attrs.evolve(one.track, audio=audio))


def _merge_track(name: str, done: Sequence[tuple[str, PartDone]]) -> PublishedTrack:
    pieces: list[TrackPiece] = []
    merged: Track | None = None
    for folder, part in done:
        for track in part.tracks:
            if track.name != name or not track.segments:
                continue
            _require_rendition(track)
            first = len(merged.segments) if merged else 0
            _require_next(name, track.segments, first)
            if merged and merged.init.sha256 != track.init.sha256:
                raise TranscodeError(
                    f"The parts of the video do not join: {name}/init.m4s differs.",
                    log=f"{name}: init segments differ; {_SAME_ENCODERS}",
                )
            pieces.append(
                TrackPiece(folder=folder, first_number=first, count=len(track.segments))
            )
            merged = (
                attrs.evolve(merged, segments=merged.segments + track.segments)
                if merged
                else track
            )
    if merged is None:
        made = {track.name for _, part in done for track in part.tracks}
        raise TranscodeError(
            f"A rendition is missing: {name}.",
            log=f"no part has segments of a track {name!r}; the tracks that were made: "
            f"{', '.join(map(repr, sorted(made))) or 'none'}",
        )
    return PublishedTrack(track=merged, pieces=tuple(pieces))


def _require_rendition(track: Track) -> None:
    is_video = track.name.startswith("video/")
    if (track.rung if is_video else track.audio) is None:
        lacks = "rung" if is_video else "audio"
        raise TranscodeError(
            f"A rendition does not say what it carries out: {track.name}.",
            log=f"Track.{lacks} of {track.name!r} is None; it is that of the ladder",
        )


def _require_next(name: str, segments: Sequence[Segment], first: int) -> None:
    for expected, segment in enumerate(segments, first):
        if segment.number != expected:
            raise TranscodeError(
                f"The parts of the video do not join: {name}/{expected}.m4s was "
                f"expected, and {name}/{segment.number}.m4s was found.",
                log=f"{name}: Segment.number goes from 0 over all parts of a track",
            )


def _require_planned_lengths(order: TranscodeOrder, track: Track) -> None:
    """Require that none is much longer: players wait for whole ones, and seek by them."""
    picture_s = float(1 / track.rung.frame_rate) if track.rung else 0.0
    longest_s = _LONGEST * order.segment_s + picture_s
    for segment in track.segments:
        if segment.duration_s > longest_s:
            raise TranscodeError(
                f"The video is not cut as planned: {track.name}/{segment.number}.m4s "
                f"lasts {segment.duration_s:.1f} s, and segments of {order.segment_s} s "
                "were ordered.",
                log="key frames are to be at the multiples of order.segment_s",
            )


def _ended_with(pictures: Track, sound: PublishedTrack) -> PublishedTrack:
    # The sound is made whole, while the pictures of a damaged source may end early:
    # players expect both to end within one segment.
    end_s = sum(segment.duration_s for segment in pictures.segments)
    longest_s = max(segment.duration_s for segment in pictures.segments)
    begins_s, used = 0.0, 0
    for segment in sound.track.segments:
        ends_s = begins_s + segment.duration_s
        # The second: a segment of sound is some ticks longer than one of pictures.
        if used and (begins_s >= end_s or ends_s - end_s > longest_s):
            break
        begins_s, used = ends_s, used + 1
    pieces = (
        attrs.evolve(piece, count=min(piece.count, used - piece.first_number))
        for piece in sound.pieces
        if piece.first_number < used
    )
    track = attrs.evolve(sound.track, segments=sound.track.segments[:used])
    return PublishedTrack(track=track, pieces=tuple(pieces))
