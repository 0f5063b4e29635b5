"""Option types of ``hv orgs set``: a number, or the word for no limit."""

from enum import Enum
from typing import Any, Final

import click

from hvcore_cli.invocation import MOST_DIGITS

NONE: Final = "none"


class Unset(Enum):
    """The value of an option that removes a limit; None stands for an option that is not given."""

    UNSET = NONE


class Limit(click.ParamType["int | Unset"]):
    """The type of an option that takes a whole number from 0 on, or ``none`` for no limit."""

    name = "N|none"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> int | Unset:
        """Return the limit in an option's text, or Unset for ``none``."""
        text = str(value)
        if text == NONE:
            return Unset.UNSET
        if not text.isascii() or not text.isdecimal() or len(text) > MOST_DIGITS:
            self.fail(f"{text!r} is no whole number; write 100, or none.", param, ctx)
        return int(text)


LIMIT: Final = Limit()
WEIGHT: Final = click.FLOAT
