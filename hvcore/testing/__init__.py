"""
Kits that show whether a backend keeps the promises of its port.

A test class of the plugin inherits from a kit and says how its backend is
made. The extra ``testing`` brings what kits need.
"""

import pytest

# Before a kit is imported: a failed assert shows the values on both sides.
pytest.register_assert_rewrite(
    "hvcore.testing.analytics_capabilities",
    "hvcore.testing.analytics_details",
    "hvcore.testing.analytics_live",
    "hvcore.testing.analytics_outages",
    "hvcore.testing.analytics_sharing",
    "hvcore.testing.analytics_sinks",
    "hvcore.testing.analytics_stores",
    "hvcore.testing.analytics_values",
    "hvcore.testing.auth",
    "hvcore.testing.cache_invalidation",
    "hvcore.testing.rate_limit_counts",
    "hvcore.testing.rate_limit_sharing",
    "hvcore.testing.rate_limit_windows",
    "hvcore.testing.queue_consumers",
    "hvcore.testing.queue_consuming",
    "hvcore.testing.queue_messages",
    "hvcore.testing.queue_sharing",
    "hvcore.testing.remote_transcoder",
    "hvcore.testing.sign_in",
    "hvcore.testing.storage_addresses",
    "hvcore.testing.storage_capabilities",
    "hvcore.testing.storage_failures",
    "hvcore.testing.storage_kit",
    "hvcore.testing.storage_objects",
    "hvcore.testing.storage_trees",
    "hvcore.testing.storage_writers",
    "hvcore.testing.transcoder",
)
