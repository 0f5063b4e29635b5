"""Check that a stored object is still as its changer saw it, before it is changed."""

from collections.abc import Callable
from typing import TypeVar

from hvcore.errors import PreconditionFailedError

T = TypeVar("T")
Condition = Callable[[T], bool]
"""
Says of what is stored whether it may be changed.

Called within the change's transaction, with what that has locked; does no I/O.
"""


def require_condition(condition: Condition[T] | None, found: T) -> None:
    """
    Refuse to change a stored object that does not meet the changer's condition.

    Args:
        condition: The changer's condition; None if there is none.
        found: The stored object as it is now.

    Raises:
        PreconditionFailedError: The condition does not hold.
    """
    if condition is not None and not condition(found):
        raise PreconditionFailedError
