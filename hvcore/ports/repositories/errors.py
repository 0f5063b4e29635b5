"""The errors that repositories raise."""


class ConcurrentUpdateError(Exception):
    """The same record was saved by another transaction in the meantime."""


class AlreadyExistsError(Exception):
    """A record with this identifier is already there."""
