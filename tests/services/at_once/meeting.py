"""
Pairs of calls that meet, each time in an organization of their own.
"""

from collections.abc import Callable, Iterator

import attrs

from tests.services.at_once.holding import AtOnce, Holding, Pair
from tests.services.at_once.tenant import Tenant, by_ann, require_whole
from tests.services.conftest import World


@attrs.frozen(kw_only=True)
class Meeting:
    """
    Have two calls meet at every statement, and look at what is left.
    """

    world: World
    holding: Holding

    def each(
        self, make: Callable[[Tenant], Pair], *, is_symmetric: bool = False
    ) -> Iterator[tuple[Tenant, AtOnce]]:
        """
        Give the organization and the ends of a pair, for each statement at which they met.

        What must hold of every organization was demanded by then.

        Args:
            make: Makes what the calls change, and returns the two calls.
            is_symmetric: It does not matter which of them is held.
        """
        made = list[Tenant]()

        def prepare() -> Pair:
            made.append(Tenant.of(self.world))
            return by_ann(make(made[-1]))

        run = self.holding.each_statement if is_symmetric else self.holding.each_order
        for ends in run(prepare):
            require_whole(made[-1])
            yield made[-1], ends
