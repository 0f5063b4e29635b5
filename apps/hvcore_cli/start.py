"""The entry point of ``hv``, which names the missing extra if click is not installed."""

import sys

from hvcore.extras import extra_of_module
from hvcore_cli.extras_of_words import needs


def main() -> None:
    """Run ``hv``, or print the name of the extra that its command needs."""
    try:
        from hvcore_cli.main import main as run  # noqa: PLC0415 - click may be missing
    except ModuleNotFoundError as exc:
        if extra_of_module(exc.name) is None:
            raise
        sys.exit(needs(sys.argv[1:]))
    run()


if __name__ == "__main__":
    main()
