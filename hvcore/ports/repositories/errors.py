"""
What repositories raise.
"""


class ConcurrentUpdateError(Exception):
    """
    Somebody else saved the same record in the meantime.
    """


class AlreadyExistsError(Exception):
    """
    A record with this identifier is there already.
    """
