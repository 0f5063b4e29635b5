"""
An attribute that is made when it is first read, by whichever thread.
"""

import threading
from functools import cached_property
from typing import Protocol, TypeVar, cast, overload

_T = TypeVar("_T")


class MakesParts(Protocol):
    """
    Has such attributes.
    """

    making: threading.RLock
    """Held while one of them is made; again by those that it is made of."""


class made_once(cached_property[_T]):  # noqa: N801 - a decorator, as the one it extends
    """
    A ``cached_property`` that two threads do not make twice.

    Since Python 3.12 the standard one does not see to that.
    """

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> "made_once[_T]": ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> _T: ...
    def __get__(
        self, instance: object | None, owner: type | None = None
    ) -> "made_once[_T] | _T":
        if instance is None:
            return self
        # Not asked again once it is made: then it is in the object's own dictionary.
        with cast(MakesParts, instance).making:
            made: _T = super().__get__(instance, owner)
            return made
