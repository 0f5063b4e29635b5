"""Conditions under which something is changed: that it is still as its changer saw it."""

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
    Refuse to change what is not as its changer saw it.

    Args:
        condition: None where there is none.

    Raises:
        PreconditionFailedError: The condition does not hold.
    """
    if condition is not None and not condition(found):
        raise PreconditionFailedError
