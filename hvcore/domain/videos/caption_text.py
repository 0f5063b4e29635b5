"""
Caption texts: make the text of a cue safe; only WebVTT's own tags stay markup.

Source: WebVTT (W3C), section 4.2.2. Some players put cue texts into their page
    unchanged. So every tag that is not WebVTT's own is left out, and WebVTT's tags keep
    nothing that a page could take for an attribute's value.
"""

import re
from html import unescape
from typing import Final

_PLAIN_TAGS: Final = frozenset({"b", "i", "u", "c", "ruby", "rt"})
_TAGS_WITH_NAME: Final = frozenset({"v", "lang"})
_CLASS = re.compile(r"[\w-]+")
_TIME = re.compile(r"(?:[0-9]{2,3}:)?[0-5][0-9]:[0-5][0-9]\.[0-9]{3}")
# Nearly all that occurs; a file may have hundreds of thousands of them.
_COMMON: Final = frozenset(
    tag for name in _PLAIN_TAGS for tag in (f"<{name}>", f"</{name}>")
)
_TAG_START = re.compile(r"/?[A-Za-z]")
# Tab and line feed stay; a mark of byte order is none inside of a text.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
# In parentheses, so that split keeps them. Neither goes on behind the beginning of
# another one, so that whatever stands there is looked through twice at most.
_MARKUP = re.compile(
    r"(<[^<>]*>"
    # Where SubRip files say "at the top": \an8 in braces. WebVTT would show it.
    r"|\{\\[^{}]*\})"
)


def without_invisible(text: str) -> str:
    """Return a text without control characters."""
    return _INVISIBLE.sub("", text)


def readable_text(text: str) -> str:
    """Return a cue's text as WebVTT writes it: no unknown tag, no empty line, no arrow."""
    written = _rewritten(without_invisible(text))
    return "\n".join(line for line in written.split("\n") if line.strip())


def _rewritten(text: str) -> str:
    if "<" not in text and "{" not in text:
        return _escaped(text)
    parts = _MARKUP.split(text)
    # What a file may have millions of is replaced by the libraries in C.
    parts[::2] = map(_escaped, parts[::2])
    parts[1::2] = map(_rewritten_markup, parts[1::2])
    return "".join(parts)


def _escaped(text: str) -> str:
    if "&" in text:
        # All references of HTML are WebVTT's, too; few players know them. What they
        # stand for may be an end of line.
        text = without_invisible(unescape(text)).replace("&", "&amp;")
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _rewritten_markup(found: str) -> str:
    if found in _COMMON:
        return found
    if found.startswith("{"):
        return ""
    inner = found[1:-1]
    if _TIME.fullmatch(inner):
        return found
    if _TAG_START.match(inner):
        return _tag(inner)
    return f"&lt;{_rewritten(inner)}&gt;"


def _tag(inner: str) -> str:
    slash = "/" if inner.startswith("/") else ""
    head, *rest = inner.removeprefix("/").split(None, 1)
    name, *classes = head.split(".")
    name = name.lower()
    if name not in _PLAIN_TAGS | _TAGS_WITH_NAME:
        return ""
    if slash:
        return f"</{name}>"
    shown = "".join(f".{c}" for c in classes if _CLASS.fullmatch(c))
    if not rest or name not in _TAGS_WITH_NAME:
        return _without_arrow(f"<{name}{shown}>")
    of_whom = _rewritten(rest[0]).replace("=", " ")
    return _without_arrow(f"<{name}{shown} {' '.join(of_whom.split())}>")


def _without_arrow(tag: str) -> str:
    # Readers end a cue at one, wherever it stands.
    return tag.replace("-->", "-- >")
