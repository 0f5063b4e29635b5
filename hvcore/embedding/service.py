"""Embed the service in another program."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Optional, Self, cast
from urllib.parse import urlsplit

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.tasks.task import ENCODE_LANES, LIGHT_LANES, Lane
from hvcore.embedding.environments import EmbeddedEnvironment
from hvcore.embedding.events import NAME, HostSubscriber, OnEvent
from hvcore.embedding.overrides import Overrides
from hvcore.embedding.process import ProcessServices
from hvcore.embedding.sign_in import HostUsers, SignIn, signed_in_by
from hvcore.embedding.web import (
    HostApp,
    StartResponse,
    WebApps,
    WsgiApp,
    WsgiEnviron,
    moved_below,
    program,
    require,
)
from hvcore.errors import ConfigError, ConflictError, EnvironmentNotFoundError
from hvcore.metrics import switch_on
from hvcore.settings import Settings, load

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

    from hvcore.assembly import Services

API: Final = "/api"
MEDIA: Final = "/media"


def embed(  # noqa: PLR0913 - each by its name
    data_dir: str | Path,
    *,
    public_url: str | None = None,
    engine: Optional["Engine"] = None,
    database_url: str | None = None,
    schema: str | None = None,
    sign_in: SignIn | None = None,
    overrides: Overrides | None = None,
    on_event: OnEvent | None = None,
    config_path: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> "EmbeddedService":
    """
    Make the service part of this program, and return it; connects to nothing yet.

    Args:
        data_dir: The folder for the service's secrets, and for files that no setting puts
            elsewhere; made if it does not exist. All processes of one machine share it.
        public_url: The URL under which ``wsgi_app`` is reached: the API at ``/api`` below
            it, player, files and uploads at ``/media``. None takes the four addresses
            of the settings.
        engine: The host program's engine of the database; see
            docs/how-to/embedding.md. None takes the database of the settings.
        database_url: The address of the host program's database, if it has no engine
            of SQLAlchemy: ``sqlite:////path/to/file`` or ``postgresql://…``.
        schema: The schema of the tables; on SQLite the prefix of their names. None takes
            the schema of the settings.
        sign_in: Returns the user of the host program from whom a request to the API comes.
        overrides: Objects that replace backends which the settings choose.
        on_event: Called with each event of a video, at least once, by ``run_worker`` in a
            process that gives ``on_event``, too. Either all processes give it or none.
        config_path: A settings file in TOML.
        environ: The settings as ``HV_…`` variables; None takes the environment variables.

    Raises:
        ConfigError: The settings have problems, which the text lists, a line each; or
            the engine's database or driver is not supported.
    """
    # The services, and all that they use, are loaded by programs that embed one, not
    # by all that import this package.
    from hvcore.assembly import build  # noqa: PLC0415 - see above
    from hvcore.assembly.guests import accept_host_engine  # noqa: PLC0415 - see above

    if engine is not None:
        accept_host_engine(engine)
    given = dict(os.environ if environ is None else environ)
    if public_url is not None:
        given.update(_addresses(public_url))
    given.update(_database(engine, database_url))
    names_queue = any(name.startswith("HV_QUEUE__") for name in given)
    if config_path is None and not names_queue:
        # What needs no further server.
        given["HV_QUEUE__BACKEND"] = "sql"
    if schema is not None:
        given["HV_DATABASE__SCHEMA"] = schema
    settings = load(
        config_path=config_path, environ=given, data_dir=Path(data_dir)
    ).settings
    objects = _objects(overrides, engine=engine, on_event=on_event, sign_in=sign_in)

    # In the registry of the program, which shows it to whom it likes.
    switch_on()

    def make(work_dir: Path | None = None) -> "Services":
        return build(
            settings,
            work_dir=work_dir,
            overrides=objects,
            answers_requests=True,
        )

    return EmbeddedService(make, settings=settings, sign_in=sign_in)


def _addresses(public_url: str) -> dict[str, str]:
    root = public_url.rstrip("/")
    media = {
        f"HV_PUBLIC__{name}_URL": f"{root}{MEDIA}"
        for name in ("WORKER", "PLAYER", "UPLOAD")
    }
    return {"HV_PUBLIC__API_URL": f"{root}{API}", **media}


def _database(engine: Optional["Engine"], url: str | None) -> dict[str, str]:
    if engine is not None and url is not None:
        raise ConfigError(
            "engine and database_url both say where the database is; give one of them."
        )
    if engine is not None:
        url = engine.url.render_as_string(hide_password=False)
    return {} if url is None else {"HV_DATABASE__URL": url}


def _objects(
    overrides: Overrides | None,
    *,
    engine: Optional["Engine"],
    on_event: OnEvent | None,
    sign_in: SignIn | None,
) -> dict[str, object]:
    """Return the overrides of the services by their names."""
    objects = dict((overrides or Overrides()).given())
    if engine is not None:
        objects["engine"] = engine
    if on_event is not None:
        objects["further_subscribers"] = {NAME: HostSubscriber(on_event)}
    if sign_in is not None:
        objects["further_auth_providers"] = (HostUsers(),)
    return objects


class EmbeddedService:
    """The service within another program, made by ``embed``; thread-safe, and usable on both sides of a fork."""

    def __init__(
        self,
        make: "Callable[[Path | None], Services]",
        *,
        settings: Settings,
        sign_in: SignIn | None,
    ) -> None:
        self._make = make
        self._data_dir = settings.data_dir
        api_path = urlsplit(settings.public.api_url).path
        self._prefix = api_path.removesuffix(API)
        self._sign_in = sign_in
        self._process = ProcessServices(lambda: make(None))
        self._web = WebApps(self._process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of this process; the service may be used again."""
        self._process.close()

    def migrate(self, *, contract: bool = False) -> None:
        """
        Make the tables, or migrate them to this version; quick if nothing is to do.

        A migration that another process has begun and not finished is continued.

        Tables of the host program stay as they are, whatever their names. Several
        processes may call it at once.

        Args:
            contract: Whether to remove what only older versions need, too. Only once the last
                process of an older version has ended on all machines.

        Raises:
            UnavailableError: The database does not answer.
            ConfigError: The tables are of a newer version; or ``contract`` is given and
                processes of an older version are at work, which the text names.
        """
        services = self._process.services
        if not services.is_migrated() or services.is_broken_off():
            services.migrate()
        if contract and services.awaits_contract():
            services.refuse_older_processes()
            services.migrate(contracts=True)

    def uninstall(self, *, confirm: str, removes_files: bool) -> tuple[str, ...]:
        """
        Remove the tables that hvcore has made in the database, with all of their content.

        End all processes that use the service first. Call this again if it was broken off. Tables of the host program stay, and so do the data folder and data on
        other servers, such as a queue or an analytics sink.

        Args:
            confirm: The name of the tables' schema, to confirm; without a schema, the name of
                the database or of its file.
            removes_files: Whether to remove the files of all videos from the storage, too.

        Returns:
            The names of the backends that cannot remove their own tables.

        Raises:
            ConfigError: ``confirm`` is another name, which the text has; or the tables
                are of another version or not all there, or others refer to them.
                Nothing is removed.
            UnavailableError: The database or the storage does not answer.
        """
        services = self._process.services
        wanted = services.tables_place()
        if confirm != wanted:
            raise ConfigError(
                f"uninstall removes all videos of {wanted!r} for good. If that is meant, "
                f"call it with confirm={wanted!r}."
            )
        left = services.uninstall(removes_objects=removes_files)
        self.close()
        return tuple(left)

    def is_migrated(self) -> bool:
        """
        Return whether the tables are at this version.

        Raises:
            UnavailableError: The database does not answer.
        """
        return self._process.services.is_migrated()

    def environment(self, org_id: str, name: str = "main") -> EmbeddedEnvironment:
        """
        Return an environment of an organization; make both if they do not exist.

        Args:
            org_id: Small letters, digits, ``-`` and ``_``. A customer whose videos
                others must never reach is an organization of its own.

        Raises:
            InvalidParametersError: One of the names may not be chosen.
            NotMigratedError: The tables do not exist, or are of an older version.
            OwnTransactionError: On SQLite, organization or environment have to be made while
                this thread has an open transaction that has written.
            UnavailableError: The database does not answer.
        """
        found = self._environment(org_id, name)
        return EmbeddedEnvironment(
            org_id=found.org_id,
            name=found.name,
            process=self._process,
            environment=found,
        )

    @property
    def wsgi_app(self) -> WsgiApp:
        """
        The WSGI app with API, player, files and uploads; mount it where ``public_url`` says.

        Calling it raises ConfigError where the apps are not installed
        (``hvcore[server]``).
        """
        sign_in = self._sign_in
        if sign_in is None:
            return self._web

        def app(
            environ: Mapping[str, object], start_response: StartResponse
        ) -> Iterable[bytes]:
            # Servers give a dictionary (PEP 3333), and the host program reads that.
            with signed_in_by(sign_in, cast(WsgiEnviron, environ)):
                return self._web(environ, start_response)

        return app

    def beside(self, other: HostApp) -> WsgiApp:
        """
        Return a WSGI app that serves ``wsgi_app`` under the path of ``public_url``, and another app elsewhere.

        Args:
            other: The WSGI app that gets all other requests.

        Raises:
            ConfigError: ``public_url`` has no path, so that no request would be left for
                ``other``.
        """
        prefix, mine = self._prefix, self.wsgi_app
        if not prefix:
            raise ConfigError(
                "public_url has no path, so that no request would reach the other app; "
                "give it one, as in https://example.com/videos, or serve wsgi_app alone."
            )

        def app(
            environ: Mapping[str, object], start_response: StartResponse
        ) -> Iterable[bytes]:
            below = moved_below(environ, prefix)
            if below is None:
                return other(environ, start_response)
            return mine(below, start_response)

        return app

    def run_worker(
        self,
        *,
        light: bool = True,
        encodes: bool = True,
        stopping: Callable[[], bool] | None = None,
    ) -> None:
        """
        Run tasks in this process, one at a time, until the worker is asked to stop.

        Args:
            light: Whether the worker takes quick tasks, and tasks that wait for other servers.
            encodes: Whether the worker takes encodes.
            stopping: Returns whether to stop; asked at least every 2 s. None stops at SIGTERM
                and SIGINT, in the main thread only.

        Raises:
            ConfigError: A library is missing (``hvcore[server]``, and ``ffmpeg`` for
                encodes).
            NotMigratedError: The tables do not exist, or are of an older version.
            UnavailableError: The database does not answer.
        """
        lanes: list[Lane] = [*LIGHT_LANES, Lane.OUTBOUND] if light else []
        if encodes:
            lanes += ENCODE_LANES
        require("PIL", "server,ffmpeg" if encodes else "server")
        self._refuse_unusable()
        program("worker")(
            self._make, data_dir=self._data_dir, lanes=lanes, stopping=stopping
        )

    def run_sweep(self, *, stopping: Callable[[], bool] | None = None) -> None:
        """
        Do the service's regular upkeep, until the sweep is asked to stop.

        The sweep makes lost tasks due again, queues due tasks, ends expired uploads and the like,
        and counts the watched segments. Each machine that serves videos needs one.

        Args:
            stopping: Returns whether to stop; asked at least every 2 s. None stops at SIGTERM
                and SIGINT, in the main thread only.

        Raises:
            ConfigError: The apps are not installed (``hvcore[server]``).
            NotMigratedError: The tables do not exist, or are of an older version.
            UnavailableError: The database does not answer.
        """
        self._refuse_unusable()
        program("sweep")(
            self._make, data_dir=self._data_dir, lanes=(), stopping=stopping
        )

    def _refuse_unusable(self) -> None:
        with self._make(None) as services:
            services.refuse_unusable()

    def _environment(self, org_id: str, name: str) -> Environment:
        tenants = self._process.in_use().tenants
        try:
            return tenants.environment(org_id, name)
        except EnvironmentNotFoundError:
            pass
        # Another process may make the same at this moment.
        with suppress(ConflictError):
            tenants.create_organization(org_id)
        try:
            return tenants.create_environment(org_id, name, EnvironmentKind.PRODUCTION)
        except ConflictError:
            return tenants.environment(org_id, name)
