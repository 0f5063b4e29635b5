"""
Kits that show whether a backend keeps the promises of its port.

A test class of the plugin inherits from a kit and says how its backend is
made. The extra ``testing`` brings what kits need.
"""

import pytest

# Before a kit is imported: a failed assert shows the values on both sides.
pytest.register_assert_rewrite(
    "hvcore.testing.analytics_capabilities",
    "hvcore.testing.analytics_sinks",
    "hvcore.testing.analytics_stores",
    "hvcore.testing.children",
    "hvcore.testing.queue_consumers",
    "hvcore.testing.queue_consuming",
    "hvcore.testing.queue_messages",
    "hvcore.testing.queue_sharing",
    "hvcore.testing.remote_transcoder",
    "hvcore.testing.sign_in",
    "hvcore.testing.transcoder",
)
