"""
Show and read the labels of a video (external id, tags, metadata) in a form.

The metadata are one field of the form, but each key is edited separately, because a program
may have set other keys since.
"""

from collections.abc import Mapping
from typing import Final

from hvcore.domain.labels import Labels
from hvcore.domain.shown_text import one_line
from hvcore.errors import FieldError, InvalidParametersError

METADATA: Final = "metadata"
_KEY: Final = f"{METADATA}:"
"""The prefix of a metadata key in the name of the form's field."""
_LINE_RULE: Final = "must have a key, a colon and a value in each line"


def label_fields(labels: Labels) -> dict[str, str]:
    """Return the fields of a form that shows a video's labels."""
    return {
        "externalID": one_line(labels.external_id or ""),
        "tags": ", ".join(map(one_line, labels.tags)),
        # No key has a colon, and no value is left with an end of a line.
        METADATA: "\n".join(
            f"{key}: {one_line(value)}" for key, value in labels.metadata
        ),
    }


def stored_labels(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the sent fields of labels as the form will show them once they are stored."""
    tags = filter(None, map(one_line, fields.get("tags", "").split(",")))
    lines = (one_line(line) for line in fields.get(METADATA, "").split("\n"))
    found = {
        "externalID": one_line(fields.get("externalID", "")),
        "tags": ", ".join(dict.fromkeys(tags)),
        METADATA: "\n".join(lines),
    }
    return {name: text for name, text in found.items() if name in fields}


def split_metadata(fields: Mapping[str, str]) -> Mapping[str, str]:
    """
    Return the fields of labels with a value of its own for each key of the metadata.

    Raises:
        InvalidParametersError: A line of the metadata has no key or no colon, or repeats a key.
    """
    pairs = _pairs(fields.get(METADATA, ""))
    others = {name: text for name, text in fields.items() if name != METADATA}
    return {**others, **{f"{_KEY}{key}": value for key, value in pairs.items()}}


def join_metadata(values: Mapping[str, str]) -> Mapping[str, str]:
    """Return the fields of labels with all keys of the metadata as lines of one value."""
    lines = [
        f"{name.removeprefix(_KEY)}: {value}"
        for name, value in values.items()
        if name.startswith(_KEY)
    ]
    others = {
        name: value for name, value in values.items() if not name.startswith(_KEY)
    }
    return {**others, METADATA: "\n".join(lines)} if lines else others


def label_changes(changes: Mapping[str, str | None]) -> Mapping[str, object]:
    """Return the changed fields of labels as members of the API's request body."""
    members: dict[str, object] = {}
    if "externalID" in changes:
        members["externalID"] = changes["externalID"] or None
    if "tags" in changes:
        tags = [tag.strip() for tag in (changes["tags"] or "").split(",")]
        members["tags"] = [tag for tag in tags if tag] or None
    pairs = {
        name.removeprefix(_KEY): value
        for name, value in changes.items()
        if name.startswith(_KEY)
    }
    if "" in pairs.values():
        raise _refused(_LINE_RULE)
    if pairs:
        members[METADATA] = pairs
    return members


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
