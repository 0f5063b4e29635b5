"""
Run the tests of a kit by hand, on backends that are wrong in one way each.
"""

from collections.abc import Callable, Iterable, Mapping
from inspect import signature

import pytest


def is_caught(kit: object, check: str, given: Mapping[str, object]) -> bool:
    """
    Return whether a kit's test fails.

    Args:
        given: The values of the fixtures, by name.
    """
    method: Callable[..., None] = getattr(kit, check)
    try:
        method(**{name: given[name] for name in signature(method).parameters})
    except (Exception, pytest.fail.Exception):  # noqa: BLE001 - however it fails
        return True
    return False


def promises(kit: type) -> set[str]:
    """
    Return the names of a kit's tests.
    """
    return {name for name in dir(kit) if name.startswith("test_")}


def never_broken(kit: type, checks: Iterable[str]) -> set[str]:
    """
    Return the tests of a kit that no wrong backend stands for.
    """
    return promises(kit) - set(checks)
