"""
Old and new code run side by side: what an expand may do.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import Engine

from hvcore.persistence.engine import make_engine
from hvcore.persistence.schema_version import NEWEST_CONTRACT, NEWEST_EXPAND
from tests.persistence.migration_rules import broken_rules, chain
from tests.persistence.next_version import FOLLOWING, next_migrations
from tests.support.servers import PostgresqlServer

BASELINE = {
    "0008": {
        "drops a column: share_links.guesses",
        "drops a column: share_links.guesses_from",
        "runs DROP COLUMN",
    }
}
"""
What migrations do that were made before there was this rule: nobody upgraded beside
running processes then. Nothing is added here.
"""


@pytest.fixture
def empty_postgresql(postgresql: PostgresqlServer) -> Iterator[Engine]:
    url = postgresql.new_database()
    engine = make_engine(url)
    yield engine
    engine.dispose()
    postgresql.drop_database(url)


@pytest.fixture
def postgresql_engine(
    postgresql: PostgresqlServer, _postgresql_of_the_core: str
) -> Iterator[Engine]:
    url = postgresql.new_database(like=_postgresql_of_the_core)
    engine = make_engine(url)
    yield engine
    engine.dispose()
    postgresql.drop_database(url)


def test_the_constants_name_the_newest_migrations() -> None:
    expands, contracts = chain("versions"), chain("contracts")

    assert expands[-1] == NEWEST_EXPAND
    assert (contracts[-1:] or [""])[0] == NEWEST_CONTRACT
    # Compared as texts, by versions that do not have the files.
    assert expands == [f"{number:04}" for number in range(1, len(expands) + 1)]
    assert contracts == [f"contract_{n:04}" for n in range(1, len(contracts) + 1)]


def test_no_expand_disturbs_older_versions(
    empty_postgresql: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {
        revision: broken_rules(empty_postgresql, revision, monkeypatch)
        for revision in chain("versions")
    }

    assert {key: rules for key, rules in found.items() if rules} == BASELINE


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ('op.drop_table("share_codes")', "drops a table: share_codes"),
        ('op.drop_column("videos", "chapters")', "drops a column: videos.chapters"),
        (
            'op.alter_column("videos", "chapters", new_column_name="sections")',
            "renames a column: videos.chapters",
        ),
        (
            'op.alter_column("videos", "chapters", nullable=False)',
            "asks older versions to fill a column: videos.chapters",
        ),
        (
            'op.add_column("leaders", sa.Column("x", sa.Text(), nullable=False))',
            "adds a column that older versions do not fill: leaders.x",
        ),
        (
            'op.create_unique_constraint("uq_x", "videos", ["name"])',
            "makes a rule that older versions do not know: videos",
        ),
        (
            'op.create_index("ux_x", "videos", ["name"], unique=True)',
            "makes a rule that older versions do not know: videos",
        ),
        ('op.execute("ALTER TABLE {videos} RENAME TO films")', "runs RENAME"),
        ('op.execute("DELETE FROM {events}")', "runs DELETE FROM"),
        (
            'op.execute("DO $$ BEGIN DELETE FROM {events}; END $$")',
            "runs DELETE FROM",
        ),
    ],
)
def test_a_migration_that_takes_something_away_is_no_expand(
    postgresql_engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    body: str,
    rule: str,
) -> None:
    folder = next_migrations(tmp_path, expand=body)

    assert rule in broken_rules(postgresql_engine, FOLLOWING, monkeypatch, folder)


def test_a_migration_that_only_adds_is_an_expand(
    postgresql_engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    body = """
    op.add_column("videos", sa.Column("mood", sa.Text()))
    op.create_table("moods", sa.Column("name", sa.Text(), primary_key=True))
    op.create_index("ux_moods", "moods", ["name"], unique=True)
    op.create_index("ix_videos_mood", "videos", ["mood"])
"""
    folder = next_migrations(tmp_path, expand=body)

    assert broken_rules(postgresql_engine, FOLLOWING, monkeypatch, folder) == set()
