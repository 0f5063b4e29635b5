"""Read long lists of the API page by page."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import attrs

from hvcore_client.operation import Operation, Paging

DEFAULT_PAGE_SIZE: Final = 20
MAX_PAGE_SIZE: Final = 100
_SORTED_BY: Final = ("created_at", "name", "duration_seconds", "status")


class Pages(Protocol):
    """The pages of a list: the arguments of the call for each page, one after the other."""

    @property
    def arguments(self) -> Mapping[str, object] | None:
        """The arguments of the call for the next page; None after the last page."""
        ...

    def items_of(self, page: Any) -> Sequence[Any]:  # noqa: ANN401 - the list of any operation
        """Return the items of a page that no earlier page had, and go on to the next one."""
        ...


def pages_of(operation: Operation[Any], arguments: Mapping[str, object]) -> Pages:
    """
    Return the pages of a list operation, which begin with the first page.

    Args:
        arguments: The arguments of the call for the first page.
    """
    if operation.paging is None:
        raise ValueError(f"{operation.path} is no list that goes on.")
    kind = _PagesByCursor if operation.paging.by_cursor else _OverlappingPages
    return kind(paging=operation.paging, arguments=arguments)


@attrs.define(kw_only=True)
class _PagesByCursor:
    paging: Paging
    arguments: Mapping[str, object] | None

    def items_of(self, page: Any) -> Sequence[Any]:  # noqa: ANN401 - the list of any operation
        given = dict(self.arguments or {})
        self.arguments = {**given, "after": page.cursor} if page.has_more else None
        items: Sequence[Any] = getattr(page, self.paging.items)
        return items


@attrs.define(kw_only=True)
class _OverlappingPages:
    """
    Pages of a list that changes while it is gone through.

    Pages are counted from the beginning of the list, so what is deleted before a page
    moves others out of it. So each page begins with an item that was there before: then
    nothing is missing between the two. If it has none, an earlier page is asked for.

    Attributes:
        wanted_size: About so many items a page shall have.
        passed: Items before the place that was reached, as far as is known.
        total: Items of the list when that place was reached.
        misses: Pages in a row that had no known item.
        places: By what the known items were sorted, by their ids. One that has moved
            says nothing about its neighbours.
    """

    paging: Paging
    arguments: Mapping[str, object] | None
    wanted_size: int = attrs.field()
    passed: int = 0
    total: int = 0
    misses: int = 0
    places: dict[str, Sequence[object]] = attrs.field(factory=dict)

    @wanted_size.default
    def _of_arguments(self) -> int:
        return int(str((self.arguments or {}).get("page_size") or DEFAULT_PAGE_SIZE))

    def items_of(self, page: Any) -> Sequence[Any]:  # noqa: ANN401 - the list of any operation
        items: Sequence[Any] = getattr(page, self.paging.items)
        found = page.pagination
        before = (found.page - 1) * found.page_size
        if before and not any(self._is_where_it_was(item) for item in items):
            self.misses += 1
            fallen = max(self.total - found.total, 0)
            # An estimate first; if it was too little, soon from the beginning.
            self._go_to(max(min(before, self.passed - fallen), 0) // self.misses)
            return ()
        self.misses, self.total = 0, found.total
        new = [item for item in items if item.id not in self.places]
        self.places |= {item.id: _place_of(item) for item in items}
        if len(items) < found.page_size:
            self.arguments = None
        else:
            self._go_to(before + len(items))
        return new

    def _is_where_it_was(self, item: Any) -> bool:  # noqa: ANN401 - an item of any list
        return self.places.get(item.id) == _place_of(item)

    def _go_to(self, passed: int) -> None:
        self.passed = passed
        size = page_size(passed, self.wanted_size)
        number = max(passed - 1, 0) // size + 1
        given = self.arguments or {}
        self.arguments = {**given, "page": number, "page_size": size}


def page_size(passed: int, wanted: int) -> int:
    """
    Return the size of pages, one of which begins shortly before a position in a list.

    Args:
        passed: The number of items before the position; the last of them is on that
            page.
        wanted: The number of items that a page should have, approximately.
    """

    def new_items(size: int) -> int:
        return size - 1 - (passed - 1) % size

    if not passed:
        return wanted
    best = max(range(max(wanted // 2, 1), wanted + 1), key=new_items)
    # Of small pages there may be none: then one that is a little larger.
    larger = wanted
    while new_items(best) * 2 < wanted and larger < MAX_PAGE_SIZE:
        best = larger = larger + 1
    return best


def _place_of(item: Any) -> Sequence[object]:  # noqa: ANN401 - an item of any list
    return [getattr(item, name) for name in _SORTED_BY]
