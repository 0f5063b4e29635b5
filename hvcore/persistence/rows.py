"""Convert between database rows and values of the domain, such as videos and tasks, field by field."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import attrs
import orjson
from sqlalchemy.engine import RowMapping

from hvcore import log_context, tracing
from hvcore.domain.access.keys import ApiKey, KeyType, Permission
from hvcore.domain.access.tenants import Environment, EnvironmentKind, Organization
from hvcore.domain.folded_texts import composed, folded
from hvcore.domain.ids import EnvId, GrantId, JobId, KeyId, OrgId, TaskId, VideoId
from hvcore.domain.labels import NO_LABELS, Labels, written_tag_term
from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.processing.encoding import EncodingSettings
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import TranscodeOrder
from hvcore.domain.tasks.task import ORIGIN, Lane, NewTask, Task, TaskState
from hvcore.domain.uploads.grants import GrantState, UploadGrant
from hvcore.domain.videos.deletion import BinStay, DeletionReason
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence.json_columns import dump, dump_plain, load, load_mapping

_SENT_TAGS: Final = "tagsAsSent"
"""Beside the composed tags, which processes of older versions index as they stand."""
_PERMISSIONS: Final = frozenset(one.value for one in Permission)


def organization_from_row(row: RowMapping) -> Organization:
    """Read an organization from its row."""
    return Organization(id=OrgId(row["id"]), created_at=row["created_at"])


def environment_from_row(row: RowMapping) -> Environment:
    """Read an environment from its row."""
    return Environment(
        id=EnvId(row["id"]),
        org_id=OrgId(row["org_id"]),
        name=row["name"],
        kind=EnvironmentKind(row["kind"]),
        created_at=row["created_at"],
        title=row["title"],
        caption_languages=_words(row["caption_languages"]),
    )


def environment_to_row(environment: Environment) -> dict[str, Any]:
    """Return the row of an environment."""
    return {
        "id": environment.id,
        "org_id": environment.org_id,
        "name": environment.name,
        "kind": environment.kind.value,
        "created_at": environment.created_at,
        "title": environment.title,
        "caption_languages": words_or_null(environment.caption_languages),
    }


def words_or_null(words: Sequence[str] | None) -> str | None:
    """Return words as a column has them, between spaces; None for None."""
    return None if words is None else " ".join(words)


def _words(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(text.split())


def key_from_row(row: RowMapping | Mapping[str, Any]) -> ApiKey:
    """Read an API key record from its row."""
    return ApiKey(
        id=KeyId(row["id"]),
        name=row["name"],
        type=KeyType(row["type"]),
        org_id=row["org_id"],
        env_id=row["env_id"],
        # Those of newer versions allow nothing here.
        permissions=frozenset(
            Permission(p) for p in row["permissions"].split() if p in _PERMISSIONS
        ),
        sha256=row["sha256"],
        shown=row["shown"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        last_used_at=row["last_used_at"],
        revoked_at=row["revoked_at"],
    )


def key_to_row(key: ApiKey) -> dict[str, Any]:
    """Return the row of an API key record."""
    return {
        "id": key.id,
        "name": key.name,
        "type": key.type.value,
        "org_id": key.org_id,
        "env_id": key.env_id,
        "permissions": " ".join(sorted(p.value for p in key.permissions)),
        "sha256": key.sha256,
        "shown": key.shown,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "last_used_at": key.last_used_at,
        "revoked_at": key.revoked_at,
    }


def video_from_row(
    row: RowMapping | Mapping[str, Any], media: MediaIndex | None, progress: int
) -> Video:
    """Read a video from its row, the media index and the progress (in percent)."""
    reason = row["deletion_reason"]
    return Video(
        id=VideoId(row["id"]),
        public_id=row["public_id"],
        org_id=OrgId(row["org_id"]),
        env_id=EnvId(row["env_id"]),
        name=row["name"],
        description=row["description"],
        state=VideoState(row["state"]),
        is_public=row["is_public"],
        settings=encoding_settings(row["settings"]),
        source_path=row["source_path"],
        created_at=row["created_at"],
        job_id=row["job_id"],
        media=media,
        failure_reason=row["failure_reason"],
        progress=progress,
        upload_expires_at=row["upload_expires_at"],
        deleted_at=row["deleted_at"],
        deletion_reason=None if reason is None else DeletionReason(reason),
        bin_stay=_bin_stay(row),
        poster_path=row["poster_path"],
        chapters=chapters_from_text(row["chapters"]),
        labels=labels_from_text(row["labels"]),
        allows_download=row["allows_download"],
        version=row["version"],
        event_count=row["event_count"],
    )


def _bin_stay(row: RowMapping | Mapping[str, Any]) -> BinStay | None:
    if row["bin_ends_at"] is None:
        return None
    return BinStay(state=VideoState(row["bin_state"]), ends_at=row["bin_ends_at"])


@lru_cache(maxsize=1024)
def encoding_settings(text: str) -> EncodingSettings:
    """Read the encoding settings of a video; equal settings share one object."""
    return load(text, EncodingSettings)


def video_to_row(video: Video) -> dict[str, Any]:
    """Return the row of a video, without its version and the segments of its media."""
    reason, stay = video.deletion_reason, video.bin_stay
    return {
        "id": video.id,
        "public_id": video.public_id,
        "org_id": video.org_id,
        "env_id": video.env_id,
        "name": video.name,
        "name_folded": folded(video.name),
        "description": video.description,
        "state": video.state.value,
        "is_public": video.is_public,
        "settings": dump(video.settings),
        "source_path": video.source_path,
        "created_at": video.created_at,
        "job_id": video.job_id,
        "media_outline": dump(outline(video.media)) if video.media else None,
        "duration_s": video.duration_s,
        "failure_reason": video.failure_reason,
        "upload_expires_at": video.upload_expires_at,
        "deleted_at": video.deleted_at,
        "deletion_reason": None if reason is None else reason.value,
        "bin_ends_at": None if stay is None else stay.ends_at,
        "bin_state": None if stay is None else stay.state.value,
        "poster_path": video.poster_path,
        "chapters": dump(video.chapters) if video.chapters else None,
        "event_count": video.event_count,
        "labels": labels_to_text(video.labels),
        "allows_download": video.allows_download,
        # Free for another video once this one cannot come back.
        "external_id": None
        if video.state is VideoState.DELETED and stay is None
        else video.labels.external_id,
    }


def chapters_from_text(text: str | None) -> tuple[Chapter, ...]:
    """Read the chapters of a video from JSON text; most videos have none."""
    return load(text, tuple[Chapter, ...]) if text else ()


def labels_from_text(text: str | None) -> Labels:
    """Read the labels of a video from JSON text; most videos have none."""
    if text is None:
        return NO_LABELS
    found = orjson.loads(text)
    return Labels(
        external_id=found.get("externalID"),
        metadata=tuple(found.get("metadata", {}).items()),
        tags=tuple(found.get(_SENT_TAGS) or found.get("tags", ())),
    )


def indexed_terms(text: str | None) -> frozenset[str]:
    """
    Return the terms by which the label index finds a video, from the JSON text of its labels.

    Tags count as they were written and as they are compared now, because an older version
    may have compared them differently.
    """
    if text is None:
        return frozenset()
    tags = orjson.loads(text).get("tags", ())
    others = attrs.evolve(labels_from_text(text), tags=()).terms
    return others | frozenset(map(written_tag_term, tags))


def labels_to_text(labels: Labels) -> str | None:
    """Return the labels of a video as JSON text; None if it has none."""
    if labels == NO_LABELS:
        return None
    tags = tuple(dict.fromkeys(map(composed, labels.tags)))
    found = {
        "externalID": labels.external_id,
        "metadata": dict(labels.metadata),
        "tags": tags,
        _SENT_TAGS: labels.tags if labels.tags != tags else (),
    }
    return dump_plain({name: value for name, value in found.items() if value})


def outline(media: MediaIndex) -> MediaIndex:
    """Return the media index without its segments, of which a long video has thousands."""
    return attrs.evolve(
        media,
        tracks=tuple(
            attrs.evolve(t, track=attrs.evolve(t.track, segments=()), pieces=())
            for t in media.tracks
        ),
    )


def grant_from_row(row: RowMapping) -> UploadGrant:
    """Read an upload grant from its row."""
    return UploadGrant(
        id=GrantId(row["id"]),
        org_id=OrgId(row["org_id"]),
        env_id=EnvId(row["env_id"]),
        path=row["path"],
        file_name=row["file_name"],
        content_type=row["content_type"],
        size_bytes=row["size_bytes"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        state=GrantState(row["state"]),
        video_id=row["video_id"],
        description=row["description"],
        stored_path=row["stored_path"],
        stored_bytes=row["stored_bytes"],
        starts_processing=row["starts_processing"],
        source_url=row["source_url"],
        tus_metadata=row["tus_metadata"],
        in_parts=row["in_parts"],
    )


def grant_to_row(grant: UploadGrant) -> dict[str, Any]:
    """Return the row of an upload grant."""
    return {
        "id": grant.id,
        "org_id": grant.org_id,
        "env_id": grant.env_id,
        "path": grant.path,
        "file_name": grant.file_name,
        "content_type": grant.content_type,
        "size_bytes": grant.size_bytes,
        "created_at": grant.created_at,
        "expires_at": grant.expires_at,
        "state": grant.state.value,
        "video_id": grant.video_id,
        "description": grant.description,
        "stored_path": grant.stored_path,
        "stored_bytes": grant.stored_bytes,
        "starts_processing": grant.starts_processing,
        "source_url": grant.source_url,
        "tus_metadata": grant.tus_metadata,
        "in_parts": grant.in_parts,
    }


def job_from_row(row: RowMapping) -> TranscodeJob:
    """Read a transcode job from its row."""
    return TranscodeJob(
        id=JobId(row["id"]),
        video_id=VideoId(row["video_id"]),
        order=load(row["order_json"], TranscodeOrder),
        parts_total=row["parts_total"],
        parts_left=row["parts_left"],
        transcoder=row["transcoder"],
        chosen_because=row["chosen_because"],
    )


def job_to_row(job: TranscodeJob) -> dict[str, Any]:
    """Return the row of a transcode job."""
    return {
        "id": job.id,
        "video_id": job.video_id,
        "order_json": dump(job.order),
        "parts_total": job.parts_total,
        "parts_left": job.parts_left,
        "transcoder": job.transcoder,
        "chosen_because": job.chosen_because,
        "duration_s": job.order.source.duration_s,
    }


def task_from_row(row: RowMapping) -> Task:
    """Read a task from its row."""
    result = row["result"]
    return Task(
        id=TaskId(row["id"]),
        kind=row["kind"],
        lane=Lane(row["lane"]),
        org_id=OrgId(row["org_id"]),
        subject=row["subject"],
        payload=load_mapping(row["payload"]),
        state=TaskState(row["state"]),
        not_before=row["not_before"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        fence=row["fence"],
        leased_at=row["leased_at"],
        lease_until=row["lease_until"],
        worker=row["worker"],
        attempts=row["attempts"],
        losses=row["losses"],
        progress=row["progress"],
        result=None if result is None else load_mapping(result),
        error=row["error"],
    )


def new_task_to_row(task: NewTask, now: datetime) -> dict[str, Any]:
    """Return the row of a new task that is ordered at the moment ``now``."""
    return {
        "id": task.id,
        "kind": task.kind,
        "lane": task.lane.value,
        "org_id": task.org_id,
        "subject": task.subject,
        **payload_to_row({**_origin(), **task.payload}),
        "state": TaskState.DUE.value,
        "not_before": task.not_before or now,
        "created_at": now,
        "updated_at": now,
        "fence": 0,
        "worker": "",
        "attempts": 0,
        "losses": 0,
        "progress": 0.0,
        "error": "",
    }


def _origin() -> Mapping[str, object]:
    """
    Return the origin of a new task for log and trace: its request and parent.

    A task that orders another one hands it on.
    """
    origin = log_context.current().get(log_context.REQUEST_ID)
    found = {} if origin is None else {ORIGIN: origin}
    parent = tracing.current_parent()
    return found if parent is None else {**found, tracing.PARENT: parent}


def payload_to_row(payload: Mapping[str, object]) -> dict[str, Any]:
    """Return the columns of a task's payload: its JSON text, and copies of the fields by which the database finds tasks."""
    weight = payload.get("weight")
    job_id = payload.get("job")
    return {
        "payload": dump_plain(payload),
        "job_id": job_id if isinstance(job_id, str) else None,
        "weight": float(weight) if isinstance(weight, (int, float)) else 1.0,
    }
