"""The errors that repositories raise."""


class ConcurrentUpdateError(Exception):
    """Refuse to save a record that another transaction has saved in the meantime."""


class AlreadyExistsError(Exception):
    """Refuse to add a record whose identifier another record has."""
