"""Read and change an environment's default: the captions that a machine makes of new videos."""

from collections.abc import Sequence

import attrs

from hvcore.domain.access.tenants import Environment
from hvcore.errors import EnvironmentNotFoundError
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.audit import record
from hvcore.services.captions.orders import CaptionOrders
from hvcore.services.conditions import Condition, require_condition


@attrs.frozen(kw_only=True)
class CaptionDefault:
    """
    Hold the wishes for captions of an environment's new videos whose requests name none.

    Attributes:
        languages: The languages, or AUTO; empty for no captions.
        is_inherited: Whether the wishes are those of the deployment.
    """

    languages: tuple[str, ...]
    is_inherited: bool


@attrs.frozen(kw_only=True)
class CaptionDefaults:
    """Read and change the default captions of environments' new videos."""

    uow: UnitOfWork
    orders: CaptionOrders

    def of(self, env: Environment) -> CaptionDefault:
        """
        Return the default captions of an environment's new videos, as they are now.

        Raises:
            EnvironmentNotFoundError: There is no such environment.
        """
        with self.uow.read() as work:
            found = work.tenants.environment(env.org_id, env.id)
        if found is None:
            raise EnvironmentNotFoundError
        return self._default(found)

    def change(
        self,
        env: Environment,
        languages: Sequence[str] | None,
        *,
        only_if: Condition[Environment] | None = None,
    ) -> CaptionDefault:
        """
        Change the default captions of an environment's new videos; those that are there stay.

        Args:
            languages: The languages, each one that the transcriber knows, or AUTO; empty
                for no captions, None for those of the deployment.
            only_if: A condition on the environment, checked in the transaction of the change.

        Raises:
            InvalidParametersError: A language is unknown, or there is no transcriber (422).
            EnvironmentNotFoundError: There is no such environment.
            PreconditionFailedError: The environment does not meet ``only_if``.
            UnavailableError: The transcriber does not answer.
        """
        wishes = None if languages is None else tuple(dict.fromkeys(languages))
        if wishes:
            self.orders.require_possible(wishes)
        with self.uow.write() as work:
            every = work.tenants.lock_environments(env.org_id)
            found = next((one for one in every if one.id == env.id), None)
            if found is None:
                raise EnvironmentNotFoundError
            require_condition(only_if, found)
            if wishes != found.caption_languages:
                work.tenants.set_caption_languages(found, wishes)
                record(
                    work,
                    "environment.captions",
                    found.id,
                    org_id=found.org_id,
                    name=found.shown_name,
                    languages=None if wishes is None else list(wishes),
                )
            work.commit()
        return self._default(attrs.evolve(found, caption_languages=wishes))

    def _default(self, env: Environment) -> CaptionDefault:
        own = env.caption_languages
        return CaptionDefault(
            languages=self.orders.default_languages if own is None else own,
            is_inherited=own is None,
        )
