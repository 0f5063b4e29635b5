"""
Captions: reading WebVTT and SubRip files, and writing WebVTT.

Source: WebVTT (W3C), section 4; SubRip has no specification, so what editors
    write is taken. A file is never published as it was sent: the service
    writes a new one from the cues that it read.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import Enum
from typing import Final, NoReturn

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.caption_text import readable_text, without_invisible
from hvcore.domain.videos.media_paths import media_prefix
from hvcore.errors import FieldError, InvalidParametersError

WEBVTT_TYPE: Final = "text/vtt"
SUBRIP_TYPE: Final = "application/x-subrip"

MAX_CAPTION_BYTES: Final = 2 * 1024**2
"""Of a file that is sent: a film's subtitles have some 100 KB."""
MAX_WRITTEN_BYTES: Final = 2 * MAX_CAPTION_BYTES
"""What is escaped becomes longer, up to five times if it is nothing but ``&``."""
MAX_CUES: Final = 20_000
MAX_LINE_CHARS: Final = 2_000
MAX_CUE_LINES: Final = 50
MAX_CAPTION_TRACKS: Final = 50
"""Of one video: all of them stand in its master playlist."""
MAX_LABEL_CHARS: Final = 100
FORCED_ENDING: Final = " (forced)"
"""Of the label of a track without a title that translates signs only."""
MAX_LANGUAGE_CHARS: Final = 35
"""RFC 5646, section 4.4.1: what everybody must be able to hold."""
LANGUAGE_PATTERN: Final = (
    r"[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?"
    r"(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*"
)
"""Language, script, region, variants (RFC 5646, section 2.1); no extensions."""
UNDETERMINED: Final = "und"
"""For captions of a source that does not say their language; nobody sets such."""

# Maps the start of the cues to the start of the segments, whose first decode
# time is 0. Players take just this when it is missing, but RFC 8216, section
# 3.5, says that each file should have it; other readers skip the header.
_HEADER: Final = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n"
_ARROW: Final = "-->"
_SIGNATURE = re.compile(r"WEBVTT(?:[ \t].*)?")
_NOT_SHOWN = re.compile(r"(?:NOTE|STYLE|REGION)(?:[ \t].*)?")
_VTT_TIME = r"(?:([0-9]{2,3}):)?([0-5][0-9]):([0-5][0-9])\.([0-9]{3})"
_SRT_TIME = r"([0-9]{1,3}):([0-5][0-9]):([0-5][0-9])[,.]([0-9]{3})"
_PERCENT = r"(?:100(?:\.0+)?|[0-9]{1,2}(?:\.[0-9]{1,6})?)%"
_SETTING = re.compile(
    r"vertical:(?:rl|lr)"
    rf"|line:(?:-?[0-9]{{1,4}}|{_PERCENT})(?:,(?:start|center|end))?"
    rf"|position:{_PERCENT}(?:,(?:line-left|center|line-right))?"
    rf"|size:{_PERCENT}"
    r"|align:(?:start|center|end|left|right)"
)


class CaptionFormat(Enum):
    """
    The formats that are read.
    """

    WEBVTT = "WebVTT"
    SUBRIP = "SubRip"


@attrs.frozen(kw_only=True)
class Cue:
    """
    A text that is shown for a while.

    Attributes:
        start_ms: From the start of the video.
        settings: Where it is shown, as WebVTT writes it.
        text: In WebVTT, without empty lines.
    """

    start_ms: int
    end_ms: int
    text: str
    settings: str = ""


@attrs.frozen(kw_only=True)
class CaptionTrack:
    """
    The captions of a video in a language.

    Attributes:
        language: A tag of RFC 5646, in its canonical case.
        label: The name that viewers see.
        cues: How many there are.
        sha256: Of the published file, in hexadecimal.
        version: Part of the file's name in storage; each file has its own.
    """

    video_id: VideoId
    language: str
    label: str
    cues: int
    size_bytes: int
    sha256: str
    version: str
    created_at: datetime

    @property
    def path(self) -> str:
        """
        Where the file is in storage.
        """
        return captions_path(self.video_id, self.language, self.version)


def captions_path(video_id: VideoId, language: str, version: str) -> str:
    """
    Return the storage path of a caption file, below its video.
    """
    return f"{captions_prefix(video_id)}/{language}-{version}.vtt"


def captions_prefix(video_id: VideoId) -> str:
    """
    Return the storage prefix of a video's caption files.
    """
    return f"{media_prefix(video_id)}/captions"


def read_captions(data: bytes, expected: CaptionFormat | None) -> list[Cue]:
    """
    Read a file; the cues come in the order in which they are shown.

    Notes, styles, regions and cue identifiers are left out, and so are
    settings that WebVTT does not know.

    Args:
        expected: The format that it must have; None takes either.

    Raises:
        InvalidParametersError: It is no such file; the line is named.
    """
    lines = _lines(data)
    is_webvtt = _SIGNATURE.fullmatch(lines[0]) is not None
    if expected is CaptionFormat.WEBVTT and not is_webvtt:
        _refuse(1, "a WebVTT file begins with a line WEBVTT")
    if expected is CaptionFormat.SUBRIP and is_webvtt:
        _refuse(1, "this is a WebVTT file; send it as text/vtt")
    cues: list[Cue] = []
    chars = 0
    for number, block in _blocks(lines):
        if is_webvtt and (number == 1 or _NOT_SHOWN.fullmatch(block[0])):
            _refuse_arrows(number, block)
            continue
        cue = _read_cue(number, block, _WEBVTT if is_webvtt else _SUBRIP)
        if cue.text:
            cues.append(cue)
        if len(cues) > MAX_CUES:
            _refuse(number, f"a file may have at most {MAX_CUES} cues")
        chars += len(cue.text)
        if chars > MAX_WRITTEN_BYTES:
            raise _too_long()
    if not cues:
        _refuse(len(lines), "the file ends without a cue that has a text")
    return sorted(cues, key=lambda cue: cue.start_ms)


def write_webvtt(cues: Iterable[Cue]) -> bytes:
    """
    Write a file.

    Raises:
        InvalidParametersError: It would be longer than MAX_WRITTEN_BYTES.
    """
    parts = [_HEADER]
    for cue in cues:
        times = f"{_timestamp(cue.start_ms)} {_ARROW} {_timestamp(cue.end_ms)}"
        parts.append(f"{times} {cue.settings}".rstrip() + f"\n{cue.text}\n")
    written = "\n".join(parts).encode()
    if len(written) > MAX_WRITTEN_BYTES:
        raise _too_long()
    return written


def read_written(written: bytes) -> list[Cue]:
    """
    Read the cues of a file that write_webvtt has written.
    """
    # Without the limits of what is sent: a line becomes longer when it is escaped.
    blocks = _blocks(written.decode().split("\n"))
    return [_read_cue(number, block, _WEBVTT) for number, block in blocks if number > 1]


@attrs.frozen
class _Syntax:
    timing: re.Pattern[str]
    identifier: re.Pattern[str]
    example: str


_WEBVTT: Final = _Syntax(
    re.compile(rf"{_VTT_TIME}[ \t]+-->[ \t]+{_VTT_TIME}(?:[ \t]+(.*))?"),
    re.compile(r".*"),
    "00:00:01.000 --> 00:00:02.500",
)
_SUBRIP: Final = _Syntax(
    # Some files tell a place behind the times, in pixels of an unknown picture.
    re.compile(rf"{_SRT_TIME}[ \t]*-->[ \t]*{_SRT_TIME}(?:[ \t]+X1:.*())?"),
    re.compile(r"[0-9]+"),
    "00:00:01,000 --> 00:00:02,500",
)


def _lines(data: bytes) -> list[str]:
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as exc:
        _refuse(data.count(b"\n", 0, exc.start) + 1, "the file must be in UTF-8")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            _refuse(number, "there is a NUL character")
        if len(line) > MAX_LINE_CHARS:
            _refuse(number, f"a line may have at most {MAX_LINE_CHARS} characters")
    return [without_invisible(line).rstrip(" \t") for line in lines]


def _blocks(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """
    Yield what stands between empty lines, each with the number of its first.
    """
    block: list[str] = []
    for number, line in enumerate([*lines, ""], start=1):
        if line:
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []


def _read_cue(number: int, block: list[str], syntax: _Syntax) -> Cue:
    has_identifier = _ARROW not in block[0]
    if has_identifier and not syntax.identifier.fullmatch(block[0]):
        _refuse(number, f"expected the number of a cue, or {syntax.example}")
    at = 1 if has_identifier else 0
    found = syntax.timing.fullmatch(block[at]) if at < len(block) else None
    if found is None:
        _refuse(number + at, f"expected two times, such as {syntax.example}")
    text = block[at + 1 :]
    if len(text) > MAX_CUE_LINES:
        _refuse(number, f"a cue may have at most {MAX_CUE_LINES} lines")
    _refuse_arrows(number + at + 1, text)
    start_ms, end_ms = (
        _milliseconds(found.groups()[:4]),
        _milliseconds(found.groups()[4:8]),
    )
    if end_ms <= start_ms:
        _refuse(number + at, "a cue must end after it begins")
    settings = (found[9] or "").split()
    return Cue(
        start_ms=start_ms,
        end_ms=end_ms,
        settings=" ".join(s for s in settings if _SETTING.fullmatch(s)),
        text=readable_text("\n".join(text)),
    )


def _refuse_arrows(number: int, lines: Iterable[str]) -> None:
    for place, line in enumerate(lines, start=number):
        if _ARROW in line:
            _refuse(place, f'"{_ARROW}" may stand between times only')


def _milliseconds(parts: Iterable[str | None]) -> int:
    hours, minutes, seconds, rest = (int(part or 0) for part in parts)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest


def _timestamp(moment_ms: int) -> str:
    seconds, rest = divmod(moment_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}.{rest:03}"


def _too_long() -> InvalidParametersError:
    return _error("The captions have too many characters that must be escaped.")


def _refuse(number: int, what: str) -> NoReturn:
    raise _error(f"The file cannot be read, line {number}: {what}.")


def _error(message: str) -> InvalidParametersError:
    return InvalidParametersError(
        message, errors=[FieldError(message=message, location="body")]
    )
