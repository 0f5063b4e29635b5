"""Find the tags of an environment's videos by a part of their name, with their counts."""

from collections import Counter
from typing import Any, Final

import sqlalchemy as sa

from hvcore.domain.access.tenants import Environment
from hvcore.domain.folded_texts import folded
from hvcore.domain.labels import written_tag_term
from hvcore.domain.videos.catalog import TagTotal
from hvcore.persistence.fast_reads.reads import FastReads
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import label_totals
from hvcore.persistence.videos.page_conditions import (
    in_state,
    literal_number,
    literal_word,
)

MOST_READ: Final = 5_000
"""The most totals that one question reads: about 10 ms. Tags behind these are not suggested."""
_FIRST: Final = written_tag_term("")
# All texts that begin with the first end before this one.
_END: Final = _FIRST[:-1] + chr(ord(_FIRST[-1]) + 1)


class TagTotals:
    """Find the tags of an environment's videos by a part of their name, with their counts; thread-safe."""

    def __init__(self, reads: FastReads) -> None:
        self._reads = reads
        self._totals = reads.prepare(_totals(), is_remembered=False)

    def find(self, env: Environment, part: str, most: int) -> tuple[TagTotal, ...]:
        """Return the tags whose name contains a text, regardless of case: at most ``most``, the most frequent first."""
        if not is_storable(part):
            return ()
        wanted = folded(part)
        counts: Counter[str] = Counter()
        asked = {
            "org_id": env.org_id,
            "env_id": env.id,
            "limit": MOST_READ,
            "offset": 0,
        }
        for term, videos in self._reads.all(self._totals, asked):
            tag = term.removeprefix(_FIRST)
            if wanted in folded(tag):
                counts[tag] += videos
        ordered = sorted(counts.items(), key=lambda found: (-found[1], found[0]))
        return tuple(TagTotal(tag, videos) for tag, videos in ordered[:most] if videos)


def _totals() -> sa.Select[Any]:
    columns = label_totals.c
    limit: sa.BindParameter[int] = sa.bindparam("limit")
    offset: sa.BindParameter[int] = sa.bindparam("offset")
    return (
        sa.select(columns.term, columns.videos)
        .where(
            columns.org_id == sa.bindparam("org_id"),
            columns.env_id == sa.bindparam("env_id"),
            columns.term >= literal_word(_FIRST),
            columns.term < literal_word(_END),
            in_state(columns.state, has_state=False),
            columns.videos > literal_number(0),
        )
        .limit(limit)
        .offset(offset)
    )
