"""Tell a person whose form comes after its video was deleted what has become of both."""

from collections.abc import Mapping
from typing import Final

import falcon

from hvcore.errors import ConflictError
from hvcore_dashboard.answers import Answers
from hvcore_dashboard.forms import SHOWN, Form, read_form
from hvcore_dashboard.security import CHANGE_TOKEN

_RESTORABLE: Final = "Your form was not saved. The video can be restored from the bin."
_CHOSEN: Final = frozenset(
    {
        "days",
        "edgeKey",
        "form",
        "kind",
        "language",
        "lasts",
        "mail",
        "reason",
        "share",
        "spoken",
    }
)
"""Fields in which nobody writes, of forms that do not send what they showed."""
_GONE: Final = "Your form was not saved, and the video cannot be restored."


class DeletedMeanwhileError(ConflictError):
    """
    Say that the video of a sent form is deleted.

    Args:
        is_restorable: Whether the video can be restored from the bin.
    """

    def __init__(self, *, is_restorable: bool) -> None:
        super().__init__(_RESTORABLE if is_restorable else _GONE)
        self.is_restorable = is_restorable


def tell_deleted(
    answers: Answers,
    req: falcon.Request,
    resp: falcon.Response,
    error: DeletedMeanwhileError,
) -> None:
    """Answer with the way to the bin, and with what the form has that it did not show."""
    values = {
        "text": error.detail,
        "written": written_in(read_form(req)),
        "bin": answers.address(req, "videos", "deleted") if error.is_restorable else "",
    }
    answers.unscripted(req, resp, "deleted_meanwhile.html", values)


def written_in(form: Form) -> Mapping[str, str]:
    """
    Return the texts of a form's fields that are not as the form showed them, by name.

    Of a form that does not send what it showed, all texts are returned.
    """
    return {
        name: form.text(name)
        for name in form.fields
        if name != CHANGE_TOKEN
        and not name.startswith(SHOWN)
        and (form.has_shown(name) or name not in _CHOSEN)
        and form.text(name) != form.text(f"{SHOWN}{name}")
    }
