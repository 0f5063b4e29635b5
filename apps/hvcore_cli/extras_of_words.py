"""The extras of the distribution ``hvcore`` that must be installed for commands of ``hv``."""

from collections.abc import Mapping
from typing import Final

from hvcore.extras import install_command

EXTRAS_OF_WORDS: Final[Mapping[str, str]] = {"demo": "all"}
"""The packages' extra for each command that needs more than ``server``; demo runs all parts
of a service."""


def needs(arguments: list[str]) -> str:
    """
    Return a line that names the extra that a command needs, and how to install the extra.

    Args:
        arguments: The words after ``hv``; the first that is no option names the command.
    """
    word = next((word for word in arguments if not word.startswith("-")), "")
    # Anything may stand there; a command's name is short and of letters.
    known = word if word.replace("-", "").isalpha() and word.isascii() else ""
    extra = EXTRAS_OF_WORDS.get(known, "server")
    return f"{f'hv {known}'.strip()} needs the extra {extra}: {install_command(extra)}"
