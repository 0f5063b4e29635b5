"""
The service's web app, worker and sweep, found by their entry points.

The packages of the apps import hvcore, so hvcore does not import them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from hvcore.domain.tasks.task import Lane
from hvcore.embedding.process import ProcessServices
from hvcore.errors import ConfigError
from hvcore.extras import missing_module
from hvcore.processes.fork_lock import ForkLock

if TYPE_CHECKING:
    from hvcore.assembly import Services

WsgiEnviron: TypeAlias = dict[str, object]
"""The environment of a request (PEP 3333), as ``sign_in`` gets it."""
StartResponse: TypeAlias = Callable[..., object]
HostApp: TypeAlias = Callable[..., Iterable[bytes]]
"""A WSGI app of the host program: each framework has types of its own for its arguments."""

GROUP: Final = "hvcore_apps"


class WsgiApp(Protocol):
    """
    A WSGI app (PEP 3333), typed so that every server and every framework accepts it.

    Its arguments have the widest types that servers and frameworks declare for the
    environment and for ``start_response``.
    """

    def __call__(
        self, environ: Mapping[str, object], start_response: StartResponse
    ) -> Iterable[bytes]:
        """Answer a request."""
        ...


class WebMaker(Protocol):
    """Makes the app that serves ``/api`` and ``/media``."""

    def __call__(self, services: "Services") -> WsgiApp:
        """Make the app of a process."""
        ...


class EmbeddedProgram(Protocol):
    """
    Runs a worker, or the sweep that deletes and repairs from time to time, until the host program is to stop.

    Args:
        make: Makes the services of this process; called with a folder for temporary files.
        stopping: Returns whether to stop; if it is None, the program stops at SIGTERM or SIGINT.
    """

    def __call__(
        self,
        make: "Callable[[Path | None], Services]",
        *,
        data_dir: Path,
        lanes: Sequence[Lane],
        stopping: Callable[[], bool] | None,
    ) -> None:
        """Run in this thread."""
        ...


class WebApps:
    """The WSGI app that serves ``/api`` and ``/media``, made anew in a forked process."""

    def __init__(self, process: ProcessServices) -> None:
        self._process = process
        self._lock = ForkLock()
        self._made: tuple[Services, WsgiApp] | None = None

    def __call__(
        self, environ: Mapping[str, object], start_response: StartResponse
    ) -> Iterable[bytes]:
        """
        Answer a request.

        Raises:
            ConfigError: The apps are not installed.
        """
        return self._app(self._process.answering())(environ, start_response)

    def _app(self, services: "Services") -> WsgiApp:
        made = self._made
        if made is None or made[0] is not services:
            with self._lock.held():
                made = self._made
                if made is None or made[0] is not services:
                    maker: WebMaker = _found("web")
                    made = self._made = (services, maker(services))
        return made[1]


def moved_below(environ: Mapping[str, object], prefix: str) -> WsgiEnviron | None:
    """Return a WSGI environment as an app mounted at ``prefix`` gets it; None for other paths."""
    path = str(environ["PATH_INFO"])
    if path != prefix and not path.startswith(f"{prefix}/"):
        return None
    root = str(environ.get("SCRIPT_NAME", ""))
    rest = path.removeprefix(prefix)
    return {**environ, "SCRIPT_NAME": root + prefix, "PATH_INFO": rest}


def program(name: str) -> EmbeddedProgram:
    """
    Return the function that runs a worker or the sweep; ``name`` is ``worker`` or ``sweep``.

    Raises:
        ConfigError: The apps are not installed.
    """
    found: EmbeddedProgram = _found(name)
    return found


def require(module: str, extra: str) -> None:
    """
    Check that an extra of hvcore is installed, by looking for one of its modules.

    Raises:
        ConfigError: The module is not installed.
    """
    if find_spec(module) is None:
        raise ConfigError(
            f"This part of hvcore cannot start: {missing_module(module, extra)}"
        )


def _found(name: str) -> Any:  # noqa: ANN401 - what the entry point names
    for entry_point in entry_points(group=GROUP, name=name):
        try:
            return entry_point.load()
        except ModuleNotFoundError as exc:
            raise ConfigError(
                f"This part of hvcore cannot start: {missing_module(exc.name, 'server')}"
            ) from exc
    raise ConfigError(
        f"The entry point {name} of {GROUP} is missing; install hvcore again."
    )
