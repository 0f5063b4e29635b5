"""Run the parts of a periodic round of work, such as the sweep; an error of one part does not keep the others from running."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import attrs

from hvcore.errors import UnavailableError


@attrs.define
class Round:
    """
    One round of work, in which an error of one part does not keep other parts from running.

    A part that has failed is tried again in the next round.

    Attributes:
        message: The log message for a failed part; logged once for each reason, because a
            full disk may refuse thousands of parts.
    """

    log: logging.Logger
    message: str
    _said: set[str] = attrs.field(factory=set, init=False)

    @contextmanager
    def part(self, **about: object) -> Iterator[None]:
        """
        Run one part of the round within the block; an error is logged and not raised.

        Args:
            about: Fields for the log line, such as ``hv_step``.
        """
        try:
            yield
        except UnavailableError as error:
            if self._is_news(error.detail):
                self.log.warning(self.message, extra={**about, "hv_why": error.detail})
        except Exception as error:
            if self._is_news(repr(error)):
                self.log.exception(self.message, extra=about)

    def _is_news(self, reason: str) -> bool:
        is_news = reason not in self._said
        self._said.add(reason)
        return is_news
