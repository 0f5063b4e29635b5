"""Provide a property that is computed once, when it is first read, also if several threads read it at once."""

import threading
from functools import cached_property
from typing import Final, TypeVar, overload

_T = TypeVar("_T")
_LOCKS: Final = "_making"


class made_once(cached_property[_T]):  # noqa: N801 - a decorator, as the one it extends
    """
    A ``cached_property`` that is made once even if two threads read it at the same time.

    The standard ``cached_property`` does not prevent that since Python 3.12. Each attribute of
    an object has a lock of its own: an attribute whose making hangs holds up only the threads
    that read it.
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
        locks: dict[str, threading.RLock] = vars(instance).setdefault(_LOCKS, {})
        with locks.setdefault(str(self.attrname), threading.RLock()):
            made: _T = super().__get__(instance, owner)
            return made
