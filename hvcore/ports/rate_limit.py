"""The rate limit port: counts requests exactly, for all processes that share the store."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from hvcore.domain.access.rate_limits import RateLimitRule, RateLimitState


class RateLimitStore(ABC):
    """
    Count requests in sliding windows.

    Called for every API request, from any thread, before anything else is
    done for it: an answer takes a millisecond, a failure at most 0.25 s. Each process
    builds its own, after a fork; whatever they share is made by the first of them that
    needs it: nothing prepares a store.

    A window belongs to a bucket and a subject, which is any text (an id, a client's
    address, a person's name with spaces) and told apart letter by letter. A request is in
    the window for ``window_s`` seconds and no longer; a refused one is never in it. The
    time is the store's own: the clock of the context, or that of its server.
    """

    @abstractmethod
    def hit(self, rules: Sequence[RateLimitRule]) -> Sequence[RateLimitState]:
        """
        Count one request under every rule, or under none.

        Args:
            rules: The tightest first. A limit may have changed since the last call, and
                may be 0 requests, which lets nothing pass.

        Returns:
            A state for each rule, in their order and with that rule. If one refuses,
            nothing was counted, and the others say what they would have let through.

        Raises:
            UnavailableError: The store does not answer.
        """

    def begin_hit(
        self, rules: Sequence[RateLimitRule]
    ) -> Callable[[], Sequence[RateLimitState]]:
        """
        Begin to count one request, and return what waits for the states.

        For stores that are far away: the request is worked on meanwhile. What
        is returned is called once. A store that overrides nothing counts
        before it returns.

        Raises:
            UnavailableError: Here or when it is waited for.
        """
        states = self.hit(rules)
        return lambda: states

    def ping(self) -> None:
        """
        Raise UnavailableError if the store does not answer.

        Called by ``hv doctor``; it counts nothing.
        """

    def close(self) -> None:
        """Release the connections of the store; called once, at the end."""
