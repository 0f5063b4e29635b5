"""
Keep possible secrets out of the logs of httpx and httpcore.

httpx logs each request with its whole address, at INFO; httpcore logs the headers of
answers, at DEBUG. An address may contain a signature, and a header may contain an
address. What other code of the program sends is logged as before.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from hvcore_client.steps import address_without_query

_is_ours: Final = ContextVar("hvcore_client_sends", default=False)
_LOGGERS: Final = ("httpx", "httpcore.http11", "httpcore.http2")


class _WithoutSecrets(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if not _is_ours.get():
            return True
        if record.name != "httpx":
            return "headers" not in record.getMessage()
        if isinstance(record.args, tuple):
            record.args = tuple(_without_query(value) for value in record.args)
        return True


def _without_query(value: object) -> object:
    text = str(value)
    is_address = text.startswith(("http://", "https://"))
    return address_without_query(text) if is_address else value


@contextmanager
def sending_quietly() -> Iterator[None]:
    """Hide possible secrets in the logs of httpx and httpcore within a block of code."""
    token = _is_ours.set(True)
    try:
        yield
    finally:
        _is_ours.reset(token)


for _name in _LOGGERS:
    logging.getLogger(_name).addFilter(_WithoutSecrets())
