"""
The labels of a video, as a form has them.

A form holds each twice: as it was shown, and as it was sent. Only what its sender has
changed is changed: a program may have set other labels since, and not every character
of a label can be shown.
"""

from collections.abc import Mapping
from typing import Final

from hv_dashboard.forms import Form
from hvcore.domain.shown_text import one_line
from hvcore.domain.videos.labels import Labels
from hvcore.errors import FieldError, InvalidParametersError

BEFORE: Final = "Before"
"""Behind a field's name, for what was shown."""
_LINE_RULE: Final = "must have a key, a colon and a value in each line"


def label_fields(labels: Labels) -> dict[str, str]:
    """
    Return the fields of a form that is shown for the first time.
    """
    shown = {
        "externalID": one_line(labels.external_id or ""),
        "tags": ", ".join(map(one_line, labels.tags)),
        # No key has a colon, and no value is left with an end of a line.
        "metadata": "\n".join(
            f"{key}: {one_line(value)}" for key, value in labels.metadata
        ),
    }
    return {**shown, **{f"{name}{BEFORE}": text for name, text in shown.items()}}


def label_changes(form: Form) -> Mapping[str, object]:
    """
    Return what was changed, as members of the API's request.

    Raises:
        InvalidParametersError: A line of the metadata is no key and value.
    """
    changes: dict[str, object] = {}
    if _is_changed(form, "externalID"):
        changes["externalID"] = form.text("externalID") or None
    if _is_changed(form, "tags"):
        tags = [tag.strip() for tag in form.text("tags").split(",")]
        changes["tags"] = [tag for tag in tags if tag] or None
    before = _pairs(form.text(f"metadata{BEFORE}"))
    after = _pairs(form.text("metadata"))
    pairs: dict[str, str | None] = {
        key: value for key, value in after.items() if before.get(key) != value
    }
    if "" in pairs.values():
        raise _refused(_LINE_RULE)
    pairs |= dict.fromkeys(before.keys() - after.keys())
    if pairs:
        changes["metadata"] = pairs
    return changes


def _is_changed(form: Form, name: str) -> bool:
    return form.text(name) != form.text(f"{name}{BEFORE}")


def _pairs(text: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.split("\n"))):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or not key:
            raise _refused(_LINE_RULE)
        if key in found:
            raise _refused(f"must not have a key twice: {key}")
        found[key] = value
    return found


def _refused(rule: str) -> InvalidParametersError:
    message = f"metadata {rule}"
    problem = FieldError(message=message, location="body.metadata")
    return InvalidParametersError(message, errors=[problem])
