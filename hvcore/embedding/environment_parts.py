"""The base class of the objects for captions, posters and reports of an environment's videos."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import attrs

from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import KeyId
from hvcore.embedding.process import ProcessServices

if TYPE_CHECKING:
    from hvcore.assembly import Services

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class EnvironmentPart:
    """The base class of the captions, posters and reports of an environment; thread-safe."""

    _process: ProcessServices = attrs.field(repr=False)
    _environment: Environment = attrs.field(repr=False)

    @property
    def _org_id(self) -> str:
        return self._environment.org_id

    @property
    def _caller(self) -> Principal:
        return host_caller(self._environment)

    def _service(self, read: "Callable[[Services], T]") -> T:
        return self._process.service(read)


def host_caller(environment: Environment) -> Principal:
    """Return the host program's own code as a caller of the API, who may do everything in an environment."""
    return Principal(
        key_id=KeyId("host"),
        type=KeyType.ENVIRONMENT,
        org_id=environment.org_id,
        env_id=environment.id,
        permissions=ALL_PERMISSIONS,
    )
