"""Make the HTTP clients with which commands call the service's API."""

import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

# httpx loads it with the first client, perhaps in a thread; see hvcore_cli.commands.videos.demo.
import httpcore  # noqa: F401
import httpx

from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import CliError, Invocation
from hvcore_client import HvClient, HvClientError

MAX_TRIES: Final = 3
"""The most tries of a request: few, because a person waits at a terminal, perhaps
with a wrong address."""
TIMEOUT_S: Final = 60.0
_THIS_MACHINE: Final = ("all://localhost", "all://127.0.0.1", "all://[::1]")


@contextmanager
def api_client(
    invocation: Invocation, environ: Mapping[str, str], env: str = "live"
) -> Iterator[HvClient]:
    """
    Within the ``with`` block, give a client for HV_API_URL, else for the service of the data folder.

    If that service is just starting, wait for it. HV_API_KEY is used, or else the key that
    the first start has made.

    Args:
        env: The environment whose first key is used if HV_API_KEY is not set.

    Raises:
        CliError: There is no service or no key; or a call within the block fails.
    """
    folder = DataFolder(invocation.data)
    far_url = environ.get("HV_API_URL")
    url = far_url or folder.awaited_addresses().get("apiURL")
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
    with client_at(url, key, is_far=bool(far_url)) as client:
        yield client


@contextmanager
def client_at(url: str, key: str, *, is_far: bool = False) -> Iterator[HvClient]:
    """
    Within the block, give a client for the service at an address.

    Args:
        is_far: Whether to use the proxies that the environment variables name, except
            for addresses of this machine.

    Raises:
        CliError: The address, the key or a proxy is not valid; or a call within the block
            fails.
    """
    with _http(uses_proxies=is_far) as http:
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
    Within the block, give a function that returns the bytes at a public address.

    Raises:
        CliError: An address cannot be reached, or answers with an error.
    """
    with _http(uses_proxies=False) as http:

        def fetch(url: str) -> bytes:
            try:
                answer = http.get(url, timeout=TIMEOUT_S)
            except httpx.HTTPError as exc:
                raise CliError(f"{url} cannot be reached: {exc}") from exc
            if not answer.is_success:
                raise CliError(f"GET {url}: {answer.status_code}")
            return answer.content

        yield fetch


def _http(*, uses_proxies: bool) -> httpx.Client:
    # A service that is near may have a certificate of the machine's own authorities,
    # and is not found by a proxy of the environment; see HTTPS_PROXY and NO_PROXY.
    try:
        return httpx.Client(
            trust_env=uses_proxies,
            verify=ssl.create_default_context(),
            mounts=dict.fromkeys(_THIS_MACHINE),
        )
    except (ImportError, ValueError, httpx.InvalidURL) as exc:
        raise CliError(
            "A proxy of the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) cannot be "
            f"used: {exc}"
        ) from exc
