"""
What all services need: the chosen backends, the database, keys, the time.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, cast

import attrs
from sqlalchemy.engine import Engine

from hvcore.assembly.made_once import made_once
from hvcore.assembly.offered_backends import active_choices
from hvcore.clock import Clock, SystemClock
from hvcore.domain.tasks.task import Task
from hvcore.domain.webhooks.events import EventKind
from hvcore.failpoints import failpoint
from hvcore.hookspecs import EventSubscriberBackend
from hvcore.mail import make_mailer
from hvcore.persistence.access.key_book import SqlKeyBook
from hvcore.persistence.engine import make_engine
from hvcore.persistence.migrate import is_current, migrate
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.persistence.sign_in.sign_in_book import SqlSignInBook
from hvcore.persistence.unit_of_work import OnCommit, SqlUnitOfWork
from hvcore.persistence.videos.recount import recount
from hvcore.persistence.videos.search_index import is_searchable, mend_search_index
from hvcore.playback_tokens import KeyRing, TokenKey
from hvcore.ports.analytics import AnalyticsSink, AnalyticsStore
from hvcore.ports.auth import AuthProvider
from hvcore.ports.cache_purge import CachePurger
from hvcore.ports.context import BuildContext
from hvcore.ports.event_subscribers import EventSubscriber
from hvcore.ports.mail import Mailer
from hvcore.ports.preparation import SupportsPrepare
from hvcore.ports.queue import Queue
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.sign_in import SignInProvider
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import Transcoder
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.registry import Choice, Registry, load_plugins
from hvcore.safe_http import OutboundHttp
from hvcore.services.processing.transcoders import Transcoders
from hvcore.services.tasks.runs import ring_for
from hvcore.settings import Settings
from hvcore.spool import Spool
from hvcore.throttling.log_lines import LOG_LINES
from hvcore.upload_signing import UploadSigner

_GROUPS: Final = {
    "auth_providers": "_own_providers",
    "cache_purgers": "_purgers",
    "analytics_store": "_sinks",
    "sign_in_providers": "_sign_in_providers",
    # These have no override.
    "subscribers": "_subscribers",
}
"""Backends of which there may be several: the override, and the attribute."""


@attrs.frozen(kw_only=True)
class Recipe:
    """
    The arguments of `build`.
    """

    settings: Settings
    work_dir: Path
    overrides: Mapping[str, Any]
    rings: bool
    connections: int


_MADE_AS: Final = {
    "storage": ("storage", "storage"),
    "transcoder": ("transcoder", "transcoder"),
    "queue": ("queue", "queue"),
    "limits": ("rate_limit_store", "rate_limit_store"),
    "auth": ("auth_providers", "_own_providers"),
    "edge": ("cache_purgers", "_purgers"),
    "sign_in": ("sign_in_providers", "_sign_in_providers"),
}
"""Kinds of backends: the override, and the attribute."""


class Backends:
    """
    Each made when it is first read.

    What connects to something is made once, also if several threads read it.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.settings = recipe.settings
        self.making = threading.RLock()
        LOG_LINES.of_one = recipe.settings.shares.log_lines_of_one

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """
        Release every backend and connection that was made.
        """
        made = vars(self)
        if "transcoders" in made:
            made["transcoders"].close()
        for name in ("queue", "transcoder", "storage", "rate_limit_store"):
            if name in made and name not in self.recipe.overrides:
                made[name].close()
        if "spool" in made:
            made["spool"].close()
        for given_as, name in _GROUPS.items():
            if given_as not in self.recipe.overrides:
                group = made.get(name, ())
                for backend in group.values() if isinstance(group, Mapping) else group:
                    backend.close()
        if "engine" in made:
            made["engine"].dispose()

    @cached_property
    def clock(self) -> Clock:
        return self._overridden("clock") or SystemClock()

    @made_once
    def registry(self) -> Registry:
        return load_plugins(self.settings)

    def make(self, choice: Choice) -> object:
        """
        Build a chosen backend anew, beside those that the services use.

        Raises:
            HvcoreError: It cannot be; see Registry.build.
        """
        return self.registry.build(choice, self._context)

    @made_once
    def engine(self) -> Engine:
        """
        The database connection of this process.
        """
        database = self.settings.database
        host: Engine | None = self._overridden("engine")
        url = database.url
        if host is not None:
            url = host.url.render_as_string(hide_password=False)
        return make_engine(
            url,
            connections=self.recipe.connections,
            schema=database.schema,
            host=host,
        )

    @made_once
    def uow(self) -> UnitOfWork:
        return SqlUnitOfWork(self.engine, self.clock, self.on_commit, self.wanted_kinds)

    @property
    def on_commit(self) -> OnCommit | None:
        """
        What rings for tasks after a commit; None: nothing does.
        """
        return self._ring if self.recipe.rings else None

    @made_once
    def storage(self) -> Storage:
        return self._overridden("storage") or self.registry.storage(
            self.settings, self._context
        )

    @made_once
    def transcoder(self) -> Transcoder:
        return self._overridden("transcoder") or self.registry.transcoder(
            self.settings, self._context
        )

    @made_once
    def transcoders(self) -> Transcoders:
        """
        The transcoder of the settings, and those that jobs began with.
        """
        return Transcoders(
            default=self.transcoder,
            default_name=self.settings.transcoder.backend,
            make=partial(self.registry.transcoder_named, self.settings, self._context),
        )

    @made_once
    def queue(self) -> Queue:
        return self._overridden("queue") or self.registry.queue(
            self.settings, self._context
        )

    @made_once
    def rate_limit_store(self) -> RateLimitStore:
        return self._overridden("rate_limit_store") or self.registry.rate_limit_store(
            self.settings, self._context
        )

    @made_once
    def analytics_store(self) -> AnalyticsStore:
        """
        The sink of served segments that answers questions.
        """
        return self._overridden("analytics_store") or cast(
            AnalyticsStore, self._sinks[self.settings.analytics.store]
        )

    @property
    def _knowing_sinks(self) -> Sequence[AnalyticsSink]:
        """
        Those that may be asked for what not every one keeps: the store first.
        """
        return (self.analytics_store, *self._sinks.values())

    @made_once
    def spool(self) -> Spool:
        """
        Where this process writes down what it serves.
        """
        return Spool(self.spool_dir)

    @cached_property
    def key_ring(self) -> KeyRing:
        """
        Issues and verifies playback tokens.
        """
        playback = self.settings.playback
        materials = (playback.signing_key, *playback.retired_keys)
        return KeyRing(
            issuer=playback.issuer,
            keys=[TokenKey.load(material.encode()) for material in materials],
        )

    @cached_property
    def upload_signer(self) -> UploadSigner:
        """
        Signs and verifies upload addresses.
        """
        return UploadSigner(self.settings.uploads.signing_key.encode())

    @made_once
    def outbound(self) -> OutboundHttp:
        """
        Outgoing requests to public addresses and allowed hosts.
        """
        return self._overridden("outbound") or OutboundHttp(
            allowed_hosts=self.settings.fetch.allowed_hosts,
            lookups_of_one=self.settings.shares.name_lookups_of_one,
        )

    @made_once
    def mailer(self) -> Mailer:
        return self._overridden("mailer") or make_mailer(self.settings)

    def is_migrated(self) -> bool:
        """
        Return whether the database's tables are at this version.

        Raises:
            UnavailableError: The database does not answer.
        """
        return is_current(self.engine) and all(
            one.is_prepared() for _, one in self._to_prepare()
        )

    def migrate(self) -> None:
        """
        Bring the database's tables up to this version.
        """
        for _, bring_up in self.migrations():
            bring_up()

    def migrations(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """
        Yield what ``migrate`` consists of, each after whose tables it is about.

        Large tables take minutes, so that whoever waits may want to know.
        """
        yield "the service", partial(migrate, self.engine)
        for name, one in self._to_prepare():
            yield name, one.prepare

    def recount(self) -> None:
        """
        Make the stored totals of videos equal to the videos.
        """
        recount(self.engine)

    def mend_search(self) -> bool:
        """
        Make the index of videos' names if it is not there; tell whether it is now.

        Raises:
            UnavailableError: The database does not answer.
        """
        return mend_search_index(self.engine)

    def is_searchable(self) -> bool:
        """
        Return whether videos are found by an index of their names.

        Raises:
            UnavailableError: The database does not answer.
        """
        return is_searchable(self.engine)

    def _to_prepare(self) -> Iterator[tuple[str, AnalyticsSink | SupportsPrepare]]:
        for name, sink in self._sinks.items():
            yield f"the sink {name}", sink
        prepare = {
            choice.kind: choice.name
            for choice in active_choices(self.registry, self.settings)
            if self.registry.prepares(choice)
        }
        for kind, (given_as, attribute) in _MADE_AS.items():
            # Others are not made for this: a command must not wait for the client of
            # a far server to learn that it keeps no tables here.
            if kind not in prepare and given_as not in self.recipe.overrides:
                continue
            made = getattr(self, attribute)
            several = made.values() if isinstance(made, Mapping) else made
            for one in several if isinstance(several, Iterable) else (made,):
                if isinstance(one, SupportsPrepare):
                    yield f"the {kind} backend {prepare.get(kind, '')}".strip(), one

    @made_once
    def _sinks(self) -> Mapping[str, AnalyticsSink]:
        if store := self._overridden("analytics_store"):
            return {"analytics_store": store}
        return self.registry.analytics_sinks(self.settings, self._context)

    @property
    def spool_dir(self) -> Path:
        """
        Where counts wait for the sinks.
        """
        # An absolute path stays what it is.
        return self.settings.data_dir / (self.settings.analytics.spool_dir or "spool")

    @property
    def edge_folder(self) -> Path:
        """
        Where an edge of this machine keeps its counts, its cache and its state.
        """
        # An absolute path stays what it is.
        return self.settings.data_dir / (self.settings.edge.folder or "edge")

    @property
    def purger_names(self) -> Sequence[str]:
        """
        The cache purgers, which are made by this.
        """
        return list(self._purgers)

    @made_once
    def _purgers(self) -> Mapping[str, CachePurger]:
        return self._overridden("cache_purgers") or self.registry.cache_purgers(
            self.settings, self._context
        )

    @property
    def _providers(self) -> tuple[AuthProvider, ...]:
        further: tuple[AuthProvider, ...] = (
            self._overridden("further_auth_providers") or ()
        )
        return (*further, *self._own_providers)

    @made_once
    def _own_providers(self) -> tuple[AuthProvider, ...]:
        return self._overridden("auth_providers") or self.registry.auth_providers(
            self.settings, self._context
        )

    @made_once
    def _sign_in_providers(self) -> Mapping[str, SignInProvider]:
        return self._overridden("sign_in_providers") or self.registry.sign_in_providers(
            self.settings, self._context
        )

    @cached_property
    def _subscribers(self) -> Mapping[str, EventSubscriber]:
        return {
            name: cast(EventSubscriber, made)
            for name, made in self._extensions("events").items()
        }

    def wanted_kinds(self) -> Mapping[str, frozenset[EventKind]]:
        """
        Return which events each subscriber is to be told.
        """
        # Of the records: a process that orders what is told tells nobody itself.
        return {
            offer.backend.name: cast(EventSubscriberBackend, offer.backend).kinds
            for offer in self.registry.of_kind("events")
        }

    def _extensions(self, kind: str) -> Mapping[str, object]:
        return self.registry.extensions(kind, self.settings, self._context)

    @made_once
    def _context(self) -> BuildContext:
        state_dir = self.settings.data_dir / "state"
        state_dir.mkdir(parents=True, exist_ok=True)
        return BuildContext(
            clock=self.clock,
            state_dir=state_dir,
            work_dir=self.recipe.work_dir,
            keys=SqlKeyBook(self.engine, self.clock),
            database=PluginDatabase(self.engine),
            sign_in=SqlSignInBook(engine=self.engine, clock=self.clock),
        )

    def _ring(self, tasks: Sequence[Task]) -> None:
        ring_for(self.queue, tasks)
        failpoint("tasks.rung")

    def _overridden(self, name: str) -> Any:  # noqa: ANN401 - checked by the caller's type
        return self.recipe.overrides.get(name)
