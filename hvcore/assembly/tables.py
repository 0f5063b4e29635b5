"""Make, migrate, repair and remove the tables of the service and of its backends."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from hvcore.assembly.backends import Backends
from hvcore.domain.media_paths import quarantined
from hvcore.persistence.dropped_tables import (
    drop_schema,
    drop_tables,
    object_prefixes,
    refuse_needed_tables,
    refuse_unknown_tables,
    tables_place,
)
from hvcore.persistence.migrate import is_broken_off, migrate
from hvcore.persistence.schema_version import BEHIND, refuse_unusable, schema_version
from hvcore.persistence.spoken.index import SPOKEN_INDEX
from hvcore.persistence.videos.lengths import SqlVideoLengths
from hvcore.persistence.videos.recount import recount
from hvcore.persistence.videos.search_index import NAME_INDEX
from hvcore.ports.analytics import AnalyticsSink, AnalyticsStore
from hvcore.ports.preparation import SupportsPrepare, SupportsUninstall
from hvcore.registry import KINDS, Choice


class TableWiring(Backends):
    """The services that make, migrate and remove the tables, a part of Services; each is made when it is first read."""

    def is_migrated(self) -> bool:
        """
        Return whether this version can use the tables of the service and of its backends.

        Raises:
            UnavailableError: The database does not answer.
        """
        return not self.why_unusable()

    def why_unusable(self) -> str:
        """
        Return the reason, a sentence, why this version of hvcore cannot use the tables; empty if it can.

        Raises:
            UnavailableError: The database does not answer.
        """
        why = schema_version(self.engine).why_unusable()
        if why or all(one.is_prepared() for _, one in self._to_prepare()):
            return why
        return BEHIND

    def refuse_unusable(self) -> None:
        """
        Raise the error for tables that this version cannot use, in words for a program that embeds hvcore.

        Tables of backends are not checked: a backend that has some checks them itself.

        Raises:
            NotMigratedError: The tables do not exist, or are of an older version.
            ConfigError: This version cannot use the tables for another reason.
            UnavailableError: The database does not answer.
        """
        refuse_unusable(schema_version(self.engine))

    def awaits_contract(self) -> bool:
        """
        Return whether the tables still have what only older versions need.

        Raises:
            UnavailableError: The database does not answer.
        """
        return schema_version(self.engine).awaits_contract

    def is_broken_off(self) -> bool:
        """
        Return whether a migration was broken off before it updated the rows of older versions.

        Raises:
            UnavailableError: The database does not answer.
        """
        return is_broken_off(self.engine)

    def migrate(self, *, contracts: bool = False, mark: str = "") -> None:
        """
        Migrate all tables of the service and its backends to this version; see ``migrations``.

        Args:
            contracts: Whether to remove what only older versions need, too. No process
                of an older version may run any more.
            mark: The mark of an unfinished copy that the database has, and keeps.
        """
        for _, bring_up in self.migrations(contracts=contracts, mark=mark):
            bring_up()

    def migrations(
        self, *, contracts: bool = False, mark: str = ""
    ) -> Iterator[tuple[str, Callable[[], None]]]:
        """
        Yield the steps of ``migrate``: the name of the tables' owner, and a function that migrates them.

        Large tables take minutes, so that the caller may want to tell which step is running.

        Args:
            contracts: Whether to remove what only older versions need, too. No process of
                an older version may run any more.
            mark: The mark of an unfinished copy that the database has, and keeps.
        """
        yield (
            "the service",
            partial(migrate, self.engine, contracts=contracts, mark=mark),
        )
        for name, one in self._to_prepare():
            yield name, partial(self._prepare, one, is_copy=bool(mark))

    def tables_place(self) -> str:
        """
        Return the name of the schema that has the service's tables, or of the database if they have no schema of their own.

        Raises:
            UnavailableError: The database does not answer.
        """
        return tables_place(self.engine)

    def uninstall(self, *, removes_objects: bool) -> Sequence[str]:
        """
        Remove all tables of the service and its backends; no process may use them any more.

        Args:
            removes_objects: Whether to remove the files of all videos from the storage, too.

        Returns:
            The names of the backends that cannot remove their tables.

        Raises:
            ConfigError: The tables are of another version or not all there, or another program's
                tables refer to them; nothing is removed.
            UnavailableError: The database or the storage does not answer.
        """
        refuse_unknown_tables(self.engine)
        refuse_needed_tables(self.engine)
        if removes_objects:
            # First: only the tables know which files are whose.
            for prefix in object_prefixes(self.engine):
                for place in (prefix, quarantined(prefix)):
                    self.storage.delete_tree(place)
        drop_tables(self.engine)
        left: list[str] = []
        for name, one in self._to_prepare():
            if isinstance(one, SupportsUninstall):
                one.uninstall()
            else:
                left.append(name)
        drop_schema(self.engine)
        return left

    def recount(self) -> None:
        """Count the stored totals of videos anew, and replace wrong ones."""
        recount(self.engine)

    def repair_search(self) -> bool:
        """
        Make the search indexes of video names and of what is said if they do not exist; return whether they exist now.

        Raises:
            UnavailableError: The database does not answer.
        """
        are_made = [one.repair(self.engine) for one in (NAME_INDEX, SPOKEN_INDEX)]
        return all(are_made)

    def is_searchable(self) -> bool:
        """
        Return whether the database has the search indexes of video names and of what is said.

        Raises:
            UnavailableError: The database does not answer.
        """
        return all(one.is_in(self.engine) for one in (NAME_INDEX, SPOKEN_INDEX))

    def _prepare(self, one: AnalyticsSink | SupportsPrepare, *, is_copy: bool) -> None:
        one.prepare()
        # What an unfinished copy has learned comes with its rows.
        if isinstance(one, AnalyticsStore) and not is_copy:
            # Here it may take minutes; whoever asks for a report should not wait.
            one.learn(SqlVideoLengths(self.engine))
            # What the lengths have begun is brought to its end.
            one.prepare()

    def _to_prepare(self) -> Iterator[tuple[str, AnalyticsSink | SupportsPrepare]]:
        for name, sink in self._sinks.items():
            yield f"the sink {name}", sink
        for kind in KINDS:
            for given in self.recipe.in_place_of(kind):
                if isinstance(given, SupportsPrepare) and kind != "analytics":
                    yield f"the {kind} backend", given
        for choice, made in self._chosen.to_prepare(self._is_used):
            word = "" if KINDS[choice.kind].is_added else "backend "
            yield f"the {choice.kind} {word}{choice.name}", made

    def _is_used(self, choice: Choice) -> bool:
        if choice.kind == "analytics":
            # Sinks are prepared in any case.
            return False
        if not self.recipe.in_place_of(choice.kind):
            return True
        # What is given in the place of the usual transcoder replaces no further one.
        usual = self.settings.transcoder.backend
        return choice.kind == "transcoder" and choice.name != usual
