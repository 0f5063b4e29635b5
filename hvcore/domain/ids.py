"""
Identifiers of videos, keys and other records: their form, and how they are made.

An identifier is a prefix and 22 random base62 characters (131 bits), so that nobody can
guess one. Operators may choose those of organizations and environments.
"""

import hashlib
import re
import secrets
import string
from typing import Final, NewType

OrgId = NewType("OrgId", str)
"""The id of an organization: ``org_…``, or one that was chosen (``is_chosen_id``)."""
EnvId = NewType("EnvId", str)
"""The id of an environment: ``env_…``, or one that was chosen."""
VideoId = NewType("VideoId", str)
"""The id of a video: ``vid_…``."""
PublicId = NewType("PublicId", str)
KeyId = NewType("KeyId", str)
"""The id of an API key, or a plugin's own name of a caller: at most 64 characters."""
GrantId = NewType("GrantId", str)
JobId = NewType("JobId", str)
TaskId = NewType("TaskId", str)
"""The id of a task, which a queue carries and does not read."""
EdgeKeyId = NewType("EdgeKeyId", str)
ShareLinkId = NewType("ShareLinkId", str)
ShareCodeId = NewType("ShareCodeId", str)
WebhookId = NewType("WebhookId", str)
DeliveryId = NewType("DeliveryId", str)
EventId = NewType("EventId", str)
MemberId = NewType("MemberId", str)
SignInMailId = NewType("SignInMailId", str)
SigningKeyId = NewType("SigningKeyId", str)
BulkChangeId = NewType("BulkChangeId", str)
"""The id of a bulk change of videos: ``bulk_…``."""

CaptionJobId = NewType("CaptionJobId", str)
"""The id of a job that makes captions by machine: ``cap_…``."""

BASE62: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
RANDOM_CHARS: Final = 22
MAX_CHOSEN_CHARS: Final = 64
RESERVED_ORG_IDS: Final = frozenset(
    {"organizations", "sign-in", "sign-out", "static", "system"}
)
"""Pages of the dashboard, where an organization's id would stand in the address."""

_CHOSEN = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_CHOSEN_CHARS}}}")
_VIDEO = re.compile(rf"(?:pub)?vid_[0-9A-Za-z]{{{RANDOM_CHARS}}}")
_EDGE_KEY = re.compile(rf"ek_[0-9A-Za-z]{{{RANDOM_CHARS}}}")
_SIGNING_KEY = re.compile(rf"sgk_[0-9A-Za-z]{{{RANDOM_CHARS}}}")
_SHARE = re.compile(rf"shr_[0-9A-Za-z]{{{RANDOM_CHARS}}}")


def _derived(prefix: str, secret_text: str) -> str:
    digest = hashlib.sha256(secret_text.encode()).digest()
    number, chars = int.from_bytes(digest), ""
    while len(chars) < RANDOM_CHARS:
        number, place = divmod(number, len(BASE62))
        chars += BASE62[place]
    return prefix + chars


def _random(prefix: str) -> str:
    return prefix + "".join(secrets.choice(BASE62) for _ in range(RANDOM_CHARS))


def new_org_id() -> OrgId:
    """Make an organization's identifier, ``org_…``."""
    return OrgId(_random("org_"))


def new_env_id() -> EnvId:
    """Make an environment's identifier, ``env_…``."""
    return EnvId(_random("env_"))


def new_video_id() -> VideoId:
    """Make a video's identifier, ``vid_…``."""
    return VideoId(_random("vid_"))


def new_public_id() -> PublicId:
    """Make a video's public identifier, ``pubvid_…``."""
    return PublicId(_random("pubvid_"))


def new_key_id() -> KeyId:
    """Make an API key record's identifier, ``key_…``."""
    return KeyId(_random("key_"))


def new_grant_id() -> GrantId:
    """Make an upload grant's identifier, ``up_…``."""
    return GrantId(_random("up_"))


def new_job_id() -> JobId:
    """Make a transcode job's identifier, ``job_…``."""
    return JobId(_random("job_"))


def new_task_id() -> TaskId:
    """Make a task's identifier, ``task_…``."""
    return TaskId(_random("task_"))


def new_service_key_id() -> str:
    """Make the identifier (``kid``) of one of the service's own signing keys."""
    return _random("svk_")


def new_signing_key_id() -> SigningKeyId:
    """Make a signing key's identifier, ``sgk_…``."""
    return SigningKeyId(_random("sgk_"))


def new_edge_key_id() -> EdgeKeyId:
    """Make an edge key, ``ek_…``, which is its own identifier."""
    return EdgeKeyId(_random("ek_"))


def new_share_link_id() -> ShareLinkId:
    """Make a share link's identifier, ``shr_…``."""
    return ShareLinkId(_random("shr_"))


def share_link_id_from(secret_text: str) -> ShareLinkId:
    """Make the share link's identifier that belongs to a text; who knows the text knows it."""
    return ShareLinkId(_derived("shr_", secret_text))


def edge_key_id_from(secret_text: str) -> EdgeKeyId:
    """Make the edge key that belongs to a text; who knows the text knows the key."""
    return EdgeKeyId(_derived("ek_", secret_text))


def new_share_code_id() -> ShareCodeId:
    """Make the identifier of a share link's code that is sent by mail, ``shc_…``."""
    return ShareCodeId(_random("shc_"))


def new_sign_in_mail_id() -> SignInMailId:
    """Make the identifier of a mail with an invitation or a sign-in link, ``sim_…``."""
    return SignInMailId(_random("sim_"))


def new_bulk_change_id() -> BulkChangeId:
    """Make the identifier of a bulk change of videos, ``bulk_…``."""
    return BulkChangeId(_random("bulk_"))


def new_caption_job_id() -> CaptionJobId:
    """Make the identifier of a job that makes captions by machine, ``cap_…``."""
    return CaptionJobId(_random("cap_"))


def new_webhook_id() -> WebhookId:
    """Make a webhook endpoint's identifier, ``wh_…``."""
    return WebhookId(_random("wh_"))


def new_delivery_id() -> DeliveryId:
    """Make a webhook delivery's identifier, ``whd_…``."""
    return DeliveryId(_random("whd_"))


def new_event_id() -> EventId:
    """Make an event's identifier, ``evt_…``."""
    return EventId(_random("evt_"))


def new_member_id() -> MemberId:
    """Make a member's identifier, ``mem_…``."""
    return MemberId(_random("mem_"))


def is_chosen_id(text: str) -> bool:
    """Return whether a text may be an operator's own id of an organization or environment."""
    return _CHOSEN.fullmatch(text) is not None


def is_video_id(text: str) -> bool:
    """Return whether a text has the form of a ``vid_`` or a ``pubvid_`` identifier."""
    return _VIDEO.fullmatch(text) is not None


def first_video_id(text: str) -> str | None:
    """Return the first ``vid_`` or ``pubvid_`` identifier in a text; None if it has none."""
    found = _VIDEO.search(text)
    return found[0] if found else None


def is_edge_key_id(text: str) -> bool:
    """Return whether a text has the form of an edge key."""
    return _EDGE_KEY.fullmatch(text) is not None


def is_signing_key_id(text: str) -> bool:
    """Return whether a text has the form of a signing key's identifier."""
    return _SIGNING_KEY.fullmatch(text) is not None


def is_share_link_id(text: str) -> bool:
    """Return whether a text has the form of a share link's identifier."""
    return _SHARE.fullmatch(text) is not None
