"""
Ask the delivery and player apps how they would answer a request, without any lasting effect.

The apps run in this process, with the service's own rules, on its database and storage.
Nothing is counted, no view of a share link is used, and no thumbnail or part of a download
is stored.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import unquote_to_bytes, urlsplit
from wsgiref.util import setup_testing_defaults

import attrs

from hvcore.assembly import Services
from hvcore.clock import Clock
from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.playback.decision import PlaybackDecision, following
from hvcore.domain.playback.page_domains import origin_of
from hvcore.domain.web_addresses import read_address
from hvcore.errors import UnavailableError
from hvcore.metrics.measuring import unmeasured
from hvcore.playback_tokens import KeyRing
from hvcore.ports.counting import CountedSegment
from hvcore.ports.storage import ObjectInfo, Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.links.share_codes import ShareCodes
from hvcore.services.links.share_link_playback import ShareLinkPlayback
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.delivery import Delivery
from hvcore.services.playback.downloads.serving import Downloads
from hvcore.services.playback.player_videos import PlayerVideos
from hvcore.services.playback.thumbnails.serving import Thumbnails
from hvcore.services.playback.thumbnails.uses import ThumbnailUses
from hvcore.services.readiness import Readiness
from hvcore.settings import PublicSettings, Settings
from hvcore_dashboard.playback_judge import JudgedPlayback
from hvcore_delivery.app import make_app as make_delivery
from hvcore_player.app import make_app as make_player
from hvcore_reference.public_paths import UPLOAD_PREFIXES, by_path
from hvcore_web.health import HealthChecks

_SHARES: Final = "/v1/share/"


@attrs.frozen(kw_only=True)
class DryRequest:
    """
    A playback request that is only tried out.

    Attributes:
        path: The path below the public address, decoded as in WSGI.
        query: The query string, which may hold a token.
    """

    path: str
    query: str = attrs.field(repr=False)
    origin: str | None = None
    referer: str | None = None


@attrs.frozen(kw_only=True)
class DryServices:
    """The services of the delivery and player apps in a form that writes nothing."""

    playback_access: PlaybackAuthorization
    player_videos: PlayerVideos
    delivery: Delivery
    edge_key_playback: EdgeKeyPlayback
    share_link_playback: ShareLinkPlayback
    share_codes: ShareCodes
    thumbnails: Thumbnails
    playback_sessions: None
    key_ring: KeyRing
    clock: Clock
    readiness: Readiness
    delivery_health: HealthChecks
    settings: Settings


def dry_services(services: Services, public: PublicSettings) -> DryServices:
    """
    Return services for delivery and the player that read the same data, but write nothing.

    Args:
        public: The addresses at which the service runs.
    """
    access = attrs.evolve(
        services.playback_access, player_origin=origin_of(public.player_url)
    )
    storage = _ReadOnlyStorage(services.storage, services.clock)
    delivery = attrs.evolve(
        services.delivery,
        access=access,
        counter=_Uncounted(),
        downloads=Downloads(storage),
    )
    uow = _ReadOnlyUnitOfWork(services.uow)
    share_link_playback = attrs.evolve(
        services.share_link_playback, access=access, delivery=delivery, uow=uow
    )
    return DryServices(
        playback_access=access,
        player_videos=PlayerVideos(access=access),
        delivery=delivery,
        edge_key_playback=attrs.evolve(
            services.edge_key_playback, access=access, delivery=delivery
        ),
        share_link_playback=share_link_playback,
        share_codes=ShareCodes(
            uow=uow, playback=share_link_playback, clock=services.clock
        ),
        thumbnails=attrs.evolve(
            services.thumbnails,
            storage=storage,
            access=access,
            uses=ThumbnailUses(),
            moments=attrs.evolve(
                services.thumbnails.moments, storage=storage, uses=ThumbnailUses()
            ),
        ),
        # Nobody plays here.
        playback_sessions=None,
        key_ring=services.key_ring,
        clock=services.clock,
        readiness=services.readiness,
        delivery_health=services.delivery_health,
        settings=attrs.evolve(services.settings, public=public),
    )


def question(url: str, public: PublicSettings) -> DryRequest | None:
    """
    Return the request that a playback address makes; None if the address is not one of playback.

    Args:
        public: The public addresses of the service, which may have a path.
    """
    parts = read_address(url)
    if parts is None:
        return None
    ours = (base.rstrip("/") for base in (public.worker_url, public.player_url))
    # One may be below the other: the longer one is meant.
    base = max(
        (base for base in ours if url.startswith(f"{base}/")), key=len, default=""
    )
    path = parts.path.removeprefix(urlsplit(base).path)
    # PEP 3333: bytes, written as the characters of latin-1.
    decoded = unquote_to_bytes(path).decode("latin-1")
    if not decoded.startswith("/") or decoded.startswith(UPLOAD_PREFIXES):
        return None
    return DryRequest(path=decoded, query=parts.query)


def ask(services: DryServices, asked: DryRequest) -> tuple[int, PlaybackDecision]:
    """Return the HTTP status that the apps would answer to a request, and the decision behind it."""
    app = by_path(
        upload=_no_upload,
        player=make_player(services),
        delivery=make_delivery(services),
    )
    statuses: list[int] = []

    def start_response(status: str, _headers: object, _error: object = None) -> object:
        statuses.append(int(status.split(maxsplit=1)[0]))
        return None

    with unmeasured(), following() as decision:
        body = app(_environ(asked), start_response)
        close = getattr(body, "close", None)
        if close is not None:
            close()
    return statuses[-1], decision


@attrs.frozen(kw_only=True)
class DryPlaybackJudge:
    """Finds the answer that delivery would give to a playback request, for the dashboard."""

    services: DryServices
    public: PublicSettings

    @classmethod
    def of(cls, services: Services) -> "DryPlaybackJudge":
        """Return the judge of a service's playback requests, at the public addresses in its settings."""
        public = services.settings.public
        return cls(services=dry_services(services, public), public=public)

    def path_of(self, url: str) -> str | None:
        """Return the path of a playback address; None if the address is not one of playback."""
        asked = self._question(url)
        return None if asked is None else asked.path

    def judge(self, url: str, *, origin: str | None) -> JudgedPlayback | None:
        """
        Return the answer that delivery would give to an address; None if it is no playback address.

        Args:
            origin: The ``Origin`` header of the request; None for none.
        """
        asked = self._question(url)
        if asked is None:
            return None
        status, decision = ask(self.services, attrs.evolve(asked, origin=origin))
        return JudgedPlayback(path=asked.path, status=status, decision=decision)

    def _question(self, url: str) -> DryRequest | None:
        return question(url, self.public)


def _environ(asked: DryRequest) -> dict[str, Any]:
    # HEAD begins no session of a share link. Elsewhere GET, which also looks
    # whether the file is there.
    method = "HEAD" if asked.path.startswith(_SHARES) else "GET"
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "PATH_INFO": asked.path,
        "QUERY_STRING": asked.query,
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
    }
    if asked.origin is not None:
        environ["HTTP_ORIGIN"] = asked.origin
    if asked.referer is not None:
        environ["HTTP_REFERER"] = asked.referer
    setup_testing_defaults(environ)
    return environ


def _no_upload(_environ: object, _start_response: object) -> list[bytes]:
    raise AssertionError("question() takes no address of an upload")


class _Uncounted:
    """Counts nothing; see ports.counting.SegmentCounter."""

    def count(self, segments: Sequence[CountedSegment]) -> bool:
        """Count nothing."""
        del segments
        return False

    def take_back(self, lines: Sequence[bytes]) -> None:
        """Take back nothing, because nothing was counted."""

    def ignore(self, place: SegmentPlace, reason: IgnoredReason) -> None:
        """Record nothing about an answer that is not counted."""


@attrs.frozen
class _ReadOnlyUnitOfWork:
    """Opens no transaction that writes; see ports.unit_of_work.UnitOfWork."""

    inner: UnitOfWork

    def read(self) -> AbstractContextManager[Work]:
        """Open a unit of work for reading."""
        return self.inner.read()

    def write(self, *, is_durable: bool = True) -> AbstractContextManager[Work]:
        """Refuse to open a unit of work for writing: a trial may change nothing."""
        del is_durable
        raise UnavailableError("hv explain changes nothing.")

    def forget_overwritten(self) -> None:
        """Raise UnavailableError: it would change the database's files."""
        raise UnavailableError("hv explain changes nothing.")

    def ping(self) -> None:
        """Raise UnavailableError if the database does not answer."""
        self.inner.ping()

    def check_room(self) -> None:
        """Raise UnavailableError if the database has no room, or does not answer."""
        self.inner.check_room()

    def clock_ahead_s(self) -> float:
        """Return the seconds by which this host's clock is ahead of the database's."""
        return self.inner.clock_ahead_s()


class _ReadOnlyStorage(Storage):
    """Shows another storage's objects, and stores or removes none."""

    def __init__(self, inner: Storage, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock

    def stat(self, path: str) -> ObjectInfo:
        """Describe an object."""
        return self._inner.stat(path)

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        """Open an object."""
        return self._inner.open(path, start=start, end=end)

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        """Store nothing."""
        del content_type
        size_bytes = len(source.read())
        return ObjectInfo(
            path=path, size_bytes=size_bytes, modified_at=self._clock.now()
        )

    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        """Store nothing."""
        with local.open("rb") as file:
            return self.write(path, file, content_type=content_type)

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        """Give every object under a prefix."""
        return self._inner.walk(prefix)

    def delete_tree(self, prefix: str) -> int:
        """Remove nothing."""
        del prefix
        return 0

    def ping(self) -> None:
        """Raise UnavailableError if the storage cannot serve."""
        self._inner.ping()
