"""Declare the tables of the database."""

from hvcore.persistence.tables.bulk import bulk_change_videos, bulk_changes
from hvcore.persistence.tables.captions import (
    caption_jobs,
    caption_windows,
    spoken_texts,
    video_captions,
)
from hvcore.persistence.tables.columns import (
    EPOCH,
    Text,
    UtcDateTime,
    metadata,
)
from hvcore.persistence.tables.events import (
    event_counters,
    events,
    webhook_deliveries,
    webhook_endpoints,
)
from hvcore.persistence.tables.playback import (
    domain_lists,
    edge_keys,
    service_keys,
    share_codes,
    share_guesses,
    share_links,
    signing_keys,
)
from hvcore.persistence.tables.playback_sessions import (
    playback_session_sums,
    playback_sessions,
)
from hvcore.persistence.tables.quotas import (
    delivered_positions,
    organization_limits,
    organization_months,
    organization_storage,
)
from hvcore.persistence.tables.removals import removals
from hvcore.persistence.tables.sign_in import (
    organization_members,
    pending_sign_ins,
    sign_in_links,
    sign_in_mails,
    sign_in_sessions,
)
from hvcore.persistence.tables.tenants import (
    api_keys,
    audit_log,
    environments,
    idempotency,
    new_video_defaults,
    organizations,
)
from hvcore.persistence.tables.videos import (
    grants,
    label_totals,
    published_media,
    video_labels,
    video_lengths,
    video_totals,
    video_uploads,
    videos,
)
from hvcore.persistence.tables.work import (
    lane_shares,
    leaders,
    tasks,
    transcode_jobs,
)

__all__ = [
    "EPOCH",
    "Text",
    "UtcDateTime",
    "api_keys",
    "audit_log",
    "bulk_change_videos",
    "bulk_changes",
    "caption_jobs",
    "caption_windows",
    "delivered_positions",
    "domain_lists",
    "edge_keys",
    "environments",
    "event_counters",
    "events",
    "grants",
    "idempotency",
    "label_totals",
    "lane_shares",
    "leaders",
    "metadata",
    "new_video_defaults",
    "organization_limits",
    "organization_members",
    "organization_months",
    "organization_storage",
    "organizations",
    "pending_sign_ins",
    "playback_session_sums",
    "playback_sessions",
    "published_media",
    "removals",
    "service_keys",
    "share_codes",
    "share_guesses",
    "share_links",
    "sign_in_links",
    "sign_in_mails",
    "sign_in_sessions",
    "signing_keys",
    "spoken_texts",
    "tasks",
    "transcode_jobs",
    "video_captions",
    "video_labels",
    "video_lengths",
    "video_totals",
    "video_uploads",
    "videos",
    "webhook_deliveries",
    "webhook_endpoints",
]
