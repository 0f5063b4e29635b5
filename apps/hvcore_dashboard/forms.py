"""The fields and files that a form has sent, and the errors found in them."""

import io
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qs

import attrs
import falcon
from falcon.media.multipart import MultipartFormHandler

from hvcore.errors import HvError, InvalidParametersError
from hvcore_web.bodies import read_body

URLENCODED: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
MAX_FIELDS_BYTES: Final = 64 * 1024
"""The most bytes of a form's fields, without its files."""
_MOST_FIELDS: Final = 1_000
"""The most fields of a form: more than the boxes of the longest list."""
_MULTIPART: Final = MultipartFormHandler()
SHOWN: Final = "shown."
"""The prefix of a hidden field with the value that the form showed in the field of the same
name."""


@attrs.frozen(kw_only=True)
class SentFile:
    """A file that a form has sent; its data are empty if no file was chosen."""

    name: str
    content_type: str
    data: bytes = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class Form:
    """
    The fields and files of a form, as they were sent, and the errors found in them.

    Attributes:
        fields: The values of each field, in order.
        errors: The error of each field; the name "" stands for the form as a whole.
        stored: For each disputed field, the value that somebody else has stored.
        without: For each disputed field, its value without the person's disputed changes.
    """

    fields: Mapping[str, Sequence[str]] = attrs.field(factory=dict)
    files: Mapping[str, SentFile] = attrs.field(factory=dict)
    errors: Mapping[str, str] = attrs.field(factory=dict)
    stored: Mapping[str, str] = attrs.field(factory=dict)
    without: Mapping[str, str] = attrs.field(factory=dict)

    def text(self, name: str) -> str:
        """Return the value of a field without spaces around it; empty if it was not sent."""
        values = self.fields.get(name)
        # Browsers send CRLF; callers of the API do not.
        return values[0].replace("\r\n", "\n").strip() if values else ""

    def texts(self, name: str) -> Sequence[str]:
        """Return every value of a field, such as those of checked boxes."""
        return self.fields.get(name, ())

    def is_checked(self, name: str) -> bool:
        """Return whether a checkbox is checked."""
        return name in self.fields

    def has_shown(self, name: str) -> bool:
        """Return whether the form has sent the value that it showed in this field."""
        return f"{SHOWN}{name}" in self.fields

    @property
    def first_wrong(self) -> str:
        """The name of the first field with an error; empty if no field has one."""
        return next(filter(None, self.errors), "")

    def given(self, *names: str) -> dict[str, str]:
        """Return the named fields that are not empty, for ``read_query`` of ``hvcore.wire``."""
        return {name: self.text(name) for name in names if self.text(name)}

    def refused(self, error: HvError, **names: str) -> "Form":
        """
        Return the form with the messages that an error has for its fields.

        Args:
            names: The names of fields in the form by their names in the API, where they differ.
        """
        found: dict[str, str] = {}
        for problem in error.errors:
            name = problem.location.partition(".")[2]
            found.setdefault(names.get(name, name), problem.message)
        if not found:
            found[""] = error.detail
        return attrs.evolve(self, errors=found)


def form_with(**values: str) -> Form:
    """Return a form with these values in its fields, to be shown for the first time."""
    return Form(fields={name: [value] for name, value in values.items()})


def form_to_edit(values: Mapping[str, str]) -> Form:
    """Return a form with stored values in its fields, which also sends the values it has shown."""
    shown = {f"{SHOWN}{name}": value for name, value in values.items()}
    return form_with(**values, **shown)


def is_multipart(req: falcon.Request) -> bool:
    """Return whether the request's body is ``multipart/form-data``, as forms with files are sent."""
    return _media_type(req) == MULTIPART


def read_form(req: falcon.Request, *, max_bytes: int = MAX_FIELDS_BYTES) -> Form:
    """
    Return the form in the request's body; it is read once and remembered.

    Raises:
        PayloadTooLargeError: The body is longer than max_bytes.
        InvalidParametersError: The body cannot be read as a form.
    """
    form: Form | None = getattr(req.context, "form", None)
    if form is None:
        form = req.context.form = _read(req, max_bytes)
    return form


def _read(req: falcon.Request, max_bytes: int) -> Form:
    body = read_body(req, max_bytes=max_bytes)
    media_type = _media_type(req)
    try:
        if media_type == URLENCODED:
            fields = parse_qs(
                body.decode("ascii", "replace"),
                keep_blank_values=True,
                max_num_fields=_MOST_FIELDS,
                errors="replace",
            )
            return Form(fields=fields)
        if media_type == MULTIPART:
            return _read_multipart(body, req.content_type or "")
    except (ValueError, falcon.HTTPError) as exc:
        raise InvalidParametersError("The form could not be read.") from exc
    return Form()


def _media_type(req: falcon.Request) -> str:
    return falcon.parse_header(req.content_type or "")[0].strip().lower()


def _read_multipart(body: bytes, content_type: str) -> Form:
    fields: dict[str, list[str]] = {}
    files: dict[str, SentFile] = {}
    parts = _MULTIPART.deserialize(io.BytesIO(body), content_type, len(body))
    for part in parts:
        name, data = part.name or "", part.stream.read()
        if part.filename is None:
            fields.setdefault(name, []).append(data.decode("utf-8", "replace"))
        else:
            files[name] = SentFile(
                name=part.filename, content_type=part.content_type, data=data
            )
    return Form(fields=fields, files=files)
