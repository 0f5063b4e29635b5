"""Look up the video, share link or edge key of a playback request."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.clock import Clock, SystemClock
from hvcore.domain.access.quotas import month_number
from hvcore.domain.access.service_keys import PLAYBACK, ServiceKey
from hvcore.domain.ids import EnvId, OrgId, PublicId, VideoId
from hvcore.domain.links.links import EdgeKey, ShareLink
from hvcore.domain.media_paths import media_root
from hvcore.domain.playback.signing_keys import SigningKey
from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.states import VideoState
from hvcore.files.changes_file import ChangesFile
from hvcore.persistence.access.service_keys import service_key_from_row
from hvcore.persistence.fast_reads.reads import FastReads, Row
from hvcore.persistence.links.links import edge_key_from_row, share_link_from_row
from hvcore.persistence.playback.signing_keys import signing_key_from_row
from hvcore.persistence.processing.published_media import MediaCache
from hvcore.persistence.rows import chapters_from_text
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import (
    EPOCH,
    UtcDateTime,
    domain_lists,
    edge_keys,
    environments,
    organization_limits,
    organization_months,
    published_media,
    service_keys,
    share_links,
    signing_keys,
    video_captions,
    videos,
)
from hvcore.persistence.videos.captions import caption_track
from hvcore.ports.repositories.playback import PlaybackEntry

MAX_FOUND: Final = 4096
"""Videos whose entries are in memory, about 4 MB; their media is bounded itself."""
MAX_DOMAIN_LISTS: Final = 1000
"""In memory, some 4 KB each at most."""


_DELIVERED_BYTES: Final = (
    sa.select(organization_months.c.delivered_bytes)
    .where(
        organization_months.c.org_id == organization_limits.c.org_id,
        organization_months.c.month == sa.bindparam("month", type_=sa.BigInteger()),
    )
    .correlate(organization_limits)
    .scalar_subquery()
)
# Nearly no organization has the limit: then this is one look at a small table.
_IS_OVER_QUOTA: Final = sa.exists(
    sa.select(sa.literal_column("1"))
    .select_from(organization_limits)
    .where(
        organization_limits.c.org_id == videos.c.org_id,
        organization_limits.c.delivered_bytes_per_month
        <= sa.func.coalesce(_DELIVERED_BYTES, sa.literal_column("0")),
    )
    .correlate(videos)
)


def _entry_statement(column: sa.Column[str]) -> sa.Select[Any]:
    return (
        sa.select(
            videos.c.id,
            videos.c.public_id,
            videos.c.org_id,
            videos.c.env_id,
            environments.c.name.label("env_name"),
            videos.c.state,
            videos.c.is_public,
            videos.c.name,
            videos.c.job_id,
            videos.c.media_outline.is_not(None).label("has_media"),
            videos.c.poster_path,
            _IS_OVER_QUOTA.label("is_over_quota"),
            videos.c.chapters.is_not(None).label("has_chapters"),
            videos.c.allows_download,
            videos.c.source_path,
        )
        .join_from(
            videos,
            environments,
            sa.and_(
                environments.c.org_id == videos.c.org_id,
                environments.c.id == videos.c.env_id,
            ),
        )
        .where(column == sa.bindparam("wanted"))
    )


_BY_ID = _entry_statement(videos.c.id)
_BY_PUBLIC_ID = _entry_statement(videos.c.public_id)
_MEDIA = sa.select(published_media.c.media).where(
    published_media.c.video_id == sa.bindparam("video_id"),
    published_media.c.job_id == sa.bindparam("job_id"),
)


def _plain_columns(table: sa.Table, *names: str, key: str = "id") -> sa.Select[Any]:
    # Moments as the numbers that they are: SQLite is asked past SQLAlchemy.
    columns = [
        sa.type_coerce(column, sa.BigInteger).label(column.name)
        if isinstance(column.type, UtcDateTime)
        else column
        for column in (table.c[name] for name in names)
    ]
    return sa.select(*columns).where(table.c[key] == sa.bindparam("wanted"))


_DOMAINS = sa.select(domain_lists.c.domains).where(
    domain_lists.c.id == sa.bindparam("wanted")
)
_OWNER = ("id", "org_id", "env_id", "video_id", "created_at", "expires_at")
_EDGE_KEY = _plain_columns(edge_keys, *_OWNER, "revoked_at", "domains")
_SIGNING_KEY = _plain_columns(signing_keys, *signing_keys.c.keys())
_SERVICE_KEYS = _plain_columns(service_keys, *service_keys.c.keys(), key="purpose")
_SHARE = _plain_columns(
    share_links, *_OWNER, "revoked_at", "max_views", "views", "viewer_email"
)
_CAPTION = tuple(video_captions.c.keys())
_CHAPTERS = sa.select(videos.c.chapters).where(videos.c.id == sa.bindparam("wanted"))
_CAPTIONS = _plain_columns(video_captions, *_CAPTION, key="video_id").order_by(
    video_captions.c.language
)


_MOMENTS = ("_at", "_from", "_until")


def _moment(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)


def _decoded(statement: sa.Select[Any], row: Row) -> dict[str, Any]:
    names = statement.selected_columns.keys()
    return {
        name: _moment(value) if name.endswith(_MOMENTS) and value is not None else value
        for name, value in zip(names, row, strict=True)
    }


@attrs.frozen(eq=False)
class _Found:
    """An entry, what it was made of, and since when nothing has changed."""

    version: object
    row: Row
    entry: PlaybackEntry


class SqlPlaybackDirectory:
    """
    Look up the videos that are to be played; see ports.repositories.playback.PlaybackDirectory.

    Args:
        changes: Shows when cached answers of a server are no longer valid. With it,
            reads within ``moment`` never wait for the server; see FastReads.
        clock: Tells the month whose quota use is read.
    """

    def __init__(
        self,
        engine: Engine,
        changes: ChangesFile | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self._reads = FastReads(engine, changes)
        self._media = MediaCache()
        self._found: dict[str, _Found] = {}
        # By what names them, so that they never change.
        self._domains: dict[str, tuple[str, ...]] = {}
        prepare = self._reads.prepare
        self._by_id, self._by_public_id = prepare(_BY_ID), prepare(_BY_PUBLIC_ID)
        self._published_media = prepare(_MEDIA, is_remembered=False)
        self._edge_keys, self._shares = prepare(_EDGE_KEY), prepare(_SHARE)
        self._domain_lists = prepare(_DOMAINS)
        self._signing_keys = prepare(_SIGNING_KEY)
        # Asked for each token, and mostly there are none.
        self._service_keys = attrs.evolve(
            prepare(_SERVICE_KEYS), is_nothing_remembered=True
        )
        # With the version of which they are; see FastReads.version.
        self._read_service_keys: tuple[object, Sequence[ServiceKey]] = (None, ())
        self._captions = self._reads.prepare_page(_CAPTIONS)
        self._chapters = prepare(_CHAPTERS, is_remembered=False)

    @property
    def answers_at_once(self) -> bool:
        return self._reads.waits_for_nobody

    @property
    def is_current(self) -> bool:
        return self._reads.is_sqlite or not self._reads.waits_for_nobody

    def find(self, video_id: str) -> PlaybackEntry | None:
        """
        Return the playback entry of a ``vid_`` or ``pubvid_`` id as of now; None if there is none.

        Raises:
            UnavailableError: The database does not answer; or within ``moment`` it would have to be
                waited for.
        """
        known = self._found.get(video_id)
        version = self._reads.version
        if known is not None and version is not None and known.version is version:
            return known.entry
        # What was found before can be asked for.
        if known is None and not is_storable(video_id):
            return None
        is_public = video_id.startswith("pubvid_")
        question = self._by_public_id if is_public else self._by_id
        wanted = {"wanted": video_id, "month": month_number(self._clock.now())}
        row = self._reads.first(question, wanted)
        if row is None:
            return None
        # Made again only if something has changed, which others see by that.
        is_same = known is not None and known.row == row
        if known is not None and is_same and version is None:
            return known.entry
        entry = known.entry if known is not None and is_same else self._entry(row)
        if len(self._found) >= MAX_FOUND:
            self._found.clear()
        self._found[video_id] = _Found(version, row, entry)
        return entry

    def captions(self, video_id: VideoId) -> Sequence[CaptionTrack]:
        rows = self._reads.all(self._captions, {"wanted": video_id})
        return [caption_track(_decoded(_CAPTIONS, row)) for row in rows]

    def chapters(self, video_id: VideoId) -> Sequence[Chapter]:
        row = self._reads.first(self._chapters, {"wanted": video_id})
        return () if row is None else chapters_from_text(row[0])

    def moment(self) -> AbstractContextManager[None]:
        """
        Within the block, no look-up of this thread is answered by what was read before the block began.

        Raises:
            UnavailableError: The database does not answer.
        """
        return self._reads.moment()

    def find_domains(self, list_id: str) -> Sequence[str] | None:
        known = self._domains.get(list_id)
        if known is not None:
            return known
        row = self._reads.first(self._domain_lists, {"wanted": list_id})
        if row is None:
            return None
        if len(self._domains) >= MAX_DOMAIN_LISTS:
            self._domains.clear()
        found = self._domains[list_id] = tuple(row[0].split())
        return found

    def service_keys(self) -> Sequence[ServiceKey]:
        version, keys = self._read_service_keys
        if version is None or version is not self._reads.version:
            rows = self._reads.all(self._service_keys, {"wanted": PLAYBACK})
            keys = [service_key_from_row(_decoded(_SERVICE_KEYS, row)) for row in rows]
            self._read_service_keys = (self._reads.version, keys)
        return keys

    def find_signing_key(self, key_id: str) -> SigningKey | None:
        row = self._reads.first(self._signing_keys, {"wanted": key_id})
        if row is None:
            return None
        return signing_key_from_row(_decoded(_SIGNING_KEY, row))

    def find_edge_key(self, edge_key: str) -> EdgeKey | None:
        row = self._reads.first(self._edge_keys, {"wanted": edge_key})
        return None if row is None else edge_key_from_row(_decoded(_EDGE_KEY, row))

    def find_share_link(self, share_id: str) -> ShareLink | None:
        row = self._reads.first(self._shares, {"wanted": share_id})
        return None if row is None else share_link_from_row(_decoded(_SHARE, row))

    def _entry(self, row: tuple[Any, ...]) -> PlaybackEntry:
        (id_, public_id, org_id, env_id, env_name, state, is_public, name) = row[:8]
        job_id, has_media, poster_path, is_over_quota = row[8:12]
        has_chapters, allows_download, source_path = row[12:]
        return PlaybackEntry(
            id=VideoId(id_),
            public_id=PublicId(public_id),
            org_id=OrgId(org_id),
            env_id=EnvId(env_id),
            env_name=env_name,
            state=VideoState(state),
            is_public=bool(is_public),
            name=name,
            media_root=media_root(id_, job_id) if has_media else None,
            load_media=partial(
                self._media.get, (id_, job_id), partial(self._read_media, id_, job_id)
            ),
            poster_path=poster_path,
            may_begin=not is_over_quota,
            has_chapters=bool(has_chapters),
            allows_download=bool(allows_download),
            source_path=source_path,
        )

    def _read_media(self, video_id: str, job_id: str) -> str | None:
        wanted = {"video_id": video_id, "job_id": job_id}
        row = self._reads.first(self._published_media, wanted)
        return None if row is None else row[0]
