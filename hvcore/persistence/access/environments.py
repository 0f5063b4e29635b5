"""Look up the environments of an organization, as every request about a whole organization does."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import EnvId, OrgId
from hvcore.persistence.fast_reads.reads import FastReads
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import EPOCH, environments, organizations

# One row without an environment tells that the organization has none yet.
_OF_ORGANIZATION: Final = (
    sa.select(
        environments.c.id,
        environments.c.name,
        environments.c.kind,
        sa.type_coerce(environments.c.created_at, sa.BigInteger),
        environments.c.title,
    )
    .join_from(
        organizations,
        environments,
        environments.c.org_id == organizations.c.id,
        isouter=True,
    )
    .where(organizations.c.id == sa.bindparam("org"))
    .order_by(environments.c.created_at, environments.c.id)
)


class SqlEnvironmentDirectory:
    """Look up environments in the database; see ports.repositories.access.environments.EnvironmentDirectory."""

    def __init__(self, engine: Engine) -> None:
        self._reads = FastReads(engine)
        self._question = self._reads.prepare(_OF_ORGANIZATION)

    def of_organization(self, org_id: str) -> Sequence[Environment] | None:
        if not is_storable(org_id):
            return None
        rows = self._reads.all(self._question, {"org": org_id})
        if not rows:
            return None
        return [
            Environment(
                id=EnvId(env_id),
                org_id=OrgId(org_id),
                name=name,
                kind=EnvironmentKind(kind),
                created_at=EPOCH + timedelta(microseconds=created_at),
                title=title,
            )
            for env_id, name, kind, created_at, title in rows
            if env_id is not None
        ]
