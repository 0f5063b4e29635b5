"""
Everything that can be set, with its default.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import attrs

from hvcore.settings.conversion import Origins, RequestCount


def _as_root(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query:
        raise ValueError(f"must be an address such as https://host, not {text!r}")
    # Paths are put behind it.
    return text.rstrip("/")


def _root(default: str) -> Any:  # noqa: ANN401 - attrs.field's own type
    return attrs.field(default=default, converter=_as_root)


@attrs.frozen(kw_only=True)
class PublicSettings:
    """
    The addresses put into answers, as callers see them; without ``/v1``.

    Attributes:
        cors_origins: Origins that browsers may call the API from.
    """

    api_url: str = _root("http://127.0.0.1:8080")
    worker_url: str = _root("http://127.0.0.1:8081")
    player_url: str = _root("http://127.0.0.1:8081")
    upload_url: str = _root("http://127.0.0.1:8081")
    cors_origins: Origins = ()


@attrs.frozen(kw_only=True)
class DatabaseSettings:
    """
    Where the records are kept.

    Attributes:
        url: SQLAlchemy URL; SQLite in the data folder if empty.
    """

    url: str = attrs.field(default="", repr=False)


@attrs.frozen(kw_only=True)
class BackendSettings:
    """
    Which backend carries out a port, and its own options.
    """

    backend: str
    options: Mapping[str, Any] = attrs.field(factory=dict, repr=False)


@attrs.frozen(kw_only=True)
class AuthSettings:
    """
    Who recognises callers, asked in this order.
    """

    providers: tuple[str, ...] = ("api-key",)
    options: Mapping[str, Any] = attrs.field(factory=dict, repr=False)


@attrs.frozen(kw_only=True)
class LimitSettings:
    """
    Rate limits, per organization unless the name says otherwise.

    Attributes:
        store: Where requests are counted, by the backend's name.
        options: The store's own.
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
    Which private hosts the service may reach on a caller's behalf.
    """

    allowed_hosts: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class PlaybackSettings:
    """
    Playback tokens.

    Attributes:
        issuer: The fixed claim ``iss``.
        signing_key: A secret of at least 32 characters (HS256) or an Ed25519
            private key in PEM (EdDSA); the data folder's own if empty.
        retired_keys: Keys that still verify but no longer sign.
    """

    issuer: str = "hvcore"
    signing_key: str = attrs.field(default="", repr=False)
    retired_keys: tuple[str, ...] = attrs.field(default=(), repr=False)


@attrs.frozen(kw_only=True)
class UploadSettings:
    """
    Upload addresses.

    Attributes:
        signing_key: A secret of at least 32 characters; the data folder's
            own if empty.
    """

    signing_key: str = attrs.field(default="", repr=False)


@attrs.frozen(kw_only=True)
class AnalyticsSettings:
    """
    Who counts served segments.

    Attributes:
        sinks: All that count, by the backends' names.
        store: The one of them that answers questions.
        options: The backends' own, by their names.
        spool_dir: Where counts wait for the sinks, on a disk of this machine;
            in the data folder if relative, ``spool`` there if empty.
    """

    sinks: tuple[str, ...] = ("sql",)
    store: str = "sql"
    options: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    spool_dir: str = ""


@attrs.frozen(kw_only=True)
class PluginSettings:
    """
    Which plugins stay out, by their entry point's name.
    """

    disabled: tuple[str, ...] = ()


def _backend(name: str) -> Any:  # noqa: ANN401 - attrs.field's own type
    return attrs.field(factory=lambda: BackendSettings(backend=name))


@attrs.frozen(kw_only=True)
class Settings:
    """
    Everything that can be set.

    Attributes:
        data_dir: The data folder; not a setting of the tree.
        plugin_modules: From ``HV_PLUGINS``; None uses the entry points.
    """

    data_dir: Path
    public: PublicSettings = attrs.field(factory=PublicSettings)
    database: DatabaseSettings = attrs.field(factory=DatabaseSettings)
    storage: BackendSettings = _backend("fsspec")
    queue: BackendSettings = _backend("rq")
    transcoder: BackendSettings = _backend("ffmpeg")
    auth: AuthSettings = attrs.field(factory=AuthSettings)
    limits: LimitSettings = attrs.field(factory=LimitSettings)
    fetch: FetchSettings = attrs.field(factory=FetchSettings)
    playback: PlaybackSettings = attrs.field(factory=PlaybackSettings)
    uploads: UploadSettings = attrs.field(factory=UploadSettings)
    analytics: AnalyticsSettings = attrs.field(factory=AnalyticsSettings)
    plugin: PluginSettings = attrs.field(factory=PluginSettings)
    plugin_modules: tuple[str, ...] | None = None


DEFAULTS: Final = Settings(data_dir=Path())
SECTIONS: Final[Mapping[str, type]] = {
    field.name: type(getattr(DEFAULTS, field.name))
    for field in attrs.fields(Settings)
    if field.name not in {"data_dir", "plugin_modules"}
}


def known_names() -> list[str]:
    """
    Return the dotted name of every setting; ``options`` are the backends' own.
    """
    names = []
    for section, cls in SECTIONS.items():
        names += [f"{section}.{field.name}" for field in attrs.fields(cls)]
    return names


def is_secret(dotted: str) -> bool:
    """
    Tell whether a setting's value must not be shown.

    Source: the settings' own ``repr=False``.
    """
    section, _, rest = dotted.partition(".")
    cls = SECTIONS.get(section)
    if cls is None:
        return False
    head = rest.split(".", 1)[0]
    return any(f.name == head and not f.repr for f in attrs.fields(cls))
