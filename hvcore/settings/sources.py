"""Sources of settings: read a TOML file and environment variables."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from hvcore.errors import ConfigError
from hvcore.settings.tree import is_secret

PREFIX: Final = "HV_"
LEVEL: Final = "__"
"""Between the section, the name and what is below."""


def read_toml(path: Path) -> dict[str, Any]:
    """
    Return the values of a settings file in TOML.

    Raises:
        ConfigError: The file cannot be read, or is not TOML.
    """
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc.strerror}.") from exc
    except ValueError as exc:
        raise ConfigError(f"{path} is not TOML: {exc}.") from exc


def merge(
    tree: dict[str, Any],
    values: Mapping[str, Any],
    origins: dict[str, str],
    origin: str,
    above: tuple[str, ...] = (),
) -> None:
    """
    Put the values of a settings file into the tree of settings, and record their source.

    Args:
        origins: The source of each setting, by its dotted name; changed by this call.
        origin: The source of the values, such as the file's path.
        above: The names of the sections that contain the values.
    """
    for name, value in values.items():
        path = (*above, name)
        if isinstance(value, Mapping):
            branch = tree.setdefault(name, {})
            merge(branch, value, origins, origin, path)
        else:
            tree[name] = value
            origins[".".join(path)] = origin


def read_environment(
    environ: Mapping[str, str], problems: list[str]
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """
    Yield the name, path and value of each environment variable that is a setting.

    A variable without ``__`` in its name is no setting of the tree: ``HV_DATA`` and
    ``HV_CONFIG`` say where the tree comes from, and others may belong to other
    programs.

    Args:
        problems: A list to which problems with files of secrets are added.
    """
    for name in sorted(environ):
        if not name.startswith(PREFIX) or LEVEL not in name.removeprefix(PREFIX):
            continue
        value = environ[name]
        path = tuple(part.lower() for part in name.removeprefix(PREFIX).split(LEVEL))
        if path[-1].endswith("_file") and _is_secret(path):
            value = _read_secret(name, value, problems)
            path = (*path[:-1], path[-1].removesuffix("_file"))
        yield name, path, value


def _is_secret(path: tuple[str, ...]) -> bool:
    return is_secret(".".join((*path[:-1], path[-1].removesuffix("_file"))))


def _read_secret(name: str, value: str, problems: list[str]) -> str:
    """
    Return the content of a file; note in `problems` that it cannot be used.

    An empty file is no absent setting: a database or a key of another choice would
    take the place of the one that is meant.
    """
    if not value:
        problems.append(f"{name} is empty; it must name a file, or be left out.")
        return ""
    # Somebody may have put the secret itself there.
    called = value if Path(value).is_absolute() else "a file"
    try:
        text = Path(value).read_text(encoding="utf-8").strip()
    except OSError as exc:
        problems.append(f"{name} names {called}, which cannot be read: {exc.strerror}.")
    except ValueError:
        problems.append(f"{name} names {called}, which is not text in UTF-8.")
    else:
        if not text:
            problems.append(
                f"{name} names {value}, which is empty; write the value into it, or "
                "leave the setting out."
            )
        return text
    return ""


def put(tree: dict[str, Any], path: tuple[str, ...], value: str) -> None:
    """Put a value into the tree of settings at a path of names, in place of a present value."""
    for part in path[:-1]:
        branch = tree.setdefault(part, {})
        if not isinstance(branch, dict):
            return
        tree = branch
    tree[path[-1]] = value
