"""
The requests that make the service fetch a file, and their answers.

Source: the interface document, "Family B", ``POST /videos/upload`` and ``POST
/videos/download``.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.uploads.grants import FileWanted, UploadGrant
from hvcore.domain.web_addresses import without_secrets
from hvcore.wire.converter import Check, LateFieldError, group, required
from hvcore.wire.kinds import Text, string
from hvcore.wire.requests import NAME, NewVideoFields
from hvcore.wire.schema import STRING, Schema, identifier, record

MAX_ADDRESS_CHARS: Final = 4096
VIDEO_URL: Final = "videoURL"
SOURCE_URL: Final = "sourceUrl"

_VIDEO_ID: Final = identifier("vid_")
FETCHED_VIDEO: Final = record(
    "FetchedVideo", {"assetId": _VIDEO_ID, "videoID": _VIDEO_ID}
)
FETCHED_FILE: Final = record("FetchedFile", {"bucketPath": STRING})

_TEXT: Final = Text(max_chars=MAX_ADDRESS_CHARS)


@attrs.frozen(kw_only=True)
class SourceAddress:
    """Kind of field that is a URL from which a file is fetched; the URL may hold secrets of its owner."""

    def from_json(self, value: object) -> str:
        """Return the URL in a JSON string."""
        return self.from_text(string(value))

    def from_text(self, text: str) -> str:
        """Return the URL in a text; whether the service may fetch from it is not judged here."""
        return _TEXT.from_text(text)

    def schema(self) -> Schema:
        """Return the JSON Schema of the URL; a URL that fits may still be refused because of its host."""
        return {
            "type": "string",
            "format": "uri",
            "pattern": "^[hH][tT][tT][pP][sS]?://",
            "maxLength": MAX_ADDRESS_CHARS,
        }

    def shown(self, value: object) -> object:
        """Return the URL without its secrets, for error messages; see converter.SecretKind."""
        return without_secrets(value) if isinstance(value, str) else None


SOURCE: Final = SourceAddress()


@attrs.frozen(kw_only=True)
class FetchVideoRequest:
    """Declare the fields of Family B's upload request: the file's URL and its video."""

    file_name: str = required(
        "fileName", NAME, about="Name of the file; shown, never part of a path."
    )
    url: str = required(
        VIDEO_URL,
        SOURCE,
        about="https address from which the service fetches the file.",
    )
    video: NewVideoFields = group(NewVideoFields)

    def file_wanted(self) -> FileWanted:
        return self.video.file_wanted(self.file_name)


@attrs.frozen(kw_only=True)
class DownloadRequest:
    """Declare the fields of Family B's download request."""

    url: str = required(
        SOURCE_URL,
        SOURCE,
        about="https address from which the service fetches the file.",
    )


def fetchable(name: str, refusal: Callable[[str], str | None]) -> Check:
    """
    Return the check that refuses URLs from which the service never fetches.

    Args:
        name: The field that holds the URL.
        refusal: A function that returns a sentence why the URL is refused, or None.
    """

    def check(given: Mapping[str, object]) -> Iterable[LateFieldError]:
        url = given.get(name)
        reason = refusal(url) if isinstance(url, str) else None
        if reason is not None:
            yield LateFieldError(
                name=name, rule=f"is refused: {reason.removesuffix('.')}"
            )

    return check


def fetched_video(video_id: VideoId) -> dict[str, object]:
    """Return the JSON payload of the video whose file is being fetched."""
    return {"assetId": video_id, "videoID": video_id}


def fetched_file(grant: UploadGrant) -> dict[str, object]:
    """Return the JSON payload with the bucket path at which the fetched file will be stored."""
    return {"bucketPath": grant.path}
