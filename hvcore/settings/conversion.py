"""Conversion of settings: texts and TOML values become the settings' types."""

import difflib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import urlsplit

import attrs
from cattrs import Converter, transform_error
from cattrs.errors import BaseValidationError

from hvcore.errors import ConfigError

MOST_REQUESTS: Final = 1_000_000_000
"""More than any service answers in an hour; stores count it exactly."""

RequestCount: TypeAlias = Annotated[int, "of a rate limit"]
Origins: TypeAlias = Annotated[tuple[str, ...], "as browsers send them"]

OTHER_OPTIONS: Final = "hvcore_other_options"
"""Marks, in a field's metadata, where options that have no field go."""


RENAMED: Final[Mapping[str, str]] = MappingProxyType(
    {"edge.purgers": "edge.cache_invalidators"}
)
"""Settings of earlier versions, and what they are called now."""


def structure_options(options: Mapping[str, Any], into: type, *, path: str) -> Any:  # noqa: ANN401 - the caller names the class
    """
    Return a backend's options object, made from the values of the settings.

    Raises:
        ConfigError: Options are unknown, missing or unreadable.
    """
    known = [field.name for field in attrs.fields(into)]
    options = _with_others(options, into, known)
    problems = [
        unknown_name(path, name, known) for name in options if name not in known
    ]
    problems += [
        f"{path}.{field.name} is required; set {where_to_set(path, field.name)}."
        for field in attrs.fields(into)
        if field.default is attrs.NOTHING and field.name not in options
    ]
    if problems:
        raise ConfigError("\n".join(problems))
    try:
        return CONVERTER.structure(dict(options), into)
    except BaseValidationError as exc:
        raise ConfigError("\n".join(explained(exc, path=path))) from exc


def _with_others(
    options: Mapping[str, Any], into: type, known: Sequence[str]
) -> Mapping[str, Any]:
    for field in attrs.fields(into):
        if OTHER_OPTIONS in field.metadata:
            named = {name: value for name, value in options.items() if name in known}
            others = {n: v for n, v in options.items() if n not in known}
            named[field.name] = {**others, **named.get(field.name, {})}
            return named
    return options


def env_name(path: str) -> str:
    """Return a setting's dotted name as in environment variables: upper case, ``__`` for dots."""
    return path.upper().replace(".", "__")


def where_to_set(path: str, name: str) -> str:
    """Return the environment variable of an option, or its place in the settings file."""
    if "-" in path:
        # No shell takes a variable of such a name.
        return f"{name} below [{path}] in the settings file"
    return f"HV_{env_name(path)}__{name.upper()}"


def explained(exc: BaseValidationError, *, path: str) -> list[str]:
    """Return one line for each value of the settings that could not be converted."""
    return transform_error(exc, path=path, format_exception=lambda e, _: str(e))


def unknown_name(path: str, name: str, known: list[str]) -> str:
    """Return a sentence that a setting is unknown, with its new name or the nearest known one."""
    shown = f"{path}.{name}" if path else name
    if shown in RENAMED:
        return f"The setting {shown} is now {RENAMED[shown]}; rename it."
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"; did you mean {path + '.' if path else ''}{near[0]}?" if near else "."
    return f"Unknown setting {shown}{hint}"


def comma_separated(text: str | None) -> tuple[str, ...] | None:
    """Return the parts of a text between its commas, without blanks; None stays None."""
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
    try:
        return int(value)
    except ValueError as exc:
        raise ValueError(f"must be a whole number, not {value!r}") from exc


def _request_count(value: object, _: object) -> int:
    number = _int(value, int)
    if not 1 <= number <= MOST_REQUESTS:
        raise ValueError(
            f"must be a whole number from 1 to {MOST_REQUESTS:,}, not {value!r}; "
            "HV_LIMITS__ENABLED=false switches limits off"
        )
    return number


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
        return comma_separated(value) or ()
    if isinstance(value, list | tuple):
        return tuple(_str(item, str) for item in value)
    raise TypeError(f"must be a list of texts, not {value!r}")


def _origins(value: object, _: object) -> tuple[str, ...]:
    return tuple(_origin(text.strip()) for text in _strings(value, str))


def _origin(text: str) -> str:
    if not _is_origin(text):
        raise ValueError(
            f"must be origins such as https://app.example.com or "
            f"http://localhost:3000, not {text!r}"
        )
    return text.rstrip("/")


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
        # Reading the port is what judges it.
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    # What else an address may have, an origin has not.
    bare = f"{parts.scheme}://{parts.netloc}"
    return (
        is_whole
        and parts.scheme in {"http", "https"}
        and text.lower().removesuffix("/") == bare.lower()
        and not set("@*\\ ") & set(text)
    )


def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook(bool, _bool)
    converter.register_structure_hook(int, _int)
    converter.register_structure_hook(float, _float)
    converter.register_structure_hook(str, _str)
    converter.register_structure_hook_func(
        lambda wanted: wanted == tuple[str, ...], _strings
    )
    converter.register_structure_hook_func(
        lambda wanted: wanted == RequestCount, _request_count
    )
    converter.register_structure_hook_func(lambda wanted: wanted == Origins, _origins)
    # What a backend passes on to its library has any type.
    converter.register_structure_hook_func(
        lambda wanted: wanted is object, lambda value, _: value
    )
    return converter


CONVERTER: Final = _converter()
