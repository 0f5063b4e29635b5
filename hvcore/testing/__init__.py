"""
Kits that show whether a backend keeps the promises of its port.

A test class of the plugin inherits from a kit and says how its backend is
made. The extra ``testing`` brings what kits need.

For programs that embed the service, ``hvcore.testing.ready_videos`` makes ready videos
without an encoder.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hvcore.testing.fake_transcoder import FakeTranscoder
    from hvcore.testing.ready_videos import make_ready_video

__all__ = ["FakeTranscoder", "make_ready_video"]

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
    "hvcore.testing.transcriber",
)


def __getattr__(name: str) -> object:
    """Import the makers of ready videos when they are first asked for; kits need none of them."""
    if name == "FakeTranscoder":
        from hvcore.testing.fake_transcoder import (  # noqa: PLC0415 - see above
            FakeTranscoder,
        )

        return FakeTranscoder
    if name == "make_ready_video":
        from hvcore.testing.ready_videos import (  # noqa: PLC0415 - see above
            make_ready_video,
        )

        return make_ready_video
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
