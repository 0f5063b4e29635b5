"""The rules for the path of an object."""

from typing import Final

from hvcore.plugin_api import check_object_path

RESERVED: Final = frozenset({".incoming", ".hidden"})
"""Folders of the local storage's own."""


def check_path(path: str) -> str:
    """
    Return an object's path if it is one.

    Raises:
        ValueError: It is none, or one of ours.
    """
    if path.split("/", maxsplit=1)[0] in RESERVED:
        raise ValueError(f"not a path of an object: {path!r}")
    return check_object_path(path)


def check_prefix(prefix: str) -> str:
    """
    Return the path of a tree, without a slash at its end.

    Raises:
        ValueError: See check_path.
    """
    return check_path(prefix.removesuffix("/"))
