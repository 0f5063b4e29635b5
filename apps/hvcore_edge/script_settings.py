"""
Settings that the edge's Lua script shares with the service, written from Python as a Lua table.

Each number is defined in Python, where it is used. So neither can be changed without
the other. Numbers that only the script needs are in the script.
"""

import json
from collections.abc import Mapping
from typing import Final

from hvcore.domain.analytics.breakdown import MAX_HOST_CHARS
from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.limits import MAX_TOKEN_BYTES
from hvcore.domain.playback.page_domains import PAGE_ADDRESS
from hvcore.files.changes_file import (
    CACHE_TTL_S,
    CHANGES_BYTES,
    RENEWED_AFTER_S,
    REOPENED_EVERY_S,
)
from hvcore.playback_tokens.claims import LEEWAY_S, MAX_VALID_S
from hvcore.playback_tokens.ring import MAX_CACHED_TOKENS
from hvcore.services.counting.segment_details import MAX_ADDRESS_CHARS
from hvcore.services.counting.sessions import (
    ALL_SHARES,
    MARK_DIGITS,
    NEWCOMERS_SHARE,
    NOTED_EVERY_S,
    PERIOD_S,
)
from hvcore.services.edge.authorizations import MAX_ASKED
from hvcore.services.playback.published_files import ETAG_CHARS, MAX_NUMBER_DIGITS
from hvcore.services.playback.responses import Lifetime
from hvcore_edge.tallies import (
    ALIGNED_BYTES,
    FILE_BYTES,
    HEAD,
    LAST_MS,
    MARK,
    RECORD,
    UNFOLLOWED,
)
from hvcore_web.compression.shared_gzip import MAX_TOKEN_BYTES as MAX_SHARED_TOKEN_BYTES
from hvcore_web.representations import MAX_AGE_S

SETTINGS_FILE: Final = "hv_edge_settings.lua"
WORKER_CONNECTIONS: Final = 8192
"""The connections of an nginx worker: as many viewers can be served at the same time."""
CACHE_MIN_FREE_BYTES: Final = 300 * 1024 * 1024
"""The free disk space below which nginx removes cached files."""
CACHE_LEAST_FREE_BYTES: Final = 64 * 1024 * 1024
"""The free disk space below which nothing more is cached, and segments are only passed
through: other programs fill the disk."""

SCRIPT_SETTINGS: Final[Mapping[str, int | float | str]] = {
    "all_shares": ALL_SHARES,
    "changes_bytes": CHANGES_BYTES,
    "etag_chars": ETAG_CHARS,
    "immutable_max_age_s": MAX_AGE_S[Lifetime.IMMUTABLE],
    "cache_least_free_bytes": CACHE_LEAST_FREE_BYTES,
    "cache_ttl_s": CACHE_TTL_S,
    "leeway_s": LEEWAY_S,
    "mark_digits": MARK_DIGITS,
    "max_address_chars": MAX_ADDRESS_CHARS,
    "max_asked": MAX_ASKED,
    "max_cached_tokens": MAX_CACHED_TOKENS,
    "max_host_chars": MAX_HOST_CHARS,
    "max_number_digits": MAX_NUMBER_DIGITS,
    "max_shared_token_bytes": MAX_SHARED_TOKEN_BYTES,
    "max_token_bytes": MAX_TOKEN_BYTES,
    "max_valid_s": MAX_VALID_S,
    "newcomers_share": NEWCOMERS_SHARE,
    "noted_every_s": NOTED_EVERY_S,
    "page_address": PAGE_ADDRESS,
    "renewed_after_s": RENEWED_AFTER_S,
    "reopened_every_s": REOPENED_EVERY_S,
    "session_period_s": PERIOD_S,
    "tally_aligned_bytes": ALIGNED_BYTES,
    "tally_bytes": FILE_BYTES,
    "tally_head_bytes": HEAD.size,
    "tally_last_ms": LAST_MS,
    "tally_mark": MARK.decode(),
    "tally_record_bytes": RECORD.size,
    "too_few_bytes": IgnoredReason.TOO_FEW_BYTES.value,
    "unfollowed": UNFOLLOWED,
    "worker_connections": WORKER_CONNECTIONS,
}
"""The settings of nginx's script, by the names under which the script reads them."""

_MODULE: Final = """\
-- Made by `hv edge nginx`: what the script must do as the service does.

return setmetatable({
%s
}, {
    -- A misspelt name must not become a missing limit.
    __index = function(_, name) error("the script has no setting " .. name) end,
})
"""


def script_settings() -> str:
    """Return the text of the Lua module with the settings that the edge's script requires."""
    # Lua reads numbers and printable ASCII as JSON writes them.
    lines = [f"    {name} = {json.dumps(of)}," for name, of in SCRIPT_SETTINGS.items()]
    return _MODULE % "\n".join(lines)
