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
