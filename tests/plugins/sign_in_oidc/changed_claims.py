"""
Ways to change the claims of a right token, one at a time.
"""

from collections.abc import Callable
from typing import Any

Claims = dict[str, Any]


def put(**changes: object) -> Callable[[Claims], None]:
    """
    Set claims.
    """
    return lambda claims: claims.update(changes)


def without(name: str) -> Callable[[Claims], object]:
    """
    Leave a claim out.
    """
    return lambda claims: claims.pop(name)


def shifted(name: str, by_s: int) -> Callable[[Claims], object]:
    """
    Set a claim to so many seconds after the token was issued.
    """
    return lambda claims: claims.update({name: claims["iat"] + by_s})
