"""
Lists that are shown page by page.
"""

import math
from typing import Final

import attrs
import falcon

PAGE_SIZE: Final = 50
_MOST_DIGITS: Final = 9


@attrs.frozen(kw_only=True)
class ListPage:
    """
    A page of a list.

    Attributes:
        number: From 1 to ``last``.
        total: Of the whole list.
    """

    number: int
    last: int
    total: int

    @property
    def offset(self) -> int:
        """
        How many come before.
        """
        return (self.number - 1) * PAGE_SIZE

    @property
    def shown(self) -> dict[str, int]:
        """
        What the template's links to other pages need.
        """
        return {"page": self.number, "last": self.last, "total": self.total}


def list_page(req: falcon.Request, total: int) -> ListPage:
    """
    Return the page that an address asks for; the nearest one that there is.
    """
    last = max(1, math.ceil(total / PAGE_SIZE))
    text = req.get_param("page") or ""
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    asked = max(1, int(text)) if is_number else 1
    return ListPage(number=min(asked, last), last=last, total=total)
