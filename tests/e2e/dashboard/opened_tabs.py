"""
Tabs of one person.
"""

from tests.e2e.people import ORG
from tests.support.live import LiveService


def page_of(service: LiveService, *parts: str, query: str = "") -> str:
    path = "/".join(("dashboard", ORG, *parts))
    return f"{service.api}/{path}{query}"
