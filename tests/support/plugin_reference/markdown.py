"""Docstrings of this project as Markdown."""

import inspect
import re
from collections.abc import Iterator

_SECTION = re.compile(
    r"^(Args|Attributes|Raises|Returns|Source|Yields):$", re.MULTILINE
)
_ITEM = re.compile(r"^(\*{0,2}[\w.]+): (.*)", re.DOTALL)
TITLES = {"Args": "Parameters"}


def from_docstring(text: str) -> str:
    """Return a docstring as Markdown, with its sections as lists."""
    before, *rest = _SECTION.split(inspect.cleandoc(text))
    parts = [_prose(before)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        items = list(_items(inspect.cleandoc(body)))
        parts.append(f"{TITLES.get(title, title)}:\n\n" + "\n".join(items))
    return "\n\n".join(part for part in parts if part)


def code(text: str) -> str:
    """Return a block of Python."""
    return f"```python\n{text.strip()}\n```"


def as_sentence(name: str) -> str:
    """Return the promise that the name of a test says."""
    text = name.removeprefix("test_").replace("_", " ")
    return text[:1].upper() + text[1:]


def _prose(text: str) -> str:
    return text.strip().replace("``", "`")


def _items(body: str) -> Iterator[str]:
    # An item begins at the margin; its further lines are indented.
    for item in re.split(r"\n(?=\S)", body.strip()):
        one = " ".join(item.split()).replace("``", "`")
        named = _ITEM.match(one)
        yield f"- `{named[1]}`: {named[2]}" if named else f"- {one}"
