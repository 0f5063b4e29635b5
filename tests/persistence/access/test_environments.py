"""
The environments of an organization, as requests find them.
"""

from datetime import timedelta

from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment, EnvironmentKind, Organization
from hvcore.domain.ids import EnvId, OrgId
from hvcore.persistence.access.environments import SqlEnvironmentDirectory
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import NOW, ORG, OTHER_ORG


def test_an_organization_has_its_own_environments_oldest_first(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    with uow.write() as work:
        for number, name in enumerate(("younger", "older")):
            work.tenants.add_environment(
                Environment(
                    id=EnvId(f"env_{number}"),
                    org_id=ORG,
                    name=name,
                    kind=EnvironmentKind.PRODUCTION,
                    created_at=NOW - timedelta(days=number),
                )
            )
        work.commit()
    directory = SqlEnvironmentDirectory(engine)

    found = directory.of_organization(ORG)

    with uow.read() as work:
        assert found == work.tenants.environments(ORG)
    assert found is not None
    # Those of one moment by their ids.
    assert [env.name for env in found] == ["older", "dev", "younger"]
    others = directory.of_organization(OTHER_ORG)
    assert others is not None
    assert [env.org_id for env in others] == [OTHER_ORG]


def test_an_organization_without_environments_differs_from_none(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    with uow.write() as work:
        work.tenants.add_organization(Organization(id=OrgId("org_new"), created_at=NOW))
        work.commit()
    directory = SqlEnvironmentDirectory(engine)

    assert directory.of_organization("org_new") == []
    assert directory.of_organization("org_x") is None
    assert directory.of_organization("\0") is None
