"""Docstrings of this project as Markdown."""

import inspect
import re
from collections.abc import Iterator, Mapping

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


def attribute_docs(cls: type) -> Mapping[str, str]:
    """Return what the docstrings of a class and of its bases say of each attribute."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        _, *rest = _SECTION.split(inspect.cleandoc(base.__doc__ or ""))
        for title, body in zip(rest[::2], rest[1::2], strict=True):
            if title == "Attributes":
                found |= dict(map(_named, _texts(inspect.cleandoc(body))))
    return found


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
    for one in _texts(body):
        name, text = _named(one)
        yield f"- `{name}`: {text}" if name else f"- {text}"


def _texts(body: str) -> Iterator[str]:
    # An item begins at the margin; its further lines are indented.
    for item in re.split(r"\n(?=\S)", body.strip()):
        yield " ".join(item.split()).replace("``", "`")


def _named(item: str) -> tuple[str, str]:
    found = _ITEM.match(item)
    return (found[1], found[2]) if found else ("", item)
