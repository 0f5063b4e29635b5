"""
The API with other limits.
"""

import attrs
from falcon.testing import TestClient

from hvcore import assembly
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.settings.tree import LimitSettings
from hvcore_api.app import make_api
from tests.support.http.world import World


def limit(
    api: World, store: RateLimitStore | None = None, **limits: int | bool
) -> None:
    """
    Make the API anew, with other limits.
    """
    settings = attrs.evolve(
        api.services.settings,
        limits=LimitSettings(**limits),  # type: ignore[arg-type]  # each of its own type
    )
    overrides: dict[str, object] = {
        "clock": api.clock,
        "storage": api.storage,
        "queue": api.queue,
        "transcoder": api.transcoder,
    }
    if store is not None:
        overrides["rate_limit_store"] = store
    services = assembly.build(settings, overrides=overrides)
    api.further.append(services)
    api.client = TestClient(make_api(services))
