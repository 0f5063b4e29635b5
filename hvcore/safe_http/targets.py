"""
Parse the URLs of outgoing requests strictly.

URLs that two programs could read differently are refused.
"""

import re
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import quote, urljoin

import attrs

from hvcore.safe_http.addresses import Address, parse_address
from hvcore.safe_http.errors import TargetRefusedError
from hvcore.safe_http.names import NotANameError, ascii_name, looks_like_a_number

MAX_URL_CHARS: Final = 4096
DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_MAX_PORT: Final = 65535
# Whatever a parser could skip, fold or take for a slash.
_FORBIDDEN: Final = re.compile("[\x00-\x20\x7f-\xa0\\\\\ud800-\udfff]|\\s")
_URL: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)"
    r"(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?(?:#.*)?"
)
_AUTHORITY: Final = re.compile(
    r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:]+))(?::(?P<port>[0-9]{1,5}))?"
)
_KEPT_IN_PATHS: Final = "/?!$&'()*+,;=:@%~"


@attrs.frozen(kw_only=True)
class Target:
    """
    The parsed URL of an outgoing request.

    Attributes:
        host: The host name in ASCII and lower case, or an IP address without brackets.
        address: The IP address, if the host is one.
        resource: Path and query, as they stand in the request line.
    """

    scheme: str
    host: str
    port: int
    address: Address | None
    resource: str = attrs.field(repr=False)

    @property
    def is_tls(self) -> bool:
        """Return whether the connection is encrypted."""
        return self.scheme == "https"

    @property
    def host_and_port(self) -> str:
        """Return host and port in the form of the entries of ``fetch.allowed_hosts``."""
        is_v6 = isinstance(self.address, IPv6Address)
        return f"[{self.host}]:{self.port}" if is_v6 else f"{self.host}:{self.port}"

    @property
    def is_usual(self) -> bool:
        """Return whether scheme and port are https and 443, as on public web servers."""
        return self.is_tls and self.port == DEFAULT_PORTS["https"]


def parse_target(url: str) -> Target:
    """
    Parse the absolute URL of an outgoing request, and return its parts.

    Raises:
        TargetRefusedError: The text is no absolute URL, or programs could read it differently.
    """
    if len(url) > MAX_URL_CHARS:
        raise TargetRefusedError(
            f"The address has more than {MAX_URL_CHARS} characters."
        )
    _check_characters(url)
    found = _URL.fullmatch(url)
    if found is None:
        raise TargetRefusedError(
            "It is not an absolute address such as https://host/path."
        )
    scheme = found["scheme"].lower()
    if scheme not in DEFAULT_PORTS:
        raise TargetRefusedError("Only https addresses are fetched.")
    host, address, port = _read_authority(found["authority"])
    path = (found["path"] or "/") + (found["query"] or "")
    return Target(
        scheme=scheme,
        host=host,
        port=DEFAULT_PORTS[scheme] if port is None else port,
        address=address,
        resource=quote(path, safe=_KEPT_IN_PATHS),
    )


def redirected(url: str, location: str) -> str:
    """
    Return the absolute URL that a redirect leads to.

    Args:
        url: The URL that redirects.
        location: The value of the header ``Location``, absolute or relative to the URL.

    Raises:
        TargetRefusedError: The location leads to no URL.
    """
    # First: urljoin leaves out what it should refuse.
    _check_characters(location)
    try:
        return urljoin(url, location)
    except ValueError as exc:
        raise TargetRefusedError(
            "The address redirects to something that is not an address."
        ) from exc


def _check_characters(text: str) -> None:
    if _FORBIDDEN.search(text):
        raise TargetRefusedError(
            "The address has spaces, control characters or backslashes; write them "
            "percent-encoded."
        )


def _read_authority(authority: str) -> tuple[str, Address | None, int | None]:
    if "@" in authority:
        raise TargetRefusedError("The address must not hold a user name or password.")
    found = _AUTHORITY.fullmatch(authority)
    if found is None:
        raise TargetRefusedError("The address has no host, or an unusual one.")
    port = int(found["port"]) if found["port"] else None
    if port is not None and not 1 <= port <= _MAX_PORT:
        raise TargetRefusedError("The address has a port that does not exist.")
    if found["v6"]:
        address = parse_address(found["v6"])
        if address is None:
            raise TargetRefusedError("The host is not an IPv6 address.")
        return str(address), address, port
    return *_read_name(found["name"]), port


def _read_name(text: str) -> tuple[str, Address | None]:
    try:
        # The mapping of international names comes first: it turns full-width
        # digits into digits, and so can make an address of a name.
        name = ascii_name(text)
    except NotANameError as exc:
        raise TargetRefusedError(f"The host {exc}.") from exc
    if not looks_like_a_number(name):
        return name, None
    address = parse_address(name)
    if address is None:
        raise TargetRefusedError(
            "The host is an unusual spelling of an IPv4 address; write four decimal "
            "numbers."
        )
    return str(address), address
