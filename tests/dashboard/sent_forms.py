"""
Forms of pages as browsers send them.
"""

from collections.abc import Sequence
from html.parser import HTMLParser

from attrs import define, field
from falcon.testing import Result

_UNSENT = {"file", "submit", "button"}


def form_of(
    answer: Result, action: str, *, form_id: str | None = None
) -> dict[str, list[str]]:
    """
    Return what a browser would send of the forms with an action, as they are filled in.

    Args:
        form_id: Of one of them, where a page has several.

    Source: HTML, "Constructing the entry list".
    """
    reader = _FormReader(action=action, form_id=form_id)
    reader.feed(answer.text)
    assert reader.form_ids, f"no form sends to {action}"
    for outside_id, name, value in reader.outside:
        if outside_id in reader.form_ids:
            reader.fields.setdefault(name, []).append(value)
    return reader.fields


@define(eq=False)
class _FormReader(HTMLParser):
    action: str
    form_id: str | None
    fields: dict[str, list[str]] = field(factory=dict)
    form_ids: list[str] = field(factory=list)
    outside: list[tuple[str, str, str]] = field(factory=list)
    _is_inside: bool = False
    _select: str = ""
    _options: list[tuple[str, bool]] = field(factory=list)
    _area: str = ""
    _text: str = ""

    def __attrs_pre_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(
        self, tag: str, attrs: Sequence[tuple[str, str | None]]
    ) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            is_wanted = self.form_id in {None, found.get("id", "")}
            self._is_inside = is_wanted and found.get("action") == self.action
            if self._is_inside:
                self.form_ids.append(found.get("id", ""))
        name = found.get("name", "")
        if "form" in found:
            self.outside.append((found["form"], name, found.get("value", "")))
        elif not self._is_inside:
            return
        elif tag == "input" and name:
            self._input(name, found)
        elif tag == "select":
            self._select, self._options = name, []
        elif tag == "option":
            self._options.append((found.get("value", ""), "selected" in found))
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

    def _input(self, name: str, found: dict[str, str]) -> None:
        kind = found.get("type", "text")
        if kind in _UNSENT:
            return
        if kind in {"checkbox", "radio"} and "checked" not in found:
            return
        self._add(name, found.get("value", ""))

    def _add(self, name: str, value: str) -> None:
        self.fields.setdefault(name, []).append(value.replace("\n", "\r\n"))
