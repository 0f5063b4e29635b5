"""
Parse the requests that players send, from the bytes of a connection.

Only plain requests are parsed: GET or HEAD, no body or an empty one, an address of unreserved
characters, no header of ours twice. All other requests are left to a server that
knows all of HTTP, and refuses wrong ones.
"""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Final, Protocol
from urllib.parse import unquote_plus

import attrs

from hvcore.domain.analytics.cmcd import player_report, player_session
from hvcore.domain.analytics.playback_metrics import PlayerReport
from hvcore.domain.playback.viewer import Viewer
from hvcore.domain.videos.moments import PICTURE_PARAMETERS, Parameters
from hvcore.ports.counting import CountedSegment
from hvcore.services.playback.responses import PlaybackResponse
from hvcore_web.middleware import is_sane_token
from hvcore_web.representations import Representation, Wanted
from hvcore_web.viewers import CMCD_HEADERS, COUNTRY, client_address, countries_in

MAX_HEAD_BYTES: Final = 8190
"""The most bytes of request line and headers together; the server allows each as many."""
MAX_FIELDS: Final = 64
MAX_COUNTRIES: Final = 8
MAX_PATH_BYTES: Final = 512
MAX_PARTS: Final = 16
"""The most parts of a path: no file's path has as many, and each part takes memory."""
MAX_CACHED: Final = 4096
"""The most read paths, and the most read remainders of requests, that are kept in memory."""
MAX_CACHED_BYTES: Final = 2048
"""The longest request that is kept in memory: all kept requests together have at most 30 MB,
and usually 10 MB."""
END: Final = b"\r\n\r\n"
EDGE_HEADER: Final = "X-Hv-Edge"
"""The header in which an edge sends its secret."""
_RARELY_REPEATED: Final = b"/v1/edge/authorizations"
"""The path whose requests are not kept in memory: their headers list many different things,
which would displace other requests."""
_METHODS: Final = frozenset({b"GET", b"HEAD"})
_REQUEST_ID: Final = b"\r\nX-Request-Id: "
"""The beginning of the request id header, as proxies write it. It differs in each request whose
other headers are the same, so it is kept apart."""

_PATH = re.compile(rb"(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*){1,%d}" % MAX_PARTS)
_QUERY = re.compile(rb"[!-\"$-~]*")
_FIELDS = re.compile(rb"(?:[A-Za-z0-9-]+:[\t\x20-\x7e]*\r\n)*")
_ENCODED: Final = re.compile("[%+]")
_OURS: Final = frozenset(
    {
        *("host", "connection", "x-request-id", "origin", "referer"),
        *("range", "if-range", "if-none-match", "accept-encoding"),
        *("user-agent", "x-forwarded-for", EDGE_HEADER.lower(), "content-length"),
        *map(str.lower, CMCD_HEADERS),
    }
)
_NOT_PLAIN: Final = frozenset(
    {
        *("transfer-encoding", "expect", "upgrade", "http2-settings"),
    }
)
"""The headers of requests with a body, or with another protocol."""


@attrs.frozen(kw_only=True)
class _Rest:
    """The rest of a request besides its path: a player repeats it with each segment."""

    wanted: Wanted
    viewer: Viewer
    request_id: str | None
    edge_secret: str | None = attrs.field(repr=False)
    closes: bool
    picture_query: Parameters = ()


@attrs.define(kw_only=True)
class PlainRequest:
    """
    A GET or HEAD request for a file, without a body or unusual headers.

    Not frozen, because frozen classes take longer to make.

    Attributes:
        path: The parts of the path; none is empty, "." or "..".
        request_id: The id that the caller chose; None if it is missing or unacceptable.
        edge_secret: The secret that the caller sends as an edge, right or wrong; None without one.
        closes: Whether the connection is to end after the answer.
        picture_query: The query's parameters that choose a thumbnail, decoded.
    """

    path: tuple[str, ...]
    viewer: Viewer
    wanted: Wanted
    request_id: str | None
    edge_secret: str | None = attrs.field(default=None, repr=False)
    closes: bool
    picture_query: Parameters = ()


class FileOpener(Protocol):
    """An object that decides about requests for files in one thread, without waiting."""

    def count(self, segments: Sequence[CountedSegment]) -> bool:
        """Count several opened segments as served; return whether they were counted."""
        ...

    def take_back(self, lines: Sequence[bytes]) -> None:
        """Remove the counts of segments that were not served after all, by their lines in the spool."""
        ...

    def moment(self) -> AbstractContextManager[None]:
        """
        Read the data for decisions once, and decide all requests within the ``with`` block by it.

        Raises:
            HvError: The database or a file that decisions need cannot be read.
        """
        ...

    def open(
        self, request: PlainRequest
    ) -> tuple[PlaybackResponse, Representation] | None:
        """Return the answer to a request and the form in which to send it; None leaves it to the app."""
        ...


def read_request(head: bytes, neighbour: str) -> PlainRequest | None:
    """
    Parse the head of a request; return None if it is not a plain request for a file.

    None does not mean that the request is wrong: a server that knows all of HTTP decides.

    Args:
        head: The request line and the headers, up to the empty line.
        neighbour: The IP address at the other end of the connection.
    """
    if len(head) > MAX_HEAD_BYTES:
        return None
    head, request_id = _without_id(head)
    line, _, fields = head.partition(b"\r\n")
    method, _, line = line.partition(b" ")
    target, _, version = line.partition(b" ")
    if method not in _METHODS or version != b"HTTP/1.1":
        return None
    place, _, query = target.partition(b"?")
    path = _read_path(place) if len(place) <= MAX_PATH_BYTES else None
    is_cached = len(head) <= MAX_CACHED_BYTES and place != _RARELY_REPEATED
    rest = (_read_rest if is_cached else _read_rest.__wrapped__)(
        query, fields, neighbour
    )
    if path is None or rest is None:
        return None
    if request_id is None:
        given = rest.request_id
        request_id = given if given and is_sane_token(given) else None
    elif rest.request_id is not None:
        return None
    wanted = rest.wanted
    return PlainRequest(
        path=path,
        viewer=rest.viewer,
        wanted=wanted if method == b"GET" else attrs.evolve(wanted, is_head=True),
        request_id=request_id,
        edge_secret=rest.edge_secret,
        closes=rest.closes,
        picture_query=rest.picture_query,
    )


def _without_id(head: bytes) -> tuple[bytes, str | None]:
    """Take a request's id out of it, so that the rest may have been read before."""
    start = head.find(_REQUEST_ID)
    if start < 0:
        return head, None
    value = start + len(_REQUEST_ID)
    end = head.find(b"\r\n", value)
    given = head[value:end].decode("latin-1")
    # Nothing else is taken out unread.
    return (head[:start] + head[end:], given) if is_sane_token(given) else (head, None)


@lru_cache(maxsize=MAX_CACHED)
def _read_path(place: bytes) -> tuple[str, ...] | None:
    if _PATH.fullmatch(place) is None:
        return None
    return tuple(place.decode()[1:].split("/"))


@lru_cache(maxsize=MAX_CACHED)
def _read_rest(query: bytes, fields: bytes, neighbour: str) -> _Rest | None:
    asked = _read_query(query)
    rest = _read_fields(fields[:-2], neighbour)
    if asked is None or rest is None:
        return None
    tokens, session, report, picture_query = asked
    viewer = attrs.evolve(
        rest.viewer,
        tokens=tokens,
        player_session=session or rest.viewer.player_session,
        report=report or rest.viewer.report,
    )
    return attrs.evolve(rest, viewer=viewer, picture_query=picture_query)


def _read_query(
    query: bytes,
) -> tuple[tuple[str, ...], str | None, PlayerReport | None, Parameters] | None:
    if _QUERY.fullmatch(query) is None:
        return None
    tokens = []
    chosen = []
    session = report = None
    for pair in query.decode().split("&"):
        name, _, value = pair.partition("=")
        # Others change nothing for a finished video.
        if name == "token":
            tokens.append(value)
        elif name == "CMCD":
            cmcd = unquote_plus(value)
            session, report = player_session(cmcd), player_report(cmcd)
        elif name in PICTURE_PARAMETERS:
            chosen.append((name, unquote_plus(value)))
        elif _ENCODED.search(name):
            return None
    # None, or the one: about several, empty and encoded ones others decide.
    if len(tokens) > 1 or "" in tokens or _ENCODED.search("".join(tokens)):
        return None
    return tuple(tokens), session, report, tuple(chosen)


def _read_fields(fields: bytes, neighbour: str) -> _Rest | None:
    if _FIELDS.fullmatch(fields) is None:
        return None
    lines = fields.decode().split("\r\n")[:-1]
    if len(lines) > MAX_FIELDS:
        return None
    found: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        name = name.lower()
        is_ours = name in _OURS or COUNTRY in name
        if name in _NOT_PLAIN or (is_ours and name in found):
            return None
        found[name] = value.strip(" \t")
    connection = found.get("connection", "keep-alive").lower()
    is_empty = found.get("content-length", "0") == "0"
    is_usual = is_empty and connection in {"keep-alive", "close"}
    if "host" not in found or not is_usual:
        return None
    countries = countries_in(found.items())
    if len(countries) > MAX_COUNTRIES:
        return None
    return _Rest(
        wanted=Wanted(
            range=found.get("range"),
            if_range=found.get("if-range"),
            if_none_match=found.get("if-none-match"),
            accept_encoding=found.get("accept-encoding"),
        ),
        viewer=Viewer(
            origin=found.get("origin"),
            referer=found.get("referer"),
            address=client_address(neighbour, found.get("x-forwarded-for")),
            user_agent=found.get("user-agent", ""),
            player_session=player_session(found.get("cmcd-session")),
            report=player_report(*(found.get(name.lower()) for name in CMCD_HEADERS)),
            countries=countries,
        ),
        request_id=found.get("x-request-id"),
        edge_secret=found.get(EDGE_HEADER.lower()),
        closes=connection == "close",
    )
