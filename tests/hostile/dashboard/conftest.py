"""
The dashboard, as its own tests open it.
"""

from tests.dashboard.conftest import _template, dashboard, mailing, shared, static

__all__ = ["_template", "dashboard", "mailing", "shared", "static"]
