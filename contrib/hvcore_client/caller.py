"""Send the requests of calls and wait, by blocking the thread."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self, TypeVar

import httpx

from hvcore_client.calling import called
from hvcore_client.errors import UnreachableError
from hvcore_client.exchanging import NO_ANSWER, arrived, outgoing, unreachable
from hvcore_client.operation import Operation
from hvcore_client.options import TIMEOUT_S, options_of
from hvcore_client.paging import pages_of
from hvcore_client.quiet_logs import sending_quietly
from hvcore_client.retries import DEFAULT_TRIES
from hvcore_client.steps import Answer, Outcome, Request, Steps, Wait

T = TypeVar("T")


class Caller:
    """The base of ``HvClient``: sends the requests of calls and blocks until they are done."""

    def __init__(
        self,
        api_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        max_tries: int = DEFAULT_TRIES,
        http: httpx.Client | None = None,
    ) -> None:
        """
        Make a client, which several threads may share.

        Args:
            api_url: The address of the service, without ``/v1``; by default the
                variable HV_API_URL.
            api_key: The API key; by default the variable HV_API_KEY. Some calls need
                none.
            timeout_s: The seconds after which connecting, or waiting for the service,
                fails.
            max_tries: The most tries of a request, the first one included; 1: no second
                try.
            http: An HTTP client of yours that sends the requests, for example with a
                proxy. You close it.

        Raises:
            ValueError: There is no usable address, or the key is not an API key.
        """
        self._options = options_of(
            api_url, api_key, timeout_s=timeout_s, max_tries=max_tries
        )
        self._is_own = http is None
        self._http = httpx.Client() if http is None else http
        self._sleep: Callable[[float], None] = time.sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._options.api_url!r})"

    def close(self) -> None:
        """Close the connections of the client."""
        if self._is_own:
            self._http.close()

    def _call(self, operation: Operation[T], arguments: Mapping[str, object]) -> T:
        return self._run(called(self._options, operation, arguments))

    def _iterate(
        self, operation: Operation[Any], arguments: Mapping[str, object]
    ) -> Iterator[Any]:
        pages = pages_of(operation, arguments)
        while pages.arguments is not None:
            yield from pages.items_of(self._call(operation, pages.arguments))

    def _run(self, steps: Steps[T]) -> T:
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                value: T = end.value
                return value
            if isinstance(step, Wait):
                self._sleep(step.seconds)
                outcome = None
            else:
                outcome = self._sent(step)

    def _sent(self, request: Request) -> Answer | UnreachableError:
        with sending_quietly():
            try:
                made = outgoing(self._http, request, self._options.timeout_s)
                return arrived(self._http.send(made))
            except NO_ANSWER as error:
                return unreachable(request, error)
