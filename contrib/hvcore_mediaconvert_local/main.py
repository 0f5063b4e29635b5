"""The command ``hv-mediaconvert``."""

import sys
from typing import Final

_MISSING: Final = (
    "hv-mediaconvert needs more packages; the first that is missing is {name}. "
    "Install them with: pip install hvcore-mediaconvert-local"
)


def main() -> None:
    """Run ``hv-mediaconvert``; exit with an advice if a Python package is missing."""
    try:
        from hvcore_mediaconvert_local.command import (  # noqa: PLC0415 - may be missing
            hv_mediaconvert,
        )
    except ModuleNotFoundError as exc:
        sys.exit(_MISSING.format(name=exc.name))
    hv_mediaconvert(auto_envvar_prefix="MEDIACONVERT")


if __name__ == "__main__":
    main()
