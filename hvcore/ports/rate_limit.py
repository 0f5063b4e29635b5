"""The rate limit port: count requests exactly, across all processes that share the store."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from hvcore.domain.access.rate_limits import RateLimitRule, RateLimitState


class RateLimitStore(ABC):
    """
    Count requests in sliding windows of time.

    Called for every API request, from any thread, before anything else is done for the
    request: an answer takes a millisecond, a failure at most 0.25 s. Each process
    builds its own store, after a fork; tables or the like that they share are made by
    the first process that needs them: nothing prepares a store.

    A window belongs to a bucket and a subject, which is any text (an id, a client's
    address, a person's name with spaces) and compared letter by letter. A request is in
    the window for ``window_s`` seconds and no longer; a refused request is never in it.
    The time is the store's own: the clock of the context, or that of its server.
    """

    @abstractmethod
    def hit(self, rules: Sequence[RateLimitRule]) -> Sequence[RateLimitState]:
        """
        Count one request under all rules, or under none if one of them refuses it.

        Args:
            rules: The tightest first. A limit may have changed since the last call, and
                may be 0 requests, which lets nothing pass. Several equal rules are
                several requests, of which each has room if the first one has.

        Returns:
            A state for each rule, in the order of the rules. If one rule refuses the request,
            it is counted under none, and the other states say what they would have allowed.

        Raises:
            UnavailableError: The store does not answer.
        """

    def begin_hit(
        self, rules: Sequence[RateLimitRule]
    ) -> Callable[[], Sequence[RateLimitState]]:
        """
        Begin to count one request, and return a function that waits for the states.

        For stores that are far away: the request is worked on meanwhile. The returned
        function is called once. A store that does not override this method counts
        before it returns.

        Raises:
            UnavailableError: The store does not answer; raised by this method or by the
                returned function.
        """
        states = self.hit(rules)
        return lambda: states

    def ping(self) -> None:
        """
        Raise UnavailableError if the store does not answer.

        Called by ``hv doctor``; it counts no request.
        """

    def close(self) -> None:
        """Release the connections of the store; called once, at the end."""
