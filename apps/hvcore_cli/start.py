"""The entry point of ``hv``, which names an extra where click is missing."""

import sys
from collections.abc import Mapping
from typing import Final

from hvcore.extras import extra_of_module, install_command

EXTRAS_OF_WORDS: Final[Mapping[str, str]] = {"demo": "all"}
"""Of the words that need more than ``server``; demo runs all parts of a service."""


def main() -> None:
    """Run ``hv``, or name the extra of its word in one line."""
    try:
        from hvcore_cli.main import main as run  # noqa: PLC0415 - click may be missing
    except ModuleNotFoundError as exc:
        if extra_of_module(exc.name) is None:
            raise
        sys.exit(needs(sys.argv[1:]))
    run()


def needs(arguments: list[str]) -> str:
    """Return a line with the extra of a command and how to add the extra."""
    word = next((word for word in arguments if not word.startswith("-")), "")
    # Anything may stand there; a command's name is short and of letters.
    known = word if word.replace("-", "").isalpha() and word.isascii() else ""
    extra = EXTRAS_OF_WORDS.get(known, "server")
    return f"{f'hv {known}'.strip()} needs the extra {extra}: {install_command(extra)}"


if __name__ == "__main__":
    main()
