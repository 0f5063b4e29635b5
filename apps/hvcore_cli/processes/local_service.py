"""Run all processes of the service on this machine for ``hv up`` and ``hv demo``."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Final
from urllib.parse import urlsplit

import attrs

from hvcore.mail import mail_folder
from hvcore.metrics.measuring import folder_of, forget_all
from hvcore.ports.sign_in import LINK_BACKEND
from hvcore_cli.addresses import addresses_of, answers, as_running
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import CliError, Invocation
from hvcore_cli.processes.forks import load_shared, start
from hvcore_cli.processes.queue_server import (
    queue_program,
    queue_socket,
    wait_for_queue,
)
from hvcore_cli.processes.supervisor import Program, Supervisor, hv_words

READY_WITHIN_S: Final = 60.0
ENCODE_NICENESS: Final = 10
"""The niceness of encode workers (nice(2)): an encode takes every core, and requests go
first."""
HEALTH_PATHS: Final = ("/health", "/health/live")
"""The health paths of the API and of delivery."""
CORES_PER_ENCODER: Final = 4
"""The cores for each encode worker on a machine with many cores: x264 keeps about four cores
busy."""
USUAL_ENCODERS: Final = 2
"""The number of encode workers on a machine with few cores: while one encoder starts or ends,
as it often does with short clips, the other keeps the cores busy."""
CORES_PER_LIGHT_WORKER: Final = 2
"""The cores for each light worker: planning and checking a short clip takes about as long as
encoding it."""
MOST_LIGHT_WORKERS: Final = 8
"""The most light workers: each takes 100 MB, and SQLite allows only one writer."""
_ABOUT_PREPARING: Final = "tries the plugins and makes the tables"


@attrs.frozen(kw_only=True)
class UsualWorkers:
    """The numbers of encode workers and of workers for short tasks that suit a machine."""

    encoders: int
    light: int


def usual_workers() -> UsualWorkers:
    """Return the number of workers that suits this machine's cores."""
    cores = os.cpu_count() or 1
    light = max(1, cores // CORES_PER_LIGHT_WORKER)
    return UsualWorkers(
        encoders=max(min(cores, USUAL_ENCODERS), cores // CORES_PER_ENCODER),
        light=min(light, MOST_LIGHT_WORKERS),
    )


class LocalService:
    """
    The processes of ``hv up``, without its output on the terminal.

    Args:
        listeners: Two listening sockets: of the API, and of delivery, player and
            uploads. They stay open while a process starts again, so that callers wait
            instead of being refused.
        workers: The number of encode workers; None lets the number of cores decide.
        tell: Called with each line for the operator.
    """

    def __init__(
        self,
        invocation: Invocation,
        *,
        listeners: tuple[socket.socket, socket.socket],
        workers: int | None,
        tell: Callable[[str], None],
    ) -> None:
        self.folder = DataFolder(invocation.data)
        self._loaded = invocation.load()
        self._config = invocation.config
        self._listeners = listeners
        usual = usual_workers()
        self._workers = workers or usual.encoders
        self._light_workers = usual.light
        self._tell = tell
        self._supervisor = Supervisor(self.folder, tell)
        self._keepers: list[asyncio.Task[None]] = []
        self.addresses = addresses_of(self._loaded, listeners)

    @property
    def mails(self) -> str:
        """The server to which mails are sent, in words and without a password, for the operator."""
        settings = self._loaded.settings
        if not settings.mail.url:
            return f"files in {mail_folder(settings)} (HV_MAIL__URL is not set)"
        parts = urlsplit(settings.mail.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    async def start(self) -> None:
        """
        Start every process and return when the service is ready.

        Raises:
            CliError: A process does not start.
        """
        # Of one that was killed here, maybe at other ports.
        self.folder.forget_addresses()
        forget_all(folder_of(self.folder.path))
        environ = self._environ()
        first = []
        if self._has_own_queue():
            await self._keep(queue_program(self.folder, environ))
            first.append(wait_for_queue(self.folder))
        # The queue's server starts while we load what everything else needs.
        load_shared()
        prepare = attrs.evolve(
            self._hv("prepare", environ, "prepare"), about=_ABOUT_PREPARING
        )
        first.append(self._supervisor.run_once(prepare))
        await self._unless_ended(asyncio.gather(*first))
        if self._loaded.settings.metrics.listen:
            await self._keep(self._hv("metrics", environ, "metrics"))
        for program in self._servers(environ):
            await self._keep(program)
        await self._unless_ended(
            asyncio.gather(*map(answers, self._listeners, HEALTH_PATHS))
        )
        # After the servers: on few cores, everything at once makes all slower.
        for program in self._task_programs(environ):
            await self._keep(program)
        self._supervisor.is_ready = True
        self.folder.write_addresses(self.addresses.as_record())

    async def sign_in_address(self) -> str:
        """
        Return a link that signs an operator in to the dashboard once.

        Returns:
            The link; the address of the sign-in page if people sign in another way; "" if
            there is no dashboard.

        Raises:
            CliError: No link could be made.
        """
        settings = self._loaded.settings
        if not settings.dashboard.enabled:
            return ""
        if settings.sign_in.backend != LINK_BACKEND:
            return as_running(
                self._loaded, self.addresses.as_record()
            ).dashboard_address
        words = ("dashboard", "link", "--operator", "--json")
        process = await start(
            self._words(*words),
            environ=self._environ(),
            is_hv=True,
            stderr_is_apart=True,
        )
        out, error = await asyncio.gather(process.stdout.read(), process.stderr.read())
        if await process.wait() != 0:
            raise CliError(error.decode(errors="replace").strip())
        return str(json.loads(out)["url"])

    async def stop(self) -> None:
        """Stop every process in a fixed order; this takes at most about 10 s."""
        self.folder.forget_addresses()
        await self._supervisor.stop()
        for sock in self._listeners:
            # Connections that still wait in the backlog are refused.
            sock.close()
        if self._has_own_queue():
            queue_socket(self.folder).unlink(missing_ok=True)
            if self.folder.socket_dir() != self.folder.run:
                with suppress(OSError):
                    self.folder.socket_dir().rmdir()

    async def failed(self) -> None:
        """
        Wait until a process cannot be kept running, and raise the reason.

        Raises:
            CliError: A process cannot be kept running.
        """
        done, _ = await asyncio.wait(self._keepers, return_when=asyncio.FIRST_EXCEPTION)
        for keeper in done:
            keeper.result()

    async def _unless_ended(self, wanted: asyncio.Future[list[None]]) -> None:
        watched: list[asyncio.Future[Any]] = [wanted, *self._keepers]
        try:
            done, _ = await asyncio.wait(
                watched,
                return_when=asyncio.FIRST_COMPLETED,
                timeout=READY_WITHIN_S,
            )
        finally:
            wanted.cancel()
            await asyncio.gather(wanted, return_exceptions=True)
        if not done:
            raise CliError(
                "The service does not become ready. Run hv doctor, or read the "
                f"logs in {self.folder.logs}."
            )
        for task in done:
            task.result()

    async def _keep(self, program: Program) -> None:
        self._keepers.append(await self._supervisor.keep(program))

    def _has_own_queue(self) -> bool:
        queue = self._loaded.settings.queue
        return queue.backend == "rq" and "url" not in queue.options

    def _environ(self) -> Mapping[str, str]:
        environ = dict(os.environ)
        origins = self._loaded.origins
        for name, value in attrs.asdict(self.addresses).items():
            if f"public.{name}" not in origins:
                environ[f"HV_PUBLIC__{name.upper()}"] = value
        if self._has_own_queue():
            environ["HV_QUEUE__OPTIONS__URL"] = f"unix://{queue_socket(self.folder)}"
        environ["HV_DATA"] = str(self.folder.path)
        if self._config is not None:
            environ["HV_CONFIG"] = str(self._config.absolute())
        return environ

    def _words(self, *words: str) -> list[str]:
        # The folder too: whoever lists processes may run several services.
        return hv_words("--data", str(self.folder.path), *words)

    def _hv(
        self, name: str, environ: Mapping[str, str], *words: str, stops: int = 1
    ) -> Program:
        return Program(
            name=name,
            arguments=self._words(*words),
            is_hv=True,
            environ=environ,
            stops=stops,
            # Workers hand their task back at once; what hangs is killed.
            grace_s=3.0,
        )

    def _worker(self, name: str, environ: Mapping[str, str], *words: str) -> Program:
        return attrs.evolve(self._hv(name, environ, *words), replaces=True)

    def _servers(self, environ: Mapping[str, str]) -> list[Program]:
        return [
            attrs.evolve(
                # First to stop, so that nothing new comes in; they may take as
                # long as gunicorn gives a request, and a little more.
                self._hv(name, environ, name, "--fd", str(sock.fileno()), stops=0),
                sockets=(sock.fileno(),),
                grace_s=5.0,
            )
            for name, sock in zip(("api", "delivery"), self._listeners, strict=True)
        ]

    def _task_programs(self, environ: Mapping[str, str]) -> list[Program]:
        nice = ("--child-niceness", str(ENCODE_NICENESS))
        encoders = [
            self._worker(f"encode-{n}", environ, *nice, "worker", "--lane", "encode")
            for n in range(1, self._workers + 1)
        ]
        words = (*nice, "worker", "--lane", "encode", "--reserve")
        reserve = [
            self._worker(f"encode-reserve-{n}", environ, *words)
            for n in range(1, self._loaded.settings.shares.encoders_reserved + 1)
        ]
        light = [
            self._worker(f"light-{n}", environ, "worker", "--lane", "light")
            for n in range(1, self._light_workers + 1)
        ]
        has_queue = bool(self._loaded.settings.notify.sqs_url)
        return [
            *light,
            *encoders,
            *reserve,
            self._hv("sweep", environ, "sweep"),
            *([self._hv("notify", environ, "notify")] if has_queue else []),
        ]


@asynccontextmanager
async def _running(service: LocalService) -> AsyncIterator[LocalService]:
    try:
        await service.start()
        yield service
    finally:
        await asyncio.shield(service.stop())


def running(service: LocalService) -> AbstractAsyncContextManager[LocalService]:
    """Within the ``async with`` block, run the service; its data folder must be locked."""
    return _running(service)
