"""
Show a new secret once: in the answer to the request that made it.

The secret is in no address and no cookie, and no cache keeps the answer.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import attrs
import falcon

from hvcore_dashboard.answers import Answers

OVERLAPS: Final = {
    "0": ("Not at all: it ends now", timedelta()),
    "1": ("1 hour", timedelta(hours=1)),
    "24": ("24 hours", timedelta(hours=24)),
    "168": ("7 days", timedelta(days=7)),
}
DEFAULT_OVERLAP: Final = "24"
"""The choices of the time for which an old key or secret works on beside its successor."""


@attrs.frozen(kw_only=True)
class MadeSecret:
    """
    A new secret with the texts of the page that shows it once.

    Attributes:
        title: The page's title.
        label: A name for the kind of secret, such as "API key".
        notes: Advice on what to do with the secret.
        next_address: The address of the page that the reader opens next, or after a reload.
    """

    title: str
    label: str
    value: str = attrs.field(repr=False)
    notes: Sequence[str]
    snippet: str = attrs.field(default="", repr=False)
    next_address: str
    next_text: str


def show_once(
    answers: Answers, req: falcon.Request, resp: falcon.Response, made: MadeSecret
) -> None:
    """Answer with a page that shows a new secret."""
    answers.page(req, resp, "once/page.html", {"made": made})
