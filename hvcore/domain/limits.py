"""
Limits: every number of the HTTP interface's contract, with its unit.

Source: the interface document, "Limits"; a constant's own text names another section
where its number is from there. No setting changes these numbers.
"""

from typing import Final

GIB: Final = 1024**3

MAX_UPLOAD_BYTES: Final = 5 * GIB
UPLOAD_URL_VALID_S: Final = 3600

SEGMENT_S: Final = 6
"""Interface, "What the service does", 5."""

DEFAULT_PAGE_SIZE: Final = 20
MAX_PAGE_SIZE: Final = 100

SIGNED_URL_EXPIRATIONS_S: Final = {
    "15m": 15 * 60,
    "30m": 30 * 60,
    "1h": 3600,
    "4h": 4 * 3600,
    "24h": 24 * 3600,
    "7d": 7 * 24 * 3600,
}
"""Interface, "signed-url": the six choices."""
DEFAULT_EXPIRATION: Final = "1h"

THUMBNAIL_TOKEN_VALID_S: Final = 24 * 3600
MIN_THUMBNAIL_PX: Final = 16
MAX_THUMBNAIL_PX: Final = 3840
MAX_THUMBNAIL_SIZES: Final = 64
"""Sizes kept of one video beside the usual ones; the least used make room."""
MAX_MOMENT_PICTURES: Final = 200
"""Pictures at moments and animations kept of one video; the least used make room."""
MAX_MOMENT_BYTES: Final = 64 * 1024**2
"""Of one video's pictures at moments and animations together."""
MAX_ANIMATION_S: Final = 10
MAX_ANIMATION_PX: Final = 640
"""The most pixels of each side of an animation."""

MAX_PERIOD_DAYS: Final = 365
DEFAULT_PERIOD_DAYS: Final = 30
"""Interface, "Analytics shapes", usage."""
MAX_DAILY_RANGE_DAYS: Final = 365
MAX_PARTS_RANGE_DAYS: Final = 30
"""Playback sessions by device or country: of 31 days, as many as without dates."""

MAX_PICTURE_BYTES: Final = 10 * 1024**2
"""Of an uploaded thumbnail."""

SHARE_SESSION_VALID_S: Final = 24 * 3600
"""At most; a session ends with its share link, too."""
SHARE_VIEWER_VALID_S: Final = 15 * 60
"""From opening the page to pressing play."""
SHARE_REMEMBERED_S: Final = 24 * 3600
"""At most, a browser that has shown a code needs no other."""
POSTER_TOKEN_VALID_S: Final = 15 * 60
"""Of the picture on a page that was just opened."""
MAX_LISTED_LINKS: Final = 1000
"""Edge keys or share links of one video in an answer, the newest ones."""

MAX_DESCRIPTION_CHARS: Final = 5000
MAX_NAME_CHARS: Final = 1024

MAX_EXTERNAL_ID_CHARS: Final = 255
MAX_METADATA_KEYS: Final = 20
MAX_METADATA_KEY_CHARS: Final = 40
MAX_METADATA_VALUE_CHARS: Final = 500
MAX_METADATA_BYTES: Final = 4096
"""Of keys and values together, in UTF-8."""
MAX_TAGS: Final = 20
MAX_TAG_CHARS: Final = 64

MIN_FRAME_RATE_CAP: Final = 1
MAX_FRAME_RATE_CAP: Final = 240

MAX_TOKEN_BYTES: Final = 4096
"""A longer playback token is refused unread."""
MAX_ISSUED_TOKEN_BYTES: Final = 1000
"""Of one that stands in playlists: its domains may be more than it can carry."""

MAX_JSON_BODY_BYTES: Final = 64 * 1024
MAX_JSON_DEPTH: Final = 32

MAX_SOURCE_DURATION_S: Final = 12 * 3600
"""The longest source that is taken."""
MAX_SOURCE_EDGE_PX: Final = 8192
"""The largest width and height of a source."""
MAX_SOURCE_PIXELS: Final = 36_000_000
"""The most pixels of a picture of a source: its width times its height."""
MAX_SOURCE_STREAMS: Final = 32
"""The most streams of a source, of all types."""
MAX_SOURCE_FRAME_RATE: Final = 240
"""The most pictures per second of a source."""
MAX_TIMESTAMP_GAP_S: Final = 10
"""No limit any more: a picture is shown for as long as it stays. Kept for plugins that
import it."""
