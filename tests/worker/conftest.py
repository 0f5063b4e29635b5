"""Services for tests of the worker's steps."""

from tests.services.conftest import world

__all__ = ["world"]
