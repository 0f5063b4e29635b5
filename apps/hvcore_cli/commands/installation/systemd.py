"""``hv systemd``: write the systemd units that run this installation."""

import os
import pwd
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hvcore_cli.commands.installation.systemd_units import TARGET, UnitFiles
from hvcore_cli.invocation import CliError, HvCommand, Invocation, pass_invocation
from hvcore_cli.output import put, say

if TYPE_CHECKING:
    from hvcore.settings import Settings

DEFAULT_ENVIRONMENT: Final = Path("/etc/hvcore/hv.env")
NGINX: Final = Path("/usr/sbin/nginx")


@click.command(cls=HvCommand)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the units into this folder, such as /etc/systemd/system, instead "
    "of printing them.",
)
@click.option(
    "--user",
    help="The user who runs the services; by default the owner of the data folder.",
)
@click.option(
    "--environment-file",
    type=click.Path(path_type=Path, dir_okay=False),
    default=DEFAULT_ENVIRONMENT,
    show_default=True,
    help="The file with the settings, one NAME=value in each line. Secrets belong "
    "there.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address of this machine on which the servers listen.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65_534),
    default=8080,
    show_default=True,
    help="The port of the API; delivery gets the next port.",
)
@click.option(
    "--workers", type=click.IntRange(min=1), help="The number of encode workers."
)
@click.option(
    "--light-workers",
    type=click.IntRange(min=1),
    help="The number of workers for short tasks.",
)
@click.option(
    "--backups",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write a timer that makes a backup in this folder each night and "
    "keeps seven. Make the folder for the user of the services before.",
)
@pass_invocation
def systemd(  # noqa: PLR0913 - one for each option
    invocation: Invocation,
    *,
    output: Path | None,
    user: str | None,
    environment_file: Path,
    host: str,
    port: int,
    workers: int | None,
    light_workers: int | None,
    backups: Path | None,
) -> None:
    """
    Write systemd units for every process of this installation.

    The units depend on the settings, which are read from the environment file, too,
    if the file exists.
    """
    from hvcore_cli.processes.local_service import usual_workers  # noqa: PLC0415 - only here

    data = invocation.data.absolute()
    owner = _owner(data, user)
    settings = _settings(invocation, environment_file, owner)
    usual = usual_workers()
    environ = {"HV_DATA": str(data)}
    if invocation.config is not None:
        environ["HV_CONFIG"] = str(invocation.config.absolute())
    units = UnitFiles(
        program=_program(),
        interpreter=Path(sys.executable).resolve(),
        environ=environ,
        environment_file=environment_file.absolute(),
        user=owner.pw_name,
        data=data,
        writable=_further_folders(settings, data),
        plugins=[
            one.absolute() for one in settings.extra_plugins if isinstance(one, Path)
        ],
        host=host,
        port=port,
        encoders=workers or usual.encoders,
        light_workers=light_workers or usual.light,
        has_reserve=settings.shares.encoders_reserved > 0,
        notifies=bool(settings.notify.sqs_url),
        nginx=_nginx() if settings.edge.listen else None,
        backups=None if backups is None else backups.absolute(),
    ).texts()
    if output is None:
        for name, text in units.items():
            put(f"# {name}\n{text}")
        return
    _write(output, units)
    say(
        f"Written: {', '.join(units)}.\n"
        f"Put the settings into {environment_file} (root's, mode 0600). Then:\n"
        "  systemctl daemon-reload && systemctl start hv-migrate\n"
        f"  systemctl enable --now {TARGET}"
    )


def _owner(data: Path, user: str | None) -> pwd.struct_passwd:
    """
    Return the user of the services.

    Raises:
        CliError: There is none, or it is root.
    """
    if user is None and not data.is_dir():
        raise CliError(
            f"There is no data folder {data}. Make it for the user that the services "
            f"get: useradd --system hv && install -d -o hv -m 0700 {data}; or name the "
            "folder with --data."
        )
    try:
        found = pwd.getpwnam(user) if user else pwd.getpwuid(data.stat().st_uid)
    except KeyError as exc:
        raise CliError(
            f"There is no user {user or data.stat().st_uid}. Make one with useradd "
            "--system, or name another one with --user."
        ) from exc
    if found.pw_uid == 0:
        raise CliError(
            f"The services would run as root, who owns {data}. Name another user with "
            "--user, and give the folder to that user."
        )
    return found


def _settings(
    invocation: Invocation, environment_file: Path, owner: pwd.struct_passwd
) -> "Settings":
    """Read the settings as the units will have them."""
    from hvcore.settings import load  # noqa: PLC0415 - only commands pay for it

    environ = {**os.environ, **read_environment_file(environment_file)}
    secrets = invocation.data / "secrets.json"
    is_new = not secrets.exists()
    loaded = load(
        config_path=invocation.config, environ=environ, data_dir=invocation.data
    )
    if is_new and os.geteuid() == 0:
        # The services could not read what root has made.
        os.chown(secrets, owner.pw_uid, owner.pw_gid)
    return loaded.settings


def read_environment_file(path: Path) -> Mapping[str, str]:
    """
    Return the variables in a systemd ``EnvironmentFile``; empty if the file does not exist.

    Raises:
        CliError: The file cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as exc:
        raise CliError(
            f"{path} cannot be read: {exc}. Run this as root, or name another file "
            "with --environment-file."
        ) from exc
    stated = (line.strip() for line in lines)
    pairs = (line.partition("=") for line in stated if line[:1] not in {"", "#", ";"})
    return {name.strip(): _unquoted(value.strip()) for name, _, value in pairs}


def _unquoted(value: str) -> str:
    is_quoted = value[:1] in {"'", '"'} and value[-1:] == value[:1] and len(value) > 1
    return value[1:-1] if is_quoted else value


def _program() -> Path:
    beside = Path(sys.executable).parent / "hv"
    called = Path(sys.argv[0]).absolute()
    found = next((p for p in (beside, called) if p.name == "hv" and p.is_file()), None)
    if found is None:
        raise CliError(
            f"There is no command hv beside {sys.executable}, which the units would "
            "start. Install hvcore, or run ./hv setup."
        )
    return found


def _nginx() -> Path:
    found = shutil.which("nginx")
    return Path(found) if found else NGINX


def _further_folders(settings: "Settings", data: Path) -> list[Path]:
    from sqlalchemy.engine import make_url  # noqa: PLC0415 - only here

    from hvcore_edge.config import storage_folder  # noqa: PLC0415 - see above

    named = (settings.analytics.spool_dir, settings.edge.folder)
    folders = [data / name for name in named if name]
    # Of PostgreSQL, several hosts may be named as SQLAlchemy does not.
    if settings.database.url.startswith("sqlite"):
        # Its journal lies beside it.
        file = make_url(settings.database.url).database or ""
        folders.append(Path(file).absolute().parent)
    storage = storage_folder(settings)
    if storage is not None:
        folders.append(storage)
    return [path for path in dict.fromkeys(folders) if not path.is_relative_to(data)]


def _write(folder: Path, units: Mapping[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in units.items():
            path = folder / name
            path.write_text(text, encoding="utf-8")
            # Nothing in them is secret, and systemd complains about other modes.
            path.chmod(0o644)
    except OSError as exc:
        raise CliError(
            f"{exc.filename} cannot be written: {exc.strerror}. Run this as root, or "
            "name another folder with --output."
        ) from exc
