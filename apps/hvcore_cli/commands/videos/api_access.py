"""The service that commands call as clients do."""

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
"""Somebody waits at a terminal, perhaps for an address that is wrong."""
TIMEOUT_S: Final = 60.0
_THIS_MACHINE: Final = ("all://localhost", "all://127.0.0.1", "all://[::1]")


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
    Call the service at an address.

    Args:
        is_far: Proxies of the environment are used, except for this machine.

    Raises:
        CliError: The address, the key or a proxy is none; or a call within fails.
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
    Fetch public addresses.

    Raises:
        CliError: The answer within is no success, or there is none.
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
