"""
Lists that go on.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from hv_client.operation import Operation, Paging


@attrs.define(kw_only=True)
class Pages:
    """
    The arguments of one call after another, until a list ends.

    Attributes:
        arguments: Of the next call; None after the last one.
    """

    paging: Paging
    arguments: Mapping[str, object] | None

    @classmethod
    def of(cls, operation: Operation[Any], arguments: Mapping[str, object]) -> "Pages":
        """
        Begin with the first page.
        """
        if operation.paging is None:
            raise ValueError(f"{operation.path} is no list that goes on.")
        return cls(paging=operation.paging, arguments=arguments)

    def items_of(self, page: Any) -> Sequence[Any]:  # noqa: ANN401 - the list of any operation
        """
        Return the items of a page, and go on to the next one.
        """
        given = dict(self.arguments or {})
        if self.paging.by_cursor:
            has_next = page.has_more
            given["after"] = page.cursor
        else:
            has_next = page.pagination.has_next
            given["page"] = page.pagination.page + 1
        self.arguments = given if has_next else None
        items: Sequence[Any] = getattr(page, self.paging.items)
        return items
