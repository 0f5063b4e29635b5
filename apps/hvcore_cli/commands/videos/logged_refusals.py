"""Find the lines about a request in the log files of this installation."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

import attrs

from hvcore.domain.playback.rules import PlaybackRule
from hvcore_cli.invocation import CliError
from hvcore_cli.logs.json_lines import read_line
from hvcore_cli.printable import printable

_CRASHED: Final = "request crashed"
_REFUSED: Final = frozenset(
    {_CRASHED, "playback refused", "request not answered", "request refused"}
)
# Each value is read in one way only, or a line that is cut off takes for ever.
_VALUE = r"(?>'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"|\S+)"
# A service manager may have put something before it. A message has no "=": where one could,
# all of a line would be tried again behind each of its words.
_LINE = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) [A-Z]+ \S+: (?P<message>[^=]*?)"
    rf"(?P<data>(?: \w+={_VALUE})*+)$"
)
_PAIR = re.compile(rf" (\w+)=({_VALUE})")


@attrs.frozen(kw_only=True)
class LoggedRefusal:
    """
    One log line about a refused or failed request.

    Attributes:
        file: The name of the log file that has the line.
        rule: The id of the rule that refused the request; None if the service failed.
        status: The HTTP status of the answer; None if the line does not say.
        path: The request's path as it was logged, without tokens and signatures.
    """

    at: datetime
    file: str
    rule: str | None
    status: int | None
    path: str | None
    says: str
    fix: str


def log_files(folder: Path) -> list[Path]:
    """Return the paths of the log files of all processes in a folder, older files included."""
    return sorted([*folder.glob("*.log"), *folder.glob("*.log.1")])


def find_refusals(request_id: str, files: Iterable[Path]) -> list[LoggedRefusal]:
    """
    Return the log lines about refused or failed requests with an id, the oldest first.

    Args:
        request_id: The id of the request; callers may choose it, so several requests can have it.

    Raises:
        CliError: A file cannot be read.
    """
    found: list[LoggedRefusal] = []
    for path in files:
        try:
            with path.open("rb") as file:
                found += find_lines(request_id, file, str(path))
        except FileNotFoundError:
            # It has just become the older one, or is gone.
            continue
        except OSError as exc:
            raise CliError(
                f"{path} cannot be read: {exc.strerror}. Run hv as the user that the "
                "data folder belongs to."
            ) from exc
    return sorted(found, key=lambda refusal: refusal.at)


def find_lines(request_id: str, file: BinaryIO, name: str) -> Iterator[LoggedRefusal]:
    """
    Yield the lines of one log file about refused or failed requests with an id, in the file's order.

    Args:
        name: The name of the log file.
    """
    in_text = f" request_id='{request_id}'".encode()
    in_json = f'"request_id": "{request_id}"'.encode()
    for line in file:
        if in_text in line:
            found = _from_text(line)
        elif in_json in line:
            found = _from_json(line)
        else:
            continue
        if found is not None and found.data.get("request_id") == request_id:
            yield _refusal(found, name)


@attrs.frozen(kw_only=True)
class _Line:
    at: datetime
    message: str
    data: Mapping[str, object]


def _from_text(line: bytes) -> _Line | None:
    match = _LINE.search(line.decode("utf-8", "replace").rstrip())
    at = _moment(match["at"]) if match else None
    if match is None or at is None:
        return None
    pairs = _PAIR.findall(match["data"])
    data = {key: _value(text) for key, text in pairs}
    return _Line(at=at, message=match["message"], data=data)


def _from_json(line: bytes) -> _Line | None:
    data = read_line(line)
    # Every line about a request has its id here.
    if data is None or data["message"] not in _REFUSED:
        return None
    try:
        at = datetime.fromisoformat(str(data["time"])).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return _Line(at=at, message=str(data["message"]), data=data)


def _refusal(line: _Line, name: str) -> LoggedRefusal:
    at, message, data = line.at, line.message, line.data
    id_, status = _text(data.get("rule")), data.get("status")
    rule = PlaybackRule.named(id_) if id_ is not None else None
    says, fix = _unruled(message, _text(data.get("why")), name)
    return LoggedRefusal(
        at=at,
        file=name,
        rule=id_,
        status=status if isinstance(status, int) else None,
        path=_text(data.get("path")),
        says=rule.refusal if rule else says,
        fix=rule.fix if rule else fix,
    )


def _unruled(message: str, why: str | None, name: str) -> tuple[str, str]:
    if message == _CRASHED:
        return "This is a bug of hv.", f"Report it, with the traceback in {name}."
    says = why if why is not None else printable(message)
    return says, "Run hv doctor, and read the log around that moment."


def _moment(at: str) -> datetime | None:
    try:
        # In the time of this machine, as the log has it.
        return datetime.strptime(at, "%Y-%m-%d %H:%M:%S,%f").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _text(value: object) -> str | None:
    return None if value is None else printable(str(value))


def _value(text: str) -> object:
    """Return the logged Python value; None if its text is cut off."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
