"""The base class of backends that prepare tables of their own, or the like."""

from abc import ABC, abstractmethod


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
