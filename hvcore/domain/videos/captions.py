"""
Captions: read WebVTT and SubRip files, and write WebVTT files.

Source: WebVTT (W3C), section 6.1. Files are read as browsers read them: cues that a
    browser cannot show are left out. SubRip has no specification, so files are read as
    editors write them, in blocks of the same form. An uploaded file is never published
    unchanged: the service writes a new one from the cues that it read.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import Enum
from typing import Final, NoReturn

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.media_paths import media_prefix
from hvcore.domain.videos.caption_text import readable_text, without_invisible
from hvcore.errors import FieldError, InvalidParametersError

WEBVTT_TYPE: Final = "text/vtt"
WORDS_TYPE: Final = "application/json"
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
WORDS_ENDING: Final = ".words.json"
"""Of the file with the words and their times, beside generated captions."""
UNDETERMINED: Final = "und"
"""For captions of a source that does not say their language; nobody sets such."""

# Maps the start of the cues to the start of the segments, whose first decode
# time is 0. Players take just this when it is missing, but RFC 8216, section
# 3.5, says that each file should have it; other readers skip the header.
_HEADER: Final = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n"
_ARROW: Final = "-->"
_BY_MACHINE: Final = re.compile(r"cap_[0-9A-Za-z]+a[0-9]+")
_MAX_NOTES: Final = 20
"""A file that is broken all over needs no list of thousands of places."""
_SIGNATURE = re.compile(r"WEBVTT(?:[ \t].*)?")
_NOT_SHOWN = re.compile(r"(?:NOTE|STYLE|REGION)(?:[ \t].*)?")
# No browser plays for 1000 hours; more digits are costly to convert.
WEBVTT_TIME: Final = r"(?:([0-9]{1,3}):)?([0-5][0-9]):([0-5][0-9])\.([0-9]{3})"
_SRT_TIME = r"(?:([0-9]{1,3}):)?([0-5][0-9]):([0-5][0-9])[,.]([0-9]{3})"
_PERCENT = r"(?:100(?:\.0+)?|[0-9]{1,2}(?:\.[0-9]{1,6})?)%"
_SETTING = re.compile(
    r"vertical:(?:rl|lr)"
    rf"|line:(?:-?[0-9]{{1,4}}|{_PERCENT})(?:,(?:start|center|end))?"
    rf"|position:{_PERCENT}(?:,(?:line-left|center|line-right))?"
    rf"|size:{_PERCENT}"
    r"|align:(?:start|center|end|left|right)"
)


class CaptionFormat(Enum):
    """Name the formats of caption files that can be read."""

    WEBVTT = "WebVTT"
    SUBRIP = "SubRip"


@attrs.frozen(kw_only=True)
class Cue:
    """
    Describe a caption text that is shown for a period of time.

    Attributes:
        start_ms: The milliseconds from the start of the video to the start of the cue.
        settings: The place on the screen, as WebVTT writes cue settings.
        text: The text with WebVTT's tags, without empty lines.
    """

    start_ms: int
    end_ms: int
    text: str
    settings: str = ""


@attrs.frozen(kw_only=True)
class CaptionTrack:
    """
    Describe the published captions of a video in one language.

    Attributes:
        language: The RFC 5646 language tag, in its canonical case.
        label: The name that viewers see.
        cues: The number of cues.
        sha256: The SHA-256 of the published file, in hexadecimal.
        version: The part of the file's name in storage that differs with each upload.
        is_forced: Whether the captions translate only signs and the like, for viewers
            who understand the speech.
        is_generated: Whether a machine wrote the captions, and nobody has changed them.
        confidence: The mean probability of the words of generated captions, 0 to 1; None
            for others.
    """

    video_id: VideoId
    language: str
    label: str
    cues: int
    size_bytes: int
    sha256: str
    version: str
    created_at: datetime
    is_forced: bool = False
    is_generated: bool = False
    confidence: float | None = None

    @property
    def path(self) -> str:
        """The storage path of the published captions file."""
        return captions_path(self.video_id, self.language, self.version)

    @property
    def words_path(self) -> str | None:
        """The storage path of the words that generated captions were made of; None for others."""
        if not self.is_generated:
            return None
        return self.path.removesuffix(".vtt") + WORDS_ENDING

    @property
    def paths(self) -> tuple[str, ...]:
        """The storage paths of all files of the captions."""
        return (self.path,) if self.words_path is None else (self.path, self.words_path)


def is_version_by_machine(version: str) -> bool:
    """Return whether a version of captions is of an attempt at a caption job."""
    return _BY_MACHINE.fullmatch(version) is not None


def captions_path(video_id: VideoId, language: str, version: str) -> str:
    """
    Return the storage path of a video's captions file.

    Args:
        language: The language tag of the captions.
        version: The part of the file's name that differs with each upload.
    """
    return f"{captions_prefix(video_id)}/{language}-{version}.vtt"


def captions_prefix(video_id: VideoId) -> str:
    """Return the storage prefix of all captions files of a video."""
    return f"{media_prefix(video_id)}/captions"


@attrs.frozen(kw_only=True)
class ReadCaptions:
    """
    Hold the cues of a captions file, in the order in which they are shown.

    Attributes:
        left_out: Sentences for the sender of the file: the lines that cannot be shown,
            and why.
    """

    cues: Sequence[Cue]
    left_out: Sequence[str] = ()


def read_captions(data: bytes, expected: CaptionFormat | None) -> ReadCaptions:
    """
    Read a WebVTT or SubRip file as browsers do, and leave out cues they cannot show.

    Notes, styles, regions, cue identifiers and unknown settings are left out, too.

    Args:
        expected: The format that the file must have; None takes either.

    Raises:
        InvalidParametersError: The file has no cue, or exceeds a limit; the message names the line.
    """
    lines = _lines(data)
    is_webvtt = _SIGNATURE.fullmatch(lines[0]) is not None
    if expected is CaptionFormat.WEBVTT and not is_webvtt:
        _refuse(1, "a WebVTT file begins with a line WEBVTT")
    if expected is CaptionFormat.SUBRIP and is_webvtt:
        _refuse(1, "this is a WebVTT file; send it as text/vtt")
    syntax = _WEBVTT if is_webvtt else _SUBRIP
    cues: list[Cue] = []
    left_out: list[str] = []
    chars = 0
    for block in _blocks(lines, syntax):
        cue = _read_cue(block, syntax)
        if isinstance(cue, str):
            left_out.append(cue)
        elif cue is not None:
            cues.append(cue)
            chars += len(cue.text)
        if len(cues) > MAX_CUES:
            _refuse(block.number, f"a file may have at most {MAX_CUES} cues")
        if chars > MAX_WRITTEN_BYTES:
            raise _too_long()
    if not cues and left_out:
        raise refused_file(f"The file cannot be read, {left_out[0]}.")
    if not cues:
        _refuse(len(lines), "the file ends without a cue that has a text")
    return ReadCaptions(
        cues=sorted(cues, key=lambda cue: cue.start_ms), left_out=_notes(left_out)
    )


def write_webvtt(cues: Iterable[Cue]) -> bytes:
    """
    Return the bytes of a WebVTT file with some cues.

    Raises:
        InvalidParametersError: The file would be longer than MAX_WRITTEN_BYTES.
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
    """Return the cues of a WebVTT file that write_webvtt has written."""
    # Without the limits of what is sent: a line becomes longer when it is escaped.
    blocks = _blocks(written.decode().split("\n"), _WEBVTT)
    found = (_read_cue(block, _WEBVTT) for block in blocks)
    return [cue for cue in found if isinstance(cue, Cue)]


@attrs.frozen
class _Syntax:
    """
    The syntax of a caption format's blocks.

    Attributes:
        timing: Its groups are the parts of two times; the rest of the line follows.
        example: Of two times.
        ends_at_blanks: Whether a line of blanks ends a cue, as an empty one does.
    """

    timing: re.Pattern[str]
    example: str
    ends_at_blanks: bool


_WEBVTT: Final = _Syntax(
    re.compile(rf"[ \t]*{WEBVTT_TIME}[ \t]*-->[ \t]*{WEBVTT_TIME}(?![0-9])(.*)"),
    "00:00:01.000 --> 00:00:02.500",
    # So YouTube's automatic captions have them.
    ends_at_blanks=False,
)
_SUBRIP: Final = _Syntax(
    # Some files tell a place behind the times, in pixels of an unknown picture.
    re.compile(rf"[ \t]*{_SRT_TIME}[ \t]*-->[ \t]*{_SRT_TIME}(?![0-9]).*()"),
    "00:00:01,000 --> 00:00:02,500",
    ends_at_blanks=True,
)


@attrs.define
class _Block:
    """
    Lines of a file that belong together.

    Attributes:
        number: Of the first line.
        arrow: Which of the lines has the times, from 0 on; None if none has.
    """

    number: int
    lines: list[str] = attrs.field(factory=list)
    arrow: int | None = None


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
    # A line that only looks empty ends no cue.
    return [line and (without_invisible(line).rstrip(" \t") or " ") for line in lines]


def _blocks(lines: Sequence[str], syntax: _Syntax) -> Iterator[_Block]:
    """
    Yield the blocks of a file as WebVTT parts them, without the one of its signature.

    Times begin a block, wherever they stand: only the line before may be its name.
    """
    block = _Block(1)
    is_header = syntax is _WEBVTT
    for number, line in enumerate([*lines, ""], start=1):
        has_arrow = _ARROW in line
        is_empty = not (line.strip() if syntax.ends_at_blanks else line)
        may_be_named = len(block.lines) <= 1 and block.arrow is None and not is_header
        if is_empty or (has_arrow and not may_be_named):
            if has_arrow and syntax is _SUBRIP and block.lines[-1].isdecimal():
                # Of the cue that begins.
                block.lines.pop()
            if block.lines and not is_header:
                yield block
            block, is_header = _Block(number), False
        if is_empty:
            block.number = number + 1
            continue
        if has_arrow:
            block.arrow = len(block.lines)
        block.lines.append(line)


def _read_cue(block: _Block, syntax: _Syntax) -> Cue | str | None:
    """Return the cue of a block, or why it is left out; nothing for what is no cue."""
    if block.arrow is None:
        is_text = any(line.strip() for line in block.lines)
        if not is_text or (syntax is _WEBVTT and _NOT_SHOWN.fullmatch(block.lines[0])):
            return None
        return f"line {block.number}: a text without times, such as {syntax.example}"
    number = block.number + block.arrow
    found = syntax.timing.fullmatch(block.lines[block.arrow])
    if found is None:
        return f"line {number}: expected two times, such as {syntax.example}"
    start_ms, end_ms = (
        time_ms(found.groups()[:4]),
        time_ms(found.groups()[4:8]),
    )
    lines = block.lines[block.arrow + 1 :]
    if len(lines) > MAX_CUE_LINES:
        _refuse(block.number, f"a cue may have at most {MAX_CUE_LINES} lines")
    text = readable_text("\n".join(lines))
    if not text:
        return None
    if end_ms <= start_ms:
        return f"line {number}: a cue must end after it begins"
    return Cue(
        start_ms=start_ms,
        end_ms=end_ms,
        settings=" ".join(s for s in found[9].split() if _SETTING.fullmatch(s)),
        text=text,
    )


def _notes(left_out: Sequence[str]) -> Sequence[str]:
    """Return in sentences what was left out."""
    notes = [f"Left out, {what}." for what in left_out[:_MAX_NOTES]]
    more = len(left_out) - len(notes)
    return [*notes, f"Left out: {more} more places."] if more else notes


def time_ms(parts: Iterable[str | None]) -> int:
    """Return a time in milliseconds, from the groups of WEBVTT_TIME."""
    hours, minutes, seconds, rest = (int(part or 0) for part in parts)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest


def _timestamp(moment_ms: int) -> str:
    seconds, rest = divmod(moment_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}.{rest:03}"


def _too_long() -> InvalidParametersError:
    return refused_file("The captions have too many characters that must be escaped.")


def _refuse(number: int, what: str) -> NoReturn:
    raise refused_file(f"The file cannot be read, line {number}: {what}.")


def refused_file(message: str) -> InvalidParametersError:
    """Return the error for a caption or chapter file that a request has in its body."""
    return InvalidParametersError(
        message, errors=[FieldError(message=message, location="body")]
    )
