"""
The service that commands call as clients do.
"""

import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

# httpx loads it with the first client, perhaps in a thread; see hv_cli.demo.
import httpcore  # noqa: F401
import httpx

from hv_cli.commands import CliError, Invocation
from hv_cli.data_folder import DataFolder
from hv_client import HvClient, HvClientError

MAX_TRIES: Final = 3
"""Somebody waits at a terminal, perhaps for an address that is wrong."""
TIMEOUT_S: Final = 60.0


@contextmanager
def api_client(
    invocation: Invocation, environ: Mapping[str, str], env: str = "live"
) -> Iterator[HvClient]:
    """
    Use HV_API_URL and HV_API_KEY, else the service that runs or starts here.

    Args:
        env: Whose first key is used, if none is given.

    Raises:
        CliError: There is neither; or a call within fails.
    """
    folder = DataFolder(invocation.data)
    url = environ.get("HV_API_URL") or folder.awaited_addresses().get("apiURL")
    key = environ.get("HV_API_KEY") or folder.first_keys().get(env)
    if not url:
        raise CliError(
            f"No service runs on {folder.path}. Start one with hv up, or set "
            "HV_API_URL and HV_API_KEY."
        )
    if not key:
        raise CliError(
            f"There is no key for {env} in {folder.first_keys_file}; set HV_API_KEY."
        )
    with client_at(url, key) as client:
        yield client


@contextmanager
def client_at(url: str, key: str) -> Iterator[HvClient]:
    """
    Call the service at an address.

    Raises:
        CliError: The address or the key is none; or a call within fails.
    """
    with _direct_http() as http:
        try:
            client = HvClient(url, key, max_tries=MAX_TRIES, http=http)
        except ValueError as exc:
            raise CliError(str(exc)) from exc
        try:
            yield client
        except HvClientError as exc:
            raise CliError(str(exc)) from exc


@contextmanager
def fetching() -> Iterator[Callable[[str], bytes]]:
    """
    Fetch public addresses.

    Raises:
        CliError: The answer within is no success, or there is none.
    """
    with _direct_http() as http:

        def fetch(url: str) -> bytes:
            try:
                answer = http.get(url, timeout=TIMEOUT_S)
            except httpx.HTTPError as exc:
                raise CliError(f"{url} cannot be reached: {exc}") from exc
            if not answer.is_success:
                raise CliError(f"GET {url}: {answer.status_code}")
            return answer.content

        yield fetch


def _direct_http() -> httpx.Client:
    # The service is near: a proxy of the environment would not find it. It may have a
    # certificate of the machine's own authorities.
    return httpx.Client(trust_env=False, verify=ssl.create_default_context())
