"""
The dashboard, as its own tests open it.
"""

from tests.dashboard.conftest import dashboard, mailing, shared, static

__all__ = ["dashboard", "mailing", "shared", "static"]
