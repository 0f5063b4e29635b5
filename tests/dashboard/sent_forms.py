"""
Forms of pages as browsers send them.
"""

from collections.abc import Sequence
from html.parser import HTMLParser

import attrs
from falcon.testing import Result

_UNSENT = {"file", "submit", "button"}


def form_of(answer: Result, action: str) -> dict[str, list[str]]:
    """
    Return what a browser would send of the forms with an action, as they are filled in.

    Source: HTML, "Constructing the entry list".
    """
    reader = _FormReader(action=action)
    reader.feed(answer.text)
    assert reader.is_found, f"no form sends to {action}"
    return reader.fields


@attrs.define(eq=False)
class _FormReader(HTMLParser):
    action: str
    fields: dict[str, list[str]] = attrs.field(factory=dict)
    is_found: bool = False
    _is_inside: bool = False
    _select: str = ""
    _options: list[tuple[str, bool]] = attrs.field(factory=list)
    _area: str = ""
    _text: str = ""

    def __attrs_pre_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(
        self, tag: str, attrs: Sequence[tuple[str, str | None]]
    ) -> None:
        found = dict(attrs)
        if tag == "form":
            self._is_inside = found.get("action") == self.action
            self.is_found |= self._is_inside
        if not self._is_inside:
            return
        name = found.get("name") or ""
        if tag == "input" and name:
            self._input(name, found)
        elif tag == "select":
            self._select, self._options = name, []
        elif tag == "option":
            self._options.append((found.get("value") or "", "selected" in found))
        elif tag == "textarea":
            self._area, self._text = name, ""

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_inside = False
        elif tag == "select" and self._select:
            chosen = [value for value, is_chosen in self._options if is_chosen]
            self._add(self._select, (chosen or [self._options[0][0]])[0])
            self._select = ""
        elif tag == "textarea" and self._area:
            self._add(self._area, self._text.removeprefix("\n"))
            self._area = ""

    def _input(self, name: str, found: dict[str, str | None]) -> None:
        kind = found.get("type", "text")
        if kind in _UNSENT:
            return
        if kind in {"checkbox", "radio"} and "checked" not in found:
            return
        self._add(name, found.get("value") or "")

    def _add(self, name: str, value: str) -> None:
        self.fields.setdefault(name, []).append(value.replace("\n", "\r\n"))
