"""Numbered pages of long lists, such as keys and members."""

import math
from typing import Final

import attrs
import falcon

from hvcore_dashboard.whole_numbers import whole_number

PAGE_SIZE: Final = 50


@attrs.frozen(kw_only=True)
class ListPage:
    """
    One numbered page of a list.

    Attributes:
        number: The number of the page, from 1 to ``last``.
        total: The number of items in the whole list.
    """

    number: int
    last: int
    total: int

    @property
    def offset(self) -> int:
        """The number of the list's items on all pages before this page."""
        return (self.number - 1) * PAGE_SIZE

    @property
    def shown(self) -> dict[str, int]:
        """The page's number, the last page's number and the number of items, for the template."""
        return {"page": self.number, "last": self.last, "total": self.total}


def list_page(req: falcon.Request, total: int) -> ListPage:
    """
    Return the page that the query asks for; the nearest existing page if there is no such page.

    Args:
        total: The number of all entries of the list.
    """
    last = max(1, math.ceil(total / PAGE_SIZE))
    asked = max(1, whole_number(req.get_param("page")) or 1)
    return ListPage(number=min(asked, last), last=last, total=total)
