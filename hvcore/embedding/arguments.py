"""
Check the arguments of the embedding's methods by the rules of the API's requests.

An argument that the API would refuse is refused here, too. Errors call an argument by its
name in the embedding's method.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from enum import Enum
from typing import Final, TypedDict, TypeVar

from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.catalog import SortBy, SortDir
from hvcore.domain.videos.deletion import MAX_KEEP_HOURS
from hvcore.domain.videos.states import VideoState
from hvcore.errors import FieldError, HvError, InvalidParametersError
from hvcore.wire.converter import Check, read_document

T = TypeVar("T")

NEW_VIDEO: Final = {
    "file_name": "fileName",
    "name": "videoName",
    "description": "description",
    "content_type": "contentType",
    "size_bytes": "fileSize",
    "is_public": "allowPublicAccess",
    "preset": "videoQuality",
    "external_id": "externalID",
    "metadata": "metadata",
    "tags": "tags",
    "allows_download": "allowDownload",
}
"""The arguments about a file and its new video, and the fields of the API's requests."""
CHANGES: Final = {
    name: NEW_VIDEO[name]
    for name in (
        "name",
        "description",
        "is_public",
        "external_id",
        "metadata",
        "tags",
        "allows_download",
    )
}
FILTERS: Final = {
    "page": "page",
    "page_size": "pageSize",
    "sort_by": "sortBy",
    "sort_dir": "sortDir",
    "state": "status",
    "search": "search",
    "since": "from",
    "until": "to",
    "external_id": "externalID",
    "tag": "tag",
    "metadata": "metadata",
    "is_public": "allowPublicAccess",
    "spoken": "spoken",
}


class NewVideo(TypedDict, total=False):
    """
    The optional arguments about a new file and the video that is made of it.

    Attributes:
        name: The name of the video; None takes the file's name without its ending.
        description: A text about the video.
        content_type: The only content type accepted for the file; None accepts all video
            types.
        size_bytes: The only file size accepted; None accepts up to 5 GB.
        is_public: Whether everybody may watch it; by default nobody without a token.
        preset: Which qualities are made; by default Preset.STANDARD.
        external_id: The host program's own id of the video; no other video of the
            environment may have it.
        metadata: Keys and texts that are stored with the video.
        tags: Words by which lists are filtered.
        allows_download: Whether viewers may also download the video.
    """

    name: str | None
    description: str | None
    content_type: str | None
    size_bytes: int | None
    is_public: bool
    preset: Preset
    external_id: str | None
    metadata: Mapping[str, str]
    tags: Sequence[str]
    allows_download: bool


class VideoUpdate(TypedDict, total=False):
    """
    The changes of a video; an argument that is left out changes nothing.

    Attributes:
        name: The new name of the video.
        description: The new description; None removes it.
        is_public: Whether everybody may watch it.
        external_id: The host program's own id of the video; None removes it.
        metadata: The keys that change; None removes a key, or all of them.
        tags: The tags that replace all tags; None removes all.
        allows_download: Whether viewers may also download the video.
    """

    name: str
    description: str | None
    is_public: bool
    external_id: str | None
    metadata: Mapping[str, str | None] | None
    tags: Sequence[str] | None
    allows_download: bool


class VideoFilters(TypedDict, total=False):
    """
    The filters, the order and the page of a list of videos.

    Attributes:
        page: The number of the page, from 1 on.
        page_size: The number of videos on a page, up to 100; 20 by default.
        sort_by: The property to sort by; SortBy.CREATED_AT by default.
        sort_dir: The direction to sort in; SortDir.DESC by default.
        state: Only the videos in this state.
        search: A text that is found anywhere in the name, in upper or lower case.
        since: The first UTC day of creation.
        until: The last UTC day of creation, inclusive.
        external_id: Only the video with this id of the host program.
        tag: Only the videos with this tag.
        metadata: A key and its value with a colon between them, such as ``order:4711``; of
            several such texts, all must hold.
        is_public: Only the videos that everybody may watch, or only the others.
        spoken: Words all of which must be said in the video, by its captions in one language.
    """

    page: int
    page_size: int
    sort_by: SortBy
    sort_dir: SortDir
    state: VideoState | None
    search: str | None
    since: date | None
    until: date | None
    external_id: str | None
    tag: str | None
    metadata: str | Sequence[str] | None
    is_public: bool | None
    spoken: str | None


def read_arguments(
    cls: type[T],
    given: Mapping[str, object],
    fields: Mapping[str, str],
    check: Check | None = None,
) -> T:
    """
    Check arguments as the API checks a request, and return the parsed request.

    Args:
        fields: The field of the request for each argument that may be given.

    Raises:
        TypeError: A method has no argument with this name.
        InvalidParametersError: The API refuses an argument; the text names each refused one.
    """
    for name in given:
        if name not in fields:
            raise TypeError(
                f"there is no argument {name!r}; possible are {', '.join(fields)}."
            )
    document = {fields[name]: _as_json(value) for name, value in given.items()}
    try:
        return read_document(cls, document, check)
    except HvError as exc:
        names = {field: name for name, field in fields.items()}
        problems = [_named(problem, names) for problem in exc.errors]
        raise InvalidParametersError(" ".join(problems) or exc.detail) from exc


def _named(problem: FieldError, names: Mapping[str, str]) -> str:
    """Return a problem's message, which begins with the field, with the argument's name."""
    field = problem.location.rpartition(".")[2]
    return names.get(field, field) + problem.message.removeprefix(field)


def _as_json(value: object) -> object:
    """Return a value as a request in JSON has it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    # A text is a sequence, too.
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return list(value)
    return value


def kept_hours(keep_hours: object) -> int:
    """
    Return the hours of a deleted video's stay in the bin, if the number is allowed.

    Raises:
        InvalidParametersError: ``keep_hours`` is not a whole number from 1 to 23.
    """
    if (
        not isinstance(keep_hours, int)
        or isinstance(keep_hours, bool)
        or not 1 <= keep_hours <= MAX_KEEP_HOURS
    ):
        raise InvalidParametersError(
            f"keep_hours must be a whole number from 1 to {MAX_KEEP_HOURS}, not "
            f"{keep_hours!r}."
        )
    return keep_hours
