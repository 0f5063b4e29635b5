"""
Remove objects one by one, from stores that accept no request to remove many objects.

obstore removes even one object by a request for many. But it can sign addresses for any
method, so this module sends a signed DELETE for each object.
"""

import http.client
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Final

import obstore
import urllib3
from obstore.store import S3Store
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError

from hvcore.plugin_api import StorageRefusedError, UnavailableError
from hvcore_storage_obstore.failures import failure_of, is_of_bucket

AT_ONCE: Final = 8
"""Requests that run at one time, each of which removes one object."""
SIGNED_FOR: Final = timedelta(minutes=15)
"""By as much may the store's clock differ for other requests."""
WAITS_S: Final = (0.1, 0.3)
"""Before the second and the third time that an object is to be removed."""
ANSWER_BYTES: Final = 4096
"""More than any store says of an error."""

_DONE: Final = frozenset({200, 202, 204})
_ABSENT: Final = 404
_PASSING: Final = frozenset({500, 502, 503, 504})


class _QuietAnswer(http.client.HTTPResponse):
    """
    An answer without the part of its head that cannot be parsed.

    urllib3 logs that part with the address, whose signature is a secret.
    """

    def begin(self) -> None:
        """Read the head."""
        super().begin()
        self.msg.set_payload("")
        self.msg.defects.clear()


class _PlainConnection(HTTPConnection):
    response_class = _QuietAnswer


class _TlsConnection(HTTPSConnection):
    response_class = _QuietAnswer


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _PlainConnection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


class _AnswerError(Exception):
    """A store has answered, and not by removing the object."""


def remove_each(
    store: S3Store, paths: Sequence[str], *, answer: timedelta, limit: timedelta
) -> None:
    """
    Remove objects by one request each; a refused request does not stop the others.

    Args:
        answer: The most time for the answer to one request.
        limit: The most time for all requests together.

    Raises:
        StorageRefusedError: The store refuses to remove some of them.
        UnavailableError: An object could not be removed; the ones behind it were not
            tried.
    """
    pool = urllib3.PoolManager(
        maxsize=AT_ONCE,
        timeout=urllib3.Timeout(total=answer.total_seconds()),
        # Its own repetitions log the address, whose signature is a secret.
        retries=False,
    )
    pool.pool_classes_by_scheme = {"http": _PlainPool, "https": _TlsPool}
    with pool:
        _for_each(partial(_remove, pool, store), paths, limit)


def _for_each(
    remove: Callable[[str], None], paths: Sequence[str], limit: timedelta
) -> None:
    refusal = None
    threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="delete")
    try:
        removals = [threads.submit(remove, path) for path in paths]
        for removal in as_completed(removals, limit.total_seconds()):
            try:
                removal.result()
            except StorageRefusedError as exc:
                refusal = exc
    except TimeoutError as exc:
        raise UnavailableError("The storage does not answer in time.") from exc
    finally:
        threads.shutdown(cancel_futures=True)
    if refusal is not None:
        raise refusal


def _remove(pool: urllib3.PoolManager, store: S3Store, path: str) -> None:
    try:
        address = obstore.sign(store, "DELETE", path, SIGNED_FOR)
        status, said = _answer(pool, address)
    except Exception as exc:
        # Not all that obstore raises is one of its own exceptions.
        raise failure_of(exc) from exc
    if status in _DONE:
        return
    failure = _AnswerError(f"status code: {status} {said}")
    if status != _ABSENT or is_of_bucket(failure):
        raise failure_of(failure) from failure


def _answer(pool: urllib3.PoolManager, address: str) -> tuple[int, str]:
    for wait_s in WAITS_S:
        with suppress(HTTPError):
            status, said = _send(pool, address)
            if status not in _PASSING:
                return status, said
        time.sleep(wait_s)
    return _send(pool, address)


def _send(pool: urllib3.PoolManager, address: str) -> tuple[int, str]:
    answer = pool.request("DELETE", address, redirect=False, preload_content=False)
    try:
        # A whole answer gives its connection back.
        return answer.status, answer.read(ANSWER_BYTES).decode(errors="replace")
    finally:
        answer.close()
