"""
Which paths an object can have.
"""

from typing import Final

RESERVED: Final = frozenset({".incoming", ".hidden"})
"""Folders of the local storage's own."""


def check_path(path: str) -> str:
    """
    Return an object's path if it is one.

    The core makes all paths itself; this guards against its mistakes.

    Raises:
        ValueError: It is absolute, leaves the storage, or is no path.
    """
    segments = path.split("/")
    if (
        "\0" in path
        or any(segment in {"", ".", ".."} for segment in segments)
        or segments[0] in RESERVED
    ):
        raise ValueError(f"not a path of an object: {path!r}")
    return path


def check_prefix(prefix: str) -> str:
    """
    Return the path of a tree, without a slash at its end.

    Raises:
        ValueError: See check_path.
    """
    return check_path(prefix.removesuffix("/"))
