"""The settings of the purge requests to HTTP caches."""

import re
from enum import Enum
from typing import Final

import attrs

_USER_INFORMATION: Final = re.compile(r"(?<=://)[^/?#,]*@")
# What a header may hold (RFC 9110, 5.5 and 5.6.2); a value has no space at its ends.
_HEADER_VALUE: Final = re.compile(r"[!-~]+(?:[ \t]+[!-~]+)*")
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class PurgeStyle(Enum):
    """
    The form of the purge requests that a cache understands.

    BAN: ``BAN`` with the path's pattern in ``X-Ban-Url``, as Varnish's configuration
    takes it. WILDCARD: ``PURGE`` of the path with ``*`` behind it, as nginx takes it.
    PREFIXES: ``POST`` of a JSON list, ``{"prefixes": ["host/path", …]}``, as CDNs take it.
    """

    BAN = "ban"
    WILDCARD = "wildcard"
    PREFIXES = "prefixes"


@attrs.frozen(kw_only=True)
class HttpPurgeOptions:
    """
    Settings under ``[edge.options.http]``.

    Attributes:
        urls: The addresses of the caches, or of the CDN's API, separated by commas,
            without user and password. Each of them gets every purge request.
        style: The form of the requests: ``ban`` (``BAN`` with the path's pattern in
            ``X-Ban-Url``, for Varnish), ``wildcard`` (``PURGE`` of the path with ``*``
            behind it, for nginx) or ``prefixes`` (``POST`` of a JSON list, for CDNs).
        token: The secret that is sent in ``token_header``; empty: no secret is sent.
        token_header: The header with the token; ``Authorization`` takes it as
            ``Bearer``, others as it is.
        most_prefixes: How many paths one request of the style ``prefixes`` has at most.
        timeout_s: How many seconds a cache may take for a request, the look-up of its
            name and all of its addresses included.
    """

    urls: str = attrs.field()
    style: PurgeStyle = PurgeStyle.BAN
    token: str = attrs.field(default="", repr=False)
    token_header: str = attrs.field(default="Authorization")
    most_prefixes: int = attrs.field(default=30)
    timeout_s: float = attrs.field(default=10.0)

    @urls.validator
    def _check_urls(self, _: object, value: str) -> None:
        if not self.addresses or not all(
            one.startswith(("http://", "https://")) for one in self.addresses
        ):
            raise ValueError(f"urls must be http(s)://…, not {_masked(value)!r}")
        if _USER_INFORMATION.search(value):
            raise ValueError(
                f"urls must be without user and password, not {_masked(value)!r}; what "
                "a cache wants to see of them belongs into token"
            )

    @token.validator
    def _check_token(self, _: object, value: str) -> None:
        if value and not _HEADER_VALUE.fullmatch(value):
            # Without the value: it is a secret.
            raise ValueError(
                "token must be printable ASCII without spaces or line breaks at its "
                "ends; a file that it was read from often ends with a line break"
            )

    @token_header.validator
    def _check_token_header(self, _: object, value: str) -> None:
        if not _HEADER_NAME.fullmatch(value):
            # Without the value: it may be the token, in the wrong place.
            raise ValueError(
                "token_header must be the name of a header: letters, digits and '-'"
            )

    @most_prefixes.validator
    def _check_most_prefixes(self, _: object, value: int) -> None:
        if value < 1:
            raise ValueError(f"most_prefixes must be 1 or more, not {value}")

    @timeout_s.validator
    def _check_timeout_s(self, _: object, value: float) -> None:
        if value <= 0:
            raise ValueError(f"timeout_s must be more than 0, not {value}")

    @property
    def addresses(self) -> tuple[str, ...]:
        """The addresses of the caches, one by one."""
        return tuple(one for one in (u.strip() for u in self.urls.split(",")) if one)


def _masked(urls: str) -> str:
    return _USER_INFORMATION.sub("…@", urls)
