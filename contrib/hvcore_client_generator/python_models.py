"""Write the models of the API as attrs classes, and its choices as literals."""

from hvcore_client_generator.document import ABOUT_ETAG, Api, Choice, Member, Model
from hvcore_client_generator.python_types import (
    annotation,
    described,
    docstring,
    optional,
    paragraphs,
    python_name,
)

_SECRET = frozenset({"edgeKey"})
"""The members, besides addresses, that are secrets and left out of reprs."""
_CHOICES_HEAD = '''"""
Words and numbers that the API knows.

A later service has further ones, which answers then have, too.

{written}
"""

from typing import Literal, TypeAlias

'''
_MODELS_HEAD = '''"""
What the API takes and answers.

{written}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import attrs

from hvcore_client.coding import entity_tag, further, member
from hvcore_client.generated import choices

'''
_SETTINGS_HEAD = '''"""
What can be said of a video when its file is uploaded.

{written}
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from hvcore_client.generated import choices

'''
_KNOWN_OF_FILES = frozenset({"fileSize", "parts"})
"""The members of an upload's settings that the client fills in by itself."""
_OTHER_NAMES = {"videoName": "name"}


def choices_module(api: Api, written: str) -> str:
    """
    Return the text of the Python module with all choices.

    Args:
        written: The sentence in its docstring that it is generated.
    """
    parts = [_choice(choice) for choice in api.choices]
    return _CHOICES_HEAD.format(written=written) + "\n".join(parts)


def models_module(api: Api, written: str) -> str:
    """
    Return the text of the Python module with all models.

    Args:
        written: The sentence in its docstring that it is generated.
    """
    parts = [_model(model) for model in api.models]
    return _MODELS_HEAD.format(written=written) + "\n\n".join(parts)


def settings_module(api: Api, written: str) -> str:
    """
    Return the text of the Python module with the settings of uploads (``VideoUploadRequest``).

    Args:
        written: The sentence in its docstring that it is generated.
    """
    (model,) = (found for found in api.models if found.name == "VideoUploadRequest")
    members = [found for found in model.members if found.name not in _KNOWN_OF_FILES]
    names = {
        _OTHER_NAMES.get(found.name, python_name(found.name)): found
        for found in members
    }
    about = [
        "Settings of the video that an upload becomes; all may be left out.",
        *described("Attributes", ((name, _about(m)) for name, m in names.items())),
    ]
    lines = [
        "class UploadSettings(TypedDict, total=False):",
        docstring(about, "    "),
        *(f"    {name}: {annotation(m.type)}" for name, m in names.items()),
        "",
        "",
        "SENT_AS: Final[Mapping[str, str]] = {",
        *(f'    "{name}": "{found.name}",' for name, found in names.items()),
        "}",
        '"""Names of members by those of settings."""',
        "",
    ]
    return _SETTINGS_HEAD.format(written=written) + "\n" + "\n".join(lines)


def _choice(choice: Choice) -> str:
    values = ", ".join(map(repr, choice.values))
    about = f'"""\n{choice.about}\n"""\n' if choice.about else ""
    return f"{choice.name}: TypeAlias = Literal[{values}]\n{about}"


def _model(model: Model) -> str:
    about = [
        *paragraphs(model.about or f"``{model.name}`` of the API."),
        *described(
            "Attributes",
            [
                *((python_name(m.name), _about(m)) for m in model.members),
                *([("etag", ABOUT_ETAG)] if model.has_etag else ()),
            ],
        ),
    ]
    further = annotation(model.further) if model.further else "Any"
    lines = [
        "@attrs.frozen(kw_only=True)",
        f"class {model.name}:",
        docstring(about, "    "),
        *(f"    {_attribute(found)}" for found in model.members),
        *(["    etag: str | None = entity_tag()"] if model.has_etag else ()),
        f"    further_members: Mapping[str, {further}] = further()",
        "",
    ]
    return "\n".join(lines)


def _attribute(found: Member) -> str:
    name, kind = python_name(found.name), annotation(found.type)
    if not found.is_required:
        kind = optional(kind)
    arguments = [f'"{found.name}"']
    if not found.is_required:
        arguments.append("is_required=False")
    if found.type.format == "uri" or found.name in _SECRET:
        arguments.append("shows=False")
    is_plain = name == found.name and "shows=False" not in arguments
    if is_plain:
        return f"{name}: {kind}" + ("" if found.is_required else " = None")
    return f"{name}: {kind} = member({', '.join(arguments)})"


def _about(found: Member) -> str:
    if found.default is None:
        return found.about
    return f"{found.about} By default ``{found.default}``.".strip()
