"""The programs and modules that an edge needs on its machine."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

MODULES: Final = Path("/usr/lib/nginx/modules")
"""The folder of nginx's modules on Debian and Ubuntu."""
PACKAGES: Final = "nginx-light libnginx-mod-http-lua lua-cjson"

_LUA_MODULE: Final = "ngx_http_lua_module.so"
_CJSON: Final = "usr/lib/**/lua/5.1/cjson.so"


def missing(root: Path = Path("/")) -> Sequence[str]:
    """
    Return texts that name the programs and modules that an edge lacks on this machine.

    Args:
        root: The folder below which Debian's files are.
    """
    found = {
        # Not every PATH has the folder of Debian's nginx.
        "nginx": shutil.which("nginx") or (root / "usr/sbin/nginx").is_file(),
        "its Lua module": (root / MODULES.relative_to("/") / _LUA_MODULE).is_file(),
        "cjson for Lua": any(root.glob(_CJSON)),
    }
    return [name for name, is_there in found.items() if not is_there]
