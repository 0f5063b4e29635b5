"""
Kits that show whether a backend keeps the promises of its port.

A test class of the plugin inherits from a kit and says how its backend is
made. The extra ``testing`` brings what kits need.
"""

import pytest

# Before a kit is imported: a failed assert shows the values on both sides.
pytest.register_assert_rewrite(
    "hvcore.testing.analytics",
    "hvcore.testing.auth",
    "hvcore.testing.cache_invalidation",
    "hvcore.testing.queue",
    "hvcore.testing.rate_limits",
    "hvcore.testing.remote_transcoder",
    "hvcore.testing.sign_in",
    "hvcore.testing.storage",
    "hvcore.testing.transcoder",
)
