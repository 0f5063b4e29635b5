"""Preparation: backends that create tables of their own, or the like, and remove them."""

from abc import ABC, abstractmethod
from typing import Protocol, runtime_checkable


class SupportsPrepare(ABC):
    """
    Create or migrate a backend's own tables, or the like, in ``hv migrate``.

    The backend's record says ``prepares=True``, so that processes which do not use the
    backend need not build it to learn that. Tables in the service's own database have
    names that begin with the backend's name, and columns of the types Boolean, Integer,
    Float, LargeBinary, Date, DateTime, JSON and Text, or their like: so ``hv backup``
    and ``hv migrate --to`` copy them.

    Analytics sinks always have these methods.
    """

    @abstractmethod
    def prepare(self) -> None:
        """
        Create or change the backend's tables so that this version can use them.

        Called by ``hv up`` and ``hv migrate``. A second call changes nothing; several
        processes may call the method at once. It may take minutes.

        Raises:
            UnavailableError: The server that stores the tables does not answer.
            ConfigError: The tables were made by a newer version.
        """

    @abstractmethod
    def is_prepared(self) -> bool:
        """
        Return whether ``prepare`` has nothing to do; asked when a process starts.

        Raises:
            UnavailableError: The server that stores the tables does not answer.
        """


@runtime_checkable
class SupportsUninstall(Protocol):
    """Remove the tables or files that a backend or an analytics sink made for itself."""

    def uninstall(self) -> None:
        """
        Remove the tables that ``prepare`` made with all their rows, and nothing else.

        Called by a program that embeds the service, once no process uses it any more. A
        second call changes nothing. ``prepare`` creates the tables anew, empty.

        Raises:
            UnavailableError: The server that stores the tables does not answer.
        """
        ...
