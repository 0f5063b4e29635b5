"""Option types of ``hv orgs set``: a number, or the word for no limit."""

from enum import Enum
from typing import Any, Final

import click

from hvcore_cli.invocation import MOST_DIGITS

NONE: Final = "none"


class Unset(Enum):
    """The value of a removed limit; None is an option that is not given."""

    UNSET = NONE


class Limit(click.ParamType["int | Unset"]):
    """A whole number from 0 on, or none."""

    name = "N|none"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> int | Unset:
        """Convert an option's text to a limit, or to the removal of a limit."""
        text = str(value)
        if text == NONE:
            return Unset.UNSET
        if not text.isascii() or not text.isdecimal() or len(text) > MOST_DIGITS:
            self.fail(f"{text!r} is no whole number; write 100, or none.", param, ctx)
        return int(text)


LIMIT: Final = Limit()
WEIGHT: Final = click.FLOAT
