"""Lists with numbered pages: keys and members."""

import math
from typing import Final

import attrs
import falcon

from hvcore_dashboard.whole_numbers import whole_number

PAGE_SIZE: Final = 50


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
        """The number of the list's items on the pages before this one."""
        return (self.number - 1) * PAGE_SIZE

    @property
    def shown(self) -> dict[str, int]:
        """The page's numbers, for the template's links to other pages of the list."""
        return {"page": self.number, "last": self.last, "total": self.total}


def list_page(req: falcon.Request, total: int) -> ListPage:
    """Return the page that an address asks for; the nearest one that there is."""
    last = max(1, math.ceil(total / PAGE_SIZE))
    asked = max(1, whole_number(req.get_param("page")) or 1)
    return ListPage(number=min(asked, last), last=last, total=total)
