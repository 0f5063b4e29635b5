"""Update the index of labels and its totals in the transactions that change videos."""

from collections import Counter
from datetime import datetime
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.videos.states import LISTED_STATES
from hvcore.domain.videos.video import Video
from hvcore.persistence.rows import indexed_terms
from hvcore.persistence.statements import insert_into
from hvcore.persistence.tables import label_totals, video_labels, videos

LISTED: Final = frozenset(state.value for state in LISTED_STATES)
_BATCH: Final = 1000
_TOTAL_KEY: Final = list(label_totals.primary_key)


class Labelled(NamedTuple):
    """The entry of a video in the label index: the terms (tags, metadata) by which lists find it; none for a video on no list."""

    org_id: str
    env_id: str
    video_id: str
    created_at: datetime
    state: str
    terms: frozenset[str]


def labelled(video: Video) -> Labelled:
    """Return the label index's entry of a video."""
    return labelled_as(
        video.org_id,
        video.env_id,
        video.id,
        video.created_at,
        video.state.value,
        video.labels.terms,
    )


def labelled_as(  # noqa: PLR0913, PLR0917 - the columns of a row
    org_id: str,
    env_id: str,
    video_id: str,
    created_at: datetime,
    state: str,
    terms: frozenset[str],
) -> Labelled:
    """Return the label index's entry of a video, made of the columns of its row."""
    found = terms if state in LISTED else frozenset[str]()
    return Labelled(org_id, env_id, video_id, created_at, state, found)


class _Total(NamedTuple):
    """The videos that are counted in one row."""

    org_id: str
    env_id: str
    term: str
    state: str


class LabelIndex:
    """Change the label index in a transaction; write its totals right before the commit."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._totals: Counter[_Total] = Counter()

    def move(self, stored: Labelled | None, video: Labelled) -> None:
        """
        Replace the stored entry of a video in the label index by its present one.

        Args:
            stored: The stored entry; None for a new video.
        """
        if stored is not None and (stored.state, stored.terms) == (
            video.state,
            video.terms,
        ):
            return
        if stored is not None and stored.terms:
            self._forget(stored)
        if video.terms:
            self._connection.execute(sa.insert(video_labels), _rows(video))
            self._totals.update(_totals(video))

    def flush(self) -> None:
        """
        Write the changed totals of the label index.

        Many transactions change these rows: so they are written last, and in one order.
        """
        totals, self._totals = self._totals, Counter()
        for total in sorted(totals):
            if totals[total]:
                self._store(total, totals[total])

    def _forget(self, stored: Labelled) -> None:
        columns = video_labels.c
        self._connection.execute(
            sa.delete(video_labels).where(
                columns.org_id == stored.org_id,
                columns.env_id == stored.env_id,
                columns.term.in_(sorted(stored.terms)),
                columns.created_at == stored.created_at,
                columns.video_id == stored.video_id,
            )
        )
        self._totals.subtract(_totals(stored))

    def _store(self, total: _Total, count: int) -> None:
        statement = insert_into(self._connection, label_totals).values(
            **total._asdict(), videos=count
        )
        more = label_totals.c.videos + statement.excluded.videos
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=_TOTAL_KEY, set_={"videos": more}
            )
        )
        if count < 0:
            # A value that nobody has any more leaves nothing behind.
            self._connection.execute(
                sa.delete(label_totals).where(
                    *(
                        label_totals.c[name] == of
                        for name, of in total._asdict().items()
                    ),
                    label_totals.c.videos <= 0,
                )
            )


def index_again(connection: Connection) -> None:
    """
    Rebuild the label index and its totals from the videos; remove external IDs of deleted videos.

    Videos in the bin keep their external IDs.

    Processes of an older version, which know no labels, may have changed the states of videos.
    """
    columns = videos.c
    connection.execute(sa.delete(video_labels))
    connection.execute(sa.delete(label_totals))
    connection.execute(
        sa.update(videos)
        .where(
            columns.state == "deleted",
            columns.bin_ends_at.is_(None),
            columns.external_id.is_not(None),
        )
        .values(external_id=None)
    )
    asked = sa.select(
        *(columns.org_id, columns.env_id, columns.id, columns.created_at),
        *(columns.state, columns.labels),
    ).where(columns.labels.is_not(None), columns.state.in_(sorted(LISTED)))
    totals: Counter[_Total] = Counter()
    last = ""
    while True:
        batch = asked.where(columns.id > last).order_by(columns.id).limit(_BATCH)
        found = connection.execute(batch).all()
        if not found:
            break
        last = found[-1].id
        shown = [labelled_as(*row[:5], indexed_terms(row.labels)) for row in found]
        rows = [row for one in shown for row in _rows(one)]
        if rows:
            connection.execute(sa.insert(video_labels), rows)
        for one in shown:
            totals.update(_totals(one))
    if totals:
        counted = [
            {**total._asdict(), "videos": count} for total, count in totals.items()
        ]
        connection.execute(sa.insert(label_totals), counted)


def _rows(video: Labelled) -> list[dict[str, object]]:
    shared = video._asdict()
    terms = shared.pop("terms")
    return [{**shared, "term": term} for term in sorted(terms)]


def _totals(video: Labelled) -> list[_Total]:
    return [
        _Total(video.org_id, video.env_id, term, video.state) for term in video.terms
    ]
