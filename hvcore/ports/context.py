"""The context that a process gives to the factory of a backend."""

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
    The service's own database, SQLite or PostgreSQL; thread-safe.

    A plugin keeps tables of its own in it, under names that begin with its
    own, and touches no others.
    """

    def reading(self) -> "AbstractContextManager[Connection]":
        """
        Open a connection on which each statement is a transaction.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def writing(
        self, *, timeout_ms: int | None = None
    ) -> "AbstractContextManager[Connection]":
        """
        Open a transaction; the caller commits, or it is rolled back.

        On SQLite it is the only writer. Nothing slow may happen meanwhile.

        Args:
            timeout_ms: How long to wait for locks; None: 10 s, as requests do.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def ask(
        self, statement: "SelectBase", values: Mapping[str, object]
    ) -> "Sequence[tuple[Any, ...]]":
        """
        Answer a question that requests wait for: 20 us where ``reading`` takes 500.

        Args:
            statement: Made once, for instance of a module, because it is
                compiled once; every value is a named parameter, and no list.
            values: As the database has them.

        Returns:
            Rows as the database has them: no type of a column is applied.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def ask_for_many(
        self, statement: "Select[Any]", values: Mapping[str, object]
    ) -> "Sequence[tuple[Any, ...]]":
        """
        Answer a question whose answer has many rows: less for each than ``ask``.

        Args:
            statement: As of ``ask``. No column of it is binary.
            values: Likewise.

        Returns:
            Likewise.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...


class KeyBook(Protocol):
    """Look API keys up."""

    def find(self, sha256: str) -> ApiKey | None:
        """
        Return the key with this hash (64 hex digits), revoked or not.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def note_use(self, key: ApiKey, at: datetime) -> None:
        """
        Store the moment of a key's last use, to the minute, best effort.

        Args:
            at: Aware, in UTC. Nothing is raised if it cannot be stored.
        """
        ...


class SignInBook(Protocol):
    """Take one-time links, and look members up."""

    def redeem(self, code: str) -> SignInLink | None:
        """
        Use a one-time link up.

        Returns:
            None if there is none with this code: used, expired, or never made.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def member(self, org_id: str, member_id: str) -> OrganizationMember | None:
        """
        Return a member of an organization; None if there is none with this id.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...


class NoSignIns:
    """A book without links and members, for who builds other backends alone."""

    def redeem(self, code: str) -> SignInLink | None:
        """Return None, for every code."""
        del code
        return None

    def member(self, org_id: str, member_id: str) -> OrganizationMember | None:
        """Return None, for everybody."""
        del org_id, member_id
        return None


@attrs.frozen(kw_only=True)
class BuildContext:
    """
    Given to every factory.

    Attributes:
        state_dir: A folder of this machine that survives restarts; a backend
            keeps caches in a subfolder of its own name. Other machines have others:
            what they must see, too, belongs into ``database``, or where an option says.
        work_dir: A folder of this machine for temporary files.
    """

    clock: Clock
    state_dir: Path
    work_dir: Path
    keys: KeyBook
    database: Database
    sign_in: SignInBook = attrs.field(factory=NoSignIns)
