"""Read the facts about an input on which its encoding depends."""

from fractions import Fraction
from typing import Final

import attrs

from hvcore_mediaconvert_local.encoding.encode_plan import EncodePlan
from hvcore_mediaconvert_local.errors import JobFailedError
from hvcore_mediaconvert_local.wire import JsonObject, objects_at

_USUAL_RATE: Final = Fraction(25)
_HIGHEST_RATE: Final = 240


@attrs.frozen(kw_only=True)
class SourceFacts:
    """
    Hold the facts about one input.

    Attributes:
        duration_s: The duration; 0 if the file does not tell it.
        has_video: Whether the input has a video; a cover picture does not count.
        audio_tracks: The number of audio tracks.
        starts_at_s: The time in the file at which the input begins.
        picture_end_s: The end of the last picture, in seconds after the beginning; 0 if it
            was not looked for.
    """

    duration_s: float
    has_video: bool
    frame_rate: Fraction
    audio_tracks: int
    starts_at_s: float = 0.0
    picture_end_s: float = 0.0

    @classmethod
    def read(cls, probed: JsonObject) -> "SourceFacts":
        """Return the facts in ffprobe's JSON report about an input."""
        streams = objects_at(probed, "streams")
        videos = [
            one
            for one in streams
            if one.get("codec_type") == "video"
            and not one.get("disposition", {}).get("attached_pic")
        ]
        file = probed.get("format", {})
        return cls(
            duration_s=float(file.get("duration", 0)),
            starts_at_s=float(file.get("start_time", 0)),
            has_video=bool(videos),
            frame_rate=_rate(videos[0]) if videos else _USUAL_RATE,
            audio_tracks=sum(one.get("codec_type") == "audio" for one in streams),
        )

    def with_picture_end(self, end_s: float) -> "SourceFacts":
        """Return the facts with the end of the last picture, given in the file's times."""
        return attrs.evolve(self, picture_end_s=max(0.0, end_s - self.starts_at_s))

    def check(self, plan: EncodePlan) -> None:
        """
        Check that the input has the video and the audio tracks that the outputs need.

        Raises:
            JobFailedError: The input has no video, or no audio track of a needed number.
        """
        outputs = [output for group in plan.groups for output in group.outputs]
        if any(output.video for output in outputs) and not self.has_video:
            raise JobFailedError(1020)
        tracks = [audio.track for output in outputs for audio in output.audios]
        if tracks and max(tracks) >= self.audio_tracks:
            raise JobFailedError(
                1021,
                f"The input has {self.audio_tracks} audio tracks, not {max(tracks) + 1}.",
            )


def _rate(stream: JsonObject) -> Fraction:
    for name in ("avg_frame_rate", "r_frame_rate"):
        above, _, below = str(stream.get(name, "")).partition("/")
        if above.isdigit() and below.isdigit() and int(above) and int(below):
            rate = Fraction(int(above), int(below))
            if rate <= _HIGHEST_RATE:
                return rate
    return _USUAL_RATE
