"""Build HTML from elements instead of text, so that everything in it is escaped."""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

_CODE: Final = re.compile("`([^`]+)`")


def element(tag: str, *content: str | Element, **attributes: str) -> Element:
    """
    Return an HTML element with a tag and, in their order, the texts and elements within it.

    Args:
        attributes: The attributes by name; ``class_`` and ``data_fill`` stand for ``class`` and
            ``data-fill``.
    """
    named = {key.rstrip("_").replace("_", "-"): v for key, v in attributes.items()}
    made = Element(tag, named)
    for part in content:
        if isinstance(part, Element):
            made.append(part)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + part
        else:
            made.text = (made.text or "") + part
    return made


def block(text: str, **attributes: str) -> Element:
    """Return a ``<pre>`` element for code, which can be scrolled with the keyboard."""
    return element("pre", text, tabindex="0", **attributes)


def prose(text: str) -> Iterator[str | Element]:
    """Yield a text in pieces for ``element``; pieces in backticks become ``<code>`` elements."""
    for number, part in enumerate(_CODE.split(text)):
        yield element("code", part) if number % 2 else part
