"""Read the query of an upload address."""

import falcon

from hvcore.errors import ForbiddenError


def single(req: falcon.Request, name: str) -> str:
    """
    Return a parameter that must be there once.

    Given twice, it could be read in two ways; given not at all, in none.

    Raises:
        ForbiddenError: It is not.
    """
    values = req.get_param_as_list(name) or []
    if len(values) != 1:
        raise ForbiddenError(
            "This upload address is not complete; use it as it was given."
        )
    return values[0]
