"""Write annotations, names and docstrings of the Python client."""

import keyword
import textwrap
from collections.abc import Iterable

from hvcore_client_generator.document import Argument, Kind, Member, Type
from hvcore_client_generator.names import snake

WIDTH = 88
_PLAIN = {
    Kind.TEXT: "str",
    Kind.INTEGER: "int",
    Kind.NUMBER: "float",
    Kind.BOOLEAN: "bool",
    Kind.ANY: "Any",
}
_OF_FORMATS = {"date-time": "datetime", "date": "date"}


def python_name(name: str) -> str:
    """Return the Python name of a member or argument: ``videoID`` becomes ``video_id``."""
    found = snake(name)
    return f"{found}_" if keyword.iskeyword(found) else found


def constant_name(name: str) -> str:
    """Return the name of an operation's constant: ``listVideos`` becomes ``LIST_VIDEOS``."""
    return snake(name).upper()


def annotation(found: Type, *, models: str = "", choices: str = "choices.") -> str:
    """
    Return the Python annotation for a type of the API.

    Args:
        models: The prefix of a model's name, such as ``models.``.
        choices: The prefix of a choice's name.
    """
    text = _bare(found, models, choices)
    return f"{text} | None" if found.is_nullable and text != "Any" else text


def optional(text: str) -> str:
    """Return a Python annotation as one that also allows None."""
    return text if text == "Any" or text.endswith(" | None") else f"{text} | None"


def sent_annotation(found: Member | Argument) -> str:
    """
    Return the annotation of a method's parameter.

    A date may also be a text; of an argument that may be sent several times, one value
    may stand alone.
    """
    text = annotation(found.type, models="models.")
    if isinstance(found, Argument) and found.type.kind is Kind.ARRAY:
        assert found.type.item is not None  # noqa: S101 - arrays have one
        return f"{annotation(found.type.item, models='models.')} | {text}"
    return text.replace("date", "date | str") if text == "date" else text


def described(title: str, items: Iterable[tuple[str, str]]) -> list[str]:
    """
    Return the lines of a docstring's section; no lines if no item has a description.

    Args:
        title: The name of the section, such as ``Args``.
        items: The name and the description of each item.
    """
    lines = [
        line
        for name, about in items
        if about
        for line in textwrap.wrap(
            f"{name}: {about}",
            WIDTH - 8,
            initial_indent="    ",
            subsequent_indent="        ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]
    return ["", f"{title}:", *lines] if lines else []


def paragraphs(*texts: str) -> list[str]:
    """Return texts as wrapped paragraphs, with empty lines between them."""
    lines: list[str] = []
    for text in filter(None, texts):
        lines += ["", *textwrap.wrap(text, WIDTH - 8, break_on_hyphens=False)]
    return lines[1:]


def docstring(lines: Iterable[str], indent: str) -> str:
    """Return lines as an indented docstring with its quotes."""
    inner = "\n".join(f"{indent}{line}".rstrip() for line in lines)
    quotes = f'{indent}"""'
    prefix = "r" if "\\" in inner else ""
    return f'{indent}{prefix}"""\n{inner}\n{quotes}\n'


def _bare(found: Type, models: str, choices: str) -> str:
    if found.kind is Kind.MODEL:
        return f"{models}{found.name}"
    if found.kind is Kind.CHOICE:
        return f"{choices}{found.name}"
    if found.kind is Kind.TEXT and found.format in _OF_FORMATS:
        return _OF_FORMATS[found.format]
    if found.kind in {Kind.ARRAY, Kind.MAP} and found.item is not None:
        item = annotation(found.item, models=models, choices=choices)
        is_list = found.kind is Kind.ARRAY
        return f"Sequence[{item}]" if is_list else f"Mapping[str, {item}]"
    return _PLAIN[found.kind]
