"""The tree of all settings, with their defaults."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import attrs

from hvcore.domain.processing.routes import read_route
from hvcore.domain.uploads.direct import DirectUploadMode
from hvcore.domain.videos.caption_jobs import AUTO, MAX_WISHES
from hvcore.settings.analytics import AnalyticsSettings
from hvcore.settings.conversion import Origins, RequestCount
from hvcore.settings.mail import MailSettings
from hvcore.settings.notify import NotifySettings
from hvcore.settings.observing import LogSettings, MetricsSettings, TracesSettings
from hvcore.settings.server import ServerSettings
from hvcore.settings.shares import ShareSettings
from hvcore.settings.sign_in import DashboardSettings, SignInSettings

_SCHEMA: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_CAPTION_WISH: Final = re.compile(f"[a-z]{{2,3}}|{AUTO}")
SHORTEST_TIMEOUT_S: Final = 1
LONGEST_TIMEOUT_S: Final = 600


def _as_root(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query:
        raise ValueError(f"must be an address such as https://host, not {text!r}")
    # Paths are put behind it.
    return text.rstrip("/")


def _as_root_or_none(text: str) -> str:
    return _as_root(text) if text else text


def _as_schema(text: str) -> str:
    if text and (_SCHEMA.fullmatch(text) is None or text.startswith("pg_")):
        raise ValueError(
            "database.schema: must be up to 40 small letters, digits and underscores, with a letter "
            f"first, and must not begin with pg_: not {text!r}"
        )
    return text


def _is_a_time(_: object, __: object, value: float) -> None:
    if not SHORTEST_TIMEOUT_S <= value <= LONGEST_TIMEOUT_S:
        raise ValueError(
            f"database.timeout_s must be between {SHORTEST_TIMEOUT_S} and "
            f"{LONGEST_TIMEOUT_S}, not {value}"
        )


def _root(default: str) -> Any:  # noqa: ANN401 - attrs.field's own type
    return attrs.field(default=default, converter=_as_root)


@attrs.frozen(kw_only=True)
class PublicSettings:
    """
    The settings of the service's public addresses, each without ``/v1``.

    Attributes:
        api_url: The address at which clients reach the API.
        worker_url: The address at which players reach the files of videos (delivery).
        player_url: The address of the player's pages, of the player element and of
            oEmbed.
        upload_url: The address to which clients send the bytes of uploads.
        cors_origins: The origins of web pages from which browsers may call the API.
        dashboard_url: The dashboard's address, without ``/dashboard``; the API's if
            empty.
    """

    api_url: str = _root("http://127.0.0.1:8080")
    worker_url: str = _root("http://127.0.0.1:8081")
    player_url: str = _root("http://127.0.0.1:8081")
    upload_url: str = _root("http://127.0.0.1:8081")
    cors_origins: Origins = ()
    dashboard_url: str = attrs.field(default="", converter=_as_root_or_none)

    @property
    def dashboard_address(self) -> str:
        """Return the address of the dashboard's pages, without a slash at the end."""
        return f"{self.dashboard_url or self.api_url}/dashboard"


@attrs.frozen(kw_only=True)
class DatabaseSettings:
    """
    The settings of the database.

    Attributes:
        url: The SQLAlchemy URL; an SQLite file in the data folder if empty.
        schema: The PostgreSQL schema of the tables; created if it does not exist. On
            SQLite, which has no schemas, the prefix of the tables' names.
        timeout_s: PostgreSQL: how long a request waits for an answer of the database
            before it is answered with 503. Workers and commands wait for 30 s.
    """

    url: str = attrs.field(default="", repr=False)
    schema: str = attrs.field(default="", converter=_as_schema)
    timeout_s: float = attrs.field(default=3.5, validator=_is_a_time)


@attrs.frozen(kw_only=True)
class BackendSettings:
    """
    The settings of a port: the name of the backend that implements it, and its options.

    Attributes:
        backend: The name of the backend, as its plugin offers it.
        options: The options of this backend.
    """

    backend: str
    options: Mapping[str, Any] = attrs.field(factory=dict, repr=False)


def _are_rules(_: object, __: object, texts: tuple[str, ...]) -> None:
    for text in texts:
        try:
            read_route(text)
        except ValueError as exc:
            raise ValueError(f"transcoder.routes: {exc}") from exc


@attrs.frozen(kw_only=True)
class TranscoderSettings(BackendSettings):
    """
    The settings of the transcoder: the backend that makes videos, and its options.

    Attributes:
        routes: Rules that choose another backend for some jobs; the first that is
            true of a job. See domain.processing.routes.
        further: The options of other backends, by their names: of the backends that
            rules name, and of those that jobs began with before the settings changed.
    """

    routes: tuple[str, ...] = attrs.field(default=(), validator=_are_rules)
    further: Mapping[str, Any] = attrs.field(factory=dict, repr=False)


def _is_a_probability(_: object, __: object, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"transcriber.min_confidence: {value} is not from 0 to 1")


def _are_caption_wishes(_: object, __: object, value: tuple[str, ...]) -> None:
    if len(value) > MAX_WISHES:
        raise ValueError(f"transcriber.generate: at most {MAX_WISHES} languages")
    for wish in value:
        if not _CAPTION_WISH.fullmatch(wish):
            raise ValueError(
                f"transcriber.generate: {wish!r} is neither a language such as en nor {AUTO}"
            )


@attrs.frozen(kw_only=True)
class TranscriberSettings(BackendSettings):
    """
    The settings of the transcriber, which writes down what is said.

    Attributes:
        backend: The name of the backend, as its plugin offers it; empty: nothing is
            transcribed.
        min_confidence: The least mean probability of the words of captions, 0 to 1.
            Captions below are not published: the words are guessed, such as those of a
            language that the model does not know.
        generate: The languages in which captions of new videos are made by machine if
            their requests say nothing about it; ``auto`` for any.
    """

    backend: str = ""
    min_confidence: float = attrs.field(default=0.5, validator=_is_a_probability)
    generate: tuple[str, ...] = attrs.field(default=(), validator=_are_caption_wishes)


@attrs.frozen(kw_only=True)
class AuthSettings:
    """
    The settings of the backends that recognise callers.

    Attributes:
        providers: The names of the backends, in the order in which they are asked.
        options: The options of the backends, by their names.
    """

    providers: tuple[str, ...] = ("api-key",)
    options: Mapping[str, Any] = attrs.field(factory=dict, repr=False)


@attrs.frozen(kw_only=True)
class LimitSettings:
    """
    The settings of rate limits, per organization unless the name says otherwise.

    Attributes:
        enabled: Whether requests are limited; if false, answers have no headers of
            limits either.
        store: The name of the backend that counts requests.
        options: The options of that backend.
        api_per_hour: All requests of an organization to the API.
        upload_url_per_hour: Requests for an upload address.
        upload_url_per_minute_and_key: Requests for an upload address with one key.
        video_operations_per_hour: Requests that change videos or make addresses.
        analytics_per_hour: Requests for analytics.
        thumbnails_per_hour: Requests that make a thumbnail.
        key_operations_per_hour: Key operations in the dashboard; the command line has
            no limit.
    """

    enabled: bool = True
    store: str = "moving-window"
    options: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    api_per_hour: RequestCount = 10_000
    upload_url_per_hour: RequestCount = 100
    upload_url_per_minute_and_key: RequestCount = 10
    video_operations_per_hour: RequestCount = 1_000
    analytics_per_hour: RequestCount = 1_000
    thumbnails_per_hour: RequestCount = 50
    key_operations_per_hour: RequestCount = 20


@attrs.frozen(kw_only=True)
class FetchSettings:
    """
    The settings of private hosts that the service may reach on a caller's behalf.

    Attributes:
        allowed_hosts: The private hosts to which the service may connect for its
            callers, also without TLS: ``name``, ``name:port``, an address or a network
            such as ``10.1.0.0/16``.
    """

    allowed_hosts: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class PlaybackSettings:
    """
    The settings of playback tokens, and of the place where players fetch files.

    Attributes:
        issuer: The claim ``iss`` of every playback token.
        signing_key: A secret of at least 32 characters (HS256) or an Ed25519
            private key in PEM (EdDSA); the data folder's own if empty.
        retired_keys: Keys whose signatures are still accepted, but which no longer
            sign.
        redirects: Whether players fetch segments from the object store itself, at
            addresses that it signs for half a minute.
    """

    issuer: str = "hvcore"
    signing_key: str = attrs.field(default="", repr=False)
    retired_keys: tuple[str, ...] = attrs.field(default=(), repr=False)
    redirects: bool = False


@attrs.frozen(kw_only=True)
class PlayerSettings:
    """
    The settings of the player that the service brings.

    Attributes:
        cmcd: Whether the player reports with each segment how playback goes, for the
            report ``playback-quality``.
        session_reports: Whether the pages of the player report startup time, rebuffering
            and errors of each session, where ``analytics.playback_sessions`` takes them;
            a page's address may say otherwise.
    """

    cmcd: bool = True
    session_reports: bool = False


@attrs.frozen(kw_only=True)
class UploadSettings:
    """
    The settings of upload addresses.

    Attributes:
        signing_key: The secret that signs upload addresses, at least 32 characters; the
            data folder's own if empty.
        direct: Whether ``signedURL`` is the object store's own address: ``off``
            (never); ``auto``, if the address enforces all that was announced; ``on``
            (always).
    """

    signing_key: str = attrs.field(default="", repr=False)
    direct: str = attrs.field(default=DirectUploadMode.OFF.value)

    @direct.validator
    def _check_direct(self, field: "attrs.Attribute[str]", value: str) -> None:
        known = [mode.value for mode in DirectUploadMode]
        if value not in known:
            raise ValueError(f"{field.name} must be {', '.join(known)}, not {value!r}")


@attrs.frozen(kw_only=True)
class EdgeSettings:
    """
    The settings of the web server in front of delivery, and of caches in front of that.

    Attributes:
        listen: The port of the edge, or an address and a port; if empty, there is no
            edge.
        service: The address at which the edge finds delivery: ``host:port`` or ``unix:/a/path``;
            several with commas between them.
        folder: The folder of the edge's counts, logs, cache and state, on a disk of
            this machine; in the data folder if relative, ``edge`` there if empty.
        tls_certificate: The file of the TLS certificate in PEM, with the chain; no TLS
            if empty.
        tls_key: The file of the certificate's key.
        proxies: Addresses and networks of proxies in front of the edge (a CDN), or of
            the API and delivery on other machines, whose ``X-Forwarded-For`` is trusted.
        connections_per_client: How many connections with a request in progress one
            address may have.
        cache_mb: The disk space in MB for segments of a storage that is not on this
            machine.
        api_listen: The port of the edge for the API, written like ``listen``; if empty,
            the edge does not serve the API. If the port is that of ``listen``, the host
            of the public address tells requests of the API from those of delivery.
        api_service: The address at which the edge finds the API, written like ``service``.
        cache_invalidators: The names of the plugins that tell caches what to remove.
        options: The options of each cache invalidator, by its name.
    """

    listen: str = ""
    service: str = "127.0.0.1:8081"
    folder: str = ""
    tls_certificate: str = ""
    tls_key: str = ""
    proxies: tuple[str, ...] = ()
    connections_per_client: int = 200
    cache_mb: int = 10_000
    api_listen: str = ""
    api_service: str = "127.0.0.1:8080"
    cache_invalidators: tuple[str, ...] = ()
    options: Mapping[str, Any] = attrs.field(factory=dict, repr=False)


@attrs.frozen(kw_only=True)
class PluginSettings:
    """
    The settings of plugins: disabled ones, and options of middleware and others.

    Attributes:
        disabled: The entry points' names of plugins that are not loaded.
        options: The options of routes, middleware, subscribers and commands, by their
            names.
    """

    disabled: tuple[str, ...] = ()
    options: Mapping[str, Any] = attrs.field(factory=dict, repr=False)


def _backend(name: str) -> Any:  # noqa: ANN401 - attrs.field's own type
    return attrs.field(factory=lambda: BackendSettings(backend=name))


@attrs.frozen(kw_only=True)
class Settings:
    """
    All settings of the service.

    Attributes:
        data_dir: The path of the data folder; not a setting of the tree.
        plugin_modules: The modules of plugins from ``HV_PLUGINS``; None uses the entry
            points.
        extra_plugins: The names of modules and paths of files from
            ``HV_EXTRA_PLUGINS``.
        traces_plugins: Whether ``HV_TRACE_PLUGINS`` is 1: calls of plugins are logged.
    """

    data_dir: Path
    public: PublicSettings = attrs.field(factory=PublicSettings)
    database: DatabaseSettings = attrs.field(factory=DatabaseSettings)
    storage: BackendSettings = _backend("fsspec")
    queue: BackendSettings = _backend("rq")
    transcoder: TranscoderSettings = attrs.field(
        factory=lambda: TranscoderSettings(backend="ffmpeg")
    )
    transcriber: TranscriberSettings = attrs.field(factory=TranscriberSettings)
    auth: AuthSettings = attrs.field(factory=AuthSettings)
    limits: LimitSettings = attrs.field(factory=LimitSettings)
    shares: ShareSettings = attrs.field(factory=ShareSettings)
    fetch: FetchSettings = attrs.field(factory=FetchSettings)
    playback: PlaybackSettings = attrs.field(factory=PlaybackSettings)
    player: PlayerSettings = attrs.field(factory=PlayerSettings)
    uploads: UploadSettings = attrs.field(factory=UploadSettings)
    notify: NotifySettings = attrs.field(factory=NotifySettings)
    analytics: AnalyticsSettings = attrs.field(factory=AnalyticsSettings)
    edge: EdgeSettings = attrs.field(factory=EdgeSettings)
    mail: MailSettings = attrs.field(factory=MailSettings)
    dashboard: DashboardSettings = attrs.field(factory=DashboardSettings)
    sign_in: SignInSettings = attrs.field(factory=SignInSettings)
    log: LogSettings = attrs.field(factory=LogSettings)
    metrics: MetricsSettings = attrs.field(factory=MetricsSettings)
    server: ServerSettings = attrs.field(factory=ServerSettings)
    traces: TracesSettings = attrs.field(factory=TracesSettings)
    plugin: PluginSettings = attrs.field(factory=PluginSettings)
    plugin_modules: tuple[str, ...] | None = None
    extra_plugins: tuple[str | Path, ...] = ()
    traces_plugins: bool = False


DEFAULTS: Final = Settings(data_dir=Path())
SECTIONS: Final[Mapping[str, type]] = {
    field.name: type(getattr(DEFAULTS, field.name))
    for field in attrs.fields(Settings)
    if field.name
    not in {"data_dir", "plugin_modules", "extra_plugins", "traces_plugins"}
}


def known_names() -> list[str]:
    """Return the dotted name of every setting; ``options`` stands for all options of backends."""
    names = []
    for section, cls in SECTIONS.items():
        names += [f"{section}.{field.name}" for field in attrs.fields(cls)]
    return names


def is_secret(dotted: str) -> bool:
    """
    Return whether the value of the setting with a dotted name must not be shown.

    Source: the settings' own ``repr=False``.
    """
    section, _, rest = dotted.partition(".")
    cls = SECTIONS.get(section)
    if cls is None:
        return False
    head = rest.split(".", 1)[0]
    return any(f.name == head and not f.repr for f in attrs.fields(cls))
