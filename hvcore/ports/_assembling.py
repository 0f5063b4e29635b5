"""
Join the parts of a job: the rule that every transcoder backend inherits.
"""

from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack, TrackPiece
from hvcore.domain.processing.transcoding import (
    PartDone,
    Track,
    TranscodeError,
    TranscodeOrder,
)

_SAME_ENCODERS: Final = (
    "they are the same if all workers have the same version of the transcoder and "
    "of its encoder: update all of them and process the video again"
)


def merge_parts(
    order: TranscodeOrder, done: Sequence[tuple[str, PartDone]]
) -> MediaIndex:
    """
    Put the tracks of all parts together, in the ladder's order.

    Sound that goes on behind the last picture is left out, but for what its
    last segment has too much.

    Raises:
        TranscodeError: A rendition is missing, segments do not follow one
            another, or two parts made different init segments.
    """
    wanted = [f"video/{rung.key}" for rung in order.ladder.rungs]
    wanted += [audio.name for audio in order.ladder.audio]
    pictures, *others = (_merge_track(name, done) for name in wanted)
    tracks = (
        pictures,
        *(
            _ended_with(pictures.track, one) if one.track.audio else one
            for one in others
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


def _merge_track(name: str, done: Sequence[tuple[str, PartDone]]) -> PublishedTrack:
    pieces: list[TrackPiece] = []
    merged: Track | None = None
    for folder, part in done:
        for track in part.tracks:
            if track.name != name or not track.segments:
                continue
            first = track.segments[0].number
            expected = len(merged.segments) if merged else 0
            if [s.number for s in track.segments] != list(
                range(expected, expected + len(track.segments))
            ):
                raise TranscodeError(
                    "The parts of the video do not join.",
                    log=f"{name}: segment {first} follows {expected - 1}",
                )
            if merged and merged.init.sha256 != track.init.sha256:
                raise TranscodeError(
                    "The parts of the video do not join.",
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
        raise TranscodeError("A rendition is missing.", log=f"{name}: no segments")
    return PublishedTrack(track=merged, pieces=tuple(pieces))


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
