"""The rules for the path of an object."""

from typing import Final

from hvcore.plugin_api import check_object_path

RESERVED: Final = frozenset({".incoming", ".hidden"})
"""The names of folders that the local storage uses for itself."""


def check_path(path: str) -> str:
    """
    Return a path if it is valid for an object.

    Raises:
        ValueError: The text is no path of an object, or begins with a reserved folder.
    """
    if path.split("/", maxsplit=1)[0] in RESERVED:
        raise ValueError(f"not a path of an object: {path!r}")
    return check_object_path(path)


def check_prefix(prefix: str) -> str:
    """
    Return the path of a tree of objects, without a slash at its end.

    Raises:
        ValueError: The text is no path of an object, or begins with a reserved folder.
    """
    return check_path(prefix.removesuffix("/"))
