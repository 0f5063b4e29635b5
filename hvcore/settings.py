"""
The settings: one tree, from defaults, a TOML file and the environment.

A later source wins. Every problem of every section is reported in one
ConfigError, an unknown name with the nearest known one.
"""

import difflib
import json
import os
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import attrs
from cattrs import Converter, transform_error
from cattrs.errors import BaseValidationError

from hvcore.errors import ConfigError

PREFIX: Final = "HV_"
NOT_OF_THE_TREE: Final = frozenset(
    {
        "HV_DATA",
        "HV_CONFIG",
        "HV_API_URL",
        "HV_API_KEY",
        "HV_PLUGINS",
        "HV_DEBUG",
    }
)
MIN_SECRET_CHARS: Final = 32


@attrs.frozen(kw_only=True)
class PublicSettings:
    """
    The addresses put into answers, as callers see them; without ``/v1``.

    Attributes:
        cors_origins: Origins that browsers may call the API from.
    """

    api_url: str = "http://127.0.0.1:8080"
    worker_url: str = "http://127.0.0.1:8081"
    player_url: str = "http://127.0.0.1:8081"
    upload_url: str = "http://127.0.0.1:8081"
    cors_origins: tuple[str, ...] = ()


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
    """

    enabled: bool = True
    api_per_hour: int = 10_000
    upload_url_per_hour: int = 100
    upload_url_per_minute_and_key: int = 10
    video_operations_per_hour: int = 1_000
    analytics_per_hour: int = 1_000
    thumbnails_per_hour: int = 50
    key_operations_per_hour: int = 20


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
    plugin: PluginSettings = attrs.field(factory=PluginSettings)
    plugin_modules: tuple[str, ...] | None = None


@attrs.frozen(kw_only=True)
class Loaded:
    """
    The settings in force, and which source gave each.

    Attributes:
        origins: Dotted name of each setting that is not at its default, and
            the file or the environment variable that set it.
    """

    settings: Settings
    origins: Mapping[str, str]


_DEFAULTS: Final = Settings(data_dir=Path())
_SECTIONS: Final[Mapping[str, type]] = {
    field.name: type(getattr(_DEFAULTS, field.name))
    for field in attrs.fields(Settings)
    if field.name not in {"data_dir", "plugin_modules"}
}


def load(
    *, config_path: Path | None, environ: Mapping[str, str], data_dir: Path
) -> Loaded:
    """
    Read the settings.

    Makes the data folder and its secrets if they are not there.

    Raises:
        ConfigError: With every problem found, a line each.
    """
    problems: list[str] = []
    origins: dict[str, str] = {}
    tree: dict[str, Any] = {}
    if config_path is not None:
        _merge(tree, _read_toml(config_path), origins, str(config_path))
    for name, path, value in _environment(environ, problems):
        _put(tree, path, value)
        origins[".".join(path)] = name
    _check_names(tree, problems)
    if problems:
        raise ConfigError("\n".join(problems))
    sections = {name: _section(name, values, problems) for name, values in tree.items()}
    if problems:
        raise ConfigError("\n".join(problems))
    settings = Settings(
        data_dir=data_dir.absolute(),
        plugin_modules=_names(environ.get("HV_PLUGINS")),
        **sections,
    )
    return Loaded(settings=_with_data_folder(settings), origins=origins)


def structure_options(options: Mapping[str, Any], into: type, *, path: str) -> Any:  # noqa: ANN401 - the caller names the class
    """
    Make a backend's options class from what the settings give.

    Raises:
        ConfigError: Unknown, missing or unreadable options.
    """
    known = [field.name for field in attrs.fields(into)]
    problems = [_unknown(path, name, known) for name in options if name not in known]
    problems += [
        f"{path}.{field.name} is required; set HV_{env_name(path)}__"
        f"{field.name.upper()}."
        for field in attrs.fields(into)
        if field.default is attrs.NOTHING and field.name not in options
    ]
    if problems:
        raise ConfigError("\n".join(problems))
    try:
        return _CONVERTER.structure(dict(options), into)
    except BaseValidationError as exc:
        raise ConfigError("\n".join(_explained(exc, path=path))) from exc


def env_name(path: str) -> str:
    """
    Return the middle of the environment variable for a dotted name.
    """
    return path.upper().replace(".", "__")


def _section(name: str, values: Mapping[str, Any], problems: list[str]) -> Any:  # noqa: ANN401 - the section's own class
    default = getattr(_DEFAULTS, name)
    if isinstance(default, BackendSettings):
        values = {"backend": default.backend, **values}
    try:
        return _CONVERTER.structure(values, _SECTIONS[name])
    except BaseValidationError as exc:
        problems += _explained(exc, path=name)
        return None


def _explained(exc: BaseValidationError, *, path: str) -> list[str]:
    return transform_error(exc, path=path, format_exception=lambda e, _: str(e))


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc.strerror}.") from exc
    except tomllib.TOMLDecodeError as exc:
        raise ConfigError(f"{path} is not TOML: {exc}.") from exc


def _merge(
    tree: dict[str, Any],
    values: Mapping[str, Any],
    origins: dict[str, str],
    origin: str,
    above: tuple[str, ...] = (),
) -> None:
    for name, value in values.items():
        path = (*above, name)
        if isinstance(value, Mapping):
            branch = tree.setdefault(name, {})
            _merge(branch, value, origins, origin, path)
        else:
            tree[name] = value
            origins[".".join(path)] = origin


def _environment(
    environ: Mapping[str, str], problems: list[str]
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    for name in sorted(environ):
        if not name.startswith(PREFIX) or name in NOT_OF_THE_TREE:
            continue
        value = environ[name]
        path = tuple(part.lower() for part in name.removeprefix(PREFIX).split("__"))
        if len(path) == 1:
            problems.append(_unknown_variable(name))
            continue
        if path[-1].endswith("_file") and _is_secret(path):
            value = _read_secret(name, value, problems)
            path = (*path[:-1], path[-1].removesuffix("_file"))
        yield name, path, value


def _unknown_variable(name: str) -> str:
    return _unknown("", name, [*NOT_OF_THE_TREE, *map(_variable, known_names())])


def _variable(dotted: str) -> str:
    return PREFIX + env_name(dotted)


def known_names() -> list[str]:
    """
    Return the dotted name of every setting; ``options`` are the backends' own.
    """
    names = []
    for section, cls in _SECTIONS.items():
        names += [f"{section}.{field.name}" for field in attrs.fields(cls)]
    return names


def is_secret(dotted: str) -> bool:
    """
    Tell whether a setting's value must not be shown.

    Source: the settings' own ``repr=False``.
    """
    section, _, rest = dotted.partition(".")
    cls = _SECTIONS.get(section)
    if cls is None:
        return False
    head = rest.split(".", 1)[0]
    return any(f.name == head and not f.repr for f in attrs.fields(cls))


def _is_secret(path: tuple[str, ...]) -> bool:
    return is_secret(".".join((*path[:-1], path[-1].removesuffix("_file"))))


def _read_secret(name: str, value: str, problems: list[str]) -> str:
    try:
        return Path(value).read_text(encoding="utf-8").strip()
    except OSError as exc:
        problems.append(f"{name} names a file that cannot be read: {exc.strerror}.")
        return ""


def _put(tree: dict[str, Any], path: tuple[str, ...], value: str) -> None:
    for part in path[:-1]:
        branch = tree.setdefault(part, {})
        if not isinstance(branch, dict):
            return
        tree = branch
    tree[path[-1]] = value


def _check_names(tree: Mapping[str, Any], problems: list[str]) -> None:
    for section, values in tree.items():
        cls = _SECTIONS.get(section)
        if cls is None:
            known = [*_SECTIONS, *known_names()]
            problems.append(_unknown("", section, known))
        elif not isinstance(values, Mapping):
            problems.append(f"{section} must be a section, not a single value.")
        else:
            fields = [field.name for field in attrs.fields(cls)]
            problems += [
                _unknown(section, name, fields) for name in values if name not in fields
            ]


def _unknown(path: str, name: str, known: list[str]) -> str:
    shown = f"{path}.{name}" if path else name
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"; did you mean {path + '.' if path else ''}{near[0]}?" if near else "."
    return f"Unknown setting {shown}{hint}"


def _names(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _bool(value: object, _: object) -> bool:
    if isinstance(value, bool):
        return value
    lowered = str(value).strip().lower()
    if lowered in {"true", "yes", "on", "1"}:
        return True
    if lowered in {"false", "no", "off", "0"}:
        return False
    raise ValueError(f"must be true or false, not {value!r}")


def _int(value: object, _: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError(f"must be a whole number, not {value!r}")
    return int(value)


def _float(value: object, _: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError(f"must be a number, not {value!r}")
    return float(value)


def _str(value: object, _: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"must be text, not {value!r}")
    return value


def _strings(value: object, _: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return _names(value) or ()
    if isinstance(value, list | tuple):
        return tuple(_str(item, str) for item in value)
    raise TypeError(f"must be a list of texts, not {value!r}")


def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook(bool, _bool)
    converter.register_structure_hook(int, _int)
    converter.register_structure_hook(float, _float)
    converter.register_structure_hook(str, _str)
    converter.register_structure_hook_func(
        lambda wanted: wanted == tuple[str, ...], _strings
    )
    # What a backend passes on to its library has any type.
    converter.register_structure_hook_func(
        lambda wanted: wanted is object, lambda value, _: value
    )
    return converter


_CONVERTER: Final = _converter()


def _with_data_folder(settings: Settings) -> Settings:
    own = _own_secrets(settings.data_dir)
    playback = settings.playback
    uploads = settings.uploads
    for path, key in (
        ("playback.signing_key", playback.signing_key),
        ("uploads.signing_key", uploads.signing_key),
    ):
        if key and len(key) < MIN_SECRET_CHARS:
            raise ConfigError(
                f"{path} is too weak: use at least {MIN_SECRET_CHARS} random "
                "characters, or leave it out to have one made."
            )
    database_url = settings.database.url or (
        f"sqlite:///{settings.data_dir / 'hvcore.sqlite3'}"
    )
    storage = settings.storage
    if storage.backend == "fsspec" and "url" not in storage.options:
        url = (settings.data_dir / "storage").as_uri()
        storage = attrs.evolve(storage, options={**storage.options, "url": url})
    return attrs.evolve(
        settings,
        database=DatabaseSettings(url=database_url),
        storage=storage,
        playback=attrs.evolve(
            playback, signing_key=playback.signing_key or own["playback"]
        ),
        uploads=UploadSettings(signing_key=uploads.signing_key or own["uploads"]),
    )


def _own_secrets(data_dir: Path) -> Mapping[str, str]:
    path = data_dir / "secrets.json"
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _make_secrets(path)
        made: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise ConfigError(
            f"The data folder {data_dir} cannot be used: {exc.strerror}; name "
            "another one with --data or HV_DATA."
        ) from exc
    except ValueError as exc:
        raise ConfigError(f"{path} is damaged; restore it from a backup.") from exc
    return made


def _make_secrets(path: Path) -> None:
    made = {name: secrets.token_urlsafe(48) for name in ("playback", "uploads")}
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(made, file)
        file.flush()
        os.fsync(file.fileno())
    try:
        # link, not rename: of several processes that start at once, one wins.
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()
