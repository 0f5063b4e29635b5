"""Read the form of new share links: days, label, views, and the people who may watch."""

import re
from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.domain.links.links import (
    MAX_SHARE_HOURS,
    MAX_SHARE_LABEL_CHARS,
    MAX_VIEWS,
)
from hvcore.domain.shown_text import one_line
from hvcore.errors import FieldError, InvalidParametersError
from hvcore.services.links.share_links import NewShareLink
from hvcore.wire.converter import optional, read_query
from hvcore.wire.kinds import FieldRefusedError, Integer, Text
from hvcore.wire.links.formats import EmailAddress
from hvcore_dashboard.forms import Form

DEFAULT_DAYS: Final = 7
MAX_DAYS: Final = MAX_SHARE_HOURS // 24
MOST_PEOPLE: Final = 20
"""The most links that one form makes: each is an operation, and perhaps a mail."""
PEOPLE: Final = "viewers"
_BETWEEN: Final = re.compile(r"[\s,;]+")
_TOO_MANY: Final = f"Name at most {MOST_PEOPLE} people at a time."
_NO_ONE: Final = "Name the people to whom the links are mailed."


@attrs.frozen(kw_only=True)
class _ShareFields:
    days: int = optional("days", Integer(minimum=1, maximum=MAX_DAYS), DEFAULT_DAYS)
    max_views: int | None = optional(
        "maxViews", Integer(minimum=1, maximum=MAX_VIEWS), None
    )
    label: str = optional(
        "label", Text(min_chars=0, max_chars=MAX_SHARE_LABEL_CHARS), ""
    )


def wanted_links(form: Form) -> Sequence[NewShareLink]:
    """
    Return the share links that a form asks for: one for each person, or one for everybody.

    Raises:
        InvalidParametersError: A field is wrong; for the field of people, the wrong address
            is named.
    """
    fields = read_query(_ShareFields, form.given("days", "maxViews", "label"))
    people: Sequence[str | None] = _people(form.text(PEOPLE))
    is_mailed = form.is_checked("mail")
    if is_mailed and not people:
        raise _refusal(_NO_ONE)
    return [
        NewShareLink(
            valid_hours=fields.days * 24,
            max_views=fields.max_views,
            viewer_email=one,
            label=one_line(fields.label),
            is_mailed=is_mailed,
        )
        for one in people or [None]
    ]


def _people(typed: str) -> Sequence[str]:
    named = {one.lower(): one for one in filter(None, _BETWEEN.split(typed))}
    if len(named) > MOST_PEOPLE:
        raise _refusal(_TOO_MANY)
    return [_address(one) for one in named.values()]


def _address(typed: str) -> str:
    try:
        return EmailAddress().from_text(typed)
    except FieldRefusedError as error:
        shown = one_line(typed[:80])
        message = f"“{shown}” is no e-mail address such as ada@example.com."
        raise _refusal(message) from error


def _refusal(message: str) -> InvalidParametersError:
    problem = FieldError(message=message, location=f"body.{PEOPLE}")
    return InvalidParametersError(message, errors=[problem])
