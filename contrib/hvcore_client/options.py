"""Options of a client: the service's address, the API key, time limits."""

import os
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import attrs

from hvcore_client.retries import Retries

URL_VARIABLE: Final = "HV_API_URL"
KEY_VARIABLE: Final = "HV_API_KEY"
TIMEOUT_S: Final = 60.0
_KEY: Final = re.compile(r"[!-~]{1,4096}")


@attrs.frozen(kw_only=True)
class ClientOptions:
    """
    The options that all calls of a client share.

    Attributes:
        api_url: The address of the service, without ``/v1`` and without a slash at the
            end.
        timeout_s: The seconds after which connecting, or waiting for an answer, fails.
    """

    api_url: str
    api_key: str | None = attrs.field(default=None, repr=False)
    timeout_s: float = TIMEOUT_S
    retries: Retries = attrs.field(factory=Retries)

    def required_key(self) -> str:
        """
        Return the API key, and require that there is one.

        Raises:
            ValueError: The client has no API key.
        """
        if self.api_key is None:
            raise ValueError(
                f"This call needs an API key: pass api_key, or set {KEY_VARIABLE}."
            )
        return self.api_key


def options_of(
    api_url: str | None,
    api_key: str | None,
    *,
    timeout_s: float = TIMEOUT_S,
    max_tries: int,
    environ: Mapping[str, str] = os.environ,
) -> ClientOptions:
    """
    Return the options of a client, from arguments and else from environment variables.

    Args:
        api_url: The address of the service; None for that in the environment.
        api_key: The API key; None for that in the environment, or for no key.
        max_tries: The most tries of a request, the first one included.

    Raises:
        ValueError: There is no usable address, or the key is not an API key.
    """
    url = (api_url or environ.get(URL_VARIABLE) or "").rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query:
        raise ValueError(
            "Pass api_url, such as https://api.example.com (without /v1), or set "
            f"{URL_VARIABLE}."
        )
    key = (api_key or environ.get(KEY_VARIABLE) or "").strip() or None
    if key is not None and not _KEY.fullmatch(key):
        # Its value stays out of the message.
        raise ValueError("The API key has characters that no key has.")
    return ClientOptions(
        api_url=url,
        api_key=key,
        timeout_s=timeout_s,
        retries=Retries(max_tries=max_tries),
    )
