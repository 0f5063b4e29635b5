"""The pages of the settings: one page for each section, and an index."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Final, get_args

import attrs

from hvcore.hookspecs import NoOptions
from hvcore.registry import KINDS, Offer, load_plugins
from hvcore.registry.kinds import options_path
from hvcore.settings.conversion import (
    OTHER_OPTIONS,
    Origins,
    RequestCount,
    where_to_set,
)
from hvcore.settings.tree import DEFAULTS, SECTIONS, BackendSettings
from tests.support.code_reference import variables
from tests.support.code_reference.files import NOTE, REFERENCE
from tests.support.code_reference.since import since
from tests.support.plugin_reference.markdown import attribute_docs, from_docstring

FOLDER: Final = REFERENCE / "settings"
EXAMPLES: Final = FOLDER / "examples.toml"
OPTIONS: Final = FOLDER / "options.toml"
_TYPES: Final = (
    (RequestCount, "whole number from 1 to 1,000,000,000"),
    (Origins, "list of origins"),
    (tuple[str, ...], "list of texts"),
    (bool, "`true` or `false`"),
    (int, "whole number"),
    (float, "number"),
    (str, "text"),
    (Path, "path"),
)
_UNITS: Final = {
    "_s": "seconds",
    "_mb": "MB",
    "_bytes": "bytes",
    "_days": "days",
    "_percent": "percent",
    "_per_hour": "per hour",
    "_per_minute": "per minute",
    "_per_minute_and_key": "per minute and key",
}


@attrs.frozen(kw_only=True)
class Setting:
    """
    A setting, or an option of a backend.

    Attributes:
        path: The dotted name of the section that it stands in.
        cls: The attrs class with the field.
        example: The value of an example; None if there is none.
    """

    path: str
    field: Any
    cls: type
    example: object

    @property
    def name(self) -> str:
        """Return the dotted name of the setting."""
        return f"{self.path}.{self.field.name}"

    @property
    def meaning(self) -> str:
        """Return the sentences of the code that say what the setting means; or "" ."""
        return attribute_docs(self.cls).get(self.field.name, "")


@cache
def _read(file: Path) -> Mapping[str, Any]:
    return tomllib.loads(file.read_text("utf-8"))


@cache
def settings() -> Mapping[str, list[Setting]]:
    """Return the settings of each section, without the options of backends."""
    examples = _read(EXAMPLES)
    return {
        section: [
            Setting(
                path=section,
                field=field,
                cls=cls,
                example=examples.get(section, {}).get(field.name),
            )
            for field in attrs.fields(cls)
        ]
        for section, cls in SECTIONS.items()
    }


@cache
def offers() -> Sequence[Offer]:
    """Return the shipped backends that have options."""
    return [
        offer
        for offer in load_plugins(DEFAULTS, has_folder=False).offers
        if offer.source.distribution.startswith("hvcore ")
        and offer.backend.options is not NoOptions
    ]


def examples_of(offer: Offer) -> list[dict[str, object]]:
    """Return examples of all options; several where options exclude each other."""
    of_kind = _read(OPTIONS).get(offer.kind, {})
    found = dict(of_kind.get(offer.backend.name, {}))
    otherwise = found.pop("otherwise", None)
    return [found, {**found, **otherwise}] if otherwise else [found]


def options_of(offer: Offer) -> list[Setting]:
    """Return the options of a backend."""
    kind, name = offer.kind, offer.backend.name
    examples: dict[str, object] = {}
    for variant in reversed(examples_of(offer)):
        examples |= variant
    return [
        Setting(
            path=options_path(kind, name),
            field=field,
            cls=offer.backend.options,
            example=examples.get(field.name),
        )
        for field in attrs.fields(offer.backend.options)
    ]


def names() -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of everything that these pages describe."""
    for found in settings().values():
        yield from (("settings", one.name) for one in found)
    for offer in offers():
        for one in options_of(offer):
            yield "options", _option_name(offer, one)
    yield from (("variables", name) for name in variables.VARIABLES)


def pages() -> Mapping[Path, str]:
    """Return the text of each page, by its file."""
    backends = offers()
    parts = {"README": [_index()]}
    for section, found in settings().items():
        parts[section] = [*_section_page(section, found, backends)]
    for offer in backends:
        parts[_page_of(offer)] = [*_backend_page(offer)]
    return {
        FOLDER / f"{name}.md": "\n\n".join(part for part in of_page if part) + "\n"
        for name, of_page in parts.items()
    }


def _section_page(
    section: str, found: list[Setting], backends: Sequence[Offer]
) -> Iterator[str]:
    yield f"# Settings: `{section}`"
    yield NOTE
    yield f"This page describes each setting of the section `[{section}]`."
    yield _about(section)
    for one in found:
        yield from _entry(one, since=since("settings", one.name))
        if one.field.name in {"options", "oidc"}:
            yield _backends(
                [
                    offer
                    for offer in backends
                    if _section_of(offer) == section
                    and options_path(offer.kind, offer.backend.name).startswith(
                        one.name
                    )
                ]
            )


def _backends(found: list[Offer]) -> str:
    return "\n".join(
        f"- [Options of the backend `{offer.backend.name}`]({_page_of(offer)}.md)"
        for offer in found
    )


def _backend_page(offer: Offer) -> Iterator[str]:
    section, name = _section_of(offer), offer.backend.name
    yield f"# Options: `{name}` of `{section}`"
    yield NOTE
    yield (
        f"This page describes each option of the backend `{name}`, which the setting "
        f"`{KINDS[offer.kind].setting}` chooses; see the [section `{section}`]({section}.md)."
    )
    for one in options_of(offer):
        yield from _entry(one, since=since("options", _option_name(offer, one)))


def _section_of(offer: Offer) -> str:
    return KINDS[offer.kind].setting.partition(".")[0]


def _page_of(offer: Offer) -> str:
    return f"{_section_of(offer)}-{offer.backend.name}"


def _about(section: str) -> str:
    """Return the sentences of the code about a section."""
    if SECTIONS[section] is BackendSettings:
        (port,) = (
            kind.port.__name__ for kind in KINDS.values() if kind.name == section
        )
        return (
            f"The settings of the {section}: the name of the backend that implements "
            f"the port [{port}](../ports/{port}.md), and its options."
        )
    doc = SECTIONS[section].__doc__ or ""
    return from_docstring(doc.partition("Attributes:")[0])


def _option_name(offer: Offer, one: Setting) -> str:
    return f"{offer.kind} {offer.backend.name} {one.field.name}"


def _entry(one: Setting, *, since: str) -> Iterator[str]:
    field = one.field
    yield f"## `{one.name}`"
    yield one.meaning
    variable = where_to_set(one.path, field.name)
    rows = {"Variable": f"`{variable}`"}
    if not field.repr and not _is_section(field):
        rows["File with the secret"] = f"`{variable}_FILE` names it"
    rows["Settings file"] = f"`{field.name}` below `[{one.path}]`"
    if OTHER_OPTIONS in field.metadata:
        rows["Variable"] = f"`{where_to_set(one.path, '<option>')}`".replace(
            "<OPTION>", "<NAME>"
        )
        rows["Settings file"] = f"each option below `[{one.path}]`"
    elif _is_section(field):
        rows["Variable"] = f"`{variable}__<NAME>`"
        rows["Settings file"] = f"below `[{one.name}]`"
    rows["Type"] = _type(field.type)
    rows["Default"] = _default(one)
    rows |= _unit(field.name)
    rows["Example"] = f"`{_toml(one)}`"
    rows["Since"] = since
    lines = [f"| {head} | {text} |" for head, text in rows.items()]
    yield "\n".join(["| | |", "|---|---|", *lines])


def _is_section(field: Any) -> bool:  # noqa: ANN401 - attrs' own type
    return "Mapping" in str(field.type)


def _type(kind: Any) -> str:  # noqa: ANN401 - any type of a field
    for one, words in _TYPES:
        # A type, or the type or None.
        if kind == one or get_args(kind) == (one, type(None)):
            return words
    if isinstance(kind, type) and issubclass(kind, Enum):
        return " or ".join(f"`{member.value}`" for member in kind)
    return "options by their names"


def _default(one: Setting) -> str:
    value = one.field.default
    if value is attrs.NOTHING and one.path not in SECTIONS:
        return "none: the option is required"
    if value is attrs.NOTHING:
        value = getattr(getattr(DEFAULTS, one.path), one.field.name)
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, attrs.Factory) or value in ("", (), None):
        return "empty"
    return f"`{_value(value)}`"


def _unit(name: str) -> Mapping[str, str]:
    found = [words for end, words in _UNITS.items() if name.endswith(end)]
    return {"Unit": found[-1]} if found else {}


def _toml(one: Setting) -> str:
    return f"{one.field.name} = {_value(one.example)}"


def _value(value: object) -> str:
    """Return a value as a settings file has it."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{name} = {_value(one)}" for name, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _index() -> str:
    rows = "\n".join(
        f"| [`{section}`]({section}.md) | {_about(section).splitlines()[0]} |"
        for section in SECTIONS
    )
    others = "\n".join(
        f"| `{name}` | {meaning} | `{example}` | {since('variables', name)} |"
        for name, (meaning, example) in variables.VARIABLES.items()
    )
    return f"""# Settings

{NOTE}

This page lists the sections of settings, for people who operate the service. Each section has a
page with each of its settings: what the setting means, its type, default and unit, an example, and
the first version that has the setting.

- A setting stands in the settings file (TOML) below `[section]`, or in the environment as
  `HV_SECTION__NAME`. The environment wins. In a variable, items of a list stand with commas between
  them.
- A secret can be read from a file: `HV_SECTION__NAME_FILE` names the file. A file that is missing
  or empty is an error.
- `hv config` shows the settings in force, each with its source. A name that no setting has is an
  error that names the nearest setting.

| Section | About |
|---|---|
{rows}

## Variables that are no settings

| Variable | Meaning | Example | Since |
|---|---|---|---|
{others}
"""
