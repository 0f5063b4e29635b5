"""Rounds of work that is repeated now and then, such as a sweep's."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import attrs

from hvcore.errors import UnavailableError


@attrs.define
class Round:
    """
    Have each part of a round done, whatever the other parts raise.

    What has failed is tried again in the next round. A part that fails each time would
    otherwise keep all that follow it from ever being done.

    Attributes:
        message: Logged with what a part says about itself; once for each reason, because
            a full disk may refuse thousands of parts.
    """

    log: logging.Logger
    message: str
    _said: set[str] = attrs.field(factory=set, init=False)

    @contextmanager
    def part(self, **about: object) -> Iterator[None]:
        """
        Do one part; what it raises is logged.

        Args:
            about: For the log, such as ``hv_step``.
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
