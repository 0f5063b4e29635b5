"""
Secrets that a page shows once: on the answer to the request that made them.

They are in no address and in no cookie, and nothing keeps the answer.
"""

from collections.abc import Sequence

import attrs
import falcon

from hvcore_dashboard.answers import Answers


@attrs.frozen(kw_only=True)
class MadeSecret:
    """
    A new secret, as a page shows it once.

    Attributes:
        title: The page's.
        label: What the value is.
        notes: What to do with it.
        next_address: Where the reader goes on, and what a reload shows.
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
    """Answer with a new secret."""
    answers.page(req, resp, "once/page.html", {"made": made})
