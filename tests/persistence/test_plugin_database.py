"""
The service's own database, as plugins use it.
"""

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.persistence.tables import organizations
from tests.persistence.samples import NOW, ORG, OTHER_ORG

KNOWN = sa.select(organizations.c.id).where(
    organizations.c.id.in_([sa.bindparam("one"), sa.bindparam("other")])
)


def test_a_question_sees_what_was_written_at_once(engine: Engine) -> None:
    database = PluginDatabase(engine)
    wanted = {"one": "org_new", "other": "org_none"}
    assert database.ask(KNOWN, wanted) == []

    with database.writing() as connection:
        connection.execute(
            sa.insert(organizations).values(id="org_new", created_at=NOW)
        )
        connection.commit()

    assert database.ask(KNOWN, wanted) == [("org_new",)]
    both = database.ask(KNOWN, {"one": ORG, "other": OTHER_ORG})
    assert sorted(row[0] for row in both) == sorted([ORG, OTHER_ORG])


def test_many_rows_come_in_their_order_with_all_that_is_in_them(
    engine: Engine,
) -> None:
    database = PluginDatabase(engine)
    names = ['org_"quoted"', "org_é\n", "org_z"]
    with database.writing() as connection:
        connection.execute(
            sa.insert(organizations),
            [{"id": name, "created_at": NOW} for name in names],
        )
        connection.commit()
    statement = (
        sa.select(organizations.c.id, sa.func.length(organizations.c.id), sa.null())
        .where(organizations.c.id != sa.bindparam("one"))
        .where(organizations.c.id != sa.bindparam("other"))
        .order_by(sa.func.length(organizations.c.id).desc())
    )

    rows = database.ask_for_many(statement, {"one": ORG, "other": OTHER_ORG})

    assert list(rows) == [(name, len(name), None) for name in names]


def test_a_query_that_finds_nothing_gives_no_row(engine: Engine) -> None:
    database = PluginDatabase(engine)
    statement = sa.select(organizations.c.id, organizations.c.created_at).where(
        organizations.c.id == sa.bindparam("id")
    )

    assert list(database.ask_for_many(statement, {"id": "org_none"})) == []
