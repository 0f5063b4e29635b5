"""The options of ``hv-mediaconvert``."""

import logging
import sqlite3
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

from hvcore_mediaconvert_local.config import KeyPair, LocalMediaConvertConfig
from hvcore_mediaconvert_local.job_store import JobStore
from hvcore_mediaconvert_local.programs import EncodingPrograms
from hvcore_mediaconvert_local.web.serving import serve
from hvcore_mediaconvert_local.wire import JsonObject

DEFAULT_PORT: Final = 8500
_GIB: Final = 1024**3
_PRESETS: Final = (
    *("ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow"),
    *("slower", "veryslow", "placebo"),
)


class _KeyPairs(click.ParamType[KeyPair]):
    """Parse an option of the form ``ID:SECRET``."""

    name = "id:secret"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> KeyPair:
        if isinstance(value, KeyPair):
            return value
        try:
            return KeyPair.parse(str(value))
        except ValueError as exc:
            self.fail(str(exc), param, ctx)


class _HttpAddress(click.ParamType[str]):
    """Parse an option that is an address with ``http://`` or ``https://``."""

    name = "url"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        parts = urlsplit(str(value))
        if value and (parts.scheme not in {"http", "https"} or not parts.hostname):
            self.fail(f"{value!r} must begin with http:// or https://", param, ctx)
        return str(value)


def _checked_header(_: click.Context, __: click.Parameter, value: str) -> str:
    # The value is not repeated: it may be a secret.
    name, found, rest = value.partition(":")
    if value and not (name.strip() and found and rest.strip() and value.isprintable()):
        raise click.BadParameter("must be written as 'Name: value'")
    return value


_PATH: Final = click.Path(path_type=Path, dir_okay=False)
_PROGRAM: Final = click.Path(path_type=Path, dir_okay=False, exists=True)
_FOLDER: Final = click.Path(path_type=Path, file_okay=False, exists=True)


@click.command(context_settings={"show_default": True, "max_content_width": 90})
@click.option("--host", default="127.0.0.1", help="Address to listen at.")
@click.option(
    "--port",
    default=DEFAULT_PORT,
    type=click.IntRange(0, 65535),
    help="Port to listen at; 0 chooses a free one.",
)
@click.option("--region", default="us-east-1", help="Region in ARNs, and of the store.")
@click.option(
    "--access-key",
    "access_keys",
    envvar="MEDIACONVERT_ACCESS_KEY",
    multiple=True,
    type=_KeyPairs(),
    help="A key that requests may be signed with; several are possible. Without it, "
    "every signature is taken.",
)
@click.option(
    "--s3-endpoint",
    default="",
    show_default=False,
    type=_HttpAddress(),
    help="Store with inputs and outputs, such as http://127.0.0.1:9000. Without it: AWS.",
)
@click.option(
    "--s3-key",
    type=_KeyPairs(),
    show_default=False,
    help="Key for the store. Without it, boto3 looks where it always does.",
)
@click.option(
    "--state",
    type=_PATH,
    show_default=False,
    help="SQLite file that keeps jobs over a restart. Without it, they are in memory.",
)
@click.option(
    "--work-dir",
    type=_FOLDER,
    show_default=False,
    help="Folder for files in the making. Without it: the system's for temporary files.",
)
@click.option(
    "--max-encodes",
    default=1,
    type=click.IntRange(1, 64),
    help="Jobs that are worked on at a time.",
)
@click.option(
    "--max-waiting",
    default=1000,
    type=click.IntRange(1, 100_000),
    help="Jobs that may wait; one more is refused.",
)
@click.option(
    "--max-input-gib",
    default=10.0,
    type=click.FloatRange(0.001, 1000),
    help="A larger input ends its job with an error.",
)
@click.option(
    "--preset",
    default="veryfast",
    type=click.Choice(_PRESETS),
    show_choices=False,
    help="Of the encoders x264 and x265, from ultrafast to placebo.",
)
@click.option("--ffmpeg", type=_PROGRAM, show_default=False, help="The program to use.")
@click.option(
    "--ffprobe", type=_PROGRAM, show_default=False, help="The program to use."
)
@click.option(
    "--events-url",
    default="",
    show_default=False,
    type=_HttpAddress(),
    help="Where changes of jobs are posted, in EventBridge's form.",
)
@click.option(
    "--events-header",
    default="",
    callback=_checked_header,
    show_default=False,
    help="A header that goes with them, as 'Name: value'.",
)
@click.option(
    "--control",
    is_flag=True,
    help="Let tests move the clock and order errors, by requests below /_local.",
)
def hv_mediaconvert(
    *,
    host: str,
    port: int,
    max_input_gib: float,
    preset: str,
    **chosen: Any,  # noqa: ANN401 - fields of the config
) -> None:
    """
    Run a MediaConvert on this machine, which really encodes; for tests.

    Clients use it unchanged, with its address as endpoint_url. Each option can also
    be set by a variable such as MEDIACONVERT_S3_ENDPOINT; keys are then in no list of
    processes. Ctrl-C stops it.
    """
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    fields: JsonObject = {
        **chosen,
        "access_keys": tuple(chosen["access_keys"]),
        "encoder_preset": preset,
        "max_input_bytes": int(max_input_gib * _GIB),
    }
    config = LocalMediaConvertConfig(**fields)
    try:
        EncodingPrograms.find(config.ffmpeg, config.ffprobe)
        JobStore(config.state).close()
    except FileNotFoundError as exc:
        raise click.ClickException(str(exc)) from exc
    except sqlite3.Error as exc:
        raise click.ClickException(
            f"The state file {config.state} cannot be used ({exc}). Is another server "
            "using it? Choose another one with --state."
        ) from exc
    serve(config, host=host, port=port, tell=_tell)


def _tell(line: str) -> None:
    # Programs that started it wait for this line.
    print(line, flush=True)  # noqa: T201 - the output of a command
