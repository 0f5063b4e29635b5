"""
Load the dashboard's templates, and define the filters with which they show values.

Every value is escaped. A text is put on one line and cannot turn the direction of the
text behind it; ``|lines`` keeps line breaks, for texts that are edited, and ``|verbatim``
keeps all, for files that are edited.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.runtime import Undefined
from markupsafe import Markup, escape

from hvcore.domain.shown_text import one_line
from hvcore.domain.videos.spoken_texts import SnippetPart

TEMPLATES: Final = Path(__file__).parent / "templates"
_KIB: Final = 1024
_NEAR: Final = 2
"""The numbered pages on each side of the shown one."""


@cache
def make_templates() -> Environment:
    """Return the Jinja environment with all templates; each is compiled once in a process."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        # They change with releases only.
        auto_reload=False,
        cache_size=-1,
    )
    found.filters.update(
        attributes=attributes,
        combine=combine,
        lines=lines,
        verbatim=verbatim,
        code=code,
        marked=marked,
        iso=iso,
        moment=moment,
        day=day,
        duration=duration,
        near_pages=near_pages,
        number=number,
        size=size,
        query=query,
    )
    return found


def _shown(value: object) -> object:
    if isinstance(value, str) and not isinstance(value, Markup):
        return one_line(value)
    if value is None:
        # A condition was forgotten: nobody shall read "None".
        return ""
    return value


def lines(text: str) -> Markup:
    """Return a text escaped, with its line breaks, for ``<textarea>`` and ``<pre>``."""
    shown = "\n".join(one_line(line) for line in text.splitlines())
    # Browsers leave out a first end of a line.
    return Markup("\n") + escape(shown)


def verbatim(text: str) -> Markup:
    """Return a text escaped and otherwise unchanged, for a ``<textarea>`` that is saved as it is."""
    return Markup("\n") + escape(text)


def code(text: str) -> Markup:
    """Return lines of code escaped, with their indentation, for ``<pre>`` and an attribute to copy."""
    shown = []
    for line in text.splitlines():
        indented = line.lstrip(" ")
        shown.append(" " * (len(line) - len(indented)) + one_line(indented))
    return escape("\n".join(shown))


def marked(parts: Sequence[SnippetPart]) -> Markup:
    """Return a snippet of what is said, escaped, with ``<mark>`` around what was searched for."""
    shown = Markup("")
    for part in parts:
        # The spaces between parts are of the text.
        text = one_line(f".{part.text}.")[1:-1]
        shown += Markup("<mark>{}</mark>").format(text) if part.is_match else text
    return shown


def attributes(values: Mapping[str, object]) -> Markup:
    """Return HTML attributes; True gives a name without a value, False and None give nothing."""
    shown = Markup("")
    for name, value in values.items():
        if value is True:
            shown += Markup(" {}").format(name.replace("_", "-"))
        elif value is not False and value is not None:
            shown += Markup(' {}="{}"').format(name.replace("_", "-"), value)
    return shown


def combine(
    values: Mapping[str, object], others: Mapping[str, object]
) -> Mapping[str, object]:
    """Return a mapping with the values of both, such as query parameters; ``others`` takes precedence."""
    return {**values, **others}


def iso(at: datetime) -> str:
    """Return a time in UTC in ISO format, for the HTML attribute ``datetime``."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(at: datetime) -> str:
    """Return a time in UTC such as ``5 Mar 2026, 14:30 UTC``, shown where scripts do not run."""
    at = at.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M} UTC"


def day(at: datetime) -> str:
    """Return a day in UTC such as ``5 Mar 2026``, shown where scripts do not run."""
    at = at.astimezone(UTC)
    return f"{at.day} {at:%b %Y}"


def duration(seconds: float) -> str:
    """Return seconds as a duration such as ``1:02:03`` or ``4:05``."""
    minutes, rest = divmod(math.floor(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def near_pages(page: int, last: int) -> Sequence[int | None]:
    """
    Return the numbers of the first page, the last page and those near ``page``, for links.

    None stands for left-out numbers.
    """
    around = range(max(1, page - _NEAR), min(last, page + _NEAR) + 1)
    shown: list[int | None] = []
    before = 0
    for one in sorted({1, last, *around}):
        if one == before + 2:
            # A gap of one page takes as much room as its number.
            shown.append(one - 1)
        elif one > before + 1:
            shown.append(None)
        shown.append(one)
        before = one
    return shown


def number(value: float) -> str:
    """Return a number with commas between thousands, such as ``1,234``."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def size(count_bytes: float) -> str:
    """Return a number of bytes with a unit, such as ``1.4 GB``."""
    for unit in ("bytes", "KB", "MB", "GB"):
        if count_bytes < _KIB:
            shown = f"{count_bytes:.1f}".removesuffix(".0")
            return f"{shown} {unit}"
        count_bytes /= _KIB
    return f"{count_bytes:.1f}".removesuffix(".0") + " TB"


def query(values: Mapping[str, object]) -> str:
    """Return the query string of an address, with ``?``; empty and missing values are left out."""
    sent = {
        name: value
        for name, value in values.items()
        if value is not None and not isinstance(value, Undefined) and value != ""
    }
    return f"?{urlencode(sent)}" if sent else ""
