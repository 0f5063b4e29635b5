"""Loading of settings: defaults, then a TOML file, then environment variables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attrs
from cattrs.errors import BaseValidationError

from hvcore.errors import ConfigError
from hvcore.settings.analytics import AnalyticsSettings
from hvcore.settings.conversion import (
    CONVERTER,
    comma_separated,
    explained,
    unknown_name,
)
from hvcore.settings.own_secrets import MIN_SECRET_CHARS, own_secrets
from hvcore.settings.sources import merge, put, read_environment, read_toml
from hvcore.settings.tree import (
    DEFAULTS,
    SECTIONS,
    BackendSettings,
    Settings,
    known_names,
)


@attrs.frozen(kw_only=True)
class Loaded:
    """
    Hold the settings in force, and the source of each setting.

    Attributes:
        origins: The source (a file or an environment variable) of each setting that is
            not at its default, by the setting's dotted name.
    """

    settings: Settings
    origins: Mapping[str, str]


def load(
    *, config_path: Path | None, environ: Mapping[str, str], data_dir: Path
) -> Loaded:
    """
    Read the settings from the defaults, the TOML file and the environment.

    Creates the data folder and its secrets if they do not exist.

    Raises:
        ConfigError: Settings are wrong; the text has a line for each problem.
    """
    problems: list[str] = []
    origins: dict[str, str] = {}
    tree: dict[str, Any] = {}
    if config_path is not None:
        merge(tree, read_toml(config_path), origins, str(config_path))
    for name, path, value in read_environment(environ, problems):
        put(tree, path, value)
        origins[".".join(path)] = name
    _check_names(tree, problems)
    if problems:
        raise ConfigError("\n".join(problems))
    sections = {name: _section(name, values, problems) for name, values in tree.items()}
    _check_sinks(sections.get("analytics", DEFAULTS.analytics), problems)
    if problems:
        raise ConfigError("\n".join(problems))
    settings = Settings(
        data_dir=data_dir.absolute(),
        plugin_modules=comma_separated(environ.get("HV_PLUGINS") or None),
        extra_plugins=_extra_plugins(environ),
        traces_plugins=environ.get("HV_TRACE_PLUGINS") == "1",
        **sections,
    )
    return Loaded(settings=_with_data_folder(settings), origins=origins)


def _extra_plugins(environ: Mapping[str, str]) -> tuple[str | Path, ...]:
    """Return the modules and the files that ``HV_EXTRA_PLUGINS`` names."""
    named = comma_separated(environ.get("HV_EXTRA_PLUGINS")) or ()
    return tuple(
        Path(name).absolute() if name.endswith(".py") or "/" in name else name
        for name in named
    )


def _section(name: str, values: Mapping[str, Any], problems: list[str]) -> Any:  # noqa: ANN401 - the section's own class
    default = getattr(DEFAULTS, name)
    if isinstance(default, BackendSettings):
        values = {"backend": default.backend, **values}
    try:
        return CONVERTER.structure(values, SECTIONS[name])
    except BaseValidationError as exc:
        problems += explained(exc, path=name)
        return None


def _check_names(tree: Mapping[str, Any], problems: list[str]) -> None:
    for section, values in tree.items():
        cls = SECTIONS.get(section)
        if cls is None:
            known = [*SECTIONS, *known_names()]
            problems.append(unknown_name("", section, known))
        elif not isinstance(values, Mapping):
            problems.append(f"{section} must be a section, not a single value.")
        else:
            fields = [field.name for field in attrs.fields(cls)]
            problems += [
                unknown_name(section, name, fields)
                for name in values
                if name not in fields
            ]


def _check_sinks(analytics: AnalyticsSettings | None, problems: list[str]) -> None:
    """Find options that no sink would ever see."""
    if analytics is None:
        return
    for name, options in analytics.options.items():
        if name not in analytics.sinks:
            problems.append(
                f"analytics.options.{name} is for no sink; analytics.sinks names "
                f"{', '.join(analytics.sinks) or 'none'}. An option of a sink is "
                "written analytics.options.<sink>.<name>."
            )
        elif not isinstance(options, Mapping):
            problems.append(
                f"analytics.options.{name} must be a section, not a single value."
            )


def _with_data_folder(settings: Settings) -> Settings:
    own = own_secrets(settings.data_dir)
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
        # Quoted: a "?" would begin the URL's query, and "%20" would be a space.
        f"sqlite:///{quote(str(settings.data_dir / 'hvcore.sqlite3'))}"
    )
    storage = settings.storage
    if storage.backend == "fsspec" and "url" not in storage.options:
        url = (settings.data_dir / "storage").as_uri()
        storage = attrs.evolve(storage, options={**storage.options, "url": url})
    limits, queue = settings.limits, settings.queue
    if (limits.store, queue.backend) == ("moving-window", "rq"):
        # Counted where all processes meet anyway, if they do.
        shared = {"url": queue.options.get("url", "")}
        limits = attrs.evolve(limits, options={**shared, **limits.options})
    return attrs.evolve(
        settings,
        database=attrs.evolve(settings.database, url=database_url),
        storage=storage,
        limits=limits,
        playback=attrs.evolve(
            playback, signing_key=playback.signing_key or own["playback"]
        ),
        uploads=attrs.evolve(
            uploads, signing_key=uploads.signing_key or own["uploads"]
        ),
    )
