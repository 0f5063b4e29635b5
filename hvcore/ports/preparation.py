"""The backends that prepare tables of their own, or the like, and that remove them."""

from abc import ABC, abstractmethod
from typing import Protocol, runtime_checkable


class SupportsPrepare(ABC):
    """
    A backend whose tables ``hv migrate`` makes.

    Its record says ``prepares=True``, so that processes which do not use the backend
    need not make it to learn that. Tables in the service's own database have names
    that begin with the backend's, and columns of the types Boolean, Integer, Float,
    LargeBinary, Date, DateTime, JSON and Text, or their like: so ``hv backup`` and
    ``hv migrate --to`` take them along.

    Analytics sinks have these methods in any case.
    """

    @abstractmethod
    def prepare(self) -> None:
        """
        Make or change what is stored so that this version can use it.

        Called by ``hv up`` and ``hv migrate``. Nothing changes when it is called
        again; several processes may call it at once. May take minutes.

        Raises:
            UnavailableError: What stores it does not answer.
            ConfigError: It was made by a newer version.
        """

    @abstractmethod
    def is_prepared(self) -> bool:
        """
        Return whether ``prepare`` has nothing to do; asked by each start.

        Raises:
            UnavailableError: What stores it does not answer.
        """


@runtime_checkable
class SupportsUninstall(Protocol):
    """A backend, or an analytics sink, that removes its own tables, or the like."""

    def uninstall(self) -> None:
        """
        Remove the tables of ``prepare`` with all that is in them, and nothing else.

        Called once no process uses the service any more, by a program that embeds it.
        Nothing changes when it is called again. ``prepare`` makes it anew, empty.

        Raises:
            UnavailableError: What stores it does not answer.
        """
        ...
