"""Build contexts: what a process gives to the factory of a backend."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.keys import ApiKey
from hvcore.domain.sign_in.links import SignInLink
from hvcore.domain.sign_in.members import OrganizationMember

if TYPE_CHECKING:
    # ``hv plugins`` lists everything without a client library.
    from sqlalchemy import Select, SelectBase
    from sqlalchemy.engine import Connection


class Database(Protocol):
    """
    Give plugins access to the service's SQLite or PostgreSQL; thread-safe.

    A plugin may keep tables of its own in the database, whose names begin with the
    plugin's own name. It touches no other tables.
    """

    def reading(self) -> "AbstractContextManager[Connection]":
        """
        Open a connection on which each statement is a transaction of its own.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def writing(
        self, *, timeout_ms: int | None = None
    ) -> "AbstractContextManager[Connection]":
        """
        Open a transaction; the caller commits it, or it is rolled back.

        On SQLite it is the only write transaction. Nothing slow may happen within it.

        Args:
            timeout_ms: How long to wait for locks; None waits 10 s, as requests do.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def ask(
        self, statement: "SelectBase", values: Mapping[str, object]
    ) -> "Sequence[tuple[Any, ...]]":
        """
        Return the rows of a quick query: 20 us where ``reading`` takes 500 us.

        Args:
            statement: A statement made once, for instance for a module, because it is
                compiled once; every value is a named parameter, and none is a list.
            values: The parameters as the database stores them.

        Returns:
            The rows as the database stores them: no column type is applied.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def ask_for_many(
        self, statement: "Select[Any]", values: Mapping[str, object]
    ) -> "Sequence[tuple[Any, ...]]":
        """
        Return the rows of a query with many rows, faster for each row than ``ask``.

        Args:
            statement: A statement as for ``ask``, without binary columns.
            values: The parameters, as for ``ask``.

        Returns:
            The rows as the database stores them: no column type is applied.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...


class KeyBook(Protocol):
    """Look up API keys for an authentication provider."""

    def find(self, sha256: str) -> ApiKey | None:
        """
        Return the API key with a SHA-256 (64 hex digits), revoked or not; else None.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def note_use(self, key: ApiKey, at: datetime) -> None:
        """
        Store the time of an API key's last use, to the minute, if possible.

        Args:
            at: A moment in UTC (an aware datetime). No error is raised if it cannot be
                stored.
        """
        ...


class SignInBook(Protocol):
    """Redeem one-time sign-in links, and look up members, for a sign-in backend."""

    def redeem(self, code: str) -> SignInLink | None:
        """
        Use a one-time link up, and return it; the link is found by its secret code.

        Returns:
            None if there is no valid link with the code: used, expired, or never made.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def member(self, org_id: str, member_id: str) -> OrganizationMember | None:
        """
        Return a member of an organization; None if no member has the id.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...


class NoSignIns:
    """Stand in for a sign-in book, without links and members, in other backends."""

    def redeem(self, code: str) -> SignInLink | None:
        """Return None: no code is known."""
        del code
        return None

    def member(self, org_id: str, member_id: str) -> OrganizationMember | None:
        """Return None: no member is known."""
        del org_id, member_id
        return None


@attrs.frozen(kw_only=True)
class BuildContext:
    """
    Hold the things of the process that every backend factory is given.

    Attributes:
        state_dir: A folder of this machine that survives restarts; a backend keeps
            caches in a subfolder of its own name. Other machines have other folders:
            data that they must share belongs into ``database``, or where an option
            says.
        work_dir: A folder of this machine for temporary files.
    """

    clock: Clock
    state_dir: Path
    work_dir: Path
    keys: KeyBook
    database: Database
    sign_in: SignInBook = attrs.field(factory=NoSignIns)
