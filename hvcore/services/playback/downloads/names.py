"""List the downloads of a video, and name their files."""

import re
from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.domain.processing.ladder import NOT_IN_BROWSERS
from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack
from hvcore.domain.processing.transcoding import AudioRendition
from hvcore.manifests.languages import language_tag

_MOVIE: Final = re.compile(r"([1-9][0-9]{0,4}p)\.mp4")
_SOUND: Final = re.compile(r"(audio(?:-[1-9][0-9]{0,2})?)\.m4a")
MAX_SAVED_CHARS: Final = 60
"""Characters of the video's name in a file name: each may take 4 of the 255 bytes."""
_MAX_BYTES: Final = 255
_FORBIDDEN: Final = re.compile(
    r'[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]'
)
_UNNAMED: Final = "video"


@attrs.frozen(kw_only=True)
class DownloadName:
    """
    The name, type and track of one download of a video.

    Attributes:
        name: The file name in addresses, such as ``720p.mp4``.
        track: The video track of a movie, or the sound track of an M4A.
        language: The language of an M4A's sound, as playlists have it; ``""`` if unknown.
        label: A text that distinguishes the download from the video's other downloads;
            ``""`` for the only sound.
    """

    name: str
    content_type: str
    track: PublishedTrack
    language: str = ""
    label: str = ""


def is_download_name(name: str) -> bool:
    """Return whether a name has the form of a download's name, whatever the video."""
    return bool(_MOVIE.fullmatch(name) or _SOUND.fullmatch(name))


def downloads_of(media: MediaIndex) -> Sequence[DownloadName]:
    """Return the downloads of a video: movies with the largest rung first, then sounds."""
    movies = [
        DownloadName(
            name=f"{one.track.rung.key}.mp4",
            content_type="video/mp4",
            track=one,
            label=one.track.rung.key,
        )
        for one in reversed(media.tracks)
        if one.track.rung is not None
    ]
    return [*movies, *_sounds(media)]


def first_sound(media: MediaIndex) -> PublishedTrack | None:
    """Return the sound track that a video's movies contain: the default, as browsers play it."""
    sounds = [(one, one.track.audio) for one in media.tracks if one.track.audio]
    if not sounds:
        return None
    _, default = sounds[0]

    def rank(audio: AudioRendition) -> tuple[bool, ...]:
        is_other = audio.stream_index != default.stream_index
        return (
            audio.codec in NOT_IN_BROWSERS,
            is_other,
            audio.language != default.language,
        )

    return min(sounds, key=lambda one: rank(one[1]))[0]


def saved_name(video_name: str, name: str, label: str) -> str:
    """
    Return the file name under which browsers save a download.

    Characters that file systems forbid, or that lead to another folder, are replaced.

    Args:
        name: The file name in addresses; its ending stays.
        label: Added in parentheses, unless it is empty.
    """
    kind = f" ({label})" if label else ""
    behind = f"{kind}.{name.rpartition('.')[2]}"
    found = _FORBIDDEN.sub("_", video_name).strip(" .")[:MAX_SAVED_CHARS]
    room = _MAX_BYTES - len(behind.encode())
    found = found.encode(errors="replace")[:room].decode(errors="ignore").strip(" .")
    return f"{found or _UNNAMED}{behind}"


def _sounds(media: MediaIndex) -> list[DownloadName]:
    sounds = [(one, one.track.audio) for one in media.tracks if one.track.audio]
    made: list[DownloadName] = []
    labels: set[str] = set()
    for track, audio in sounds:
        language = language_tag(audio.language)
        codec = audio.codec.value if audio.codec in NOT_IN_BROWSERS else ""
        label = ", ".join(filter(None, (language, codec))) if len(sounds) > 1 else ""
        if label in labels:
            # Such as the director's words behind the film's own, in one language.
            label = f"{label} {len(made) + 1}".lstrip()
        labels.add(label)
        made.append(
            DownloadName(
                name=f"{audio.name}.m4a",
                content_type="audio/mp4",
                track=track,
                language=language,
                label=label,
            )
        )
    return made
