"""
The service's own database, as plugins use it.
"""

from contextlib import AbstractContextManager

from sqlalchemy.engine import Connection, Engine

from hvcore.persistence.engine import reading, writing


class PluginDatabase:
    """
    Opens connections for a plugin; see ports.context.Database.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def reading(self) -> AbstractContextManager[Connection]:
        """
        Open a connection on which each statement stands for itself.
        """
        return reading(self._engine)

    def writing(self) -> AbstractContextManager[Connection]:
        """
        Open a transaction; the caller commits, or it is rolled back.
        """
        return writing(self._engine)
