"""The data folder, settings file and errors that all commands of ``hv`` share."""

from __future__ import annotations

import os
import pwd
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hvcore.assembly import Services
    from hvcore.settings import Loaded

DEFAULT_DATA: Final = Path("hv-data")
RESTORE_MARK: Final = "restore-unfinished"
"""The file that is in a data folder while a backup is restored into the folder; it names the
backup."""

LONGEST_DURATION_S: Final = 100 * 366 * 86_400
"""The longest duration that options accept: today's date plus the duration must be a valid
date."""
MOST_DIGITS: Final = 18


class CliError(click.ClickException):
    """A failure that the user can understand: one message, exit status 1."""


class Invocation:
    """
    The data folder and settings file of one call of ``hv``.

    Not an attrs class: ``hv --help`` must not wait for attrs.

    Attributes:
        data: The data folder.
        names_data: Whether an option or variable names the data folder; else it is below the
            current folder.
        config: The settings file; None if none is named.
        abandons_threads: Whether the process ends without waiting for threads that still run.
        is_restore: Whether the command is the restore that this data folder waits for.
    """

    def __init__(self) -> None:
        self.abandons_threads = False
        self.is_restore = False
        # Help is written before click reads variables, and lists what is in there.
        self.data = Path(os.environ.get("HV_DATA") or DEFAULT_DATA)
        self.names_data = bool(os.environ.get("HV_DATA"))
        self.config: Path | None = None

    def load(self) -> Loaded:
        """
        Read and return the settings.

        Raises:
            ConfigError: The settings cannot be used.
            CliError: The data folder is not restored yet.
        """
        if not self.is_restore and (self.data / RESTORE_MARK).exists():
            raise CliError(
                f"A restore into {self.data} has not ended. Run hv restore there once "
                "more, with the same backup, or name another folder with --data."
            )
        from hvcore import settings  # noqa: PLC0415 - only commands pay for it

        return settings.load(
            config_path=self.config, environ=os.environ, data_dir=self.data
        )

    @contextmanager
    def services(self) -> Iterator[Services]:
        """
        Within the ``with`` block, give the services of the installation; they are closed at its end.

        They send no queue messages for new tasks: a command may not reach the queue that hv up
        runs for itself, and the process ``hv sweep`` sends the messages within seconds.

        Raises:
            CliError: This version cannot use the database.
        """
        with self.unmigrated_services() as services:
            if why := services.why_unusable():
                raise CliError(why)
            yield services

    @contextmanager
    def unmigrated_services(self) -> Iterator[Services]:
        """Within the ``with`` block, give the services, even if their version cannot use the database."""
        from hvcore import assembly  # noqa: PLC0415 - only commands pay for it
        from hvcore.services.access.audit import acting_as  # noqa: PLC0415 - see above

        with (
            assembly.build(self.load().settings, rings=False) as services,
            acting_as(f"cli:{os_user()}"),
        ):
            yield services


def os_user() -> str:
    """Return the name of the operating system's user who runs this command, for the audit log."""
    # Behind sudo it is the person who is responsible, and not root.
    behind_sudo = os.environ.get("SUDO_USER") if os.geteuid() == 0 else None
    try:
        return behind_sudo or pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        # In a container, a user id may have no name.
        return str(os.geteuid())


pass_invocation = click.make_pass_decorator(Invocation, ensure=True)


def _remember(
    context: click.Context, parameter: click.Parameter, value: Path | None
) -> None:
    if value is not None and parameter.name is not None:
        invocation = context.ensure_object(Invocation)
        setattr(invocation, parameter.name, value)
        invocation.names_data |= parameter.name == "data"


def common_options(*, from_environment: bool) -> list[click.Parameter]:
    """
    Return the options ``--data`` and ``--config``, which stand before or after the command.

    Args:
        from_environment: Whether environment variables also set the options; true only
            for the outermost level, so that an option after the command is stronger
            than a variable.
    """
    return [
        click.Option(
            ["--data"],
            type=click.Path(path_type=Path, file_okay=False),
            envvar="HV_DATA" if from_environment else None,
            expose_value=False,
            # Before help, which lists the commands of the folder's plugins.
            is_eager=True,
            callback=_remember,
            help="The data folder; HV_DATA, or ./hv-data.",
        ),
        click.Option(
            ["--config"],
            type=click.Path(path_type=Path, dir_okay=False),
            envvar="HV_CONFIG" if from_environment else None,
            expose_value=False,
            # Before help, which lists the commands of the folder's plugins.
            is_eager=True,
            callback=_remember,
            help="A settings file (TOML); HV_CONFIG.",
        ),
    ]


class HvCommand(click.Command):
    """A command of ``hv`` that takes the options ``--data`` and ``--config``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - click's own
        super().__init__(*args, **kwargs)
        self.params += common_options(from_environment=False)


class HvGroup(click.Group):
    """A group of commands of ``hv`` that takes the options ``--data`` and ``--config``."""

    command_class = HvCommand

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - click's own
        super().__init__(*args, **kwargs)
        self.params += common_options(from_environment=False)


def _duration(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> float | None:
    if value is None:
        return None
    units = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
    number, unit = value[:-1], value[-1:]
    # Python converts no number of thousands of digits.
    is_number = number.isdecimal() and len(number) <= MOST_DIGITS
    if unit not in units or not is_number or int(number) < 1:
        raise click.BadParameter(
            f"{value!r} is not a length of time; write 30m, 24h or 90d."
        )
    seconds = int(number) * units[unit]
    if seconds > LONGEST_DURATION_S:
        raise click.BadParameter(f"{value!r} is too long; the maximum is a century.")
    return float(seconds)


duration_option = _duration
"""The callback of options that take a length of time, such as 12h; it returns seconds."""
